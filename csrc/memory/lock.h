/* A lock for a few instructions, which survives a fork.
 *
 * No thread can starve the one that holds it: whoever waits long sleeps, so the holder gets a core, also where a
 * real-time thread waits for one of a lower priority.
 *
 * To take a free lock is one exchange and to release it one store, 5 ns together. The C library's mutex takes 11 in a
 * process of several threads; Windows has no sleep that is short enough, so there it is the system's.
 */
#ifndef DMLC_LOCK_H
#define DMLC_LOCK_H

#if defined(_WIN32)

#include <windows.h>

typedef SRWLOCK dmlc_lock;
#define DMLC_LOCK_INITIAL SRWLOCK_INIT

static inline void dmlc_lock_acquire(dmlc_lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void dmlc_lock_release(dmlc_lock *lock) { ReleaseSRWLockExclusive(lock); }

#else

#include <stdatomic.h>
#include <stdint.h>

typedef atomic_flag dmlc_lock;
#define DMLC_LOCK_INITIAL ATOMIC_FLAG_INIT

/* lock.c: waits until it makes sense to try again. */
void dmlc_lock_wait(int32_t tries);

static inline void dmlc_lock_acquire(dmlc_lock *lock)
{
    for (int32_t tries = 1; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); ++tries)
        dmlc_lock_wait(tries);
}

static inline void dmlc_lock_release(dmlc_lock *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

#endif

/* Another thread may hold a lock while this one forks; the child would wait for it for ever. So a lock is taken before
 * every fork and released after it on both sides: once at load, with functions that take and release it. */
void dmlc_lock_guard_forks(void (*acquire)(void), void (*release)(void));

#endif
