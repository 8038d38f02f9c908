/* Rows with two ends. */
#include "run/run.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->ends(&job->plan->program.ends, block);
}

const dmlc_leaf dmlc_ends_leaf = DMLC_WHOLE_LEAF(block);
