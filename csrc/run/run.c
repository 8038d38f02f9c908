/* One plan: what is known of its run before it begins, and on how many threads. */
#include "run/run.h"

#include "dispatch/dispatch.h"
#include "run/distance.h"
#include "run/past_cache.h"

#include <string.h>

/* Up to this many nanoseconds on one thread, as costs say, waking a second costs more than it saves. Measured on two cores where
 * calls follow each other, copies and borders of images, one thread / two. On Zen 4: of 300 KiB 2.4 / 2.8 and 2.7 / 3.3 us, of
 * 350 KiB 3.4 / 3.6 and 3.2 / 3.8, of 400 KiB 4.2 / 4.3 and 4.1 / 4.3, of 500 KiB 6.0 / 4.2 and 6.5 / 4.2. AVX2's break even there
 * too, though their costs are up to 2.5 times what they take: crops to rows of 64 bytes, which cost 7.3 us, took 4.6 / 2.9 us.
 * On Granite Rapids costs are 0.5 to 1.0 of what such calls take, and they break even at 200 KiB with AVX2 and at 250 with AVX-512: of
 * 300 KiB 3.3 to 4.0 / 2.6 to 3.4, of 500 KiB 5.3 to 8.0 / 3.9 to 4.5. Random transposes break even a little later. */
static const double PARALLEL_COST = 7000, NEAR_PARALLEL_COST = 4000;

static double parallel_cost(void) { return dmlc_cores_are_near ? NEAR_PARALLEL_COST : PARALLEL_COST; }

/* What waking one more takes, asleep as it may be. A caller wakes them one after another, so that n threads take
 * (n - 1) WAKE_COST + cost / n, which is least where n = sqrt(cost / WAKE_COST): each then has n WAKE_COST to do. The
 * second has not slept yet where calls follow each other, and pays from PARALLEL_COST on. */
static const double WAKE_COST = 5000;

/* No task less than this, and no more than so many for each thread: enough to even out a busy core, or a worker that comes late. */
static const double TASK_COST = 700;
enum { TASKS_PER_THREAD = 4 };

/* Bytes that move in long runs within the second-level cache take what they cost; others take up to twice that, as did crops that moved 512
 * KiB in short rows far apart, on Zen 4. By this factor, what moves 450 KB is worth a second thread. With it, of random shapes that move
 * 300 to 900 KB, on two cores between which a line takes little, 20 % took less than 0.9 of the time with AVX-512 and 15 % with AVX2, and 1
 * to 4 % more than 1.1 times. */
static const double BYTES_TAKE = 1.5;

double dmlc_run_cost(const dmlc_plan *plan)
{
    const double bytes = BYTES_TAKE * (double)plan->bytes * plan->kernels->abilities->costs->byte;
    return bytes > plan->cost ? bytes : plan->cost;
}

int32_t dmlc_threads_worth(double alone)
{
    if (alone <= parallel_cost())
        return 1;
    int32_t threads = 2;
    while (threads < INT16_MAX && (threads + 1.0) * (threads + 1.0) * WAKE_COST <= alone)
        ++threads;
    return threads;
}

static void pattern_set(dmlc_pattern *pattern, const void *value, int64_t width)
{
    pattern->width = width;
    if (value == NULL) {
        memset(pattern->bytes, 0, sizeof(pattern->bytes));
        return;
    }
    dmlc_repeat_element(pattern->bytes, value, width);
}

static const dmlc_leaf *const leaves[] = {
    [DMLC_ROWS] = &dmlc_rows_leaf,
    [DMLC_PERMUTED_ROWS] = &dmlc_rows_leaf,
    [DMLC_SHORT_ROWS] = &dmlc_short_rows_leaf,
    [DMLC_FILLED_ROWS] = &dmlc_filled_rows_leaf,
    [DMLC_ENDS] = &dmlc_ends_leaf,
    [DMLC_MOVES] = &dmlc_moves_leaf,
    [DMLC_SHUFFLES] = &dmlc_shuffles_leaf,
    [DMLC_TRANSPOSE] = &dmlc_transpose_leaf,
    [DMLC_PACKED] = &dmlc_packed_leaf,
    [DMLC_GROWN] = &dmlc_grown_leaf,
    [DMLC_SELECT] = &dmlc_select_leaf,
    [DMLC_BAND] = &dmlc_band_leaf,
};

