/* One walk serves every plan. Work is cut into tasks along the outermost axes that give enough of them, the leaf
 * included, so that one large image is shared as well as a batch. */
#include "run/run.h"

#include "dispatch/dispatch.h"
#include "run/past_cache.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many nanoseconds on one thread, as costs say, waking a second costs more than it saves. Measured on two cores where
 * calls follow each other, copies and borders of images, one thread / two: of 300 KiB 2.4 / 2.8 and 2.7 / 3.3 us, of 350 KiB
 * 3.4 / 3.6 and 3.2 / 3.8, of 400 KiB 4.2 / 4.3 and 4.1 / 4.3, of 500 KiB 6.0 / 4.2 and 6.5 / 4.2. AVX2's break even there too.
 * Their costs are up to 2.5 times what they take; crops to rows of 64 bytes, which cost 7.3 us, took AVX2 4.6 us, and 2.9. */
static const double PARALLEL_COST = 7000;

/* What waking one more takes, asleep as it may be. A caller wakes them one after another, so that n threads take
 * (n - 1) WAKE_COST + cost / n, which is least where n = sqrt(cost / WAKE_COST): each then has n WAKE_COST to do. The
 * second has not slept yet where calls follow each other, and pays from PARALLEL_COST on. */
static const double WAKE_COST = 5000;

/* No task less than this, and no more than so many for each thread: enough to even out a busy core, or a worker that comes late. */
static const double TASK_COST = 700;
enum { TASKS_PER_THREAD = 4 };

/* Task t is one combination of indices of axes [0, axis) and one of `ranges` near-equal ranges of `axis`. */
typedef struct grid {
    const dmlc_job *job;
    int32_t axis;
    int64_t ranges;
    int64_t tasks;
} grid;

static int64_t axis_size(const dmlc_job *job, int32_t axis)
{
    return axis == job->outer_axes ? job->leaf->size(job->plan) : job->plan->axes[axis].size;
}

/* A task takes whole grains, of which the last one may be smaller. */
static int64_t axis_grain(const dmlc_job *job, int32_t axis)
{
    return axis == job->outer_axes ? job->leaf->grain(job->plan) : 1;
}

static grid cut(const dmlc_job *job, int64_t wanted)
{
    grid g = {.job = job};
    int64_t outer = 1;
    while (g.axis < job->outer_axes && axis_size(job, g.axis) < (wanted + outer - 1) / outer)
        outer *= axis_size(job, g.axis++);
    g.ranges = (wanted + outer - 1) / outer;
    const int64_t grains = (axis_size(job, g.axis) - 1) / axis_grain(job, g.axis) + 1;
    if (g.ranges > grains)
        g.ranges = grains;
    g.tasks = outer * g.ranges;
    return g;
}

dmlc_block dmlc_one_leaf(const dmlc_job *job, char *output, const char *input)
{
    return (dmlc_block){
        .output = output,
        .input = input,
        .count = 1,
        .pattern = &job->patterns[0],
        .stream = job->stream,
        .far = job->far,
        .in_memory = job->in_memory,
    };
}

static void run_row(const dmlc_job *job, int64_t chunk, int64_t output_step, dmlc_piece piece, char *output)
{
    const dmlc_row row = {.chunk = chunk, .output_step = output_step, .piece_count = 1, .pieces = {piece}};
    const dmlc_block one = dmlc_one_leaf(job, output, output);
    job->plan->kernels->rows(&row, NULL, &one);
}

void dmlc_replicate(const dmlc_job *job, char *output, int64_t bytes, int64_t more)
{
    const int64_t width = job->plan->width;
    run_row(job, width, width,
            (dmlc_piece){.operation = DMLC_REPLICATE, .output = bytes, .step = bytes, .count = more / width}, output);
}

