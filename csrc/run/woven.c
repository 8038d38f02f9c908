/* One plan that follows itself in a batch and writes between its own elements, all in the same ranges:
 *
 *     output   |abcabcabcabcabcabc|      a, b and c are its runs, as of a stack along the last axis
 *     tasks    |  0  |  1  |  2   |      each runs its range of a, then of b, then of c
 */
#include "run/past_cache.h"

/* Whether a plan stands in the batch twice in a row and the two write between each other's elements. */
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

/* Plans that are woven and copy runs of bytes to columns that lie side by side: they are a transpose, whose sources are listed.
 *
 *     pixel i of the output   |run i of the first|run i of the second| .. */
typedef struct columns {
    int64_t bytes;      /* of a run: a chunk, or a row */
    int64_t runs, step; /* of the innermost axis of runs: how many, and from one to the next in the input */
    int64_t input;      /* from the job's input to the first run */
    int32_t outer_axes; /* those outside it */
    int64_t all_runs;   /* of all axes */
} columns;

/* What each plan copies, and how far apart it writes it. */
static bool find_runs(const dmlc_plan *plan, columns *found, int64_t *output_step)
{
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_piece *only = &row->pieces[0];
    const bool are_rows = dmlc_row_is_copy(row);
    found->outer_axes = plan->axis_count - (are_rows ? 2 : 1);
    if (plan->way != DMLC_ROWS || only->output != 0 || found->outer_axes < 0 || !(are_rows || dmlc_row_is_gather(row)))
        return false;
    const dmlc_axis *inner = &plan->axes[found->outer_axes];
    found->all_runs = inner->size;
    for (int32_t i = 0; i < found->outer_axes; ++i) {
        if (!dmlc_axis_is_plain(&plan->axes[i]))
            return false;
        found->all_runs *= plan->axes[i].size;
    }
    found->bytes = are_rows ? only->count : row->chunk;
    found->runs = inner->size;
    found->step = only->step;
    found->input = only->input;
    *output_step = inner->output_step;
    if (are_rows) {
        const dmlc_segment rows = dmlc_axis_run(inner, 0, inner->size);
        found->step = rows.step;
        found->input += rows.offset;
    }
    return dmlc_axis_is_plain(inner);
}

static bool find_columns(const dmlc_batch *all, int32_t first, int32_t count, columns *found)
{
    enum { LEAST_OF_A_CALL = 2048 };
    int64_t output_step;
    if (count < 2 || !find_runs(all->plans[first], found, &output_step) || output_step != count * found->bytes)
        return false;
    /* Chunks that lie apart took up to 3.4 times as long, but for those of 8 bytes and of whole vectors. */
    const bool are_vectors = found->bytes == 8 || found->bytes % 16 == 0 || found->bytes > DMLC_LONGEST_CHUNK;
    if (found->step != found->bytes && !are_vectors)
        return false;
    /* A few runs at a time took 6.7 times as long. */
    if (found->outer_axes > 0 && found->runs * output_step < LEAST_OF_A_CALL)
        return false;
    int32_t i = first;
    while (i + 1 < first + count &&
           (char *)all->operands[i + 1].output == (char *)all->operands[i].output + found->bytes)
        ++i;
    return i + 1 == first + count;
}

/* Runs [begin, end) of each plan, counted through all axes; from the first of all on lie the block's output and input. */
static void turn_columns(const dmlc_plan *plan, const columns *of, int64_t begin, int64_t end, const dmlc_row *row,
                         const int64_t *sources, const dmlc_block *from)
{
    dmlc_block block = *from;
    for (int64_t position = begin; position < end; position += block.count) {
        const int64_t at = position % of->runs, left = of->runs - at;
        int64_t outer = position / of->runs;
        block.output = from->output + at * block.output_step;
        block.input = from->input + at * block.input_step;
        block.count = dmlc_minimum(left, end - position);
        for (int32_t i = of->outer_axes - 1; i >= 0; --i) {
            const dmlc_axis *axis = &plan->axes[i];
            const int64_t place = outer % axis->size;
            outer /= axis->size;
            block.output += place * axis->output_step;
            block.input += dmlc_axis_run(axis, place, place + 1).offset;
        }
        plan->kernels->transpose(row, NULL, sources, &block);
    }
}

/* The same in one task's own job, of as many plans as their sources can be listed; a pixel has so many bytes. */
static void run_some_columns(const dmlc_batch *all, int32_t first, int32_t count, const columns *of, int64_t pixel,
                             int64_t begin, int64_t end)
{
    const dmlc_plan *plan = all->plans[first];
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
    dmlc_block block = dmlc_one_leaf(&job, job.output, job.input + of->input);
    block.output_step = pixel;
    block.input_step = of->step;
    if (count * of->bytes != pixel || !dmlc_columns_go_past_cache(of->bytes, count, all->bytes, all->threads)) {
        turn_columns(plan, of, begin, end, &row, sources, &block);
        return;
    }
    dmlc_stream stream;
    dmlc_stream_begin(&stream, job.output);
    block.stream = &stream;
    turn_columns(plan, of, begin, end, &row, sources, &block);
    plan->kernels->stream_end(&stream);
}

static void run_columns(const dmlc_batch *all, int32_t first, int32_t count, const columns *of, int64_t begin,
                        int64_t end)
{
    for (int32_t i = 0, some; i < count; i += some) {
        some = count - i < DMLC_MOST_PLACES ? count - i : DMLC_MOST_PLACES;
        run_some_columns(all, first + i, some, of, count * of->bytes, begin, end);
    }
}

/* Into about so many tasks, and at least so many that caches keep what is gone through at once until it is whole. Without, sixteen
 * arrays of 65,536 floats took four times as long to be stacked along the last axis, and eight times on two threads. What goes plan
 * after plan has some of each in every task: with 32 KB of all of them in a task, 1000 arrays of 3 KB took 30 times as long. */
dmlc_grid dmlc_cut_woven(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_job *job, int64_t wanted)
{
    if (count == 1)
        return dmlc_cut_into_tasks(job, wanted);
    static const double PLAN_BYTES = 16 * 1024, COLUMNS_BYTES = 256 * 1024, MOST = 1e9;
    columns found;
    double near = (double)job->plan->bytes / PLAN_BYTES;
    if (find_columns(all, first, count, &found))
        near = (double)job->plan->bytes * (count < DMLC_MOST_PLACES ? count : DMLC_MOST_PLACES) / COLUMNS_BYTES;
    const int64_t least = 1 + (int64_t)(near < MOST ? near : MOST);
    return dmlc_cut_into_tasks(job, dmlc_maximum(wanted, least));
}

void dmlc_run_woven_task(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_grid *grid, int64_t index)
{
    columns found;
    if (find_columns(all, first, count, &found)) {
        run_columns(all, first, count, &found, dmlc_part_begin(found.all_runs, grid->tasks, index),
                    dmlc_part_begin(found.all_runs, grid->tasks, index + 1));
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
