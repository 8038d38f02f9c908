/* What team.c and shares.h ask of the system, and nobody else includes: a bed, a lock to sleep by until one is called; the
 * time; where a thread runs. */
#ifndef DMLC_RUN_SYSTEM_H
#define DMLC_RUN_SYSTEM_H

#include <stdint.h>

#if defined(_WIN32)
#include <windows.h>

static SRWLOCK bed = SRWLOCK_INIT;
static CONDITION_VARIABLE call = CONDITION_VARIABLE_INIT;

static void bed_acquire(void) { AcquireSRWLockExclusive(&bed); }
static void bed_release(void) { ReleaseSRWLockExclusive(&bed); }
static void sleep_until_called(void) { SleepConditionVariableSRW(&call, &bed, INFINITE, 0); }
static void wake_one(void) { WakeConditionVariable(&call); }
static void give_way(void) { SwitchToThread(); }
static int64_t microseconds(void)
{
    LARGE_INTEGER count, each_second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&each_second);
    return (int64_t)((double)count.QuadPart * 1e6 / (double)each_second.QuadPart);
}
#else
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutex_t bed = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t call = PTHREAD_COND_INITIALIZER;

static void bed_acquire(void) { pthread_mutex_lock(&bed); }
static void bed_release(void) { pthread_mutex_unlock(&bed); }
static void sleep_until_called(void) { pthread_cond_wait(&call, &bed); }
static void wake_one(void) { pthread_cond_signal(&call); }
static void give_way(void) { sched_yield(); }
static int64_t microseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
#endif

/* Which processor this thread runs on; -1 where there is no telling, and no reason to. */
static int processor(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

static void spin(void)
{
#if defined(_WIN32)
    YieldProcessor();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` does nothing on most */
#endif
}

#endif
