/* Threads that help the one that calls. They are the library's own, and it does nothing to any other thread.
 *
 * A call posts its job, wakes or starts as many workers as it wants, and works at the tasks itself. Once all are taken it withdraws the job
 * and waits for those that workers have taken. It never waits for a worker that has not come; it gives up its core to one, once at
 * most. So on a busy machine a call takes as long as on one thread, not as long as the slowest wakes.
 *
 * What passes between two cores takes 50 to 300 ns a line, as far as they are from each other, so little does:
 *
 *     caller   writes what it posts           reads the worker's counters, once its own tasks are done
 *     worker   reads that, writes its own counters
 *
 * With a lock, a list of jobs and counts of those who look for work and who are at it, which all write, fills and copies of 0.4 to
 * 1 MB took 1.1 to 1.35 times as long where a line takes 270 ns, and as long where it takes 55; beside two busy processes, or
 * where the two threads were out of step, twice.
 *
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

#include "run/shares.h"
#include "run/system.h"

#include <stdatomic.h>
#include <stddef.h>

/* How often a worker looks for work before it sleeps: some tens of microseconds, which bridge the gap between two calls
 * in a loop. A caller whose last workers are not done gives way at once nearly: one may wait for this very core. */
enum { WORKER_SPINS = 2000, CALLER_SPINS = 50 };

/* How often a worker that already counts as sleeping still looks: until it sees what a caller posted that did not see it sleep. */
enum { DROWSY_SPINS = 50 };

/* Microseconds after which a worker that was woken and has not come may wait for the caller's own core. */
enum { PATIENCE = 50 };

/* So many calls at a time share their work, and each on so many threads. Others work alone. */
enum { MOST_JOBS = 16, MOST_SHARES = 128 };

/* One call's work. It is never freed, since those who look for work look at it whoever has it. All before the shares its caller
 * alone writes; `open` is the generation, or 0 while the rest may change. */
typedef struct job {
    ALONE_IN_CACHE _Atomic(uint64_t) open;
    _Atomic(task_function *) task;
    _Atomic(const void *) context;
    _Atomic(int64_t) tasks;
    atomic_int share_count;
    atomic_int processor; /* the caller's, when it called */
    share shares[MOST_SHARES];
} job;

static job jobs[MOST_JOBS];

/* What callers alone look at: how many workers each job wants, 0 where it is not in use, and its last generation. */
static ALONE_IN_CACHE atomic_int wanted[MOST_JOBS];
static uint64_t generations[MOST_JOBS];

/* What all look at and few change: how many jobs were ever in use, where the last caller was, all workers and those who sleep. They
 * count themselves before they look at the jobs for the last time. Under the sleep lock, those who were woken and have not come
 * yet are counted as woken, and no more as sleeping. */
static ALONE_IN_CACHE atomic_int jobs_used;
static atomic_int last_processor = -1;
static atomic_int workers;
static atomic_int sleeping;
static atomic_int woken;

/* In nanoseconds: when work that found nobody awake began, 0 where none is under way, when it ended, and how long all such work took
 * since the last gap that was not short. */
static _Atomic(int64_t) alone_since;
static _Atomic(int64_t) alone_until;
static _Atomic(int64_t) in_a_row;

/* When somebody was woken; 0 after a caller gave way since. */
static _Atomic(int64_t) woken_at;

/* A worker that was woken some time ago may wait for this very core, see serve: it gets it, once. On two virtual cores, every other time
 * that a program slept and then ran 60 calls of 40 us on one thread, all of them took as long as on one; now they take 21. Where
 * the core is wanted by other programs, one of them may have it first: hence once, and not before most would have come. */
static void give_way_to_the_woken(void)
{
    if (atomic_load_explicit(&woken, memory_order_relaxed) == 0)
        return;
    const int64_t since = atomic_load_explicit(&woken_at, memory_order_relaxed);
    if (since != 0 && microseconds() - since >= PATIENCE &&
        atomic_exchange_explicit(&woken_at, 0, memory_order_relaxed) != 0)
        give_way();
}

/* To wake a worker takes a system call and, where that wakes another virtual core, 10 to 50 us. So work that finds nobody awake is
 * done alone until as much of it has come in a row, with short gaps: then more is likely to follow. Measured on Zen 4: calls of 12 to 28
 * us on one thread that come every 100 us took 28 to 37 us on two, and now take 15 to 30; those without pauses take as long as before. */
enum { SHORT_GAP = 50 * 1000, WORTH_WAKING = 40 * 1000 };

/* Two callers at once may lose what one of them adds: then a worker is woken later. */
bool dmlc_workers_pay(double alone)
{
    if (alone > WORTH_WAKING ||
        atomic_load_explicit(&sleeping, memory_order_relaxed) < atomic_load_explicit(&workers, memory_order_relaxed))
        return true;
    const int64_t now = microseconds() * 1000, gap = now - atomic_load_explicit(&alone_until, memory_order_relaxed);
    const int64_t before = gap < SHORT_GAP ? atomic_load_explicit(&in_a_row, memory_order_relaxed) : 0;
    const bool pays = (double)before + alone > WORTH_WAKING;
    atomic_store_explicit(&alone_since, pays ? 0 : now, memory_order_relaxed);
    atomic_store_explicit(&in_a_row, pays ? 0 : before, memory_order_relaxed);
    return pays;
}

