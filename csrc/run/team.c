/* Threads that help the one that calls. They are the library's own, and it does nothing to any other thread.
 *
 * A call puts its job on a list, wakes as many workers as it has seats, and works at the tasks itself. Once none is
 * left it takes the job off the list and waits for the workers that sit at it, never for one that has not come, which it
 * may only let pass, once: on a busy machine a call takes as long as on one thread, not as long as the slowest wakes.
 * Teams of OpenMP did both jobs here before and cannot: a region ends when each of its threads has been there, and what
 * they wait by, how long and where, belongs to the runtime and to all who share it. Measured on two virtual cores beside
 * busy processes, means of calls of 1 MiB (20 us on one thread) with 2 ms of sleep before each:
 *
 *     OpenMP as it is                                               15500 us, 6100 us of processor time each
 *     OpenMP, sleeping soon, its threads' affinities set by us        590 us,  330 us
 *     these workers                                                    31 us,  110 us
 */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getcpu, pthread_attr_setaffinity_np */
#endif
#include "run/run.h"

#include "memory/lock.h"
#include "run/system.h"

#if !defined(_WIN32)
#include <signal.h>
#include <stddef.h>
#endif

/* How often a worker looks for work before it sleeps: some tens of microseconds, which bridge the gap between two calls
 * in a loop. A caller whose last workers are not done gives way at once nearly: one may wait for this very core. */
enum { WORKER_SPINS = 2000, CALLER_SPINS = 50 };

/* Microseconds after which a worker that was called and has not come may wait for the caller's own core. */
enum { PATIENCE = 50 };

/* The tasks of one thread, neighbours, so that its core finds in its cache what it wrote in the call before: a shared
 * counter took 1.2 to 1.7 times as long for 1 to 4 MiB. Alone on its cache line. */
typedef struct share {
    _Alignas(64) atomic_llong next;
    long long end;
} share;

enum { MOST_SHARES = 64 };

/* One call's work, on its caller's stack. */
typedef struct job {
    share shares[MOST_SHARES];
    int32_t share_count;
    void (*task)(const void *context, int64_t index);
    const void *context;
    int processor; /* the caller's, when it called */
    int32_t seats; /* those who may still join; under the lock, as the next two */
    int32_t joined;
    struct job *next;
    atomic_int working; /* those who joined and are not done: while there are any, the job stays where it is */
} job;

static dmlc_lock lock = ATOMIC_FLAG_INIT;

/* The jobs with seats left. Changed under the lock; read without by those who look for work. */
static _Atomic(job *) jobs;

/* Under the lock: how many there are, and where the last caller was. */
static int32_t workers;
static int last_processor = -1;

/* Those who look for work and those who sleep. The second is counted before the list is looked at for the last time,
 * and looked at after the list was changed: one of the two sees the other. Under the bed's lock, those who were called and
 * have not come yet are counted as such, and no more as sleeping. */
static atomic_int looking, sleeping;

/* On a line of its own: a caller looks at it while workers count themselves. */
static _Alignas(64) atomic_int called;

/* When somebody was called; 0 after a caller gave way since. */
static _Alignas(64) _Atomic(int64_t) called_at;

/* Who was called some time ago may wait for this very core, see serve: it gets it, once. On two virtual cores, every other time
 * that a program slept and then ran 60 calls of 40 us on one thread, all of them took as long as on one; now they take 21. Where
 * the core is wanted by other programs, one of them may have it first: hence once, and not before most would have come. */
static void give_way_to_the_called(void)
{
    if (atomic_load_explicit(&called, memory_order_relaxed) == 0)
        return;
    const int64_t since = atomic_load_explicit(&called_at, memory_order_relaxed);
    if (since != 0 && microseconds() - since >= PATIENCE &&
        atomic_exchange_explicit(&called_at, 0, memory_order_relaxed) != 0)
        give_way();
}

enum { THE_CALLER = 0 };

static void work_at(job *my, int32_t number)
{
    /* Its own share first, then what the others have left. */
    for (int32_t turn = 0; turn < my->share_count; ++turn) {
        if (turn > 0 && number == THE_CALLER)
            give_way_to_the_called();
        share *from = &my->shares[(number + turn) % my->share_count];
        for (;;) {
            const long long index = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
            if (index >= from->end)
                break;
            my->task(my->context, index);
        }
    }
}

static void take_off(job *my)
{
    job *before = atomic_load_explicit(&jobs, memory_order_relaxed);
    if (before == my) {
        atomic_store(&jobs, my->next);
        return;
    }
    while (before->next != my)
        before = before->next;
    before->next = my->next;
}

typedef enum found { NOTHING, A_SEAT, THE_CALLERS_CORE } found;

static found join(job **joined, int32_t *number, bool anywhere)
{
    found what = NOTHING;
    dmlc_lock_acquire(&lock);
    job *my = atomic_load_explicit(&jobs, memory_order_relaxed);
    if (!anywhere && last_processor >= 0 && last_processor == processor()) {
        what = THE_CALLERS_CORE; /* also where it came too late, having waited for this core */
    } else if (my != NULL) {
        what = A_SEAT;
        *joined = my;
        *number = ++my->joined;
        atomic_fetch_add_explicit(&my->working, 1, memory_order_relaxed);
        if (--my->seats == 0)
            take_off(my);
    }
    dmlc_lock_release(&lock);
    return what;
}

static void look_for_work(void)
{
    atomic_fetch_add_explicit(&looking, 1, memory_order_relaxed);
    for (int i = 0; i < WORKER_SPINS && atomic_load_explicit(&jobs, memory_order_relaxed) == NULL; ++i)
        spin();
    atomic_fetch_sub_explicit(&looking, 1, memory_order_relaxed);
}

