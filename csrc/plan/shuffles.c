/* Boxes as shuffles, see shuffling.c. */
#include "plan/planner.h"

#include <math.h>

/* The fewest vectors of the input that a full block is made of. It has at least one whole part of the output, half as long, that begins
 * with a row: as many elements of each of the innermost axes as that holds. No vector has two chunks that begin `far` bytes apart. What was
 * counted reaches over `span` bytes, and its vectors begin `gap` apart at least; an axis whose elements would fall among them is left
 * out. */
static int64_t fewest_sources(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const int64_t block = sketch->abilities->block_bytes, far = block + plan->chunk - 1;
    if (!dmlc_box_is_dense(sketch) || sketch->box.copied_bytes < (double)sketch->box.bytes)
        return 1;
    int64_t sources = 1, span = 0, gap = INT64_MAX, left = block / 2 / plan->chunk;
    for (int32_t i = plan->axis_count - 1; i >= plan->axis_count - sketch->box.axes && left > 1; --i) {
        const int64_t size = dmlc_minimum(plan->axes[i].size, left), distance = sketch->distances[i];
        left /= size;
        if (!dmlc_axis_is_plain(&plan->axes[i]) || distance > INT32_MAX)
            continue;
        const int64_t reach = (size - 1) * distance;
        if (distance >= span + far) {
            sources *= size;
            gap = dmlc_minimum(gap, distance - span);
        } else if (reach <= gap - far) {
            sources *= (size - 1) / ((far - 1) / distance + 1) + 1;
            gap = dmlc_minimum(gap - reach, distance);
        } else {
            continue;
        }
        span += reach;
    }
    return sources;
}

/* All blocks full, each from as few sources as it can have. As if each had one, plans for transposes of five small axes took 1.2 times as
 * long: boxes were listed and shuffled to be given up. */
static double least(const dmlc_sketch *sketch)
{
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = sketch->box.bytes, block = sketch->abilities->block_bytes, sources = fewest_sources(sketch);
    const double full = dmlc_is_wide(sketch) ? (double)((sources + 1) / 2) * costs->shuffle
                                             : costs->shuffle + (double)(sources - 1) * costs->source;
    return (double)(bytes / block) * full + (double)(bytes % block) / (double)block * costs->shuffle;
}

/* Of what comes from memory, blocks that are not whole are loaded with masks, from which the processor fetches nothing ahead,
 * see the kernels. Rows of 18 to 40 bytes then took twice as long as by permutations, which fetch; for longer rows, each way has
 * masks. What is written with masks between other bytes took 1.4 to 1.8 times as long as by stores, and chunks that lie apart 2 to 3
 * times as long as one by one, in rows of 70 to 400 bytes in 29 to 48 MB. */
static const double NOT_FETCHED = 1.9, NOT_FETCHED_APART = 4;

/* Bytes that a run touches: of the input what is moved, and of an output that lies apart whole cache lines, since these are read before
 * they are written. */
static double bytes_touched(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const double span = (double)plan->axes[0].size * (double)plan->axes[0].output_step,
                 lines = DMLC_LINE_BYTES * sketch->elements;
    return dmlc_box_is_dense(sketch) ? (double)plan->bytes : (double)plan->bytes / 2 + (span < lines ? span : lines);
}

/* A shuffle is longer than what it moves, and each box reads all of them anew, which takes longest in boxes of many rows that are copies.
 * On Zen 4, 20 KB to 4 MB of rows of 80 to 2,000 bytes, so many as make boxes of 2 to 2.9 KB, took 0.96 to 0.99 of the time by rows by
 * mean, of 2.9 to 4 KB 0.91 to 0.95, 0.61 at best; smaller boxes up to 1.6 times as long, and so did boxes of three axes, which rows take
 * a few at a time. */
static double times_many(const dmlc_sketch *sketch)
{
    enum { MOST_BYTES = 2 * 1024 };
    const bool are_many = dmlc_row_is_copy(&sketch->row) && sketch->box.axes == 2 && sketch->box.bytes > MOST_BYTES;
    return are_many ? sketch->costs->many_shuffles : 1;
}

static double times_from_memory(const dmlc_sketch *sketch)
{
    enum { FROM_MEMORY = 24 * 1024 * 1024 };
    if (dmlc_copies_are_far(sketch))
        return 2;
    if ((sketch->dense_row && sketch->row_bytes > DMLC_BLOCK_BYTES) || bytes_touched(sketch) < FROM_MEMORY)
        return 1;
    for (int32_t i = 0; i < sketch->shuffle_count; ++i)
        if (sketch->shuffles.blocks[i].written != ~UINT64_C(0))
            return sketch->dense_row ? NOT_FETCHED : NOT_FETCHED_APART;
    return 1;
}

