/* Whether a run writes past the cache. */
#ifndef DMLC_RUN_PAST_CACHE_H
#define DMLC_RUN_PAST_CACHE_H

#include "run/run.h"

#include "dispatch/machine.h"

#include <string.h>

enum { LONG_RUN_BYTES = 1024 };

/* Whether a selection is written in long runs: planes, or sequences, which follow each other. */
static inline bool selects_long_runs(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *positions = dmlc_leaf_axis(plan);
    if (dmlc_scatters_planes(plan) && !dmlc_may_compare_planes(plan))
        return false;
    return select->depth_step == plan->width || positions->size * positions->output_step >= LONG_RUN_BYTES;
}

static inline bool selects_planes(const dmlc_plan *plan)
{
    return plan->program.select.way == DMLC_SELECT_PLANES || dmlc_scatters_planes(plan);
}

static inline bool selects_sequences(const dmlc_plan *plan)
{
    return plan->program.select.way != DMLC_SELECT_TILES && !selects_planes(plan);
}

/* Values alone in long runs: all that is moved is written, and none of it was in the cache for a reason. */
static inline bool is_generated(const dmlc_plan *plan)
{
    enum { MANY_PLANES = 8 };
    const dmlc_select *select = &plan->program.select;
    const dmlc_band *band = &plan->program.band;
    if (plan->way == DMLC_SELECT)
        return (selects_sequences(plan) || (selects_planes(plan) && select->depth >= MANY_PLANES)) &&
               selects_long_runs(plan);
    return plan->outside || (plan->way == DMLC_BAND && band->background == DMLC_BACKGROUND_VALUE && band->dense);
}

/* Whether a pattern is of zeros alone. */
static inline bool is_zero(const dmlc_pattern *pattern)
{
    static const unsigned char zeros[DMLC_PATTERN_BYTES];
    return memcmp(pattern->bytes, zeros, sizeof(zeros)) == 0;
}

/* Of the lines that a run of values alone writes, those with zeros alone. A sequence has the value of its index in one line, and shares
 * the lines at its ends with others. Planes count as zeros, however many stand between; a unit of several positions counts as one sequence:
 * with two lines for each of them, units of 28 MB in all took 1.0 to 1.7 times as long. */
static inline double share_of_zeros(const dmlc_plan *plan, const dmlc_pattern *patterns)
{
    enum { TWO_LINES = 128 };
    const dmlc_select *select = &plan->program.select;
    double set = plan->way == DMLC_BAND ? plan->program.band.share_set : 0;
    if (plan->way == DMLC_SELECT && selects_sequences(plan)) {
        const int64_t bytes = select->depth * select->depth_step;
        set = bytes > TWO_LINES ? (double)TWO_LINES / (double)bytes : 1;
    }
    return is_zero(&patterns[0]) * (1 - set) + is_zero(&patterns[1]) * set;
}

/* From how many eighths of the cache on values alone go past it. Zen 4 writes lines of zeros past it at 95 GB/s. All others it writes at 47
 * GB/s by one thread and at 50 to 90 by two, depending on whether other processes write as well. Plain stores are as fast as the cache, of
 * which other processes may have a part. The time past a cache of 32 MiB, as a share of the time in it, of so many MB:
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
static inline int64_t values_eighths(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    static const int64_t eighths[5][2] = {
        {10, 16}, /* hardly any zeros, on one thread and on several */
        {7, 8},   /* some */
        {5, 7},   /* most */
        {4, 6},   /* hardly anything else */
        {4, 5},   /* likewise, in planes */
    };
    const double zeros = share_of_zeros(plan, patterns);
    const bool is_planes = plan->way == DMLC_SELECT && selects_planes(plan);
    const int32_t kind = (zeros > 0.375) + (zeros > 0.85) + (zeros > 0.96) + (zeros > 0.96 && is_planes);
    return eighths[kind][threads > 1];
}

static inline bool is_dense_gather(const dmlc_row *row) { return dmlc_row_is_gather(row) && dmlc_row_is_dense(row); }