void dmlc_fill_axes(const dmlc_job *job, int32_t axis, int64_t count, char *output)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *here = &plan->axes[axis];
    if (dmlc_is_dense(plan, axis))
        plan->kernels->fill(output, count * here->output_step, &job->patterns[0], job->stream);
    else if (axis == plan->axis_count - 1)
        run_row(job, plan->chunk, here->output_step, (dmlc_piece){.operation = DMLC_FILL_EACH, .count = count}, output);
    else
        for (int64_t i = 0; i < count; ++i)
            dmlc_fill_axes(job, axis + 1, plan->axes[axis + 1].size, output + i * here->output_step);
}

/* Elements [begin, end) of an axis and all that is inside them; output at the axis' start, input at its origin. */
static void walk(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output, const char *input)
{
    if (axis == job->outer_axes) {
        job->leaf->part(job, begin, end, output, input);
        return;
    }
    const dmlc_axis *here = &job->plan->axes[axis];
    if (end - begin > here->cycle && dmlc_is_dense(job->plan, axis)) {
        /* Turns after the first are copies of it. */
        walk(job, axis, begin, begin + here->cycle, output, input);
        dmlc_replicate(job, output + begin * here->output_step, here->cycle * here->output_step,
                       (end - begin - here->cycle) * here->output_step);
        return;
    }
    for (int64_t position = begin; position < end;) {
        const dmlc_segment run = dmlc_axis_run(here, position, end);
        char *to = output + position * here->output_step;
        if (run.outside) {
            dmlc_fill_axes(job, axis, run.size, to);
        } else if (run.step == 0 && run.size > 1 && job->stream == NULL && job->plan->repeated >> axis & 1) {
            walk(job, axis, position, position + 1, output, input);
            dmlc_replicate(job, to, here->output_step, (run.size - 1) * here->output_step);
        } else if (axis + 1 == job->outer_axes) {
            const dmlc_block block = {
                .output = to,
                .output_step = here->output_step,
                .input = input + run.offset,
                .input_step = run.step,
                .count = run.size,
                .pattern = &job->patterns[0],
                .stream = job->stream,
                .far = job->far,
                .in_memory = job->in_memory,
            };
            job->leaf->block(job, &block);
        } else {
            for (int64_t i = 0; i < run.size; ++i)
                walk(job, axis + 1, 0, axis_size(job, axis + 1), to + i * here->output_step,
                     input + run.offset + i * run.step);
        }
        position += run.size;
    }
}

/* The same, or what is filled of it where all of it is outside. */
static inline void run_part(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output,
                            const char *input, bool outside)
{
    if (outside)
        dmlc_fill_axes(job, axis, end - begin, output + begin * job->plan->axes[axis].output_step);
    else
        walk(job, axis, begin, end, output, input);
}

/* One of so many ranges of an axis and all that is inside it, by a task of its own. What is outside has no leaf. */
static void run_range(const dmlc_job *job, int32_t axis, int64_t range, int64_t ranges, char *output, const char *input,
                      bool outside)
{
    int64_t begin = 0, end = outside ? job->plan->axes[axis].size : axis_size(job, axis);
    if (ranges > 1) {
        const int64_t grain = outside ? 1 : axis_grain(job, axis), grains = (end - 1) / grain + 1;
        const int64_t next = dmlc_part_begin(grains, ranges, range + 1) * grain;
        begin = dmlc_part_begin(grains, ranges, range) * grain;
        end = next < end ? next : end;
    }
    if (!job->past_cache) {
        run_part(job, axis, begin, end, output, input, outside);
        return;
    }
    dmlc_stream stream = {.line = job->output};
    dmlc_job streaming = *job;
    streaming.stream = &stream;
    run_part(&streaming, axis, begin, end, output, input, outside);
    job->plan->kernels->stream_end(&stream);
}

