/* From how much on a run goes past the cache, as a multiple of what that holds. Each way says it of itself, beside its leaf; this is what
 * they have in common. */
#ifndef DMLC_RUN_PAST_CACHE_H
#define DMLC_RUN_PAST_CACHE_H

#include "run/run.h"

#include <math.h>

/* Runs of at least so many bytes are long. */
enum { DMLC_LONG_RUN_BYTES = 1024 };

/* However many bytes it moves. */
#define DMLC_STAYS_IN_CACHE ((double)INFINITY)

/* Long runs, and what is made a stage at a time, as soon as they move more than the cache holds: long copies of 16 to 256 MiB took 0.75 to
 * 0.9 of the time from 48 MiB on, on Zen 5. Several threads gain later, since one fills what leads to memory: of 32 to 36 MiB, copies, pads
 * and one-hot took 1.1 to 1.7 times as long past a cache of 32, and 0.7 to 1.1 on one; from 44 on, 0.7 to 0.96. */
static inline double dmlc_past_cache_early(int32_t threads) { return threads > 1 ? 1.25 : 1; }

/* Some ways gain before they fill it. */
static inline double dmlc_past_cache_earlier(int32_t threads) { return 0.75 * dmlc_past_cache_early(threads); }

/* Others gain as much as it costs to make them in the cache first: rows of 128 bytes, made 8 KB at a time as stages were then, took 1.0 to
 * 1.8 times as long up to 96 MiB, and about as long at 256, on Zen 5, one thread and two. Up to five planes of one-hot took 1.2 to 1.4
 * times as long at 40 MiB, but 0.6 to 0.8 on Zen 4, and 0.8 at 120; sixteen 0.5 to 0.9 at either. */
static inline double dmlc_past_cache_late(int32_t threads) { return 4 * dmlc_past_cache_early(threads); }

/* Values alone: of the lines, a share `set` has patterns[1] and the others have patterns[0]. */
double dmlc_values_past_cache_from(const dmlc_pattern *patterns, double set, bool are_planes, int32_t threads);

/* Whether rows stay in the cache for what lies between them in the output, where those with little between them gain from `least_near`
 * bytes on. */
bool dmlc_short_rows_lie_apart(const dmlc_plan *plan, int64_t row_bytes, int64_t least_near);

/* The innermost axis that is walked; NULL where there is none. */
static inline const dmlc_axis *dmlc_axis_outside(const dmlc_plan *plan)
{
    const int32_t outer = plan->axis_count - plan->leaf_axes - 1;
    return outer >= 0 ? &plan->axes[outer] : NULL;
}

/* Whether a run that moves so many bytes goes past it. */
bool dmlc_goes_past_cache(const dmlc_plan *plan, const dmlc_pattern *patterns, int64_t bytes, int32_t threads);

/* The same of runs that are written side by side, whole pixels of them, from as many places. */
bool dmlc_columns_go_past_cache(int64_t run_bytes, int64_t columns, int64_t bytes, int32_t threads);

#endif
