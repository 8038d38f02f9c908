/* Rows that are one long copy but for a few bytes at their ends: a border around an image, whatever fills it. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

/* In longer rows the ends cost little beside the copy, and rows by pieces can be shared among threads, which these cannot. */
enum { LONGEST_ROW = 16 * 1024 };

/* The longest copy, where it leaves at most so many bytes on either side. */
static const dmlc_piece *find_copy(const dmlc_row *row, int64_t bytes)
{
    const int64_t most = DMLC_MOST_END_BYTES;
    const dmlc_piece *longest = NULL;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation == DMLC_COPY && (longest == NULL || piece->count > longest->count))
            longest = piece;
    }
    const bool fits = longest != NULL && longest->output <= most && longest->output + longest->count >= bytes - most;
    return fits ? longest : NULL;
}

/* `count` wide blocks of the row's end, from byte `begin` on; false where the sources of one are too far apart. A single one may
 * read what the copy reads, and so a whole vector. */
static bool shuffle_blocks(const dmlc_row *row, const dmlc_piece *copy, int64_t begin, int64_t count, int64_t width,
                           dmlc_shuffle *blocks)
{
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = begin + i * DMLC_BLOCK_BYTES;
        dmlc_runs runs;
        if (!dmlc_runs_of_row(&runs, row, at, at + DMLC_BLOCK_BYTES))
            return false;
        const int64_t first = count == 1 ? dmlc_minimum(copy->input, runs.first) : runs.first;
        const int64_t end = count == 1 ? dmlc_maximum(copy->input + copy->count, runs.end) : runs.end;
        if (dmlc_shuffle_blocks(&blocks[i], 1, &runs, width, first, end) != 1)
            return false;
    }
    return true;
}

/* Bytes [begin, end) of the row as lanes, which may read what the copy reads and what they read themselves. */
static bool shuffle_lanes(const dmlc_sketch *sketch, const dmlc_piece *copy, int64_t begin, int64_t end,
                          dmlc_lane_shuffle *lanes)
{
    dmlc_runs runs;
    if (!dmlc_runs_of_row(&runs, &sketch->row, begin, end))
        return false;
    return dmlc_shuffle_lanes(lanes, sketch->costs, (double)INFINITY, &runs, sketch->plan->width,
                              dmlc_minimum(copy->input, runs.first),
                              dmlc_maximum(copy->input + copy->count, runs.end)) >= 0;
}

/* One at least. */
static int64_t blocks_of(int64_t bytes) { return bytes > 0 ? (bytes + DMLC_BLOCK_BYTES - 1) / DMLC_BLOCK_BYTES : 1; }

/* One block may be of both ends. */
bool dmlc_ends_have_room(const dmlc_piece *copy, int64_t bytes)
{
    const int64_t heads = blocks_of(copy->output), tails = blocks_of(bytes - copy->output - copy->count);
    return (heads + tails - 1) * DMLC_BLOCK_BYTES < bytes;
}

/* How many blocks stand at either end, and what is copied between them; false where the two would share a block or more. */
static bool place_blocks(dmlc_ends *ends, const dmlc_piece *copy, int64_t bytes)
{
    const int64_t heads = blocks_of(copy->output), tails = blocks_of(bytes - copy->output - copy->count);
    const int64_t head_bytes = heads * DMLC_BLOCK_BYTES, tail_begin = bytes - tails * DMLC_BLOCK_BYTES;
    *ends = (dmlc_ends){
        .bytes = bytes,
        .copy_output = head_bytes,
        .copy_input = copy->input + head_bytes - copy->output,
        .copy_bytes = tail_begin > head_bytes ? tail_begin - head_bytes : 0,
        .head_count = (int32_t)heads,
        .shuffles = {.wide = true, .count = (int32_t)(heads + tails)},
    };
    return dmlc_ends_have_room(copy, bytes);
}

static bool find_blocks(dmlc_sketch *sketch, const dmlc_piece *copy)
{
    const int64_t width = sketch->plan->width, heads = sketch->ends.head_count;
    const int64_t tails = sketch->ends.shuffles.count - heads;
    dmlc_shuffle *blocks = sketch->end_shuffles.blocks;
    return shuffle_blocks(&sketch->row, copy, 0, heads, width, blocks) &&
           shuffle_blocks(&sketch->row, copy, sketch->row_bytes - tails * DMLC_BLOCK_BYTES, tails, width,
                          blocks + heads);
}

