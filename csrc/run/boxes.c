/* Boxes, by moves or by shuffles. */
#include "run/past_cache.h"

static void moves(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->moves(&job->plan->program.moves, block);
}

static void shuffles(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->shuffles(&job->plan->program.shuffles, block);
}

/* Boxes of which a few at a time stand between others that lie elsewhere in the input: small images whose first and last lines are
 * copies of others took 1.2 to 1.6 times as long past a cache of 32 MiB on Zen 4, of 130 MB, too. Boxes in long blocks, images with
 * another border, 25 to 70 MB in all, took 0.33 to 1.1 of the time, 0.6 by mean. */
static bool are_few_boxes(const dmlc_plan *plan)
{
    const dmlc_axis *outer = dmlc_axis_outside(plan);
    return outer != NULL && !dmlc_axis_is_plain(outer);
}

/* Boxes go past a cache of which others have a part before they fill it: shuffle by shuffle, what is not in it takes twice as long as
 * in the output's order. Past one of 32 MiB, 100 stacks, small transposes, flips and borders of 25 to 34 MB in all took 0.95 of the time
 * by mean on one thread, 0.53 to 1.13, and as many of 31 to 42 MB on two 0.96, 0.55 to 1.27. Of 17 to 25 MB one thread gained as much,
 * but where others leave the cache alone it would hold them. On Zen 3 likewise. Of whole vectors, small transposes gained as much, but
 * borders took up to 1.27 times as long. */
static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    (void)patterns;
    if (are_few_boxes(plan))
        return DMLC_STAYS_IN_CACHE;
    const bool are_narrow = !dmlc_has_wide_shuffles(plan->kernels->abilities);
    return are_narrow ? dmlc_past_cache_earlier(threads) : dmlc_past_cache_early(threads);
}

const dmlc_leaf dmlc_moves_leaf = DMLC_WHOLE_LEAF(moves, past_cache_from);
const dmlc_leaf dmlc_shuffles_leaf = DMLC_WHOLE_LEAF(shuffles, past_cache_from);