/* What it took counts, and not what it was thought to cost: that is a third of it where memory is slow. */
void dmlc_worked_alone(void)
{
    const int64_t since = atomic_load_explicit(&alone_since, memory_order_relaxed);
    if (since == 0)
        return;
    atomic_store_explicit(&alone_since, 0, memory_order_relaxed);
    const int64_t now = microseconds() * 1000, before = atomic_load_explicit(&in_a_row, memory_order_relaxed);
    atomic_store_explicit(&alone_until, now, memory_order_relaxed);
    atomic_store_explicit(&in_a_row, before + now - since, memory_order_relaxed);
}

/* A worker, on its own stack. */
typedef struct self {
    int32_t number;           /* of its last share, which it looks for first */
    uint64_t seen[MOST_JOBS]; /* the generations of those that it worked at or had no share for it */
} self;

/* Whether it is all of one generation: it is where that is still open, since who wrote another had closed it before. */
static bool read_posting(job *from, uint64_t generation, posting *my)
{
    *my = (posting){
        .shares = from->shares,
        .generation = generation,
        .task = atomic_load_explicit(&from->task, memory_order_acquire),
        .context = atomic_load_explicit(&from->context, memory_order_acquire),
        .tasks = atomic_load_explicit(&from->tasks, memory_order_acquire),
        .share_count = atomic_load_explicit(&from->share_count, memory_order_acquire),
        .processor = atomic_load_explicit(&from->processor, memory_order_acquire),
    };
    return atomic_load_explicit(&from->open, memory_order_relaxed) == generation;
}

/* A job that the worker has not seen, or NULL. */
static job *unseen(const self *me, uint64_t *generation)
{
    const int32_t count = atomic_load_explicit(&jobs_used, memory_order_relaxed);
    for (int32_t i = 0; i < count; ++i) {
        *generation = atomic_load_explicit(&jobs[i].open, memory_order_acquire);
        if (*generation != 0 && *generation != me->seen[i])
            return &jobs[i];
    }
    return NULL;
}

/* The first task of a share of its own, or -1. */
static int64_t take_share(self *me, const posting *my)
{
    const int32_t others = my->share_count - 1;
    for (int32_t i = 0; i < others; ++i) {
        const int32_t number = (me->number + i) % others;
        const int64_t first = take(my, number, ITS_OWNER);
        if (first >= 0) {
            me->number = number;
            return first;
        }
    }
    return -1;
}

/* The first task of a job that has a share for it, or -1. */
static int64_t join(self *me, posting *my)
{
    uint64_t generation;
    for (job *from = unseen(me, &generation); from != NULL; from = unseen(me, &generation)) {
        me->seen[from - jobs] = generation;
        const int64_t first = read_posting(from, generation, my) ? take_share(me, my) : -1;
        if (first >= 0)
            return first;
    }
    return -1;
}

static void look_for_work(const self *me)
{
    uint64_t generation;
    for (int i = 0; i < WORKER_SPINS && unseen(me, &generation) == NULL; ++i)
        spin();
}

/* Until it is woken, though the work may be over by then. */
static void rest(const self *me)
{
    uint64_t generation;
    bool found = false;
    atomic_fetch_add(&sleeping, 1);
    for (int i = 0; i < DROWSY_SPINS && !found; ++i) {
        found = unseen(me, &generation) != NULL;
        spin();
    }
    sleep_lock_acquire();
    while (!found && atomic_load_explicit(&woken, memory_order_relaxed) == 0)
        sleep_until_woken();
    atomic_fetch_sub(atomic_load_explicit(&woken, memory_order_relaxed) > 0 ? &woken : &sleeping, 1);
    sleep_lock_release();
}

static bool on_the_callers_core(void)
{
    const int callers = atomic_load_explicit(&last_processor, memory_order_relaxed);
    return callers >= 0 && callers == processor();
}

static bool start_worker(starter by);

/* A worker that is woken on its caller's own core, in time or not, leaves its place to a new one. Linux wakes a thread where it slept or
 * where its waker runs, and may leave both on one core for milliseconds with the other idle; a new thread it puts on the
 * idlest. Measured on two virtual cores, back to back: without this a copy of 1 MiB took 17 us instead of 8, as long as
 * on one thread. A worker that moved away by setting its affinity, and set it back, was as fast; but it may not be
 * its own to set, and a sandbox may end the process for it. */
static void serve(void)
{
    self me = {0};
    bool anywhere = true;  /* a new one has just been placed */
    bool was_woken = true; /* for what may be over, but more is likely to follow, which it looks for once */
    for (;;) {
        if (!anywhere && on_the_callers_core() && start_worker(A_WORKER))
            return;
        posting my;
        const int64_t first = join(&me, &my);
        anywhere = false;
        if (first < 0) {
            if (was_woken && !on_the_callers_core()) {
                look_for_work(&me);
                was_woken = false;
            } else {
                rest(&me);
                was_woken = true;
            }
            continue;
        }
        was_woken = false;
        work_at_share(&my, me.number, first);
        work_at_others(&my, me.number);
        if (my.processor < 0 || my.processor != processor())
            look_for_work(&me);
    }
}

