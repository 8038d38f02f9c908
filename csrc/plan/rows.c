/* Rows one by one, piece by piece; or the same with permutations of bytes for their gathers. */
#include "plan/planner.h"

#include <math.h>

/* Rows that read more lines than twice as many as have places in the first-level cache, which are counted up to NEAR_LINES / 2, leave none
 * of them there for the next row. The second-level cache has FARTHER_TIMES as many places; for it they are counted up to FARTHER_LINES.
 * From a step of LONG_STEP bytes on, a chunk costs twice as much. */
enum { NEAR_LINES = 128, FARTHER_LINES = 512, FARTHER_TIMES = 16, LONG_STEP = 1024 };

/* Whether a line has left a cache that keeps `near` lines before an outer axis comes back to it for another of its
 * elements. Where none comes back, every way reads each line once; but of a long row, pages are lost too. */
static bool loses_its_lines(const dmlc_sketch *sketch, int64_t distance, int64_t near)
{
    const dmlc_plan *plan = sketch->plan;
    int64_t lines = distance < DMLC_LINE_BYTES ? sketch->row.size / 2 : sketch->row.size;
    for (int32_t i = plan->axis_count - 2; i >= 0; --i) {
        if (sketch->distances[i] <= DMLC_LINE_BYTES / 2)
            return lines > near;
        lines *= plan->axes[i].size;
    }
    return distance >= DMLC_LINE_BYTES && sketch->row.size > near;
}

/* Rows whose chunks move_rows has a loop for, see move_template.inc. */
static bool has_a_loop(const dmlc_row *row)
{
    const bool goes_wider = dmlc_row_is_dense(row) && dmlc_has_wider_move(row->chunk);
    return row->size <= DMLC_FEW_CHUNKS || (dmlc_has_moves(row->chunk) && !goes_wider);
}

/* Rows of one gather that have a loop for the number of their chunks. */
static bool is_few(const dmlc_row *row)
{
    return row->piece_count == 1 && row->size <= DMLC_FEW_CHUNKS && row->size > 1;
}

/* NULL where there is none, as in a row without permutations. */
static const dmlc_permutation *permutation_of(const dmlc_row_permutations *permutations, const dmlc_piece *piece)
{
    for (int32_t i = 0; permutations != NULL && i < permutations->count; ++i)
        if (permutations->list[i].unit_step == piece->step)
            return &permutations->list[i];
    return NULL;
}

/* Steps that the kernels know as constants, see steps.h and move_template.inc; 0 for others. */
static int64_t even_step(const dmlc_sketch *sketch, const dmlc_piece *piece)
{
    const int64_t chunk = sketch->row.chunk, step = piece->step / chunk;
    if (sketch->row.output_step != chunk || piece->step % chunk != 0 || dmlc_width_place(chunk) > 3)
        return 0;
    const int64_t most = dmlc_most_even_steps(chunk);
    const bool is_known = step == -1 || (sketch->abilities->even_steps && piece->count * chunk >= 8 &&
                                         ((step == -2 && most > 0) || (step >= 2 && step <= most)));
    return is_known ? step : 0;
}

/* What a chunk takes besides, where each is in a line of its own, or nearly so. */
static double far_cost(const dmlc_sketch *sketch, int64_t step)
{
    const dmlc_costs *costs = sketch->costs;
    const int64_t distance = dmlc_absolute(step);
    if (distance < DMLC_LINE_BYTES / 2)
        return 0;
    const int64_t places = dmlc_lines_in_cache(distance, NEAR_LINES / 2, DMLC_NEARLY_READ);
    const bool collides = places < NEAR_LINES / 2;
    /* What the first-level cache keeps the second one does, and to count its places takes as long as a small plan. */
    if (!loses_its_lines(sketch, distance, 2 * places))
        return 0;
    if (loses_its_lines(sketch, distance,
                        FARTHER_TIMES * dmlc_lines_in_cache(distance, FARTHER_LINES, DMLC_NEARLY_READ)))
        return collides ? 4 * costs->farther : costs->farther;
    return collides ? 2 * costs->farther : distance < LONG_STEP ? costs->far : 2 * costs->far;
}

/* What a chunk at an even step takes besides, where its row leaves the second-level cache before the next one reads the same lines:
 * planes of a large image each read all of it. */
static double again_cost(const dmlc_sketch *sketch, int64_t distance)
{
    enum { NEAR_BYTES = 512 * 1024 };
    const dmlc_plan *plan = sketch->plan;
    const bool comes_back = plan->axis_count > 1 && sketch->distances[plan->axis_count - 2] <= DMLC_LINE_BYTES / 2 &&
                            distance > sketch->row.chunk;
    return comes_back && sketch->row.size > NEAR_BYTES / distance ? (double)distance * sketch->costs->byte : 0;
}