/* The innermost axis that is walked; NULL where there is none. */
static inline const dmlc_axis *axis_outside(const dmlc_plan *plan)
{
    const int32_t outer = plan->axis_count - plan->leaf_axes - 1;
    return outer >= 0 ? &plan->axes[outer] : NULL;
}

/* Whether a gather reads from no more places than a processor fetches ahead by itself, and there one line after the other. */
static inline bool reads_few_columns(const dmlc_plan *plan)
{
    enum { FEW_COLUMNS = 20 };
    const dmlc_axis *outer = axis_outside(plan);
    return outer != NULL && plan->program.rows.row.size <= FEW_COLUMNS && dmlc_axis_distance(outer) <= DMLC_LINE_BYTES;
}

/* Rows that are one gather go past the cache by a stage, see staged_rows.h, where most lines that they read have several chunks, or are of
 * few columns. Others stay in it: the stage waits for what is read. On Zen 4, with a cache of 32 MiB, 24 to 220 MB of chunks of 1 to 64
 * bytes took 0.7 to 1.0 of the time past it up to MOST_TIMES and MOST_DISTANCE apart, and 1.0 to 1.3 beyond, those of 64 bytes up to 1.6;
 * of up to 12 columns 0.5 to 1.0, of 32 and more 0.9 to 1.5. */
static inline bool are_gathers_apart(const dmlc_plan *plan)
{
    enum { MOST_TIMES = 8, MOST_DISTANCE = 160 };
    const dmlc_row *row = &plan->program.rows.row;
    if (!dmlc_goes_by_rows(plan) || !is_dense_gather(row))
        return false;
    const int64_t most = row->chunk < MOST_DISTANCE / MOST_TIMES ? row->chunk * MOST_TIMES : MOST_DISTANCE;
    return dmlc_absolute(row->pieces[0].step) > most && !reads_few_columns(plan);
}

/* Rows of elements of 16 bytes that lie apart in the input, and so are moved one by one. */
static inline bool gathers_large_elements(const dmlc_row *row)
{
    enum { LARGE = 16, LEAST_BYTES = 192 };
    const dmlc_piece *only = &row->pieces[0];
    return is_dense_gather(row) && row->chunk == LARGE && row->size * LARGE >= LEAST_BYTES &&
           dmlc_absolute(only->step) > LARGE;
}

/* Columns of small matrices as rows, which are read from the same lines one after the other. On Zen 4 with AVX2, rows of 30 to 350 bytes
 * took 1.0 to 2 times as long past the cache, 24 to 150 MB in all; of 480 bytes 0.7 to 1.1, and longer ones 0.55 to 0.9. With
 * AVX-512 they go past it: 210 random ones of 17 to 90 MB took 1.0 times as long in it by mean, and 1.9 at worst. So do a few long columns,
 * which took 0.5 to 0.9 of the time past it. */
