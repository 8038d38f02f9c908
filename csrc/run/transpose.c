/* Maps that are transposes: rows across, each at a place of its own, as many at a time as places can be listed for. */
#include "run/past_cache.h"

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

/* Rows of elements of 16 bytes that lie apart in the input, and so are moved one by one. */
static bool gathers_large_elements(const dmlc_row *row)
{
    enum { LARGE = 16, LEAST_BYTES = 192 };
    const dmlc_piece *only = &row->pieces[0];
    return dmlc_row_is_dense_gather(row) && row->chunk == LARGE && row->size * LARGE >= LEAST_BYTES &&
           dmlc_absolute(only->step) > LARGE;
}

/* The axis across of a transpose whose rows and columns are an axis each, and its rows dense gathers; else NULL. */
static const dmlc_axis *only_across(const dmlc_plan *plan)
{
    const dmlc_transpose *transpose = &plan->program.transpose;
    if (transpose->along > 1 || transpose->across > 1)
        return NULL;
    const dmlc_axis *across = across_axis(plan);
    return dmlc_row_is_dense_gather(&transpose->row) && dmlc_axis_is_plain(across) ? across : NULL;
}

/* Columns of the input as dense rows, see staged_transposes.h. They go past the cache earlier: from 12 MB on, as many read, they took
 * 0.75 of the time by mean. */
static bool transposes_by_stage(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL &&
           dmlc_may_be_staged(row->chunk, across->segments[0].step, across->output_step, across->size, row->size);
}

/* Planes to pixels, see transpose_pixels. On one thread they go past the cache earlier: on Zen 4 with one of 32 MiB, those of 12 to 16 MB
 * took 0.58 to 0.93 of the time, of 8 and 10 MB 0.8 to 1.16, of 5 and 6 MB 1.2 to 1.55. On two, those of 6 to 12 MB took 1.2 to 3.0. */
static bool makes_pixels(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL && dmlc_width_place(row->chunk) <= 3 && row->size <= DMLC_MOST_PLANES &&
           across->segments[0].step == row->chunk && across->output_step == row->size * row->chunk;
}

/* And back. On Zen 4, images of 29 to 110 MB took, past the cache, 0.3 to 1.06 of the time that they took in it or by rows past it, on one
 * thread and on two. Of 16 to 25 MB they took 0.33 to 1.36 either way; of 12 to 16 MB, 0.6 to 1.7 on one. */
static bool makes_planes(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL && dmlc_width_place(row->chunk) <= 3 &&
           dmlc_are_pixels(across->segments[0].step, row->pieces[0].step, across->size, row->chunk) &&
           (dmlc_are_long_planes(row->chunk, row->size) || across->output_step == row->size * row->chunk);
}

static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    const double early = dmlc_past_cache_early(threads);
    (void)patterns;
    if (transposes_by_stage(plan))
        return dmlc_past_cache_earlier(threads);
    if (makes_pixels(plan))
        return threads == 1 ? early / 1.5 : early;
    return gathers_large_elements(&plan->program.transpose.row) || makes_planes(plan) ? early
                                                                                      : dmlc_past_cache_late(threads);
}

const dmlc_leaf dmlc_transpose_leaf = {
    .size = size,
    .grain = grain,
    .output_step = output_step,
    .part = part,
    .block = block,
    .past_cache_from = past_cache_from,
};
