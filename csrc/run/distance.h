/* How far away a run reads and writes. */
#ifndef DMLC_RUN_DISTANCE_H
#define DMLC_RUN_DISTANCE_H

#include "run/run.h"

#include "dispatch/machine.h"

/* The bytes from the first to the last that the axes go through. */
static inline double span_of_output(const dmlc_plan *plan)
{
    double span = (double)plan->chunk;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        span += (double)(plan->axes[i].size - 1) * (double)plan->axes[i].output_step;
    return span;
}

static inline double span_of_input(const dmlc_plan *plan)
{
    double span = (double)plan->chunk;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        for (int32_t j = 0; j < plan->axes[i].segment_count; ++j) {
            const dmlc_segment *segment = &plan->axes[i].segments[j];
            span += (double)segment->size * (double)dmlc_absolute(segment->step);
        }
    return span;
}

/* Whether chunks that lie apart on one side or both bring more than `most` bytes into the cache: a line with each of them, but no more than
 * there is from the first to the last, which all rows may share. */
static inline bool chunks_reach(const dmlc_plan *plan, const dmlc_row *row, double output_bytes, double most)
{
    /* A line for each byte on either side, and so the bytes once more. */
    if (output_bytes * (2 * DMLC_LINE_BYTES + 1) <= most)
        return false;
    const double lines = output_bytes * DMLC_LINE_BYTES / (double)row->chunk;
    const double read = span_of_input(plan), written = dmlc_row_is_dense(row) ? output_bytes : span_of_output(plan);
    return (read < lines ? read : lines) + (written < lines ? written : lines) + output_bytes > most;
}

/* Whether some of it has left the cache before the next run. From half of what that holds on, transposes by a buffer took 1.1 to
 * 1.5 times as long as without. What lies apart in the input reaches more than it moves: boxes all between them, and gained by the order of
 * memory from 16 to 24 MB on, of a cache of 32; chunks reach their lines, see fetched_rows, and took 1.2 to 1.7 times as long from 24 to
 * 28 MB, and twice as long in 3 MB that 72 rows read again. Several threads have no room for the lines between: chunks of 13 to 150 MB
 * took 1.06 times as long by mean. */
static inline bool is_in_memory(const dmlc_plan *plan, int64_t bytes, int32_t threads)
{
    const dmlc_box *box = dmlc_leaf_box(plan);
    const dmlc_row *row = &plan->program.rows.row;
    const double cache = (double)dmlc_cache_bytes(), output_bytes = (double)bytes / 2;
    if (box != NULL && box->apart > 0)
        return output_bytes * (double)(box->bytes + box->apart) > 0.75 * cache * (double)box->bytes;
    if (dmlc_goes_by_rows(plan) && dmlc_row_is_gather(row))
        return threads == 1 && chunks_reach(plan, row, output_bytes, dmlc_row_is_dense(row) ? cache : cache / 2);
    if (plan->way == DMLC_TRANSPOSE && !dmlc_row_is_dense(&plan->program.transpose.row))
        return chunks_reach(plan, &plan->program.transpose.row, output_bytes, cache / 2);
    return (double)bytes > cache / 2;
}

/* Whether what a run reads next to a row follows below it. The innermost axis that is walked tells whose elements are near, a page or two
 * rows apart; those within a page with more than a row between them do not follow each other. An axis that begins with a border or an edge
 * counts as if it had no step. */
static inline bool reads_down(const dmlc_plan *plan)
{
    if (plan->leaf_axes == 0) /* a band's rows are no axis, and a single matrix has none at all */
        return false;
    const dmlc_axis *last = &plan->axes[plan->axis_count - 1];
    const double two_rows = 2 * (double)last->size * (double)dmlc_absolute(last->segments[0].step);
    for (int32_t i = plan->axis_count - plan->leaf_axes - 1; i >= 0; --i) {
        const int64_t step = plan->axes[i].segments[0].step;
        const double distance = (double)dmlc_absolute(step);
        if (distance > 0 && (distance <= DMLC_PAGE_BYTES || distance <= two_rows))
            return step < 0 && distance <= two_rows;
    }
    return false;
}

/* A thread moves so much that some of it comes from memory, or from far in the last-level cache: with less, to fetch it ahead
 * took as long as it gained, or up to 1.1 times as long. */
static inline bool is_far(int64_t bytes, int32_t threads)
{
    enum { FAR_BYTES = 4 * 1024 * 1024 };
    return bytes / threads > FAR_BYTES;
}

/* A thread moves so much that it may not be in the last-level cache, of which others have a part. */
static inline bool writes_in_order(int64_t bytes, int32_t threads)
{
    enum { IN_ORDER_BYTES = 12 * 1024 * 1024 };
    return bytes / threads > IN_ORDER_BYTES;
}

/* A thread moves more than the first-level cache holds, on a processor whose stores wait. Measured on Granite Rapids: tiles of 44 KB
 * and more, read and written, took 0.6 to 0.9 of the time with the lines of their rows fetched first, what is smaller 1.1. */
static inline bool waits_for_lines(int64_t bytes, int32_t threads)
{
    enum { FIRST_LEVEL_BYTES = 44 * 1024 };
    return dmlc_stores_wait && bytes / threads > FIRST_LEVEL_BYTES;
}

#endif
