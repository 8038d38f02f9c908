/* Rows by their pieces, gathers by permutations. */
#include "run/run.h"

static int64_t size(const dmlc_plan *plan) { return dmlc_leaf_axis(plan)->size; }
static int64_t grain(const dmlc_plan *plan)
{
    (void)plan;
    return 1;
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_permuted_rows *permuted = &job->plan->program.permuted_rows;
    job->plan->kernels->permuted_rows(permuted, &permuted->row, block);
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_axis *axis = dmlc_leaf_axis(job->plan);
    if (begin == 0 && end == axis->size) {
        dmlc_whole_part(job, 0, 1, output, input);
        return;
    }
    const dmlc_row row = dmlc_row_of(axis, job->plan->chunk, begin, end);
    const dmlc_block one = dmlc_one_leaf(job, output + begin * axis->output_step, input);
    job->plan->kernels->permuted_rows(&job->plan->program.permuted_rows, &row, &one);
}

const dmlc_leaf dmlc_permuted_rows_leaf = {size, grain, part, block};