static void run_task(const void *context, int64_t index)
{
    const grid *g = context;
    const dmlc_job *job = g->job;
    char *output = job->output;
    const char *input = job->input;
    bool outside = job->plan->outside;
    const int64_t range = index % g->ranges;
    index /= g->ranges;
    for (int32_t axis = g->axis - 1; axis >= 0; --axis) {
        const dmlc_axis *here = &job->plan->axes[axis];
        const int64_t position = index % here->size;
        index /= here->size;
        const dmlc_segment run = dmlc_axis_run(here, position, position + 1);
        output += position * here->output_step;
        outside = outside || run.outside;
        if (!outside)
            input += run.offset;
    }
    run_range(job, g->axis, range, g->ranges, output, input, outside);
}

/* What a run takes on one thread: what its bytes take or, if they are many, its moves. */
static double cost(const dmlc_plan *plan)
{
    const double bytes = (double)plan->bytes * plan->kernels->abilities->costs.byte;
    return bytes > plan->cost ? bytes : plan->cost;
}

int32_t dmlc_threads_worth(double alone)
{
    if (alone <= PARALLEL_COST)
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
    /* Constant widths, so that nothing is called. */
#define REPEAT(WIDTH)                                                                                                  \
    for (int64_t at = 0; at < DMLC_PATTERN_BYTES; at += (WIDTH))                                                       \
    memcpy(pattern->bytes + at, value, WIDTH)
    switch (width) {
    case 1: memset(pattern->bytes, *(const unsigned char *)value, DMLC_PATTERN_BYTES); break;
    case 2: REPEAT(2); break;
    case 4: REPEAT(4); break;
    case 8: REPEAT(8); break;
    default: REPEAT(16); break;
    }
#undef REPEAT
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
    [DMLC_SELECT] = &dmlc_select_leaf,
    [DMLC_BAND] = &dmlc_band_leaf,
};

/* What runs together moves so many bytes, which decides whether they go past the cache. Member by member: to clear a job
 * first, or to copy one that was just written, takes as long as a small run. */
static inline void job_begin(dmlc_job *job, const dmlc_plan *plan, const dmlc_operands *operands, int64_t bytes,
                             int32_t threads)
{
    job->plan = plan;
    job->leaf = leaves[plan->way];
    job->outer_axes = plan->axis_count - plan->leaf_axes;
    job->far = is_far(bytes, threads);
    job->in_memory = is_in_memory(bytes);
    job->past_cache = goes_past_cache(plan, bytes, threads);
    job->stream = NULL;
    job->output = (char *)operands->output + plan->output_offset;
    /* Where nothing is read, any pointer that arithmetic is allowed on will do: NULL + 0 is undefined. */
    job->input = operands->input == NULL ? job->output : (const char *)operands->input + plan->input_offset;
    if (!plan->fills)
        return;
    pattern_set(&job->patterns[0], operands->values[plan->outside_value], plan->width);
    pattern_set(&job->patterns[1], operands->values[1], plan->width);
}

static void run_whole(const dmlc_job *job) { run_range(job, 0, 0, 1, job->output, job->input, job->plan->outside); }

/* How many threads are to have work that takes so long alone; 0 asked for are dmlc_threads()'s. */
static int32_t team_for(double alone, int32_t asked)
{
    const int32_t worth = asked == 1 ? 1 : dmlc_threads_worth(alone);
    return worth == 1 ? 1 : dmlc_team_size(asked == 0 ? dmlc_threads() : asked, worth);
}

static int64_t tasks_for(double alone, int32_t threads)
{
    const double most = (double)threads * TASKS_PER_THREAD;
    return (int64_t)(alone / TASK_COST < most ? alone / TASK_COST : most);
}

static void run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t asked)
{
    if (plan->empty)
        return;
    if (plan->before != NULL)
        run(plan->before, operands, asked);
    const double alone = asked == 1 ? 0 : cost(plan);
    const int32_t threads = team_for(alone, asked);
    dmlc_job job;
    job_begin(&job, plan, operands, plan->bytes, threads);
    if (threads == 1) {
        run_whole(&job);
        return;
    }
    const grid g = cut(&job, tasks_for(alone, threads));
    dmlc_parallel(g.tasks, threads, run_task, &g);
}

