/* Rows that are filled together and then copied to. */
#include "run/past_cache.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->filled_rows(&job->plan->program.filled_rows, block);
}

/* Images of 7 to 112 rows of 10 to 256 bytes with a border of zeros, 34 to 137 MB in all, took 0.87 of the time by mean past a cache of 32
 * MiB on Zen 3, 0.66 to 1.1, and on two threads 0.78, 0.58 to 1.05. On Zen 4 with AVX2 they took 0.7 to 1.3 on two, 1.0 by mean, and on one
 * 0.8 to 1.3 in rows of 200 to 256 bytes, 0.9 to 1.3 in shorter ones: on one thread those go past it late. Wide kernels have such rows
 * where most of each is filled. */
static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    enum { LEAST_BYTES = 192 };
    const bool is_early = !dmlc_has_wide_shuffles(plan->kernels->abilities) &&
                          (threads > 1 || plan->program.filled_rows.bytes >= LEAST_BYTES);
    (void)patterns;
    return is_early ? dmlc_past_cache_early(threads) : dmlc_past_cache_late(threads);
}

const dmlc_leaf dmlc_filled_rows_leaf = DMLC_WHOLE_LEAF(block, past_cache_from);