const dmlc_leaf *dmlc_leaf_of(dmlc_way way) { return leaves[way]; }

/* A run that moves little and does not go past the cache reads its rows as they come. */
static bool job_reads_down(const dmlc_job *job) { return (job->far || job->past_cache) && reads_down(job->plan); }

/* Member by member: to clear a job first, or to copy one that was just written, takes as long as a small run. */
void dmlc_job_begin(dmlc_job *job, const dmlc_plan *plan, const dmlc_operands *operands, int64_t bytes, int32_t threads)
{
    job->plan = plan;
    job->leaf = dmlc_leaf_of(plan->way);
    job->outer_axes = plan->axis_count - plan->leaf_axes;
    job->threads = threads;
    job->far = is_far(bytes, threads);
    job->writes_in_order = writes_in_order(bytes, threads);
    job->in_memory = is_in_memory(plan, bytes, threads);
    job->stores_wait = waits_for_lines(bytes, threads);
    job->stream = NULL;
    job->output = (char *)operands->output + plan->output_offset;
    /* Where nothing is read, any pointer that arithmetic is allowed on will do: NULL + 0 is undefined. */
    job->input = operands->input == NULL ? job->output : (const char *)operands->input + plan->input_offset;
    if (plan->fills) {
        pattern_set(&job->patterns[0], operands->values[plan->outside_value], plan->width);
        pattern_set(&job->patterns[1], operands->values[1], plan->width);
    }
    job->past_cache = dmlc_goes_past_cache(plan, job->patterns, bytes, threads);
    job->reads_down = job_reads_down(job);
}

void dmlc_job_begin_within(dmlc_job *job, const dmlc_job *outer, const dmlc_plan *plan)
{
    *job = *outer;
    job->plan = plan;
    job->leaf = dmlc_leaf_of(plan->way);
    job->outer_axes = plan->axis_count - plan->leaf_axes;
    job->reads_down = job_reads_down(job);
}

int32_t dmlc_team_for(double alone, int32_t asked)
{
    const int32_t worth = asked == 1 ? 1 : dmlc_threads_worth(alone);
    const int32_t team = worth == 1 ? 1 : dmlc_team_size(asked == 0 ? dmlc_threads() : asked, worth);
    return team == 1 || dmlc_oversubscribes() || dmlc_workers_pay(alone) ? team : 1;
}

int64_t dmlc_tasks_for(double alone, int32_t threads)
{
    const double most = (double)threads * TASKS_PER_THREAD, worth = alone / TASK_COST;
    return worth < 1 ? 1 : (int64_t)(worth < most ? worth : most);
}

static void run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t asked)
{
    if (plan->empty)
        return;
    if (plan->before != NULL)
        run(plan->before, operands, asked);
    const double alone = asked == 1 ? 0 : dmlc_run_cost(plan);
    const int32_t threads = dmlc_team_for(alone, asked);
    dmlc_job job;
    dmlc_job_begin(&job, plan, operands, plan->bytes, threads);
    if (threads == 1) {
        dmlc_run_whole(&job);
        if (alone > parallel_cost())
            dmlc_worked_alone();
        return;
    }
    const dmlc_grid g = dmlc_cut_into_tasks(&job, dmlc_tasks_for(alone, threads));
    dmlc_parallel(g.tasks, threads, dmlc_run_task, &g);
}

void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads)
{
    run(plan, operands, threads < 1 ? 1 : threads);
}

void dmlc_run_on_threads(const dmlc_plan *plan, const dmlc_operands *operands) { run(plan, operands, 0); }
