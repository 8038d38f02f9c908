/* Whether a run writes past the cache. */
#include "run/past_cache.h"

#include "dispatch/machine.h"

#include <string.h>

/* Whether a pattern is of zeros alone. */
static bool is_zero(const dmlc_pattern *pattern)
{
    static const unsigned char zeros[DMLC_PATTERN_BYTES];
    return memcmp(pattern->bytes, zeros, sizeof(zeros)) == 0;
}

/* Zen 4 writes lines of zeros past the cache at 95 GB/s. All others it writes at 47 GB/s by one thread and at 50 to 90 by two, depending on
 * whether other processes write as well. Plain stores are as fast as the cache, of which other processes may have a part. The time past a
 * cache of 32 MiB, as a share of the time in it, of so many MB:
 *
 *                                    one thread                         two threads
 *     matrices of zeros              1.1 at 16, 0.7 at 26               1.2 to 1.9 at 16, 0.7 at 42
 *     triangles, causal masks        1.5 at 20, 1.1 at 26, 0.9 at 34    1.6 to 2.1 at 26, 1.1 to 1.5 at 34, 0.8 at 58
 *     nineteen planes                0.5 to 0.8 at 18                   1.1 to 1.5 at 18, 0.5 to 0.9 at 28
 *     sequences of 1 to 3 KB, and
 *     triangles, an eighth set       0.8 to 1.0 at 20                   0.9 to 1.1 at 28
 *     ones                           1.2 at 38, 0.9 at 45               3 at 22, 1.5 at 45, 0.9 to 1.1 at 100
 *
 * Sequences of 512 bytes took 1.2 to 1.4 at 20 and 0.8 to 0.9 at 34, shorter ones 1.2 to 1.6 up to 45 MB. Where other processes had much of
 * the cache, zeros took 0.7 at 18 on one thread, triangles 0.7 at 18 on one, 1.0 at 22 and 0.7 at 33 on two. */
double dmlc_values_past_cache_from(const dmlc_pattern *patterns, double set, bool are_planes, int32_t threads)
{
    static const double eighths[5][2] = {
        {10, 16}, /* hardly any zeros, on one thread and on several */
        {7, 8},   /* some */
        {5, 7},   /* most */
        {4, 6},   /* hardly anything else */
        {4, 5},   /* likewise, in planes */
    };
    const double zeros = is_zero(&patterns[0]) * (1 - set) + is_zero(&patterns[1]) * set;
    const int32_t kind = (zeros > 0.375) + (zeros > 0.85) + (zeros > 0.96) + (zeros > 0.96 && are_planes);
    return eighths[kind][threads > 1] / 8;
}

/* Short rows that lie apart in the output stay in the cache: past it, each has two lines that are not whole. The further apart they lie,
 * the more of what is fetched to be written lies between them. On Zen 4, 40 MB copied, flipped, and read in steps and downward took, past
 * it, of the time in it:
 *
 *     row         16 to 112 bytes    144              208             400 bytes between them
 *     104         1.1 to 2.5         0.95 to 1.05     0.8 to 1.1      0.6 to 0.9
 *     144, 176    1.1 to 2.2         0.6 to 0.9       0.55 to 0.8     0.55 to 0.9
 *     320         0.75 to 1.3
 *     400, 480    0.4 to 0.9, where the two make a multiple of 16 up to 1.2
 */
bool dmlc_short_rows_lie_apart(const dmlc_plan *plan, int64_t row_bytes, int64_t least_near)
{
    enum { NEAR_BYTES = 128, FAR_BYTES = 192, LEAST_ROW = 132, LEAST_FAR_ROW = 100 };
    const dmlc_axis *outer = dmlc_axis_outside(plan);
    const int64_t gap = outer == NULL ? 0 : outer->output_step - row_bytes;
    return gap != 0 && row_bytes < (gap < NEAR_BYTES ? least_near : gap < FAR_BYTES ? LEAST_ROW : LEAST_FAR_ROW);
}

/* Of an axis' elements, those that are read: one that repeats is once, what is outside is not, nor are turns after the first. */
static double share_read(const dmlc_axis *axis)
{
    int64_t read = 0;
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        if (!segment->outside)
            read += segment->step == 0 ? 1 : segment->size;
    }
    return read < axis->size ? (double)read / (double)axis->size : 1;
}

/* A map's bytes count one that is read for each that is written. Of these, those that it does read, each once, and all that it writes: rows
 * of 8 elements of 16 bytes with 15 times an edge, 17 MB, took 2 (AVX-512) to 3.5 times (AVX2) as long past a cache of 32 MiB. */
static int64_t bytes_of_memory(const dmlc_plan *plan, int64_t bytes)
{
    if (plan->way == DMLC_SELECT || plan->way == DMLC_BAND || plan->outside)
        return bytes;
    double read = 1;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        read *= share_read(&plan->axes[i]);
    return (int64_t)((double)(bytes / 2) * (1 + read));
}

bool dmlc_goes_past_cache(const dmlc_plan *plan, const dmlc_pattern *patterns, int64_t bytes, int32_t threads)
{
    const int64_t cache = dmlc_cache_bytes();
    /* No way lets so little go; it is asked first for the sake of small runs. */
    if (bytes <= cache / 4)
        return false;
    const dmlc_leaf *leaf = dmlc_leaf_of(plan->way);
    double from =
        leaf->past_cache_from == NULL ? dmlc_past_cache_late(threads) : leaf->past_cache_from(plan, patterns, threads);
    if (plan->outside && from < DMLC_STAYS_IN_CACHE)
        from = dmlc_values_past_cache_from(patterns, 0, false, threads);
    return (double)bytes_of_memory(plan, bytes) > from * (double)cache;
}

/* From many places, short runs stay in the cache: what is sent waits for what is read. On Zen 4, 40 to 120 MB of 24 to 250 runs of 72 to
 * 400 bytes took 1.0 to 4 times as long past it, of 700 bytes 0.7 to 1.2, and of 12 and fewer 0.6 to 1.0 of the time. */
bool dmlc_columns_go_past_cache(int64_t run_bytes, int64_t columns, int64_t bytes, int32_t threads)
{
    enum { FEW_COLUMNS = 16, LONG_RUN = 512 };
    return run_bytes > DMLC_LONGEST_CHUNK && (columns <= FEW_COLUMNS || run_bytes >= LONG_RUN) &&
           (double)bytes > dmlc_past_cache_early(threads) * (double)dmlc_cache_bytes();
}
