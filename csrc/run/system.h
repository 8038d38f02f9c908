/* What team.c and shares.h ask of the system, and nobody else includes: a lock under which workers sleep until one is woken; the time;
 * where a thread runs; new threads. */
#ifndef DMLC_RUN_SYSTEM_H
#define DMLC_RUN_SYSTEM_H

#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

/* Who starts a thread. */
typedef enum starter { A_CALLER, A_WORKER } starter;

#if defined(_WIN32)
#include <windows.h>

static SRWLOCK sleep_lock = SRWLOCK_INIT;
static CONDITION_VARIABLE wake_up = CONDITION_VARIABLE_INIT;

static void sleep_lock_acquire(void) { AcquireSRWLockExclusive(&sleep_lock); }
static void sleep_lock_release(void) { ReleaseSRWLockExclusive(&sleep_lock); }
static void sleep_until_woken(void) { SleepConditionVariableSRW(&wake_up, &sleep_lock, INFINITE, 0); }
static void wake_one(void) { WakeConditionVariable(&wake_up); }
static void give_way(void) { SwitchToThread(); }
static int64_t microseconds(void)
{
    LARGE_INTEGER count, each_second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&each_second);
    return (int64_t)((double)count.QuadPart * 1e6 / (double)each_second.QuadPart);
}

#define THREAD_RESULT DWORD WINAPI

static bool start_thread(LPTHREAD_START_ROUTINE function, starter by)
{
    (void)by;
    const HANDLE thread = CreateThread(NULL, 0, function, NULL, 0, NULL);
    if (thread != NULL)
        CloseHandle(thread);
    return thread != NULL;
}
#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_up = PTHREAD_COND_INITIALIZER;

static void sleep_lock_acquire(void) { pthread_mutex_lock(&sleep_lock); }
static void sleep_lock_release(void) { pthread_mutex_unlock(&sleep_lock); }
static void sleep_until_woken(void) { pthread_cond_wait(&wake_up, &sleep_lock); }
static void wake_one(void) { pthread_cond_signal(&wake_up); }
static void give_way(void) { sched_yield(); }
static int64_t microseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A thread begins with the affinity of the one that starts it. Where OpenMP has bound a caller to a place of its own, its
 * workers have the other places. */
static void set_places(pthread_attr_t *attributes)
{
#if defined(__GLIBC__)
    int32_t processors[CPU_SETSIZE];
    const int32_t count = dmlc_bound_processors(processors, CPU_SETSIZE);
    cpu_set_t callers, places;
    if (count == 0 || sched_getaffinity(0, sizeof(callers), &callers) != 0)
        return;
    CPU_ZERO(&places);
    for (int32_t i = 0; i < count; ++i)
        if (!CPU_ISSET((size_t)processors[i], &callers))
            CPU_SET((size_t)processors[i], &places);
    if (CPU_COUNT(&places) > 0)
        pthread_attr_setaffinity_np(attributes, sizeof(places), &places);
#else
    (void)attributes;
#endif
}

/* Kernels keep their stages on the stack. Threads have as much as the system's usual ones or, where that is less, so much: it is 128 KiB
 * with musl, and whatever the user limits it to with glibc. */
static void set_stack(pthread_attr_t *attributes)
{
    enum { LEAST_STACK_BYTES = 512 * 1024 };
    size_t bytes = 0;
    if (pthread_attr_getstacksize(attributes, &bytes) == 0 && bytes < LEAST_STACK_BYTES)
        pthread_attr_setstacksize(attributes, LEAST_STACK_BYTES);
}

#define THREAD_RESULT void *

/* Signals are for the program's own threads. */
static bool start_thread(THREAD_RESULT (*function)(void *), starter by)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    set_stack(&attributes);
    if (by == A_CALLER)
        set_places(&attributes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attributes, function, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
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