static THREAD_RESULT worker(void *unused)
{
    (void)unused;
    serve();
    return 0;
}

static bool start_worker(starter by) { return start_thread(worker, by); }

/* Under the sleep lock: whoever counts itself as sleeping looks there whether it was woken, before it sleeps. */
static int32_t wake(int32_t count)
{
    sleep_lock_acquire();
    const int32_t asleep = atomic_load_explicit(&sleeping, memory_order_relaxed);
    count = count < asleep ? count : asleep;
    atomic_fetch_sub_explicit(&sleeping, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&woken, count, memory_order_relaxed);
    if (count > 0)
        atomic_store_explicit(&woken_at, microseconds(), memory_order_relaxed);
    sleep_lock_release();
    for (int32_t i = 0; i < count; ++i)
        wake_one();
    return count;
}

/* Wakes and starts as many workers as all calls want. Where one cannot be started, the others do its work. */
static void get_workers(void)
{
    give_way_to_the_woken();
    int32_t missing =
        atomic_load_explicit(&sleeping, memory_order_relaxed) - atomic_load_explicit(&workers, memory_order_relaxed);
    for (int32_t i = 0; i < atomic_load_explicit(&jobs_used, memory_order_relaxed); ++i)
        missing += atomic_load_explicit(&wanted[i], memory_order_relaxed);
    if (missing > 0 && atomic_load_explicit(&sleeping, memory_order_relaxed) > 0)
        missing -= wake(missing);
    if (missing <= 0)
        return;
    const int32_t most = dmlc_processors() - 1;
    int32_t before = atomic_load_explicit(&workers, memory_order_relaxed), more;
    do {
        more = missing < most - before ? missing : most - before;
        if (more <= 0)
            return;
    } while (!atomic_compare_exchange_weak(&workers, &before, before + more));
    while (more > 0 && start_worker(A_CALLER))
        --more;
    atomic_fetch_sub(&workers, more);
}

/* A job that was not in use, or NULL. */
static job *acquire_job(int32_t worker_count)
{
    for (int32_t i = 0; i < MOST_JOBS; ++i) {
        int none = 0;
        if (!atomic_compare_exchange_strong_explicit(&wanted[i], &none, worker_count, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        int32_t used = atomic_load_explicit(&jobs_used, memory_order_relaxed);
        while (used <= i && !atomic_compare_exchange_weak(&jobs_used, &used, i + 1))
            ;
        return &jobs[i];
    }
    return NULL;
}

static void release_job(const job *mine) { atomic_store_explicit(&wanted[mine - jobs], 0, memory_order_release); }

/* Stores alone: an atomic exchange would wait until they have come through, which the first task need not. */
static void post(job *to, const posting *my)
{
    atomic_store_explicit(&to->task, my->task, memory_order_release);
    atomic_store_explicit(&to->context, my->context, memory_order_release);
    atomic_store_explicit(&to->tasks, my->tasks, memory_order_release);
    atomic_store_explicit(&to->share_count, my->share_count, memory_order_release);
    atomic_store_explicit(&to->processor, my->processor, memory_order_release);
    atomic_store_explicit(&to->open, my->generation, memory_order_release);
    if (atomic_load_explicit(&last_processor, memory_order_relaxed) != my->processor)
        atomic_store_explicit(&last_processor, my->processor, memory_order_relaxed);
}

static void withdraw(job *from) { atomic_store_explicit(&from->open, 0, memory_order_release); }

void dmlc_parallel(int64_t tasks, int32_t threads, void (*task)(const void *context, int64_t index),
                   const void *context)
{
    if (tasks < threads)
        threads = (int32_t)tasks;
    if (threads > MOST_SHARES)
        threads = MOST_SHARES;
    job *mine = threads > 1 && tasks <= (int64_t)threads * MOST_TASKS ? acquire_job(threads - 1) : NULL;
    if (mine == NULL) {
        for (int64_t i = 0; i < tasks; ++i)
            task(context, i);
        return;
    }
    const posting my = {
        .shares = mine->shares,
        .generation = ++generations[mine - jobs],
        .task = task,
        .context = context,
        .tasks = tasks,
        .share_count = threads,
        .processor = processor(),
    };
    const int64_t first = take(&my, callers_share(&my), ITS_OWNER);
    post(mine, &my);
    get_workers();
    work_at_share(&my, callers_share(&my), first);
    give_way_to_the_woken();
    work_at_others(&my, callers_share(&my));
    withdraw(mine);
    int spins = 0;
    for (int32_t number = 0; number < threads; ++number) {
        while (!is_done(&my, number)) {
            if (spins++ < CALLER_SPINS)
                spin();
            else
                give_way();
        }
    }
    release_job(mine);
}
