#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "memory/lock.h"

#if defined(_WIN32)

void dmlc_lock_guard_forks(void (*acquire)(void), void (*release)(void))
{
    (void)acquire;
    (void)release;
}

#else

#include <pthread.h>
#include <sched.h>
#include <time.h>

void dmlc_lock_wait(int32_t tries)
{
    /* A holder on another core is done at once; a yield lets one run that is waiting for this core, if its priority is no
     * lower. */
    enum { YIELDS = 64, SLEEP_NANOSECONDS = 50000 };
    if (tries <= YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
}

void dmlc_lock_guard_forks(void (*acquire)(void), void (*release)(void)) { pthread_atfork(acquire, release, release); }

#endif