/* A chunk at an even step. */
static double even_cost(const dmlc_sketch *sketch, const dmlc_piece *piece, int64_t step)
{
    enum { LONG_BYTES = 64 };
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = piece->count * sketch->row.chunk;
    const int64_t aligned = step == -1 ? DMLC_ALIGNED_REVERSED_BYTES : DMLC_ALIGNED_STEPS_BYTES;
    const double in_long_row = step != -1 && bytes >= LONG_BYTES ? costs->long_even_chunk : 1;
    const double share = bytes >= aligned ? costs->aligned_even_chunk : 1;
    return (double)dmlc_absolute(step) * costs->even_chunk[dmlc_width_place(sketch->row.chunk)] * in_long_row * share;
}

static double gather_cost(const dmlc_sketch *sketch, const dmlc_piece *piece, const dmlc_permutation *permutation)
{
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
    const int64_t step = even_step(sketch, piece);
    const double chunks = (double)piece->count, vectors = (double)dmlc_chunk_vectors(row->chunk);
    if (permutation != NULL && piece->count >= permutation->units) {
        /* Rows of a single gather share what sets it up. */
        const double calls = row->piece_count == 1 ? sketch->calls / costs->call / sketch->rows : 1;
        const double block = costs->permutation + dmlc_sources_cost(permutation, sketch->abilities);
        return calls * costs->setup + chunks * (block / (double)permutation->units + far_cost(sketch, piece->step));
    }
    if (step != 0)
        return chunks * (even_cost(sketch, piece, step) + again_cost(sketch, dmlc_absolute(step) * row->chunk));
    double chunk = vectors * (is_few(row) ? costs->few : costs->gather);
    if (dmlc_width_place(row->chunk) == DMLC_ANY_CHUNK && vectors < 2)
        chunk *= 2;
    return chunks * (chunk + far_cost(sketch, piece->step));
}

/* A byte of a short run. */
static double byte_cost(const dmlc_costs *costs) { return costs->move / 32; }

/* Bytes that are filled: short runs by vectors, long ones by a call. */
static double fill_cost(const dmlc_sketch *sketch, int64_t bytes)
{
    const dmlc_costs *costs = sketch->costs;
    const double vectors = (double)bytes * byte_cost(costs);
    const double call = 4 * costs->piece + (double)bytes * costs->filled_byte;
    return vectors < call ? vectors : call;
}

/* A chunk over and over, by a move each or from a pattern that is made first. */
static double repeat_cost(const dmlc_sketch *sketch, const dmlc_piece *piece)
{
    const dmlc_costs *costs = sketch->costs;
    const double moves = (double)(piece->count * dmlc_chunk_vectors(sketch->row.chunk)) * costs->move;
    const double filled = 3 * costs->piece + (double)(piece->count * sketch->row.chunk) * byte_cost(costs);
    return moves < filled ? moves : filled;
}

/* Rows of one gather are a loop of their own, where their chunks have one, and those of a few chunks do not even count. */
static double single_gather_cost(const dmlc_sketch *sketch, const dmlc_row_permutations *permutations)
{
    const dmlc_row *row = &sketch->row;
    const dmlc_piece *piece = &row->pieces[0];
    const dmlc_permutation *permutation = permutation_of(permutations, piece);
    const double one = sketch->costs->piece;
    const bool is_step = even_step(sketch, piece) != 0 && sketch->abilities->even_steps;
    double begin = 2 * one;
    if (permutation != NULL)
        begin = sketch->costs->permuted_row;
    else if (has_a_loop(row))
        begin = -(is_step ? 0.5 : is_few(row) ? 0.8 : 0.25) * one;
    return begin + one + gather_cost(sketch, piece, permutation);
}

/* An element over and over, by vectors: whole blocks of them take wide kernels less. At the price of narrow ones, rows of 121 to 128 bytes
 * went by shuffles, which took 1.2 to 1.6 times as long. */
static double repeated_vectors_cost(const dmlc_sketch *sketch)
{
    const double wide = dmlc_is_wide(sketch) ? 0.9 : 1;
    return 0.25 * sketch->costs->piece + wide * (double)sketch->row_bytes * byte_cost(sketch->costs);
}

static double single_cost(const dmlc_sketch *sketch, const dmlc_row_permutations *permutations)
{
    const dmlc_piece *piece = &sketch->row.pieces[0];
    const double one = sketch->costs->piece;
    switch (piece->operation) {
    case DMLC_COPY: return one + (double)piece->count * byte_cost(sketch->costs);
    case DMLC_GATHER: return single_gather_cost(sketch, permutations);
    case DMLC_FILL: return 3 * one + fill_cost(sketch, piece->count);
    case DMLC_REPEAT:
        return dmlc_row_repeats_by_vectors(&sketch->row) ? repeated_vectors_cost(sketch)
                                                         : 3 * one + repeat_cost(sketch, piece);
    default: return 3 * one;
    }
}

