/* The only place that knows OpenMP. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#endif
#include "run/run.h"

#include "dispatch/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <sched.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif
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

#ifdef _OPENMP
/* Where the threads of a team ran last, kept by the thread that calls them: libgomp gives each caller a team of its own
 * and keeps it from call to call while its size stays the same. */
enum { MOST_STEERED = 64 };

typedef struct team {
    int size;
    int cpu[MOST_STEERED];
#if defined(__linux__)
    pid_t thread[MOST_STEERED];
#endif
} team;

/* Tells the scheduler where not to wake the team: on the calling thread's own core. Linux wakes a thread where it slept
 * or where its waker runs, and on a machine whose cores share no cache that it knows of (virtual ones often) it leaves
 * both on one core for milliseconds, with the other idle. Measured there on two cores: without this, work of 240 us on
 * two threads took 500 us with sleeping waits and up to 8 ms with spinning ones. */
static void steer(team *threads)
{
#if defined(__linux__)
    if (omp_get_proc_bind() != omp_proc_bind_false)
        return; /* the user has placed them */
    const int here = sched_getcpu();
    for (int i = 1; i < threads->size && i < MOST_STEERED; ++i) {
        cpu_set_t allowed;
        if (threads->cpu[i] != here || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
            continue;
        CPU_CLR((size_t)here, &allowed);
        if (CPU_COUNT(&allowed) > 0)
            sched_setaffinity(threads->thread[i], sizeof(allowed), &allowed);
    }
#else
    (void)threads;
#endif
}

static void note_place(team *threads, int number)
{
#if defined(__linux__)
    if (number < MOST_STEERED) {
        threads->thread[number] = (pid_t)syscall(SYS_gettid);
        threads->cpu[number] = sched_getcpu();
    }
#else
    (void)threads;
    (void)number;
#endif
}

static void give_way(void)
{
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
}

/* The tasks of one thread, neighbours, so that its core finds in its cache what it wrote in the call before: a shared
 * counter took 1.2 to 1.7 times as long for 1 to 4 MiB. Alone on its cache line. */
typedef struct share {
    _Alignas(64) atomic_llong next;
    long long end;
} share;

enum { MOST_SHARES = 64 };

static void run_team(int64_t tasks, int size, void (*task)(const void *context, int64_t index), const void *context)
{
    static _Thread_local team kept;
    team *const threads = &kept;
    if (threads->size == size)
        steer(threads);
    threads->size = size;
    share shares[MOST_SHARES];
    const int share_count = size < MOST_SHARES ? size : MOST_SHARES;
    for (int i = 0; i < share_count; ++i) {
        atomic_init(&shares[i].next, dmlc_part_begin(tasks, share_count, i));
        shares[i].end = dmlc_part_begin(tasks, share_count, i + 1);
    }
    atomic_int arrived = 0;
#pragma omp parallel num_threads(size)
    {
        atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
        /* Its own share first, then what the others have left. */
        for (int turn = 0; turn < share_count; ++turn) {
            share *from = &shares[(omp_get_thread_num() + turn) % share_count];
            for (;;) {
                const long long index = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
                if (index >= from->end)
                    break;
                task(context, index);
            }
        }
        note_place(threads, omp_get_thread_num());
        /* The barrier that follows may spin on the very core that a late thread waits for. */
        const int team_size = omp_get_num_threads();
        while (atomic_load_explicit(&arrived, memory_order_relaxed) < team_size)
            give_way();
    }
}
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
        run_team(tasks, tasks < threads ? (int)tasks : threads, task, context);
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
    /* The runtime knows OMP_NUM_THREADS and the processors that the process may run on, but no container's quota. */
    const int32_t threads = omp_get_max_threads();
    const char *asked = getenv("OMP_NUM_THREADS");
    const int32_t quota = asked == NULL || *asked == 0 ? dmlc_processor_quota() : 0;
    return quota > 0 && quota < threads ? quota : threads;
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
