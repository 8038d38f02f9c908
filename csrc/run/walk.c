/* One walk serves every plan: all of it, or one of the tasks it is cut into. */
#include "run/run.h"

static int64_t axis_size(const dmlc_job *job, int32_t axis)
{
    return axis == job->outer_axes ? job->leaf->size(job->plan) : job->plan->axes[axis].size;
}

/* A task takes whole grains, of which the last one may be smaller. */
static int64_t axis_grain(const dmlc_job *job, int32_t axis)
{
    return axis == job->outer_axes ? job->leaf->grain(job->plan) : 1;
}

/* The largest step in the output of what is gone through inside the first `outer` axes. */
static int64_t largest_step_inside(const dmlc_job *job, int32_t outer)
{
    int64_t largest = job->leaf->output_step == NULL ? 0 : job->leaf->output_step(job->plan);
    for (int32_t i = outer; i < job->plan->axis_count; ++i)
        if (job->plan->axes[i].output_step > largest)
            largest = job->plan->axes[i].output_step;
    return largest;
}

/* Whether threads may share `size` elements that lie `step` bytes apart in the output; axes from `outer` on are walked inside each. Where
 * one of those has a larger step, each thread writes a little between what others write, again and again. The lines at either end are then
 * another thread's too, as are those that processors fetch ahead: transposes with a step of 16 bytes took up to ten times as long on two
 * threads as on one, with 300 bytes 1.7 times. To ask the same of what threads read is not worth it: 2,260 random shapes took 1.00 of the
 * time by mean, a few half as long again and one four times. */
static bool lies_apart(const dmlc_job *job, int32_t outer, int64_t size, int64_t step)
{
    const int64_t each = size > job->threads ? size / job->threads : 1;
    return step >= DMLC_LEAST_APART / each || step >= largest_step_inside(job, outer);
}

static bool axis_lies_apart(const dmlc_job *job, int32_t axis)
{
    const dmlc_axis *here = &job->plan->axes[axis];
    return lies_apart(job, axis + 1, here->size, here->output_step);
}

static bool leaf_lies_apart(const dmlc_job *job)
{
    const dmlc_leaf *leaf = job->leaf;
    return leaf->output_step == NULL ||
           lies_apart(job, job->outer_axes, leaf->size(job->plan), leaf->output_step(job->plan));
}

dmlc_grid dmlc_cut_into_tasks(const dmlc_job *job, int64_t wanted)
{
    dmlc_grid g = {.job = job, .ranges = wanted};
    int64_t outer = 1;
    while (g.axis < job->outer_axes && axis_size(job, g.axis) < g.ranges && axis_lies_apart(job, g.axis)) {
        outer *= axis_size(job, g.axis++);
        g.ranges = (wanted + outer - 1) / outer;
    }
    g.cut = g.axis < job->outer_axes && axis_lies_apart(job, g.axis) ? g.axis : job->outer_axes;
    const int64_t grains = (axis_size(job, g.cut) - 1) / axis_grain(job, g.cut) + 1;
    if (g.ranges > grains)
        g.ranges = grains;
    if (g.cut == job->outer_axes && !leaf_lies_apart(job))
        g.ranges = 1;
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
        .writes_in_order = job->writes_in_order,
        .in_memory = job->in_memory,
        .stores_wait = job->stores_wait,
        .reads_down = job->reads_down,
    };
}

int64_t dmlc_one(const dmlc_plan *plan)
{
    (void)plan;
    return 1;
}

void dmlc_whole_part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    (void)begin;
    (void)end;
    const dmlc_block one = dmlc_one_leaf(job, output, input);
    job->leaf->block(job, &one);
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

static void walk(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output, const char *input);

/* So many bytes that are copied to what follows them. What is short stays in the cache, from where its copies go past it: to read back what
 * went past it took up to five times as long. */
enum { LONGEST_IN_CACHE = 256 * 1024 };

static void walk_what_is_copied(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output,
                                const char *input)
{
    if (job->stream == NULL || (end - begin) * job->plan->axes[axis].output_step > LONGEST_IN_CACHE) {
        walk(job, axis, begin, end, output, input);
        return;
    }
    dmlc_job in_cache = *job;
    in_cache.stream = NULL;
    walk(&in_cache, axis, begin, end, output, input);
}

