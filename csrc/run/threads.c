/* How many threads a run takes. The only place that knows OpenMP, by whose numbers a program and its user say how many
 * threads there are to be; the threads are team.c's. */
#include "run/run.h"

#include "dispatch/dispatch.h"

#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>

/* The workers do not survive a fork, and a program that forks does so to fill its processors: a child runs everything on
 * its own thread. */
static int forked = 0;

static void note_fork(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }
#else
static const int forked = 0;
#endif

static atomic_bool oversubscribes;

void dmlc_set_oversubscribe(bool oversubscribe)
{
    atomic_store_explicit(&oversubscribes, oversubscribe, memory_order_relaxed);
}

bool dmlc_oversubscribes(void) { return atomic_load_explicit(&oversubscribes, memory_order_relaxed); }

#ifdef _OPENMP
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t within_quota(int32_t threads)
{
    const int32_t quota = dmlc_processor_quota();
    return quota > 0 ? smaller(quota, threads) : threads;
}

/* OMP_THREAD_LIMIT; OpenMP 2.0 has none. */
static int32_t within_limit(int32_t threads)
{
#if _OPENMP >= 200805
    return smaller(omp_get_thread_limit(), threads);
#else
    return threads;
#endif
}

int32_t dmlc_processors(void) { return dmlc_oversubscribes() ? INT32_MAX : within_quota(omp_get_num_procs()); }

int32_t dmlc_bound_processors(int32_t *processors, int32_t room)
{
    int32_t count = 0;
#if _OPENMP >= 201511
    if (omp_get_proc_bind() == omp_proc_bind_false)
        return 0;
    for (int place = 0; place < omp_get_num_places(); ++place) {
        const int32_t more = omp_get_place_num_procs(place);
        if (more > room - count)
            break;
        omp_get_place_proc_ids(place, processors + count);
        count += more;
    }
#else
    (void)processors, (void)room;
#endif
    return count;
}

int32_t dmlc_team_size(int32_t asked, int32_t worth)
{
    if (asked <= 1 || worth <= 1 || forked || omp_in_parallel())
        return 1;
    return within_limit(dmlc_oversubscribes() ? asked : smaller(smaller(asked, worth), dmlc_processors()));
}

/* It is asked each time: limits are set and lifted while a program runs, each for its own thread (omp_set_num_threads,
 * threadpoolctl, joblib). */
static int32_t host_threads(void) { return within_limit(within_quota(omp_get_max_threads())); }
#else
int32_t dmlc_processors(void) { return 1; }

int32_t dmlc_bound_processors(int32_t *processors, int32_t room)
{
    (void)processors, (void)room;
    return 0;
}

int32_t dmlc_team_size(int32_t asked, int32_t worth)
{
    (void)asked, (void)worth, (void)forked; /* the serial build has no threads */
    return 1;
}

static int32_t host_threads(void) { return 1; }
#endif

/* 0 where nothing was set. */
static atomic_int process_threads;
static _Thread_local int32_t thread_threads;

int32_t dmlc_threads(void)
{
    if (thread_threads > 0)
        return thread_threads;
    const int32_t threads = atomic_load_explicit(&process_threads, memory_order_relaxed);
    return threads > 0 ? threads : host_threads();
}

void dmlc_set_threads(int32_t threads)
{
    atomic_store_explicit(&process_threads, threads < 1 ? 1 : threads, memory_order_relaxed);
}

int32_t dmlc_set_thread_threads(int32_t threads)
{
    const int32_t before = thread_threads;
    thread_threads = threads < 0 ? 0 : threads;
    return before;
}

int32_t dmlc_has_openmp(void)
{
#ifdef _OPENMP
    return 1;
#else
    return 0;
#endif
}