static inline bool are_short_columns(const dmlc_plan *plan)
{
    enum { LEAST_COLUMN_BYTES = 400, MOST_DISTANCE = 1024 };
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_axis *outer = axis_outside(plan);
    if (plan->way != DMLC_ROWS || outer == NULL || dmlc_has_wide_shuffles(plan->kernels->abilities) ||
        !dmlc_row_is_gather(row))
        return false;
    const int64_t step = row->pieces[0].step, distance = dmlc_absolute(step);
    return distance <= MOST_DISTANCE && dmlc_axis_distance(outer) < distance &&
           row->size * row->chunk < LEAST_COLUMN_BYTES;
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
 *
 * Rows with two ends and little between them gain later: of 320 to 480 bytes they took 0.95 to 1.3 with AVX-512. */
static inline bool are_short_rows_apart(const dmlc_plan *plan)
{
    enum {
        NEAR_BYTES = 128,
        FAR_BYTES = 192,
        LEAST_NEAR_ROW = 360,
        LEAST_NEAR_ENDS = 512,
        LEAST_ROW = 132,
        LEAST_FAR_ROW = 100
    };
    const dmlc_axis *outer = axis_outside(plan);
    const bool has_ends = plan->way == DMLC_ENDS;
    if (!(dmlc_goes_by_rows(plan) || has_ends) || outer == NULL)
        return false;
    const dmlc_row *row = &plan->program.rows.row;
    const int64_t row_bytes = has_ends ? plan->program.ends.bytes : row->size * row->chunk;
    const int64_t gap = outer->output_step - row_bytes, near = has_ends ? LEAST_NEAR_ENDS : LEAST_NEAR_ROW;
    return gap != 0 && row_bytes < (gap < NEAR_BYTES ? near : gap < FAR_BYTES ? LEAST_ROW : LEAST_FAR_ROW);
}

/* Copies of a few lines each, from places that lie apart, stay in the cache however many they are: there, the rows to come are asked for;
 * past it, what is sent waits for what is read. On Zen 4, 60 to 80 MB in the cache took, of the time past it, 0.5 to 1.0 in rows of 100
 * bytes, up to 1.6 in rows of 70 with AVX-512, and 0.6 to 1.2, 0.9 by mean, in rows of 132 to 300 bytes from 400 bytes apart on. Closer
 * ones took 0.7 to 1.0 of the time past it. Rows that go down gain most. One row over and over counts as apart, too: 40 and 80 MB of rows
 * of 72 to 312 bytes took 0.78 to 1.1 of the time past it, on one thread and two. */
static inline bool are_short_copies_apart(const dmlc_plan *plan)
{
    enum { LEAST_COPY = 128, LEAST_GAP = 256, LEAST_GAP_DOWN = 176, LEAST_FAR_COPY = 320, FAR_GAP = 384 };
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_axis *axis = axis_outside(plan);
    if (plan->way != DMLC_ROWS || axis == NULL || !dmlc_row_is_copy(row))
        return false;
    const int64_t bytes = row->pieces[0].count, gap = dmlc_axis_distance(axis) - bytes;
    const int64_t least_gap = axis->segments[0].step < 0 ? LEAST_GAP_DOWN : LEAST_GAP;
    return (bytes < LEAST_COPY && gap >= least_gap) || (bytes < LEAST_FAR_COPY && gap >= FAR_GAP);
}

/* Rows that go past the cache as soon as they move more than it holds. Those that are a copy alone need not be long: of 64 to 1,000
 * bytes, 16 to 300 MB in all, they took 0.6 to 0.95 of the time on Zen 4, with either instruction set, on one thread and two; with a
 * border around them up to 1.4 times as long. */
static inline bool are_long_rows(const dmlc_plan *plan)
{
    const dmlc_row *row = &plan->program.rows.row;
    const int64_t least = row->piece_count == 1 ? DMLC_LINE_BYTES : LONG_RUN_BYTES;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if ((piece->operation == DMLC_COPY || piece->operation == DMLC_FILL) && piece->count >= least)
            return true;
    }
    return false;
}

/* Boxes of which a few at a time stand between others that lie elsewhere in the input: small images whose first and last lines are
 * copies of others took 1.2 to 1.6 times as long past a cache of 32 MiB on Zen 4, of 130 MB, too. Boxes in long blocks, images with
 * another border, 25 to 70 MB in all, took 0.33 to 1.1 of the time, 0.6 by mean. */
static inline bool are_few_boxes(const dmlc_plan *plan)
{
    const dmlc_axis *outer = axis_outside(plan);
    return dmlc_leaf_box(plan) != NULL && outer != NULL && !dmlc_axis_is_plain(outer);
}

/* Rows that are filled together and then copied to: images of 7 to 112 rows of 10 to 256 bytes with a border of zeros, 34 to 137 MB in
 * all, took 0.87 of the time by mean past a cache of 32 MiB on Zen 3, 0.66 to 1.1, and on two threads 0.78, 0.58 to 1.05. On Zen 4 with
 * AVX2 they took 0.7 to 1.3 on two, 1.0 by mean, and on one 0.8 to 1.3 in rows of 200 to 256 bytes, 0.9 to 1.3 in shorter ones: on one
 * thread those go past it as what is short does. Wide kernels have such rows where most of each is filled. */