void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads)
{
    run(plan, operands, threads < 1 ? 1 : threads);
}

void dmlc_run_on_threads(const dmlc_plan *plan, const dmlc_operands *operands) { run(plan, operands, 0); }

/* Many plans. Neighbours that are little make one task; one that is much is cut as if it were alone. */
typedef struct portion {
    int64_t first_task, tasks;
    int32_t first, count; /* plans; a single one where it is cut */
    grid grid;            /* of its tasks, where they are more than one */
    dmlc_job job;
} portion;

typedef struct many {
    const dmlc_plan *const *plans;
    const dmlc_operands *operands;
    int64_t bytes;
    int32_t threads;
    int32_t portion_count;
    portion *portions;
} many;

/* With the copy that goes before a band. */
static double cost_of_all(const dmlc_plan *plan)
{
    if (plan->empty)
        return 0;
    return cost(plan) + (plan->before != NULL ? cost(plan->before) : 0);
}

static void run_plans(const many *all, int32_t first, int32_t count)
{
    for (int32_t i = first; i < first + count; ++i) {
        const dmlc_plan *plan = all->plans[i];
        if (plan->empty)
            continue;
        dmlc_job job;
        if (plan->before != NULL) {
            job_begin(&job, plan->before, &all->operands[i], all->bytes, all->threads);
            run_whole(&job);
        }
        job_begin(&job, plan, &all->operands[i], all->bytes, all->threads);
        run_whole(&job);
    }
}

static void run_task_of_many(const void *context, int64_t index)
{
    const many *all = context;
    const portion *mine = all->portions;
    while (index >= mine->first_task + mine->tasks)
        ++mine;
    if (mine->tasks > 1)
        run_task(&mine->grid, index - mine->first_task);
    else
        run_plans(all, mine->first, mine->count);
}

/* Portions of about `each` nanoseconds, or cut into tasks of as many; returns how many tasks there are. */
static int64_t portion_out(many *all, int32_t count, double each)
{
    int64_t tasks = 0;
    double gathered = each; /* so that the first plan begins a portion */
    all->portion_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const dmlc_plan *plan = all->plans[i];
        const double alone = cost_of_all(plan);
        if (gathered < each && alone < 2 * each) {
            gathered += alone;
            ++all->portions[all->portion_count - 1].count;
            continue;
        }
        portion *made = &all->portions[all->portion_count++];
        *made = (portion){.first_task = tasks, .tasks = 1, .first = i, .count = 1};
        gathered = alone;
        if (alone >= 2 * each && plan->before == NULL) {
            job_begin(&made->job, plan, &all->operands[i], all->bytes, all->threads);
            made->grid = cut(&made->job, (int64_t)(alone / each));
            made->tasks = made->grid.tasks;
        }
        tasks += made->tasks;
    }
    return tasks;
}

void dmlc_run_many(const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads)
{
    many all = {.plans = plans, .operands = operands};
    double alone = 0;
    for (int32_t i = 0; i < count; ++i) {
        alone += cost_of_all(plans[i]);
        all.bytes += plans[i]->bytes < INT64_MAX - all.bytes ? plans[i]->bytes : INT64_MAX - all.bytes;
    }
    threads = all.threads = team_for(alone, threads < 0 ? 1 : threads);
    const int64_t wanted = threads == 1 ? 1 : tasks_for(alone, threads);
    /* A portion is cut, or it is the last of those that are not, or it has `each`, or the next one is cut. */
    if (wanted > 1)
        all.portions = malloc((size_t)(2 * wanted + 2) * sizeof(*all.portions));
    if (all.portions == NULL) {
        run_plans(&all, 0, count);
        return;
    }
    dmlc_parallel(portion_out(&all, count, alone / (double)wanted), threads, run_task_of_many, &all);
    free(all.portions);
}
