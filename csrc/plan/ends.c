/* Rows that are one long copy but for a few bytes at their ends: a border around an image, whatever fills it. */
#include "plan/planner.h"

#include <math.h>

/* Of longer rows the ends do not count, and plain rows can be shared among threads. */
enum { LONGEST_ROW = 16 * 1024 };

/* Each end is a wide block, or so many lanes. */
enum { MOST_LANES = DMLC_MOST_END_BYTES / DMLC_LANE_BYTES };

/* The longest copy, where it leaves at most so many bytes on either side. */
static const dmlc_piece *find_copy(const dmlc_row *row, int64_t most)
{
    const int64_t bytes = row->size * row->chunk;
    const dmlc_piece *longest = NULL;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation == DMLC_COPY && (longest == NULL || piece->count > longest->count))
            longest = piece;
    }
    const bool fits = longest != NULL && longest->output <= most && longest->output + longest->count >= bytes - most;
    return fits ? longest : NULL;
}

/* A wide block of the row's end, from byte `begin` on; false where its sources are too far apart. */
static bool shuffle_end(const dmlc_row *row, int64_t begin, int64_t width, dmlc_shuffle *shuffle)
{
    dmlc_runs runs;
    return dmlc_runs_of_row(&runs, row, begin, begin + DMLC_BLOCK_BYTES) &&
           dmlc_shuffle_blocks(shuffle, 1, &runs, width) == 1;
}

/* Bytes [begin, end) of the row as lanes, which may read what the copy reads and what they read themselves. */
static int32_t shuffle_lanes(const dmlc_row *row, const dmlc_piece *copy, int64_t begin, int64_t end, int64_t width,
                             dmlc_lane_shuffle *lanes)
{
    dmlc_runs runs;
    if (!dmlc_runs_of_row(&runs, row, begin, end))
        return -1;
    const int64_t copy_end = copy->input + copy->count;
    return dmlc_shuffle_lanes(lanes, MOST_LANES, &runs, width, copy->input < runs.first ? copy->input : runs.first,
                              copy_end > runs.end ? copy_end : runs.end);
}

static bool find_wide_ends(dmlc_sketch *sketch, const dmlc_piece *copy)
{
    const dmlc_row *row = &sketch->row;
    const int64_t bytes = row->size * row->chunk, width = sketch->plan->width;
    dmlc_ends *ends = &sketch->ends;
    if (bytes <= DMLC_BLOCK_BYTES || !shuffle_end(row, 0, width, &sketch->end_shuffles.blocks[0]) ||
        !shuffle_end(row, bytes - DMLC_BLOCK_BYTES, width, &sketch->end_shuffles.blocks[1]))
        return false;
    const int64_t between = bytes - 2 * DMLC_BLOCK_BYTES;
    *ends = (dmlc_ends){
        .bytes = bytes,
        .copy_output = DMLC_BLOCK_BYTES,
        .copy_input = copy->input + DMLC_BLOCK_BYTES - copy->output,
        .copy_bytes = between > 0 ? between : 0,
        .head_count = 1,
        .shuffles = {.wide = true, .count = 2},
    };
    return true;
}

static bool find_lane_ends(dmlc_sketch *sketch, const dmlc_piece *copy)
{
    const dmlc_row *row = &sketch->row;
    const int64_t bytes = row->size * row->chunk, width = sketch->plan->width;
    const int64_t head = copy->output, tail = bytes - head - copy->count;
    const int64_t head_end = (head + DMLC_LANE_BYTES - 1) / DMLC_LANE_BYTES * DMLC_LANE_BYTES;
    const int64_t tail_begin = bytes - (tail + DMLC_LANE_BYTES - 1) / DMLC_LANE_BYTES * DMLC_LANE_BYTES;
    if (head_end > bytes || tail_begin < 0)
        return false;
    const int32_t head_count = shuffle_lanes(row, copy, 0, head_end, width, sketch->end_shuffles.lanes);
    if (head_count < 0)
        return false;
    const int32_t tail_count =
        shuffle_lanes(row, copy, tail_begin, bytes, width, sketch->end_shuffles.lanes + head_count);
    sketch->ends = (dmlc_ends){
        .bytes = bytes,
        .copy_output = head,
        .copy_input = copy->input,
        .copy_bytes = copy->count,
        .head_count = head_count,
        .shuffles = {.wide = false, .count = head_count + tail_count},
    };
    return tail_count >= 0;
}

static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = row->size * row->chunk;
    const bool wide = sketch->abilities->block_bytes == DMLC_BLOCK_BYTES;
    const dmlc_piece *copy = find_copy(row, wide ? DMLC_BLOCK_BYTES : DMLC_MOST_END_BYTES);
    if (sketch->plan->axis_count < 2 || !sketch->dense_row || row->piece_count < 2 || copy == NULL ||
        bytes > LONGEST_ROW || sketch->abilities->block_bytes == 0)
        return (double)INFINITY;
    if (wide ? !find_wide_ends(sketch, copy) : !find_lane_ends(sketch, copy))
        return (double)INFINITY;
    double row_cost = costs->piece + (double)sketch->ends.copy_bytes * costs->move / 32;
    for (int32_t i = 0; i < sketch->ends.shuffles.count; ++i)
        row_cost += wide ? costs->shuffle + costs->source : dmlc_lane_cost(&sketch->end_shuffles.lanes[i], costs);
    return sketch->calls + sketch->rows * row_cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    plan->way = DMLC_ENDS;
    plan->leaf_axes = 1;
    plan->program.ends = sketch->ends;
    return dmlc_keep_shuffles(plan, &plan->program.ends.shuffles, &sketch->end_shuffles);
}

const dmlc_map_way dmlc_ends_way = {cost, make};
