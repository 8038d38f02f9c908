/* Maps: rows of pieces. */
#include "run/run.h"

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_row *whole = &job->plan->program.row;
    const dmlc_axis *axis = &job->plan->axes[job->outer_axes];
    if (begin == 0 && end == axis->size) {
        job->kernels->rows(whole, output, 0, input, 0, 1, &job->patterns[0], job->stream);
        return;
    }
    dmlc_row row = {.chunk = whole->chunk};
    dmlc_row_build(&row, axis, begin, end);
    job->kernels->rows(&row, output + begin * axis->output_step, 0, input, 0, 1, &job->patterns[0], job->stream);
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    job->kernels->rows(&job->plan->program.row, output, output_step, input, input_step, count, &job->patterns[0],
                       job->stream);
}

const dmlc_leaf dmlc_map_leaf = {part, block};

void dmlc_fill_box(const dmlc_job *job, int32_t axis, int64_t count, char *output)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_axis *here = &plan->axes[axis];
    if (axis >= plan->dense_from) {
        job->kernels->fill(output, count * here->output_step, &job->patterns[0], job->stream);
    } else if (axis == plan->axis_count - 1) {
        const dmlc_row row = {
            .chunk = plan->program.row.chunk,
            .output_step = here->output_step,
            .middle = -1,
            .piece_count = 1,
            .pieces = {{.operation = DMLC_FILL_EACH, .count = count}},
        };
        job->kernels->rows(&row, output, 0, output, 0, 1, &job->patterns[0], job->stream);
    } else {
        for (int64_t i = 0; i < count; ++i)
            dmlc_fill_box(job, axis + 1, plan->axes[axis + 1].size, output + i * here->output_step);
    }
}