static inline bool filled_rows_pay(const dmlc_plan *plan, int32_t threads)
{
    enum { LEAST_BYTES = 192 };
    return !dmlc_has_wide_shuffles(plan->kernels->abilities) &&
           (threads > 1 || plan->program.filled_rows.bytes >= LEAST_BYTES);
}

/* Rows with two ends. On one thread those of less than 256 bytes stay in the cache, where they took 0.94 of the time by mean in outputs of
 * 14 to 28 MB beside a cache of 32 MiB on Zen 4, 0.5 at best, and 1.01 in up to 60 MB. */
static inline bool ends_pay(const dmlc_plan *plan, int32_t threads)
{
    enum { LONG = 256 };
    return threads > 1 || plan->program.ends.bytes >= LONG;
}

/* Short ones never go past it where a vector's bytes are not shuffled across it: on Zen 4 with AVX2, in 20 to 90 MB, those of 100 to 200
 * bytes took 0.9 to 2 times as long past a cache of 32 MiB on one thread and 0.85 to 1.25 on two, of 260 to 360 bytes 0.77 to 1.05. */
static inline bool are_short_ends(const dmlc_plan *plan)
{
    enum { LEAST_BYTES = 240 };
    return plan->way == DMLC_ENDS && !dmlc_has_wide_shuffles(plan->kernels->abilities) &&
           plan->program.ends.bytes < LEAST_BYTES;
}

/* Boxes go past a cache of which others have a part before they fill it: shuffle by shuffle, what is not in it takes twice as long as
 * in the output's order. Past one of 32 MiB, 100 stacks, small transposes, flips and borders of 25 to 34 MB in all took 0.95 of the time
 * by mean on one thread, 0.53 to 1.13, and as many of 31 to 42 MB on two 0.96, 0.55 to 1.27. Of 17 to 25 MB one thread gained as much,
 * but where others leave the cache alone it would hold them. On Zen 3 likewise. Of whole vectors, small transposes gained as much, but
 * borders took up to 1.27 times as long. */
static inline bool are_narrow_boxes(const dmlc_plan *plan)
{
    return dmlc_leaf_box(plan) != NULL && !dmlc_has_wide_shuffles(plan->kernels->abilities);
}

/* The axis across of a transpose whose rows and columns are an axis each, and its rows dense gathers; else NULL. */
static inline const dmlc_axis *only_across(const dmlc_plan *plan)
{
    const dmlc_transpose *transpose = &plan->program.transpose;
    if (plan->way != DMLC_TRANSPOSE || transpose->along > 1 || transpose->across > 1)
        return NULL;
    const dmlc_axis *across = dmlc_leaf_axis(plan);
    return is_dense_gather(&transpose->row) && dmlc_axis_is_plain(across) ? across : NULL;
}

/* Columns of the input as dense rows, see staged_transposes.h. They go past the cache earlier: from 12 MB on, as many read, they took
 * 0.75 of the time by mean. */
static inline bool transposes_by_stage(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL &&
           dmlc_may_be_staged(row->chunk, across->segments[0].step, across->output_step, across->size, row->size);
}

/* Planes to pixels, see transpose_pixels. On one thread they go past the cache earlier: on Zen 4 with one of 32 MiB, those of 12 to 16 MB
 * took 0.58 to 0.93 of the time, of 8 and 10 MB 0.8 to 1.16, of 5 and 6 MB 1.2 to 1.55. On two, those of 6 to 12 MB took 1.2 to 3.0. */
static inline bool makes_pixels(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL && dmlc_width_place(row->chunk) <= 3 && row->size <= DMLC_MOST_PLANES &&
           across->segments[0].step == row->chunk && across->output_step == row->size * row->chunk;
}

