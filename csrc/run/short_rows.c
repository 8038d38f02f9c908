/* Short rows, some at a time. Each is a call of the kernel. */
#include "run/past_cache.h"

/* Where a leaf is one unit, a block is a row of them, and its permutation is found by its step; a single unit may have any. To make a block
 * of the row took 1.3 times as long. */
static void block(const dmlc_job *job, const dmlc_block *block)
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

static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    (void)plan;
    (void)patterns;
    return dmlc_past_cache_early(threads);
}

const dmlc_leaf dmlc_short_rows_leaf = DMLC_WHOLE_LEAF(block, past_cache_from);