/* Whether so many elements that are one, read over and over, are written once and copied. Past the cache the first, and copies of a few KB
 * in all, would fetch what they overwrite: two took up to 2.9 times as long copied, eight of 42 bytes three times, and 3 to 42 of 18 KB and
 * more in all 0.13 to 0.9 of the time. */
static bool are_copied(const dmlc_job *job, int32_t axis, int64_t count)
{
    enum { LEAST_PAST_CACHE = 3, LEAST_BYTES_PAST_CACHE = 16 * 1024 };
    if (count == 1 || (job->plan->repeated >> axis & 1) == 0)
        return false;
    const int64_t bytes = job->plan->axes[axis].output_step;
    return job->stream == NULL ||
           (count >= LEAST_PAST_CACHE && bytes <= LONGEST_IN_CACHE && count * bytes >= LEAST_BYTES_PAST_CACHE);
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
        walk_what_is_copied(job, axis, begin, begin + here->cycle, output, input);
        dmlc_replicate(job, output + begin * here->output_step, here->cycle * here->output_step,
                       (end - begin - here->cycle) * here->output_step);
        return;
    }
    for (int64_t position = begin; position < end;) {
        const dmlc_segment run = dmlc_axis_run(here, position, end);
        char *to = output + position * here->output_step;
        if (run.outside) {
            dmlc_fill_axes(job, axis, run.size, to);
        } else if (run.step == 0 && are_copied(job, axis, run.size)) {
            walk_what_is_copied(job, axis, position, position + 1, output, input);
            dmlc_replicate(job, to, here->output_step, (run.size - 1) * here->output_step);
        } else if (axis + 1 == job->outer_axes) {
            dmlc_block block = dmlc_one_leaf(job, to, input + run.offset);
            block.output_step = here->output_step;
            block.input_step = run.step;
            block.count = run.size;
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

void dmlc_run_leaves(const dmlc_job *job, const dmlc_block *block)
{
    dmlc_block all =
        dmlc_one_leaf(job, block->output + job->plan->output_offset, block->input + job->plan->input_offset);
    all.output_step = block->output_step;
    all.input_step = block->input_step;
    all.count = block->count;
    if (job->outer_axes == 0 && !job->plan->outside) {
        job->leaf->block(job, &all);
        return;
    }
    for (int64_t i = 0; i < all.count; ++i)
        run_part(job, 0, 0, job->plan->axes[0].size, all.output + i * all.output_step, all.input + i * all.input_step,
                 job->plan->outside);
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
        end = dmlc_minimum(next, end);
    }
    if (!job->past_cache) {
        run_part(job, axis, begin, end, output, input, outside);
        return;
    }
    dmlc_stream stream;
    dmlc_stream_begin(&stream, job->output);
    dmlc_job streaming = *job;
    streaming.stream = &stream;
    run_part(&streaming, axis, begin, end, output, input, outside);
    job->plan->kernels->stream_end(&stream);
}

/* The same range for all of the axes [axis, cut). */
static void run_ranges(const dmlc_grid *g, int32_t axis, int64_t range, char *output, const char *input, bool outside)
{
    if (axis == g->cut) {
        run_range(g->job, axis, range, g->ranges, output, input, outside);
        return;
    }
    const dmlc_axis *here = &g->job->plan->axes[axis];
    for (int64_t position = 0; position < here->size; ++position) {
        const dmlc_segment run = dmlc_axis_run(here, position, position + 1);
        const bool is_outside = outside || run.outside;
        run_ranges(g, axis + 1, range, output + position * here->output_step, is_outside ? input : input + run.offset,
                   is_outside);
    }
}

void dmlc_run_task(const void *context, int64_t index)
{
    const dmlc_grid *g = context;
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
    run_ranges(g, g->axis, range, output, input, outside);
}

void dmlc_run_whole(const dmlc_job *job) { run_range(job, 0, 0, 1, job->output, job->input, job->plan->outside); }