/* And back. On Zen 4, images of 29 to 110 MB took, past the cache, 0.3 to 1.06 of the time that they took in it or by rows past it, on one
 * thread and on two. Of 16 to 25 MB they took 0.33 to 1.36 either way; of 12 to 16 MB, 0.6 to 1.7 on one. */
static inline bool makes_planes(const dmlc_plan *plan)
{
    const dmlc_axis *across = only_across(plan);
    const dmlc_row *row = &plan->program.transpose.row;
    return across != NULL && dmlc_width_place(row->chunk) <= 3 &&
           dmlc_are_pixels(across->segments[0].step, row->pieces[0].step, across->size, row->chunk) &&
           (dmlc_are_long_planes(row->chunk, row->size) || across->output_step == row->size * row->chunk);
}

/* What goes past the cache as soon as it moves more than that holds, if it does not always stay: long runs, and what is made a stage at a
 * time. */
static inline bool goes_early(const dmlc_plan *plan, int32_t threads)
{
    switch (plan->way) {
    case DMLC_SELECT: return selects_long_runs(plan);
    case DMLC_ROWS: return are_long_rows(plan) || is_dense_gather(&plan->program.rows.row);
    case DMLC_PERMUTED_ROWS: return is_dense_gather(&plan->program.rows.row);
    case DMLC_FILLED_ROWS: return filled_rows_pay(plan, threads);
    case DMLC_ENDS: return ends_pay(plan, threads);
    case DMLC_BAND:
    case DMLC_SHORT_ROWS:
    case DMLC_MOVES:
    case DMLC_SHUFFLES: return true;
    case DMLC_TRANSPOSE:
        return gathers_large_elements(&plan->program.transpose.row) || transposes_by_stage(plan) ||
               makes_pixels(plan) || makes_planes(plan);
    default: return false;
    }
}

/* Of an axis' elements, those that are read: one that repeats is once, what is outside is not, nor are turns after the first. */
static inline double share_read(const dmlc_axis *axis)
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
static inline int64_t bytes_of_memory(const dmlc_plan *plan, int64_t bytes)
{
    if (plan->way == DMLC_SELECT || plan->way == DMLC_BAND)
        return bytes;
    double read = 1;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        read *= share_read(&plan->axes[i]);
    return (int64_t)((double)(bytes / 2) * (1 + read));
}

/* Bands around or within what is read go past the cache earlier, line by line: triangles of 12 MB, as many read, took 0.46 to 1.1 of the
 * time on one thread, of 16 MB 0.45 to 1.2 on two, 0.74 and 0.88 by mean. */
static inline bool reads_band(const dmlc_plan *plan)
{
    return plan->way == DMLC_BAND && plan->program.band.dense && plan->program.band.background == DMLC_BACKGROUND_INPUT;
}

/* A band set in what is there. One that follows a copy is asked as the whole is: `bytes` are of both. */
static inline bool sets_in_place(const dmlc_plan *plan)
{
    return plan->way == DMLC_BAND && plan->program.band.background == DMLC_BACKGROUND_KEEP && plan->before == NULL;
}

/* Whether the values of a band go past the cache, of which all else keeps what it holds. Lines in it are fetched to be written, unlike
 * those of one long fill, so that this pays early. Triangles in place on Zen 4 with a cache of 32 MiB, as a share of the time in it, by the
 * bytes that a row sets by mean and all do:
 *
 *     400 and more    8 MB 0.7 to 1.6    12 MB 0.5 to 0.7    16 to 34 MB 0.4 to 0.8      one thread
 *                     8 MB 1.1 to 2.3    12 MB 0.6 to 2.2    16 to 34 MB 0.5 to 0.9      two
 *     250 to 320     13 MB 0.9 to 1.3    23 MB 0.65 to 0.75       to 50 MB 0.6 to 0.8
 *     128 and less   13 MB 1.3 to 3.6                             to 98 MB 1.0 to 2.4
 */
