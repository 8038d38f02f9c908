/* Rows with two ends. */
#include "run/past_cache.h"

static void block(const dmlc_job *job, const dmlc_block *block)
{
    job->plan->kernels->ends(&job->plan->program.ends, block);
}

/* On one thread those of less than 256 bytes go past the cache late. In it they took 0.94 of the time by mean in outputs of 14 to 28 MB
 * beside a cache of 32 MiB on Zen 4, 0.5 at best, and 1.01 in up to 60 MB. */
static bool are_long_ends(const dmlc_plan *plan, int32_t threads)
{
    enum { LONG = 256 };
    return threads > 1 || plan->program.ends.bytes >= LONG;
}

/* Short ones never go past it where a vector's bytes are not shuffled across it: on Zen 4 with AVX2, in 20 to 90 MB, those of 100 to 200
 * bytes took 0.9 to 2 times as long past a cache of 32 MiB on one thread and 0.85 to 1.25 on two, of 260 to 360 bytes 0.77 to 1.05. */
static bool are_short_ends(const dmlc_plan *plan)
{
    enum { LEAST_BYTES = 240 };
    return !dmlc_has_wide_shuffles(plan->kernels->abilities) && plan->program.ends.bytes < LEAST_BYTES;
}

/* Those with little between them gain later than other rows: of 320 to 480 bytes they took 0.95 to 1.3 with AVX-512. */
static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    enum { LEAST_NEAR = 512 };
    (void)patterns;
    if (dmlc_short_rows_lie_apart(plan, plan->program.ends.bytes, LEAST_NEAR) || are_short_ends(plan))
        return DMLC_STAYS_IN_CACHE;
    return are_long_ends(plan, threads) ? dmlc_past_cache_early(threads) : dmlc_past_cache_late(threads);
}

const dmlc_leaf dmlc_ends_leaf = DMLC_WHOLE_LEAF(block, past_cache_from);