/* Until it is called, though the work may be over by then. To look for more where it is took up to 1.3 times as long in calls that
 * come one by one. */
static void rest(void)
{
    bed_acquire();
    atomic_fetch_add(&sleeping, 1);
    if (atomic_load(&jobs) == NULL) {
        do
            sleep_until_called();
        while (atomic_load_explicit(&called, memory_order_relaxed) == 0);
        atomic_fetch_sub_explicit(&called, 1, memory_order_relaxed);
    } else {
        atomic_fetch_sub(&sleeping, 1);
    }
    bed_release();
}

typedef enum starter { A_CALLER, A_WORKER } starter;

static bool start_worker(starter by);

/* A worker that is woken on its caller's own core, in time or not, leaves its place to a new one. Linux wakes a thread where it slept or
 * where its waker runs, and may leave both on one core for milliseconds with the other idle; a new thread it puts on the
 * idlest. Measured on two virtual cores, back to back: without this a copy of 1 MiB took 17 us instead of 8, as long as
 * on one thread. A worker that moved away by setting its affinity, and set it back, was as fast; but it may not be
 * its own to set, and a sandbox may end the process for it. */
static void serve(void)
{
    bool anywhere = true; /* a new one has just been placed */
    for (;;) {
        job *my;
        int32_t number;
        int callers;
        switch (join(&my, &number, anywhere)) {
        case A_SEAT:
            anywhere = false;
            callers = my->processor;
            work_at(my, number);
            atomic_fetch_sub_explicit(&my->working, 1, memory_order_release);
            if (callers < 0 || callers != processor())
                look_for_work();
            break;
        case THE_CALLERS_CORE:
            if (start_worker(A_WORKER))
                return;
            anywhere = true;
            break;
        case NOTHING:
            rest();
            anywhere = false;
            break;
        }
    }
}

#if defined(_WIN32)
static DWORD WINAPI worker(void *unused)
{
    (void)unused;
    serve();
    return 0;
}

static bool start_worker(starter by)
{
    (void)by;
    const HANDLE thread = CreateThread(NULL, 0, worker, NULL, 0, NULL);
    if (thread != NULL)
        CloseHandle(thread);
    return thread != NULL;
}
#else
static void *worker(void *unused)
{
    serve();
    return unused;
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

/* Signals are for the program's own threads. */
static bool start_worker(starter by)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (by == A_CALLER)
        set_places(&attributes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attributes, worker, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
#endif

/* Whoever counted itself and saw no job holds the bed until it sleeps. */
static int32_t wake(int32_t count)
{
    bed_acquire();
    const int32_t asleep = atomic_load_explicit(&sleeping, memory_order_relaxed);
    count = count < asleep ? count : asleep;
    atomic_fetch_sub_explicit(&sleeping, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&called, count, memory_order_relaxed);
    if (count > 0)
        atomic_store_explicit(&called_at, microseconds(), memory_order_relaxed);
    bed_release();
    for (int32_t i = 0; i < count; ++i)
        wake_one();
    return count;
}

/* Wakes and starts workers for so many seats. Where one cannot be started, the others do its work. */
static void call_workers(int32_t seats)
{
    int32_t missing = seats - atomic_load_explicit(&looking, memory_order_relaxed);
    if (missing > 0) {
        give_way_to_the_called();
        missing -= atomic_load_explicit(&called, memory_order_relaxed);
    }
    if (missing > 0 && atomic_load(&sleeping) > 0)
        missing -= wake(missing);
    if (missing <= 0)
        return;
    const int32_t most = dmlc_processors() - 1;
    dmlc_lock_acquire(&lock);
    if (missing > most - workers)
        missing = most - workers;
    if (missing > 0)
        workers += missing;
    dmlc_lock_release(&lock);
    while (missing > 0 && start_worker(A_CALLER))
        --missing;
    if (missing > 0) {
        dmlc_lock_acquire(&lock);
        workers -= missing;
        dmlc_lock_release(&lock);
    }
}

void dmlc_parallel(int64_t tasks, int32_t threads, void (*task)(const void *context, int64_t index),
                   const void *context)
{
    if (tasks < threads)
        threads = (int32_t)tasks;
    job my; /* member by member: most of it is shares that it does not need */
    my.share_count = threads < MOST_SHARES ? threads : MOST_SHARES;
    for (int32_t i = 0; i < my.share_count; ++i) {
        atomic_init(&my.shares[i].next, dmlc_part_begin(tasks, my.share_count, i));
        my.shares[i].end = dmlc_part_begin(tasks, my.share_count, i + 1);
    }
    my.task = task;
    my.context = context;
    my.processor = processor();
    my.seats = threads - 1;
    my.joined = 0;
    atomic_init(&my.working, 0);
    if (threads > 1) {
        dmlc_lock_acquire(&lock);
        my.next = atomic_load_explicit(&jobs, memory_order_relaxed);
        atomic_store(&jobs, &my);
        last_processor = my.processor;
        dmlc_lock_release(&lock);
        call_workers(threads - 1);
    }
    work_at(&my, THE_CALLER);
    if (threads > 1) {
        dmlc_lock_acquire(&lock);
        if (my.seats > 0)
            take_off(&my);
        dmlc_lock_release(&lock);
    }
    for (int i = 0; atomic_load_explicit(&my.working, memory_order_acquire) > 0; ++i) {
        if (i < CALLER_SPINS)
            spin();
        else
            give_way();
    }
}
