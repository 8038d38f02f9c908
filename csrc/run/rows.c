/* Rows by their pieces, and their gathers by permutations where the plan has them. */
#include "run/run.h"

static int64_t size(const dmlc_plan *plan) { return dmlc_leaf_axis(plan)->size; }

static void run_rows(const dmlc_job *job, const dmlc_row *row, const dmlc_block *block)
{
    const dmlc_plan *plan = job->plan;
    const bool is_permuted = plan->way == DMLC_PERMUTED_ROWS;
    plan->kernels->rows(row, is_permuted ? &plan->program.rows.permutations : NULL, block);
}

static void block(const dmlc_job *job, const dmlc_block *block) { run_rows(job, &job->plan->program.rows.row, block); }

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_axis *axis = dmlc_leaf_axis(job->plan);
    if (begin == 0 && end == axis->size) {
        dmlc_whole_part(job, 0, 1, output, input);
        return;
    }
    const dmlc_row row = dmlc_row_of(axis, job->plan->chunk, begin, end);
    const dmlc_block one = dmlc_one_leaf(job, output + begin * axis->output_step, input);
    run_rows(job, &row, &one);
}

const dmlc_leaf dmlc_rows_leaf = {.size = size, .grain = dmlc_one, .part = part, .block = block};
