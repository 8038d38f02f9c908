/* Boxes, by moves or by shuffles. */
#include "run/run.h"

static void moves(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->moves(&job->plan->program.moves, block);
}

static void shuffles(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->shuffles(&job->plan->program.shuffles, block);
}

const dmlc_leaf dmlc_moves_leaf = DMLC_WHOLE_LEAF(moves);
const dmlc_leaf dmlc_shuffles_leaf = DMLC_WHOLE_LEAF(shuffles);
