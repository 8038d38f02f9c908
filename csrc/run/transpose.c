/* Maps that are transposes: rows across, each at a place of its own, as many at a time as a kernel is worth calling for. */
#include "run/run.h"

/* The outermost axis across. */
static const dmlc_axis *across_axis(const dmlc_plan *plan) { return dmlc_leaf_axis(plan); }

/* `count` elements of the outermost axis across, which lie evenly apart, with a row that stands for the axes along it. */
static void run_rows(const dmlc_job *job, const dmlc_row *row, const dmlc_block *block)
{
    const dmlc_kernels *kernels = job->plan->kernels;
    const dmlc_transpose *transpose = &job->plan->program.transpose;
    const int64_t *sources = transpose->source_count > 0 ? transpose->sources : NULL;
    const int64_t inner = transpose->place_count;
    if (inner == 1) {
        kernels->transpose(row, NULL, sources, block);
        return;
    }
    int64_t places[DMLC_MOST_PLACES];
    const int64_t together = DMLC_MOST_PLACES / inner;
    int64_t listed = 0;
    dmlc_block some = *block;
    some.input_step = block->input_step / inner;
    for (int64_t i = 0; i < block->count; i += together) {
        const int64_t elements = block->count - i < together ? block->count - i : together;
        for (; listed < elements; ++listed)
            for (int64_t j = 0; j < inner; ++j)
                places[listed * inner + j] = listed * block->output_step + transpose->places[j];
        some.output = block->output + i * block->output_step;
        some.input = block->input + i * block->input_step;
        some.count = elements * inner;
        kernels->transpose(row, places, sources, &some);
    }
}

/* The same with a row of several axes, which stands for some elements of the outermost of them. */
static void run_long_rows(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *outermost = &plan->axes[plan->axis_count - plan->program.transpose.along];
    dmlc_row row = plan->program.transpose.row;
    const int64_t inner = outermost->output_step / row.output_step, together = row.size / inner;
    dmlc_block some = *block;
    for (int64_t i = 0; i < outermost->size; i += together) {
        row.pieces[0].count = (outermost->size - i < together ? outermost->size - i : together) * inner;
        some.output = block->output + i * outermost->output_step;
        some.input = block->input + i * outermost->segments[0].step;
        run_rows(job, &row, &some);
    }
}

/* Elements [begin, end) of the outermost axis across. */
static void run_across(const dmlc_job *job, const dmlc_row *row, int64_t begin, int64_t end, char *output,
                       const char *input)
{
    const dmlc_axis *axis = across_axis(job->plan);
    for (int64_t position = begin; position < end;) {
        const dmlc_segment run = dmlc_axis_run(axis, position, end);
        char *to = output + position * axis->output_step;
        dmlc_block block = dmlc_one_leaf(job, to, input + run.offset);
        block.output_step = axis->output_step;
        block.input_step = run.step;
        block.count = run.size;
        if (run.outside)
            dmlc_fill_axes(job, job->outer_axes, run.size, to);
        else if (job->plan->program.transpose.along > 1)
            run_long_rows(job, &block);
        else
            run_rows(job, row, &block);
        position += run.size;
    }
}

/* Tasks take rows, a few tiles at least, or parts of all rows, whichever there are more of: what is read together and what is
 * written together are then long. Of 3136 pixels to 256 planes of 4 bytes, eight tasks took 120 us on one thread by 32 rows
 * each, 78 us by 392 columns, and a single one 72 us. But short rows stay whole where there are enough of them: processors fetch
 * ahead what the next thread writes. On Granite Rapids two threads took 1.5 times as long as one to write halves of 80 rows of 3.4 KB.
 * What is outside has no columns. */
enum { TILE_ROWS = 16, LEAST_RUN_BYTES = 256, SHORT_ROW_BYTES = 8192, ENOUGH_TASKS = 4 };

static int64_t grain_of_rows(const dmlc_transpose *transpose)
{
    return (TILE_ROWS + transpose->place_count - 1) / transpose->place_count;
}

static int64_t grain_of_columns(const dmlc_plan *plan) { return (LEAST_RUN_BYTES - 1) / plan->chunk + 1; }

static bool shares_the_row(const dmlc_plan *plan)
{
    const dmlc_axis *across = across_axis(plan);
    const dmlc_transpose *transpose = &plan->program.transpose;
    const int64_t by_rows = across->size / grain_of_rows(transpose);
    const bool is_short = transpose->row.size < SHORT_ROW_BYTES / transpose->row.output_step;
    return transpose->along == 1 && dmlc_axis_is_plain(across) && !(is_short && by_rows >= ENOUGH_TASKS) &&
           transpose->row.size / grain_of_columns(plan) > by_rows;
}

static int64_t size(const dmlc_plan *plan)
{
    return shares_the_row(plan) ? plan->program.transpose.row.size : across_axis(plan)->size;
}

static int64_t grain(const dmlc_plan *plan)
{
    return shares_the_row(plan) ? grain_of_columns(plan) : grain_of_rows(&plan->program.transpose);
}

static int64_t output_step(const dmlc_plan *plan)
{
    return shares_the_row(plan) ? plan->program.transpose.row.output_step : across_axis(plan)->output_step;
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_row *whole = &plan->program.transpose.row;
    if (!shares_the_row(plan)) {
        run_across(job, whole, begin, end, output, input);
        return;
    }
    if (begin == 0 && end == whole->size) {
        run_across(job, whole, 0, across_axis(plan)->size, output, input);
        return;
    }
    const dmlc_row row = dmlc_row_of(&plan->axes[plan->axis_count - 1], plan->chunk, begin, end);
    run_across(job, &row, 0, across_axis(plan)->size, output + begin * row.output_step, input);
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    for (int64_t i = 0; i < block->count; ++i)
        run_across(job, &job->plan->program.transpose.row, 0, across_axis(job->plan)->size,
                   block->output + i * block->output_step, block->input + i * block->input_step);
}

const dmlc_leaf dmlc_transpose_leaf = {
    .size = size, .grain = grain, .output_step = output_step, .part = part, .block = block};
