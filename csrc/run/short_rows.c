/* Short rows: blocks of them. */
#include "run/run.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_short_rows *short_rows = &job->plan->program.short_rows;
    int32_t i = short_rows->count - 1;
    while (i > 0 && short_rows->permutations[i].unit_step != block->input_step)
        --i;
    job->plan->kernels->short_rows(&short_rows->permutations[i], block);
}

const dmlc_leaf dmlc_short_rows_leaf = {dmlc_whole, dmlc_whole, dmlc_whole_part, block};
