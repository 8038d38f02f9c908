/* One walk serves every plan. Work is cut into tasks along the outermost axes that give enough of them, the leaf
 * included, so that one large image is shared as well as a batch. */
#include "run/run.h"

#include "dispatch/dispatch.h"

#include <string.h>

/* Up to this many nanoseconds on one thread, waking a second costs more than it saves. Measured on two cores, one thread /
 * two: a copy of 256 KiB took 4.0 / 5.2 us, of 1 MiB 21.6 / 11.0 us; a fill of 256 KiB 4.4 / 3.6 us, of 512 KiB 7.0 / 5.4. */
static const double PARALLEL_COST = 5500;

/* No task less than this, and no more than so many for each thread: enough to even out a busy core. */
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
    return axis == job->outer_axes ? job->leaf_size : job->plan->axes[axis].size;
}

/* A task takes whole grains, of which the last one may be smaller. */
static int64_t axis_grain(const dmlc_job *job, int32_t axis) { return axis == job->outer_axes ? job->leaf_grain : 1; }

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

void dmlc_replicate(const dmlc_job *job, char *output, int64_t bytes, int64_t more)
{
    const int64_t width = job->plan->width;
    const dmlc_row row = {
        .chunk = width,
        .output_step = width,
        .middle = -1,
        .piece_count = 1,
        .pieces =
            {{.operation = DMLC_REPLICATE, .permutation = -1, .output = bytes, .step = bytes, .count = more / width}},
    };
    job->kernels->rows(&row, output, 0, output, 0, 1, &job->patterns[0], job->stream);
}

void dmlc_walk(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output, const char *input)
{
    if (axis == job->outer_axes) {
        job->leaf.part(job, begin, end, output, input);
        return;
    }
    const dmlc_axis *here = &job->plan->axes[axis];
    if (end - begin > here->cycle && axis >= job->plan->dense_from) {
        /* Turns after the first are copies of it. */
        dmlc_walk(job, axis, begin, begin + here->cycle, output, input);
        dmlc_replicate(job, output + begin * here->output_step, here->cycle * here->output_step,
                       (end - begin - here->cycle) * here->output_step);
        return;
    }
    for (int64_t position = begin; position < end;) {
        const dmlc_segment run = dmlc_axis_run(here, position, end);
        char *to = output + position * here->output_step;
        if (run.outside) {
            dmlc_fill_box(job, axis, run.size, to);
        } else if (axis + 1 == job->outer_axes) {
            job->leaf.block(job, to, here->output_step, input + run.offset, run.step, run.size);
        } else {
            for (int64_t i = 0; i < run.size; ++i)
                dmlc_walk(job, axis + 1, 0, job->plan->axes[axis + 1].size, to + i * here->output_step,
                          input + run.offset + i * run.step);
        }
        position += run.size;
    }
}

/* One of so many ranges of an axis and all that is inside it, by a task of its own. What is outside has no leaf. */
static void run_range(const dmlc_job *job, int32_t axis, int64_t range, int64_t ranges, char *output, const char *input,
                      bool outside)
{
    const int64_t size = outside ? job->plan->axes[axis].size : axis_size(job, axis);
    const int64_t grain = outside ? 1 : axis_grain(job, axis), grains = (size - 1) / grain + 1;
    const int64_t begin = dmlc_part_begin(grains, ranges, range) * grain;
    const int64_t next = dmlc_part_begin(grains, ranges, range + 1) * grain, end = next < size ? next : size;
    dmlc_stream stream = {.line = job->output};
    dmlc_job streaming;
    if (job->past_cache) {
        streaming = *job;
        streaming.stream = &stream;
        job = &streaming;
    }
    if (outside)
        dmlc_fill_box(job, axis, end - begin, output + begin * job->plan->axes[axis].output_step);
    else
        dmlc_walk(job, axis, begin, end, output, input);
    if (job->stream != NULL)
        job->kernels->stream_end(&stream);
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
    const double bytes = (double)plan->bytes * DMLC_BYTE_COST;
    return bytes > plan->cost ? bytes : plan->cost;
}

static void pattern_set(dmlc_pattern *pattern, const void *value, int64_t width)
{
    pattern->width = width;
    if (value == NULL) {
        memset(pattern->bytes, 0, sizeof(pattern->bytes));
        return;
    }
    for (int64_t at = 0; at < DMLC_PATTERN_BYTES; at += width)
        memcpy(pattern->bytes + at, value, (size_t)width);
}

void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads)
{
    if (plan->empty)
        return;
    dmlc_job job = {
        .plan = plan,
        .kernels = dmlc_kernels_in_use(),
        .outer_axes = plan->axis_count,
        .leaf_grain = 1,
        .past_cache = plan->bytes > dmlc_cache_bytes(),
        .output = (char *)operands->output + plan->output_offset,
    };
    /* Where nothing is read, any pointer that arithmetic is allowed on will do: NULL + 0 is undefined. */
    job.input = operands->input == NULL ? job.output : (const char *)operands->input + plan->input_offset;
    pattern_set(&job.patterns[0], operands->values[0], plan->width);
    pattern_set(&job.patterns[1], operands->values[1], plan->width);
    switch (plan->kind) {
    case DMLC_MAP:
        if (plan->box != NULL && (plan->box->by_moves || job.kernels->permutes_blocks)) {
            job.leaf = dmlc_box_leaf;
            job.outer_axes -= plan->box->axes;
        } else if (plan->transpose != NULL) {
            job.leaf = dmlc_transpose_leaf;
            job.outer_axes -= plan->transpose->along + plan->transpose->across;
            job.leaf_grain = dmlc_transpose_grain(plan);
            job.leaf_size = dmlc_transpose_size(plan);
            break;
        } else {
            job.leaf = dmlc_map_leaf;
            --job.outer_axes;
        }
        job.leaf_size = plan->axes[job.outer_axes].size;
        break;
    case DMLC_SELECT:
        job.leaf = dmlc_select_leaf;
        job.outer_axes -= dmlc_tiles_in_use(&job) != NULL && plan->program.select.tiles->inside > 1 ? 2 : 1;
        job.leaf_size = plan->axes[job.outer_axes].size;
        job.leaf_grain = dmlc_select_grain(&job);
        break;
    case DMLC_BAND:
        job.leaf = dmlc_band_leaf;
        job.leaf_size = plan->program.band.rows;
        break;
    }
    const double alone = cost(plan);
    if (threads <= 1 || alone <= PARALLEL_COST) {
        run_range(&job, 0, 0, 1, job.output, job.input, plan->outside);
        return;
    }
    const double most = (double)threads * TASKS_PER_THREAD;
    const grid g = cut(&job, (int64_t)(alone / TASK_COST < most ? alone / TASK_COST : most));
    dmlc_parallel(g.tasks, threads, run_task, &g);
}
