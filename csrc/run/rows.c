/* Rows by their pieces, and their gathers by permutations where the plan has them. */
#include "run/past_cache.h"

static int64_t size(const dmlc_plan *plan) { return dmlc_leaf_axis(plan)->size; }

static void run_rows(const dmlc_job *job, const dmlc_row *row, const dmlc_block *block)
{
    const dmlc_plan *plan = job->plan;
    const bool is_permuted = plan->way == DMLC_PERMUTED_ROWS;
    plan->kernels->rows(row, is_permuted ? &plan->program.rows.permutations : NULL, block);
}

static void block(const dmlc_job *job, const dmlc_block *block) { run_rows(job, &job->plan->program.rows.row, block); }

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_axis *axis = dmlc_leaf_axis(job->plan);
    if (begin == 0 && end == axis->size) {
        dmlc_whole_part(job, 0, 1, output, input);
        return;
    }
    const dmlc_row row = dmlc_row_of(axis, job->plan->chunk, begin, end);
    const dmlc_block one = dmlc_one_leaf(job, output + begin * axis->output_step, input);
    run_rows(job, &row, &one);
}

/* Whether a gather reads from no more places than a processor fetches ahead by itself, and there one line after the other. */
static bool reads_few_columns(const dmlc_plan *plan)
{
    enum { FEW_COLUMNS = 20 };
    const dmlc_axis *outer = dmlc_axis_outside(plan);
    return outer != NULL && plan->program.rows.row.size <= FEW_COLUMNS && dmlc_axis_distance(outer) <= DMLC_LINE_BYTES;
}

/* Rows that are one gather go past the cache by a stage, see staged_rows.h, where most lines that they read have several chunks, or are of
 * few columns. Others stay in it: the stage waits for what is read. On Zen 4, with a cache of 32 MiB, 24 to 220 MB of chunks of 1 to 64
 * bytes took 0.7 to 1.0 of the time past it up to MOST_TIMES and MOST_DISTANCE apart, and 1.0 to 1.3 beyond, those of 64 bytes up to 1.6;
 * of up to 12 columns 0.5 to 1.0, of 32 and more 0.9 to 1.5. */
static bool are_gathers_apart(const dmlc_plan *plan)
{
    enum { MOST_TIMES = 8, MOST_DISTANCE = 160 };
    const dmlc_row *row = &plan->program.rows.row;
    if (!dmlc_row_is_dense_gather(row))
        return false;
    const int64_t most = row->chunk < MOST_DISTANCE / MOST_TIMES ? row->chunk * MOST_TIMES : MOST_DISTANCE;
    return dmlc_absolute(row->pieces[0].step) > most && !reads_few_columns(plan);
}

/* Columns of small matrices as rows, which are read from the same lines one after the other. On Zen 4 with AVX2, rows of 30 to 350 bytes
 * took 1.0 to 2 times as long past the cache, 24 to 150 MB in all; of 480 bytes 0.7 to 1.1, and longer ones 0.55 to 0.9. With
 * AVX-512 they go past it: 210 random ones of 17 to 90 MB took 1.0 times as long in it by mean, and 1.9 at worst. So do a few long columns,
 * which took 0.5 to 0.9 of the time past it. */
static bool are_short_columns(const dmlc_plan *plan)
{
    enum { LEAST_COLUMN_BYTES = 400, MOST_DISTANCE = 1024 };
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_axis *outer = dmlc_axis_outside(plan);
    if (plan->way != DMLC_ROWS || outer == NULL || dmlc_has_wide_shuffles(plan->kernels->abilities) ||
        !dmlc_row_is_gather(row))
        return false;
    const int64_t step = row->pieces[0].step, distance = dmlc_absolute(step);
    return distance <= MOST_DISTANCE && dmlc_axis_distance(outer) < distance &&
           row->size * row->chunk < LEAST_COLUMN_BYTES;
}

/* Copies of a few lines each, from places that lie apart, stay in the cache however many they are: there, the rows to come are asked for;
 * past it, what is sent waits for what is read. On Zen 4, 60 to 80 MB in the cache took, of the time past it, 0.5 to 1.0 in rows of 100
 * bytes, up to 1.6 in rows of 70 with AVX-512, and 0.6 to 1.2, 0.9 by mean, in rows of 132 to 300 bytes from 400 bytes apart on. Closer
 * ones took 0.7 to 1.0 of the time past it. Rows that go down gain most. One row over and over counts as apart, too: 40 and 80 MB of rows
 * of 72 to 312 bytes took 0.78 to 1.1 of the time past it, on one thread and two. */
static bool are_short_copies_apart(const dmlc_plan *plan)
{
    enum { LEAST_COPY = 128, LEAST_GAP = 256, LEAST_GAP_DOWN = 176, LEAST_FAR_COPY = 320, FAR_GAP = 384 };
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_axis *axis = dmlc_axis_outside(plan);
    if (plan->way != DMLC_ROWS || axis == NULL || !dmlc_row_is_copy(row))
        return false;
    const int64_t bytes = row->pieces[0].count, gap = dmlc_axis_distance(axis) - bytes;
    const int64_t least_gap = axis->segments[0].step < 0 ? LEAST_GAP_DOWN : LEAST_GAP;
    return (bytes < LEAST_COPY && gap >= least_gap) || (bytes < LEAST_FAR_COPY && gap >= FAR_GAP);
}

/* Rows that go past the cache as soon as they move more than it holds. Those that are a copy alone need not be long: of 64 to 1,000
 * bytes, 16 to 300 MB in all, they took 0.6 to 0.95 of the time on Zen 4, with either instruction set, on one thread and two; with a
 * border around them up to 1.4 times as long. */
static bool are_long_rows(const dmlc_plan *plan)
{
    const dmlc_row *row = &plan->program.rows.row;
    const int64_t least = row->piece_count == 1 ? DMLC_LINE_BYTES : DMLC_LONG_RUN_BYTES;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if ((piece->operation == DMLC_COPY || piece->operation == DMLC_FILL) && piece->count >= least)
            return true;
    }
    return false;
}

static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    enum { LEAST_NEAR = 360 };
    const dmlc_row *row = &plan->program.rows.row;
    (void)patterns;
    if (dmlc_short_rows_lie_apart(plan, row->size * row->chunk, LEAST_NEAR) || are_short_columns(plan) ||
        are_gathers_apart(plan) || are_short_copies_apart(plan))
        return DMLC_STAYS_IN_CACHE;
    const bool is_early = dmlc_row_is_dense_gather(row) || (plan->way == DMLC_ROWS && are_long_rows(plan));
    return is_early ? dmlc_past_cache_early(threads) : dmlc_past_cache_late(threads);
}

const dmlc_leaf dmlc_rows_leaf = {
    .size = size,
    .grain = dmlc_one,
    .part = part,
    .block = block,
    .past_cache_from = past_cache_from,
};
