/* Maps whose inner axes are a box. */
#include "run/run.h"

/* A part of a box goes by its axes. */
static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    dmlc_job by_axes = *job;
    by_axes.leaf = dmlc_map_leaf;
    by_axes.outer_axes = job->plan->axis_count - 1;
    by_axes.leaf_size = job->plan->axes[by_axes.outer_axes].size;
    dmlc_walk(&by_axes, job->outer_axes, begin, end, output, input);
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    job->kernels->boxes(job->plan->box, output, output_step, input, input_step, count, &job->patterns[0], job->stream);
}

const dmlc_leaf dmlc_box_leaf = {part, block};
