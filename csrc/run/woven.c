/* Plans of a batch that are alike and write between each other's elements, all in the same ranges:
 *
 *     output   |abcabcabcabcabcabc|      a, b and c are plans, as of a stack along the last axis
 *     tasks    |  0  |  1  |  2   |      each runs its range of a, then of b, then of c
 */
#include "run/past_cache.h"

/* Whether a plan and the next one are alike and write between each other's elements. */
static bool is_woven(const dmlc_batch *all, int32_t i)
{
    const dmlc_plan *plan = all->plans[i];
    const uintptr_t one = (uintptr_t)all->operands[i].output, next = (uintptr_t)all->operands[i + 1].output;
    const uintptr_t apart = one < next ? next - one : one - next;
    if (plan != all->plans[i + 1] || plan->empty || plan->before != NULL || apart >= DMLC_LEAST_APART)
        return false;
    int64_t largest = 0;
    for (int32_t axis = 0; axis < plan->axis_count; ++axis)
        if (plan->axes[axis].output_step > largest)
            largest = plan->axes[axis].output_step;
    return (int64_t)apart < largest;
}

int32_t dmlc_woven_from(const dmlc_batch *all, int32_t first)
{
    int32_t i = first;
    while (i + 1 < all->count && is_woven(all, i))
        ++i;
    return i + 1 - first;
}

/* Plans that are woven and copy dense runs of bytes to columns that lie side by side: they are a transpose, whose sources are listed.
 *
 *     pixel i of the output   |run i of the first|run i of the second| .. */
typedef struct columns {
    int64_t bytes;      /* of a run */
    int64_t runs, step; /* how many each plan copies, and from one to the next in the input */
    int64_t input;      /* from the plan's own to the first run */
} columns;

/* Chunks of a row, or rows of an axis. */
static bool find_runs(const dmlc_plan *plan, columns *found, int64_t *output_step)
{
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_piece *only = &row->pieces[0];
    const dmlc_axis *axis = &plan->axes[0];
    if (plan->way != DMLC_ROWS || row->piece_count != 1 || only->output != 0)
        return false;
    *found = (columns){.bytes = row->chunk, .runs = row->size, .step = row->chunk, .input = only->input};
    *output_step = row->output_step;
    if (plan->axis_count == 1)
        return dmlc_row_is_gather(row) && only->step == row->chunk;
    if (plan->axis_count != 2 || !dmlc_row_is_copy(row) || !dmlc_axis_is_plain(axis))
        return false;
    const dmlc_segment runs = dmlc_axis_run(axis, 0, axis->size);
    *found = (columns){.bytes = only->count, .runs = runs.size, .step = runs.step, .input = runs.offset + only->input};
    *output_step = axis->output_step;
    return true;
}

static bool find_columns(const dmlc_batch *all, int32_t first, int32_t count, columns *found)
{
    int64_t output_step;
    if (count < 2 || count > DMLC_MOST_PLACES || !find_runs(all->plans[first], found, &output_step) ||
        output_step != count * found->bytes)
        return false;
    int32_t i = first;
    while (i + 1 < first + count &&
           (char *)all->operands[i + 1].output == (char *)all->operands[i].output + found->bytes)
        ++i;
    return i + 1 == first + count;
}

/* Runs [begin, end) of each of them. */
static void run_columns(const dmlc_batch *all, int32_t first, int32_t count, const columns *of, int64_t begin,
                        int64_t end)
{
    const dmlc_plan *plan = all->plans[first];
    const int64_t pixel = count * of->bytes;
    const dmlc_row row = {.chunk = of->bytes,
                          .output_step = of->bytes,
                          .size = count,
                          .piece_count = 1,
                          .pieces = {{.operation = DMLC_GATHER, .count = count}}};
    int64_t sources[DMLC_MOST_PLACES];
    for (int32_t i = 0; i < count; ++i)
        sources[i] = (int64_t)((uintptr_t)all->operands[first + i].input - (uintptr_t)all->operands[first].input);
    dmlc_job job;
    dmlc_job_begin(&job, plan, &all->operands[first], all->bytes, all->threads);
    dmlc_block block = dmlc_one_leaf(&job, job.output + begin * pixel, job.input + of->input + begin * of->step);
    block.output_step = pixel;
    block.input_step = of->step;
    block.count = end - begin;
    if (!columns_go_past_cache(of->bytes, all->bytes, all->threads)) {
        plan->kernels->transpose(&row, NULL, sources, &block);
        return;
    }
    dmlc_stream stream;
    dmlc_stream_begin(&stream, block.output, 0);
    block.stream = &stream;
    plan->kernels->transpose(&row, NULL, sources, &block);
    plan->kernels->stream_end(&stream);
}

/* Into about so many tasks, and at least so many that a cache keeps what each writes until it is whole: the first-level one of what
 * goes plan after plan. Without, sixteen arrays of 65,536 floats took four times as long to be stacked along the last axis, and
 * eight times on two threads. */
dmlc_grid dmlc_cut_woven(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_job *job, int64_t wanted)
{
    if (count == 1)
        return dmlc_cut_into_tasks(job, wanted);
    static const double NEAR_BYTES = 32 * 1024, COLUMNS_BYTES = 256 * 1024, MOST = 1e9;
    columns found;
    const double together = find_columns(all, first, count, &found) ? COLUMNS_BYTES : NEAR_BYTES;
    const double near = (double)job->plan->bytes * count / together;
    const int64_t least = 1 + (int64_t)(near < MOST ? near : MOST);
    return dmlc_cut_into_tasks(job, wanted > least ? wanted : least);
}

void dmlc_run_woven_task(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_grid *grid, int64_t index)
{
    columns found;
    if (find_columns(all, first, count, &found)) {
        run_columns(all, first, count, &found, dmlc_part_begin(found.runs, grid->tasks, index),
                    dmlc_part_begin(found.runs, grid->tasks, index + 1));
        return;
    }
    for (int32_t i = first; i < first + count; ++i) {
        dmlc_job job;
        dmlc_job_begin(&job, all->plans[i], &all->operands[i], all->bytes, all->threads);
        dmlc_grid mine = *grid;
        mine.job = &job;
        dmlc_run_task(&mine, index);
    }
}

void dmlc_run_woven(const dmlc_batch *all, int32_t first, int32_t count)
{
    dmlc_job job;
    dmlc_job_begin(&job, all->plans[first], &all->operands[first], all->bytes, all->threads);
    const dmlc_grid grid = dmlc_cut_woven(all, first, count, &job, 1);
    for (int64_t index = 0; index < grid.tasks; ++index)
        dmlc_run_woven_task(all, first, count, &grid, index);
}
