/* How many threads a run takes, and the team: sizes, forks, parallel regions, teams larger than the machine. */
#include "choices.h"
#include "dispatch/dispatch.h"
#include "dmlc.h"
#include "expect.h"
#include "run/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 1000, CALLERS = 20, ROUNDS = 200 };

typedef struct work {
    atomic_int done[TASKS];
    pthread_t caller;
    atomic_int by_the_caller;
} work;

static void note(const void *context, int64_t index)
{
    work *my = *(work *const *)context;
    atomic_fetch_add(&my->done[index], 1);
    if (pthread_equal(pthread_self(), my->caller))
        atomic_fetch_add(&my->by_the_caller, 1);
}

/* Whether each task was done once. */
static bool shared(int64_t tasks, int32_t threads)
{
    work *my = calloc(1, sizeof(work));
    if (my == NULL)
        return false;
    my->caller = pthread_self();
    dmlc_parallel(tasks, threads, note, &my);
    bool once = threads > 1 || atomic_load(&my->by_the_caller) == tasks;
    for (int64_t i = 0; i < TASKS; ++i)
        once = once && atomic_load(&my->done[i]) == (i < tasks);
    free(my);
    return once;
}

static void *share_often(void *unused)
{
    bool right = true;
    for (int round = 0; round < ROUNDS; ++round)
        right = right && shared(1 + round * 37 % TASKS, 1 + round % 7);
    return right ? unused : NULL;
}

static void test_tasks(void)
{
    static const int64_t tasks[] = {1, 2, 3, 63, 64, 65, TASKS};
    static const int32_t threads[] = {1, 2, 3, 16, 65, 200};
    for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); ++i)
        for (size_t j = 0; j < sizeof(threads) / sizeof(*threads); ++j)
            EXPECT(shared(tasks[i], threads[j]));
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; ++i)
        EXPECT(pthread_create(&callers[i], NULL, share_often, callers) == 0);
    for (int i = 0; i < CALLERS; ++i) {
        void *right = NULL;
        pthread_join(callers[i], &right);
        EXPECT(right != NULL);
    }
}

/* Each thread of n has n times what waking it costs. */
static void test_worth(void)
{
    dmlc_cores_are_near = true;
    EXPECT(dmlc_threads_worth(0) == 1);
    EXPECT(dmlc_threads_worth(3.5e3) == 1);
    EXPECT(dmlc_threads_worth(4.5e3) == 2);
    dmlc_cores_are_near = false;
    EXPECT(dmlc_threads_worth(6.5e3) == 1);
    EXPECT(dmlc_threads_worth(10e3) == 2);
    for (double cost = 20e3; cost < 1e9; cost *= 1.3) {
        const double threads = dmlc_threads_worth(cost);
        EXPECT(threads >= 2 && cost / threads >= threads * 5e3 && cost / (threads + 1) < (threads + 1) * 5e3);
    }
    EXPECT(dmlc_threads_worth(1e300) > 1000);
}

/* Rows of 1 KB that lie 16 KB apart: 256 KiB moved, and twice that. */
static void test_bytes_are_worth_threads(void)
{
    enum { ROW = 1024 };
    static const int64_t offsets[2], steps[2] = {1, 1}, output[2] = {ROW, 1}, input[2] = {16 * ROW, 1};
    for (int32_t worth = 1; worth <= 2; ++worth) {
        const int64_t sizes[2] = {128 * worth, ROW};
        dmlc_plan *plan = NULL;
        EXPECT(dmlc_plan_slice(&plan, 1, 2, sizes, input, output, offsets, steps) == DMLC_OK);
        if (plan == NULL)
            return;
        EXPECT(dmlc_threads_worth(dmlc_run_cost(plan)) == worth);
        dmlc_plan_free(plan);
    }
}

/* What a copy of these sizes reaches with these strides, in bytes. */
static size_t reach(int64_t width, int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t bytes = width;
    for (int32_t i = 0; i < rank; ++i)
        bytes += (sizes[i] - 1) * strides[i];
    return (size_t)bytes;
}

/* Whether the tasks of a grid, last ones first, write what the whole job does. */
static bool tasks_make_the_whole(const dmlc_plan *plan, int64_t wanted, int32_t threads, size_t output_bytes,
                                 size_t input_bytes)
{
    uint8_t *whole = calloc(1, output_bytes), *cut = calloc(1, output_bytes), *input = malloc(input_bytes);
    bool same = whole != NULL && cut != NULL && input != NULL;
    if (same) {
        uint64_t state = 1;
        random_bytes(&state, input, input_bytes);
        const dmlc_operands of_whole = {.output = whole, .input = input}, of_cut = {.output = cut, .input = input};
        dmlc_job job;
        dmlc_job_begin(&job, plan, &of_whole, dmlc_plan_bytes(plan), 1);
        dmlc_run_whole(&job);
        dmlc_job_begin(&job, plan, &of_cut, dmlc_plan_bytes(plan), threads);
        const dmlc_grid grid = dmlc_cut_into_tasks(&job, wanted);
        for (int64_t i = grid.tasks - 1; i >= 0; --i)
            dmlc_run_task(&grid, i);
        same = memcmp(whole, cut, output_bytes) == 0;
    }
    free(whole);
    free(cut);
    free(input);
    return same;
}

