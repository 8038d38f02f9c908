/* Maps that are transposes: rows across, each at a place of its own, as many at a time as places can be listed for. */
#include "run/run.h"

/* The outermost axis across. */
static const dmlc_axis *across_axis(const dmlc_plan *plan) { return dmlc_leaf_axis(plan); }

/* The outermost axis along the rows, whose elements are columns. */
static const dmlc_axis *along_axis(const dmlc_plan *plan)
{
    return &plan->axes[plan->axis_count - plan->program.transpose.along];
}

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
        const int64_t elements = dmlc_minimum(block->count - i, together);
        for (; listed < elements; ++listed)
            for (int64_t j = 0; j < inner; ++j)
                places[listed * inner + j] = listed * block->output_step + transpose->places[j];
        some.output = block->output + i * block->output_step;
        some.input = block->input + i * block->input_step;
        some.count = elements * inner;
        kernels->transpose(row, places, sources, &some);
    }
}

/* The same with rows of several axes: columns [begin, end) of them, as many at a time as the plan's row stands for. */
static void run_long_rows(const dmlc_job *job, int64_t begin, int64_t end, const dmlc_block *block)
{
    const dmlc_axis *columns = along_axis(job->plan);
    dmlc_row row = job->plan->program.transpose.row;
    const int64_t inner = columns->output_step / row.output_step, together = row.size / inner;
    dmlc_block some = *block;
    for (int64_t i = begin; i < end; i += together) {
        row.pieces[0].count = dmlc_minimum(end - i, together) * inner;
        some.output = block->output + i * columns->output_step;
        some.input = block->input + i * columns->segments[0].step;
        run_rows(job, &row, &some);
    }
}

/* Some elements of the outermost axis across, and some columns of each. */
typedef struct area {
    int64_t begin, end, first_column, end_column;
} area;

static area whole_area(const dmlc_plan *plan) { return (area){0, across_axis(plan)->size, 0, along_axis(plan)->size}; }

static void run_area(const dmlc_job *job, const area *of, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *axis = across_axis(plan), *columns = along_axis(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    const bool is_long = plan->program.transpose.along > 1;
    dmlc_row part;
    if (!is_long && of->end_column - of->first_column < columns->size) {
        part = dmlc_row_of(columns, plan->chunk, of->first_column, of->end_column);
        output += of->first_column * part.output_step;
        row = &part;
    }
    for (int64_t position = of->begin; position < of->end;) {
        const dmlc_segment run = dmlc_axis_run(axis, position, of->end);
        char *to = output + position * axis->output_step;
        dmlc_block block = dmlc_one_leaf(job, to, input + run.offset);
        block.output_step = axis->output_step;
        block.input_step = run.step;
        block.count = run.size;
        if (run.outside)
            dmlc_fill_axes(job, job->outer_axes, run.size, to);
        else if (is_long)
            run_long_rows(job, of->first_column, of->end_column, &block);
        else
            run_rows(job, row, &block);
        position += run.size;
    }
}

/* Tasks take rows, a few tiles at least, or columns of all rows, whichever there are more of: what is read together and what is
 * written together are then long. Of 3136 pixels to 256 planes of 4 bytes, eight tasks took 120 us on one thread by 32 rows
 * each, 78 us by 392 columns, and a single one 72 us. But short rows stay whole where there are enough of them: processors fetch
 * ahead what the next thread writes. On Granite Rapids two threads took 1.5 times as long as one to write halves of 80 rows of 3.4 KB.
 * An axis across that is partly outside is not shared by columns: what is outside is filled whole. */
enum { TILE_ROWS = 16, LEAST_RUN_BYTES = 256, SHORT_ROW_BYTES = 8192, ENOUGH_TASKS = 4 };

static int64_t grain_of_rows(const dmlc_transpose *transpose)
{
    return (TILE_ROWS + transpose->place_count - 1) / transpose->place_count;
}

static int64_t grain_of_columns(const dmlc_plan *plan)
{
    return (LEAST_RUN_BYTES - 1) / along_axis(plan)->output_step + 1;
}

static bool shares_columns(const dmlc_plan *plan)
{
    const dmlc_axis *across = across_axis(plan), *columns = along_axis(plan);
    const int64_t by_rows = across->size / grain_of_rows(&plan->program.transpose);
    const bool is_short = columns->size < SHORT_ROW_BYTES / columns->output_step;
    return dmlc_axis_is_plain(across) && !(is_short && by_rows >= ENOUGH_TASKS) &&
           columns->size / grain_of_columns(plan) > by_rows;
}

static const dmlc_axis *shared_axis(const dmlc_plan *plan)
{
    return shares_columns(plan) ? along_axis(plan) : across_axis(plan);
}

static int64_t size(const dmlc_plan *plan) { return shared_axis(plan)->size; }

static int64_t grain(const dmlc_plan *plan)
{
    return shares_columns(plan) ? grain_of_columns(plan) : grain_of_rows(&plan->program.transpose);
}

static int64_t output_step(const dmlc_plan *plan) { return shared_axis(plan)->output_step; }

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    area some = whole_area(job->plan);
    if (shares_columns(job->plan)) {
        some.first_column = begin;
        some.end_column = end;
    } else {
        some.begin = begin;
        some.end = end;
    }
    run_area(job, &some, output, input);
}

/* What all leaves have alike is set once. */
static void run_alike(const dmlc_job *job, const dmlc_block *leaves)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *axis = across_axis(plan);
    const char *input = leaves->input + axis->segments[0].offset;
    dmlc_block block = dmlc_one_leaf(job, leaves->output, input);
    block.output_step = axis->output_step;
    block.input_step = axis->segments[0].step;
    block.count = axis->size;
    for (int64_t i = 0; i < leaves->count; ++i) {
        block.output = leaves->output + i * leaves->output_step;
        block.input = input + i * leaves->input_step;
        run_rows(job, &plan->program.transpose.row, &block);
    }
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    if (dmlc_axis_is_plain(across_axis(job->plan)) && job->plan->program.transpose.along == 1) {
        run_alike(job, block);
        return;
    }
    const area whole = whole_area(job->plan);
    for (int64_t i = 0; i < block->count; ++i)
        run_area(job, &whole, block->output + i * block->output_step, block->input + i * block->input_step);
}

const dmlc_leaf dmlc_transpose_leaf = {
    .size = size, .grain = grain, .output_step = output_step, .part = part, .block = block};