/* Of a box' blocks, or lanes, of which sketch->shuffle_count is negative where they do not fit or cost more than `most`. */
static double blocks_cost(dmlc_sketch *sketch, double most)
{
    const dmlc_runs *runs = &sketch->box.runs;
    const double one = sketch->costs->shuffle, count = most / one;
    const int32_t fitting = count < DMLC_MOST_SHUFFLES ? (int32_t)count : DMLC_MOST_SHUFFLES;
    sketch->shuffle_count =
        dmlc_shuffle_blocks(sketch->shuffles.blocks, fitting, runs, sketch->plan->width, runs->first, runs->end);
    return sketch->shuffle_count * one * times_from_memory(sketch) * times_many(sketch);
}

/* How many times as long lanes take in boxes whose rows are copies, of which those that go together do not stay in the first-level cache
 * until their lines are whole. On Zen 3, two to nine planes of rows of 100 to 280 bytes as one took 1.1 to 1.5 times as long as by rows in
 * 0.2 to 3 MB, 1.5 to 2.8 times in 13 to 24 MB. Smaller boxes took 0.5 to 0.9 of the time in the cache; what moves more goes past it box by
 * box, which took half as long as rows where it is reversed. Boxes with borders took up to 1.4 times as long by rows.
 *
 * Boxes of more than two axes may be larger, since without them rows, or boxes of fewer axes, go by calls of a few rows each. Two by two
 * rows of 240 bytes took, on Zen 4, 0.44 of the time as one box that they took by boxes of two rows, and by rows 0.55. */
static double times_crowded(const dmlc_sketch *sketch)
{
    enum { MOST_BYTES = 1024, MOST_BYTES_OF_AXES = 3 * 1024, PAST_CACHE_BYTES = 24 * 1024 * 1024 };
    const double moved = (double)sketch->box.bytes + sketch->box.copied_bytes;
    const bool is_crowded = moved > (sketch->box.axes > 2 ? MOST_BYTES_OF_AXES : MOST_BYTES);
    return is_crowded && dmlc_row_is_copy(&sketch->row) && sketch->plan->bytes <= PAST_CACHE_BYTES ? 1.5 : 1;
}

static double lanes_cost(dmlc_sketch *sketch, double most)
{
    const dmlc_runs *runs = &sketch->box.runs;
    double cost = 0;
    sketch->shuffle_count = dmlc_shuffle_lanes(sketch->shuffles.lanes, sketch->costs, most, runs, sketch->plan->width,
                                               runs->first, runs->end);
    for (int32_t i = 0; i < sketch->shuffle_count; ++i)
        cost += dmlc_lane_cost(&sketch->shuffles.lanes[i], sketch->costs);
    return cost * times_crowded(sketch) * dmlc_times_far(sketch);
}

/* With the largest box of so many bytes at most. */
static double cost_within(dmlc_sketch *sketch, int64_t most_bytes, double best)
{
    if (!dmlc_find_box(sketch, most_bytes, best, least) || dmlc_boxes_are_sparse(sketch))
        return (double)INFINITY;
    const dmlc_listing *box = &sketch->box;
    const double most = (best - box->rest) / box->boxes - box->call;
    const double cost = dmlc_is_wide(sketch) ? blocks_cost(sketch, most) : lanes_cost(sketch, most);
    return sketch->shuffle_count <= 0 ? (double)INFINITY : box->rest + box->boxes * (box->call + cost);
}

static double cost(dmlc_sketch *sketch, double best)
{
    if (sketch->abilities->block_bytes == 0)
        return (double)INFINITY;
    double cost = cost_within(sketch, dmlc_is_wide(sketch) ? DMLC_BOX_BYTES : DMLC_LANES_BOX_BYTES, best);
    /* What a block of a box reads may be too far apart, but not in a smaller box. */
    while (cost >= best && sketch->box.axes > 1)
        cost = cost_within(sketch, sketch->box.bytes - 1, best);
    return cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_shuffles *made = &plan->program.shuffles;
    plan->way = DMLC_SHUFFLES;
    plan->leaf_axes = sketch->box.axes;
    made->box = dmlc_box_of(sketch);
    dmlc_box_read_in_order(&made->box, sketch, !dmlc_is_wide(sketch));
    made->shuffles = (dmlc_shuffle_list){.wide = dmlc_is_wide(sketch), .count = sketch->shuffle_count};
    return dmlc_keep_shuffles(plan, &made->shuffles, &sketch->shuffles);
}

const dmlc_map_way dmlc_shuffles_way = {cost, make, NULL};
