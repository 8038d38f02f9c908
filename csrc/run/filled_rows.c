/* Rows that are filled together and then copied to. */
#include "run/run.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->filled_rows(&job->plan->program.filled_rows, block);
}

const dmlc_leaf dmlc_filled_rows_leaf = DMLC_WHOLE_LEAF(block);