/* Of several pieces each is a call, and a gather's has more to look up before it begins. */
static double piece_cost(const dmlc_sketch *sketch, const dmlc_piece *piece, const dmlc_row_permutations *permutations)
{
    const double one = sketch->costs->piece, call = 1.3 * one;
    switch (piece->operation) {
    case DMLC_COPY: return call + (double)piece->count * byte_cost(sketch->costs);
    case DMLC_GATHER: return call + 2.5 * one + gather_cost(sketch, piece, permutation_of(permutations, piece));
    case DMLC_FILL: return call + fill_cost(sketch, piece->count) / 2;
    case DMLC_REPEAT: return call + 2 * repeat_cost(sketch, piece);
    case DMLC_REPLICATE:
        return call + 2 * one + (double)piece->count * (double)sketch->row.chunk * byte_cost(sketch->costs) / 2;
    default: return call;
    }
}

static double row_cost(const dmlc_sketch *sketch, const dmlc_row_permutations *permutations)
{
    const dmlc_row *row = &sketch->row;
    if (row->piece_count == 1)
        return single_cost(sketch, permutations);
    double cost = 0.4 * sketch->costs->piece;
    for (int32_t i = 0; i < row->piece_count; ++i)
        cost += piece_cost(sketch, &row->pieces[i], permutations);
    return cost;
}

/* Whether the rows of a block are the planes of a few dense pixels, which lanes go through in one pass, see pixels.h. Three planes of 4
 * bytes are permuted in less. */
static bool are_planes(const dmlc_sketch *sketch)
{
    enum { MOST_BYTES = 2048 };
    const dmlc_plan *plan = sketch->plan;
    const dmlc_axis *row = &plan->axes[plan->axis_count - 1];
    const int place = dmlc_width_place(plan->chunk);
    if (dmlc_is_wide(sketch) || plan->axis_count < 2 || place > 3 || sketch->costs->pixel_chunk[place] == 0)
        return false;
    const dmlc_axis *across = row - 1;
    return row->segments[0].step > 0 && dmlc_are_planes(row, across, plan->chunk) &&
           sketch->row_bytes <= MOST_BYTES / across->size && !(plan->chunk == 4 && across->size == 3);
}

static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const double rows = are_planes(sketch)
                            ? sketch->elements * sketch->costs->pixel_chunk[dmlc_width_place(sketch->plan->chunk)]
                            : sketch->rows * row_cost(sketch, NULL);
    return sketch->rest + sketch->calls + rows;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_ROWS;
    sketch->plan->leaf_axes = 1;
    sketch->plan->program.rows.row = sketch->row;
    return DMLC_OK;
}

const dmlc_map_way dmlc_rows_way = {cost, make, NULL};

static double permuted_cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    dmlc_row_permutations *permutations = &sketch->permutations;
    const dmlc_row *row = &sketch->row;
    permutations->count = 0;
    for (int32_t i = 0; i < row->piece_count && sketch->dense_row; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation != DMLC_GATHER || permutation_of(permutations, piece) != NULL ||
            permutations->count == DMLC_ROW_PERMUTATIONS)
            continue;
        dmlc_permutation *permutation = &permutations->list[permutations->count];
        dmlc_permute_chunks(permutation, sketch->abilities, row->chunk, piece->step);
        /* A block of a few chunks that have a loop of their own is a gather that costs more, and so is a block of a single small
         * chunk. Narrow kernels turn rows of 8 bytes by such a loop: by permutations random flips of 0.2 to 40 MB took 1.03 times as
         * long by mean, 1.8 at worst. */
        enum { FEWEST_UNITS = 4, TURNED_CHUNK = 8 };
        const bool has_units =
            permutation->units >= FEWEST_UNITS && (dmlc_is_wide(sketch) || row->chunk != TURNED_CHUNK);
        const bool is_full = 2 * permutation->units * row->chunk > sketch->abilities->block_bytes;
        const bool has_loop = dmlc_width_place(row->chunk) != DMLC_ANY_CHUNK;
        const bool pays =
            has_units || (permutation->units > 1 && !has_loop) || (permutation->units == 1 && !has_loop && is_full);
        permutations->count += pays && dmlc_permutes(permutation, sketch->abilities, piece->count);
    }
    return permutations->count == 0 ? (double)INFINITY
                                    : sketch->rest + sketch->calls + sketch->rows * row_cost(sketch, permutations);
}

static dmlc_status make_permuted(dmlc_sketch *sketch)
{
    dmlc_row_permutations *permutations = &sketch->plan->program.rows.permutations;
    make(sketch);
    sketch->plan->way = DMLC_PERMUTED_ROWS;
    *permutations = sketch->permutations;
    for (int32_t i = 0; i < permutations->count; ++i)
        dmlc_index_chunks(&permutations->list[i]);
    return DMLC_OK;
}

const dmlc_map_way dmlc_permuted_rows_way = {permuted_cost, make_permuted, NULL};
