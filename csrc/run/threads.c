/* The only place that knows OpenMP. */
#include "run/run.h"

#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
#include <pthread.h>
#define DMLC_WATCH_FORKS 1
#endif

#ifdef DMLC_WATCH_FORKS
/* The threads of an OpenMP runtime do not survive a fork, and a child that asks for them may wait for ever: a child
 * runs everything on its own thread. */
static int forked = 0;

static void note_fork(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }
#endif

void dmlc_parallel(int64_t tasks, int32_t threads, void (*task)(const void *context, int64_t index),
                   const void *context)
{
#ifdef DMLC_WATCH_FORKS
    if (forked)
        threads = 1;
#endif
#ifdef _OPENMP
    if (threads > 1 && tasks > 1 && !omp_in_parallel()) {
        const int team = tasks < threads ? (int)tasks : threads;
        int64_t i; /* OpenMP 2.0 wants it signed and declared outside */
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
        for (i = 0; i < tasks; ++i)
            task(context, i);
        return;
    }
#else
    (void)threads;
#endif
    for (int64_t i = 0; i < tasks; ++i)
        task(context, i);
}

static int32_t machine_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* 0 where nothing was set. */
static atomic_int process_threads;
static _Thread_local int32_t thread_threads;

int32_t dmlc_threads(void)
{
    if (thread_threads > 0)
        return thread_threads;
    int32_t threads = atomic_load_explicit(&process_threads, memory_order_relaxed);
    if (threads == 0) {
        /* The machine is asked once; two threads that ask at the same time get the same answer. */
        threads = machine_threads();
        atomic_store_explicit(&process_threads, threads, memory_order_relaxed);
    }
    return threads;
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
