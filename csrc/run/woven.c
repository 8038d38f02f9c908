/* Plans of a batch that are alike and write between each other's elements, all in the same ranges:
 *
 *     output   |abcabcabcabcabcabc|      a, b and c are plans, as of a stack along the last axis
 *     tasks    |  0  |  1  |  2   |      each runs its range of a, then of b, then of c
 */
#include "run/run.h"

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

/* Whether plans that are woven copy dense rows to columns that lie side by side: they are a transpose, whose sources are listed. */
static bool are_columns(const dmlc_batch *all, int32_t first, int32_t count)
{
    const dmlc_plan *plan = all->plans[first];
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_piece *only = &row->pieces[0];
    if (plan->way != DMLC_ROWS || plan->axis_count != 1 || count > DMLC_MOST_PLACES || !dmlc_row_is_gather(row) ||
        only->input != 0 || only->output != 0 || only->step != row->chunk || row->output_step != count * row->chunk)
        return false;
    int32_t i = first;
    while (i + 1 < first + count && (char *)all->operands[i + 1].output == (char *)all->operands[i].output + row->chunk)
        ++i;
    return i + 1 == first + count;
}

/* Elements [begin, end) of each of them. */
static void run_columns(const dmlc_batch *all, int32_t first, int32_t count, int64_t begin, int64_t end)
{
    const dmlc_plan *plan = all->plans[first];
    const int64_t chunk = plan->chunk, pixel = count * chunk;
    const dmlc_row row = {.chunk = chunk,
                          .output_step = chunk,
                          .size = count,
                          .piece_count = 1,
                          .pieces = {{.operation = DMLC_GATHER, .count = count}}};
    int64_t sources[DMLC_MOST_PLACES];
    for (int32_t i = 0; i < count; ++i)
        sources[i] = (int64_t)((uintptr_t)all->operands[first + i].input - (uintptr_t)all->operands[first].input);
    dmlc_job job;
    dmlc_job_begin(&job, plan, &all->operands[first], all->bytes, all->threads);
    dmlc_block block = dmlc_one_leaf(&job, job.output + begin * pixel, job.input + begin * chunk);
    block.output_step = pixel;
    block.input_step = chunk;
    block.count = end - begin;
    plan->kernels->transpose(&row, NULL, sources, &block);
}

/* Into about so many tasks, and at least so many that a cache keeps what each writes until it is whole: the first-level one of what
 * goes plan after plan. Without, sixteen arrays of 65,536 floats took four times as long to be stacked along the last axis, and
 * eight times on two threads. */
dmlc_grid dmlc_cut_woven(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_job *job, int64_t wanted)
{
    if (count == 1)
        return dmlc_cut_into_tasks(job, wanted);
    static const double NEAR_BYTES = 32 * 1024, COLUMNS_BYTES = 256 * 1024, MOST = 1e9;
    const double together = are_columns(all, first, count) ? COLUMNS_BYTES : NEAR_BYTES;
    const double near = (double)job->plan->bytes * count / together;
    const int64_t least = 1 + (int64_t)(near < MOST ? near : MOST);
    return dmlc_cut_into_tasks(job, wanted > least ? wanted : least);
}

void dmlc_run_woven_task(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_grid *grid, int64_t index)
{
    if (count > 1 && are_columns(all, first, count)) {
        const int64_t size = all->plans[first]->program.rows.row.size;
        run_columns(all, first, count, dmlc_part_begin(size, grid->ranges, index),
                    dmlc_part_begin(size, grid->ranges, index + 1));
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
