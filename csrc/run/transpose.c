/* Maps that are transposes: rows across, each at a place of its own, as many at a time as a kernel is worth calling for. */
#include "run/run.h"

/* The outermost axis across. */
static const dmlc_axis *across_axis(const dmlc_plan *plan)
{
    return &plan->axes[plan->axis_count - plan->transpose->along - plan->transpose->across];
}

/* `count` elements of the outermost axis across, which lie evenly apart, with a row that stands for the axes along it. */
static void run_rows(const dmlc_job *job, const dmlc_row *row, char *output, int64_t output_step, const char *input,
                     int64_t input_step, int64_t count)
{
    const dmlc_transpose *transpose = job->plan->transpose;
    const int64_t *sources = transpose->source_count > 0 ? transpose->sources : NULL;
    const int64_t inner = transpose->place_count;
    if (inner == 1) {
        job->kernels->transpose(row, output, output_step, NULL, input, input_step, sources, count, &job->patterns[0],
                                job->stream);
        return;
    }
    int64_t places[DMLC_MOST_PLACES];
    const int64_t together = DMLC_MOST_PLACES / inner;
    int64_t listed = 0;
    for (int64_t i = 0; i < count; i += together) {
        const int64_t some = count - i < together ? count - i : together;
        for (; listed < some; ++listed)
            for (int64_t j = 0; j < inner; ++j)
                places[listed * inner + j] = listed * output_step + transpose->places[j];
        job->kernels->transpose(row, output + i * output_step, 0, places, input + i * input_step, input_step / inner,
                                sources, some * inner, &job->patterns[0], job->stream);
    }
}

/* The same with a row of several axes, which stands for some elements of the outermost of them. */
static void run_long_rows(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                          int64_t count)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *outermost = &plan->axes[plan->axis_count - plan->transpose->along];
    dmlc_row row = plan->program.row;
    const int64_t inner = outermost->output_step / row.output_step, together = row.size / inner;
    for (int64_t i = 0; i < outermost->size; i += together) {
        row.pieces[0].count = (outermost->size - i < together ? outermost->size - i : together) * inner;
        run_rows(job, &row, output + i * outermost->output_step, output_step, input + i * outermost->segments[0].step,
                 input_step, count);
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
        if (run.outside)
            dmlc_fill_box(job, job->outer_axes, run.size, to);
        else if (job->plan->transpose->along > 1)
            run_long_rows(job, to, axis->output_step, input + run.offset, run.step, run.size);
        else
            run_rows(job, row, to, axis->output_step, input + run.offset, run.step, run.size);
        position += run.size;
    }
}

/* Tasks take rows, each a run of the output; only where there are few of them they take columns, long runs still. What is
 * outside has no columns. */
enum { FEWEST_ROWS = 16, LEAST_RUN_BYTES = 1024 };

static bool shares_the_row(const dmlc_plan *plan)
{
    const dmlc_axis *across = across_axis(plan);
    return plan->transpose->along == 1 && across->size < FEWEST_ROWS && plan->program.row.size > across->size &&
           dmlc_axis_is_plain(across);
}

int64_t dmlc_transpose_size(const dmlc_plan *plan)
{
    return shares_the_row(plan) ? plan->program.row.size : across_axis(plan)->size;
}

int64_t dmlc_transpose_grain(const dmlc_plan *plan)
{
    enum { TILE_ROWS = 16 };
    const int64_t inner = plan->transpose->place_count;
    return shares_the_row(plan) ? LEAST_RUN_BYTES / plan->program.row.chunk + 1 : (TILE_ROWS + inner - 1) / inner;
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_row *whole = &plan->program.row;
    if (!shares_the_row(plan)) {
        run_across(job, whole, begin, end, output, input);
        return;
    }
    if (begin == 0 && end == whole->size) {
        run_across(job, whole, 0, across_axis(plan)->size, output, input);
        return;
    }
    dmlc_row row = {.chunk = whole->chunk};
    dmlc_row_build(&row, &plan->axes[plan->axis_count - 1], begin, end);
    run_across(job, &row, 0, across_axis(plan)->size, output + begin * row.output_step, input);
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        run_across(job, &job->plan->program.row, 0, across_axis(job->plan)->size, output + i * output_step,
                   input + i * input_step);
}

const dmlc_leaf dmlc_transpose_leaf = {part, block};