/* Whether some lanes are the same bytes of one source, as edges are of pixels that divide a lane. */
static bool is_repeated(const dmlc_lane_shuffle *lanes, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        if (lanes[i].source_count != 1 || lanes[i].fills || lanes[i].inputs[0] != lanes[0].inputs[0] ||
            memcmp(lanes[i].index[0], lanes[0].index[0], sizeof(lanes[0].index[0])) != 0)
            return false;
    return count > 1;
}

static int64_t lanes_of(int64_t bytes) { return (bytes + DMLC_LANE_BYTES - 1) / DMLC_LANE_BYTES; }

/* The same of lanes; false where an end's would not fit into the row. */
static bool place_lanes(dmlc_ends *ends, const dmlc_piece *copy, int64_t bytes)
{
    const int64_t heads = lanes_of(copy->output), tails = lanes_of(bytes - copy->output - copy->count);
    *ends = (dmlc_ends){
        .bytes = bytes,
        .copy_output = copy->output,
        .copy_input = copy->input,
        .copy_bytes = copy->count,
        .head_count = (int32_t)heads,
        .shuffles = {.wide = false, .count = (int32_t)(heads + tails)},
    };
    return heads * DMLC_LANE_BYTES <= bytes && tails * DMLC_LANE_BYTES <= bytes;
}

static bool find_lanes(dmlc_sketch *sketch, const dmlc_piece *copy)
{
    const int64_t bytes = sketch->row_bytes;
    const int32_t heads = sketch->ends.head_count, tails = sketch->ends.shuffles.count - heads;
    dmlc_lane_shuffle *lanes = sketch->end_shuffles.lanes;
    if (!shuffle_lanes(sketch, copy, 0, heads * DMLC_LANE_BYTES, lanes) ||
        !shuffle_lanes(sketch, copy, bytes - tails * DMLC_LANE_BYTES, bytes, lanes + heads))
        return false;
    sketch->ends.repeated = is_repeated(lanes, heads) && is_repeated(lanes + heads, tails);
    return true;
}

static double cost(dmlc_sketch *sketch, double best)
{
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = sketch->row_bytes;
    const bool wide = dmlc_is_wide(sketch);
    const dmlc_piece *copy = find_copy(row, bytes);
    dmlc_ends *ends = &sketch->ends;
    if (sketch->plan->axis_count < 2 || !sketch->dense_row || row->piece_count < 2 || copy == NULL ||
        bytes > LONGEST_ROW || sketch->abilities->block_bytes == 0)
        return (double)INFINITY;
    if (wide ? !place_blocks(ends, copy, bytes) : !place_lanes(ends, copy, bytes))
        return (double)INFINITY;
    /* What shuffles need is put together at each call. */
    const double calls = 1.5 * sketch->calls;
    double row_cost = 0.6 * costs->piece + (double)ends->copy_bytes * costs->move / 32;
    /* Lanes that are all the same are looked up once. Nothing is listed where even shuffles of one source each would cost too much. */
    const double same = 0.25 * costs->shuffle;
    const double least = !wide && row->pieces[0].operation == DMLC_REPEAT ? same : costs->shuffle;
    if (sketch->rest + calls + sketch->rows * (row_cost + ends->shuffles.count * least) >= best)
        return (double)INFINITY;
    if (wide ? !find_blocks(sketch, copy) : !find_lanes(sketch, copy))
        return (double)INFINITY;
    if (wide)
        row_cost += ends->shuffles.count * (costs->shuffle + costs->source);
    else if (ends->repeated)
        row_cost += ends->shuffles.count * same;
    else
        for (int32_t i = 0; i < ends->shuffles.count; ++i)
            row_cost += dmlc_lane_cost(&sketch->end_shuffles.lanes[i], costs);
    return sketch->rest + calls + sketch->rows * row_cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    plan->way = DMLC_ENDS;
    plan->leaf_axes = 1;
    plan->program.ends = sketch->ends;
    return dmlc_keep_shuffles(plan, &plan->program.ends.shuffles, &sketch->end_shuffles);
}

const dmlc_map_way dmlc_ends_way = {cost, make, NULL};