/* How a copy is cut for two threads into eight tasks, so that they seldom write the same lines. */
static void test_cuts(void)
{
    enum { RANK = 5, THREADS = 2, WANTED = 8 };
    static const int64_t none[RANK], ones[RANK] = {1, 1, 1, 1, 1};
    static const struct {
        int64_t width;
        int32_t rank;
        int64_t sizes[RANK], input[RANK], output[RANK];
        int32_t axis, cut; /* of the plan */
        int64_t tasks;
    } cuts[] = {
        /* 8@600000<600000 500@1200<4 300@4<2000: a matrix each */
        {4, 3, {8, 500, 300}, {600000, 4, 2000}, {600000, 1200, 4}, 0, 0, 8},
        /* 2@16<88960 4@44480<16 1390@32<64: each thread half of a row, and both elements of it */
        {16, 4, {4, 10, 139, 2}, {16, 8896, 64, 88960}, {44480, 4448, 32, 16}, 0, 1, 8},
        /* 3@300<360 18@900<20 10@16200<2 150@2<1080: blocks of 300 bytes, each beside another's */
        {2, 5, {25, 6, 3, 18, 10}, {6480, 1080, 360, 20, 2}, {12, 2, 300, 900, 16200}, 0, 0, 1},
        /* 80@3470<2 1735@2<160: whole rows, as they are short */
        {2, 2, {80, 1735}, {2, 160}, {3470, 2}, 0, 0, 5},
        /* 32@25440<4 1590@16<128 4@4<203520: columns of rows of two axes */
        {4, 3, {32, 1590, 4}, {4, 128, 203520}, {25440, 16, 4}, 0, 0, 8},
    };
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); ++i) {
        dmlc_plan *plan = NULL;
        EXPECT(dmlc_plan_slice(&plan, cuts[i].width, cuts[i].rank, cuts[i].sizes, cuts[i].input, cuts[i].output, none,
                               ones) == DMLC_OK);
        if (plan == NULL)
            return;
        int64_t memory = 0; /* nothing of it is looked at */
        const dmlc_operands operands = {.output = &memory, .input = &memory};
        dmlc_job job;
        dmlc_job_begin(&job, plan, &operands, dmlc_plan_bytes(plan), THREADS);
        const dmlc_grid grid = dmlc_cut_into_tasks(&job, WANTED);
        EXPECT(grid.axis == cuts[i].axis && grid.cut == cuts[i].cut && grid.tasks == cuts[i].tasks);
        EXPECT(tasks_make_the_whole(plan, WANTED, THREADS,
                                    reach(cuts[i].width, cuts[i].rank, cuts[i].sizes, cuts[i].output),
                                    reach(cuts[i].width, cuts[i].rank, cuts[i].sizes, cuts[i].input)));
        dmlc_plan_free(plan);
    }
}

static void test_team_sizes(void)
{
    const int32_t most = dmlc_processors();
    EXPECT(most >= 1);
    EXPECT(dmlc_team_size(1, 9) == 1);
    EXPECT(dmlc_team_size(9, 1) == 1);
    EXPECT(dmlc_team_size(2, 9) == (most < 2 ? 1 : 2));
    EXPECT(dmlc_team_size(9, 2) == (most < 2 ? 1 : 2));
    EXPECT(dmlc_team_size(INT32_MAX, INT32_MAX) == most);
    dmlc_set_oversubscribe(true);
    EXPECT(dmlc_team_size(9, 2) == (dmlc_has_openmp() ? 9 : 1));
    EXPECT(dmlc_team_size(9, 1) == 1);
    int32_t inside = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(2) reduction(+ : inside)
#endif
    inside += dmlc_team_size(9, 2);
    EXPECT(inside == (dmlc_has_openmp() ? 2 : 1));
    dmlc_set_oversubscribe(false);
}

static void work_alone(long nanoseconds)
{
    const struct timespec time = {.tv_nsec = nanoseconds};
    nanosleep(&time, NULL);
    dmlc_worked_alone();
}

/* Before any worker has been started. A machine that is busy may tear a row apart, which then begins anew. */
static void test_workers_pay(void)
{
    enum { PATIENCE = 1000 };
    const struct timespec pause = {.tv_nsec = 1000000};
    EXPECT(dmlc_workers_pay(50e3));
    int tries = 0;
    do {
        nanosleep(&pause, NULL);
        EXPECT(!dmlc_workers_pay(30e3));
        dmlc_worked_alone(); /* in no time */
    } while (dmlc_workers_pay(30e3) && ++tries < PATIENCE);
    EXPECT(tries < PATIENCE);
    work_alone(15000);
    nanosleep(&pause, NULL);
    EXPECT(!dmlc_workers_pay(30e3));
    work_alone(15000);
    tries = 0;
    for (; !dmlc_workers_pay(8e3) && tries < PATIENCE; ++tries)
        work_alone(8000);
    EXPECT(tries < PATIENCE);
    EXPECT(!dmlc_workers_pay(30e3)); /* a row has ended where it paid */
    tries = 0;
    do
        work_alone(1000000); /* much longer than it was thought to */
    while (!dmlc_workers_pay(30e3) && ++tries < PATIENCE);
    EXPECT(tries < PATIENCE);
}

static void test_a_child_works_alone(void)
{
    const pid_t child = fork();
    if (child == 0) {
        dmlc_set_oversubscribe(true);
        _exit(dmlc_team_size(9, 2) == 1 && shared(TASKS, dmlc_team_size(9, 2)) ? 0 : 1);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    test_workers_pay();
    dmlc_set_oversubscribe(true);
    test_tasks();
    dmlc_set_oversubscribe(false);
    test_worth();
    test_bytes_are_worth_threads();
    test_cuts();
    test_team_sizes();
    test_a_child_works_alone();
    return expectations_met();
}
