/* A lock for a few instructions, which nobody sleeps on; it survives a fork. */
#ifndef DMLC_LOCK_H
#define DMLC_LOCK_H

#include <stdatomic.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#endif

typedef atomic_flag dmlc_lock;

static inline void dmlc_lock_acquire(dmlc_lock *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) {
#if defined(_WIN32)
        SwitchToThread();
#else
        sched_yield();
#endif
    }
}

static inline void dmlc_lock_release(dmlc_lock *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

/* Another thread may hold a lock while this one forks; the child would wait for it for ever. So a lock is taken before
 * every fork and released after it on both sides: once at load, with functions that take and release it. */
static inline void dmlc_lock_guard_forks(void (*acquire)(void), void (*release)(void))
{
#if defined(_WIN32)
    (void)acquire;
    (void)release;
#else
    pthread_atfork(acquire, release, release);
#endif
}

#endif
