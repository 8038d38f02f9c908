/* Boxes by shuffles. */
#include "run/run.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->shuffles(&job->plan->program.shuffles, block);
}

const dmlc_leaf dmlc_shuffles_leaf = {dmlc_whole, dmlc_whole, dmlc_whole_part, block};