static inline bool set_values_pay(const dmlc_plan *plan, int64_t bytes, int32_t threads)
{
    enum { LEAST_OF_A_ROW = 192, LONG = 384 };
    const dmlc_band *band = &plan->program.band;
    const double set = (double)bytes * band->share_set;
    const double of_a_row = (double)(band->columns * plan->width) * band->share_set;
    const double eighths = of_a_row < LONG ? 5 : threads > 1 ? 3 : 2;
    return of_a_row >= LEAST_OF_A_ROW && set > eighths / 8 * (double)dmlc_cache_bytes();
}

/* What stays in the cache however many bytes it moves. */
static inline bool always_stays(const dmlc_plan *plan)
{
    return are_few_boxes(plan) || are_short_rows_apart(plan) || are_short_columns(plan) || are_gathers_apart(plan) ||
           are_short_copies_apart(plan) || are_short_ends(plan);
}

/* What is asked against the cache: several threads gain later, see goes_past_cache. */
static inline int64_t bytes_among_threads(int64_t bytes, int32_t threads)
{
    return threads > 1 ? bytes - bytes / 5 : bytes;
}

/* Past the cache go the plans of goes_early as soon as they move more than it holds. Others gain as much as it costs to make them in the
 * cache first, and go past it from SHORT_RUNS times as much on. Measured on Zen 5, one thread and two, outputs of 16 to 256 MiB: long
 * copies took 0.75 to 0.9 of the time from 48 MiB on; rows of 128 bytes, made 8 KB at a time as stages were then, 1.0 to 1.8 times as long
 * up to 96 MiB, and about as long at 256. Up to five planes of one-hot took 1.2 to 1.4 times as long at 40 MiB, but 0.6 to 0.8 on Zen 4,
 * and 0.8 at 120; sixteen 0.5 to 0.9 at either. Several threads gain later, since one fills what leads to memory: of 32 to 36 MiB, copies,
 * pads and one-hot took 1.1 to 1.7 times as long past a cache of 32, and 0.7 to 1.1 on one; from 44 on, 0.7 to 0.96. */
static inline bool goes_past_cache(const dmlc_plan *plan, const dmlc_pattern *patterns, int64_t bytes, int32_t threads)
{
    enum { SHORT_RUNS = 4 };
    const int64_t cache = dmlc_cache_bytes();
    if (sets_in_place(plan))
        return set_values_pay(plan, bytes, threads);
    /* No rule below lets so little go; it is asked first for the sake of small runs. */
    if (bytes <= cache / 2 || always_stays(plan))
        return false;
    if (is_generated(plan))
        return bytes / values_eighths(plan, patterns, threads) > cache / 8;
    bytes = bytes_of_memory(plan, bytes);
    if (reads_band(plan) || are_narrow_boxes(plan) || transposes_by_stage(plan))
        bytes += bytes / 3;
    if (threads == 1 && makes_pixels(plan))
        bytes += bytes / 2;
    bytes = bytes_among_threads(bytes, threads);
    return (goes_early(plan, threads) ? bytes : bytes / SHORT_RUNS) > cache;
}

/* Runs that are written side by side, whole pixels of them, from as many places. From many, short ones stay in the cache: what is sent
 * waits for what is read. On Zen 4, 40 to 120 MB of 24 to 250 runs of 72 to 400 bytes took 1.0 to 4 times as long past it, of 700 bytes
 * 0.7 to 1.2, and of 12 and fewer 0.6 to 1.0 of the time. */
static inline bool columns_go_past_cache(int64_t run_bytes, int64_t columns, int64_t bytes, int32_t threads)
{
    enum { FEW_COLUMNS = 16, LONG_RUN = 512 };
    return run_bytes > DMLC_LONGEST_CHUNK && (columns <= FEW_COLUMNS || run_bytes >= LONG_RUN) &&
           bytes_among_threads(bytes, threads) > dmlc_cache_bytes();
}

#endif
