/* Boxes by moves. */
#include "run/run.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->moves(&job->plan->program.moves, block);
}

const dmlc_leaf dmlc_moves_leaf = {dmlc_whole, dmlc_whole, dmlc_whole_part, block};
