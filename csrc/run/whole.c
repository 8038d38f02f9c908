/* Leaves that tasks do not cut: a row with its ends, some short rows, a box. Each is a call of its way's kernel. */
#include "run/run.h"

int64_t dmlc_one(const dmlc_plan *plan)
{
    (void)plan;
    return 1;
}

void dmlc_whole_part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    (void)begin;
    (void)end;
    const dmlc_block one = dmlc_one_leaf(job, output, input);
    job->leaf->block(job, &one);
}

/* Where a leaf is one unit, a block is a row of them, and its permutation is found by its step; a single unit may have any. To make a block
 * of the row took 1.3 times as long. */
static void short_rows(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_short_rows *program = &job->plan->program.short_rows;
    if (program->units > 1) {
        job->plan->kernels->short_rows(&program->permutations[0], block->count, program->units, block);
        return;
    }
    int32_t i = program->count - 1;
    while (i > 0 && program->permutations[i].unit_step != block->input_step)
        --i;
    job->plan->kernels->short_rows(&program->permutations[i], 1, block->count, block);
}

static void filled_rows(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->filled_rows(&job->plan->program.filled_rows, block);
}

static void ends(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->ends(&job->plan->program.ends, block);
}

static void moves(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->moves(&job->plan->program.moves, block);
}

static void shuffles(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->shuffles(&job->plan->program.shuffles, block);
}

#define WHOLE_LEAF(BLOCK) {.size = dmlc_one, .grain = dmlc_one, .part = dmlc_whole_part, .block = (BLOCK)}

const dmlc_leaf dmlc_short_rows_leaf = WHOLE_LEAF(short_rows);
const dmlc_leaf dmlc_filled_rows_leaf = WHOLE_LEAF(filled_rows);
const dmlc_leaf dmlc_ends_leaf = WHOLE_LEAF(ends);
const dmlc_leaf dmlc_moves_leaf = WHOLE_LEAF(moves);
const dmlc_leaf dmlc_shuffles_leaf = WHOLE_LEAF(shuffles);
