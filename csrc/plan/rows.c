/* Rows one by one, piece by piece; or the same with permutations of bytes for their gathers. */
#include "plan/planner.h"

#include <math.h>

/* Rows that read more lines than these leave none of them in the first-level cache for the next; with up to twice as many as
 * share their places there, they leave enough. */
enum { LINE_BYTES = 64, NEAR_LINES = 128 };

/* Whether a line has left that cache, where so many are near, before an outer axis comes back to it for another of its
 * elements. Where none comes back, every way reads each line once; but of a long row, pages are lost too. */
static bool loses_its_lines(const dmlc_sketch *sketch, int64_t near)
{
    const dmlc_plan *plan = sketch->plan;
    int64_t lines = sketch->row.size;
    for (int32_t i = plan->axis_count - 2; i >= 0; --i) {
        if (sketch->distances[i] <= LINE_BYTES / 2)
            return lines > near;
        lines *= plan->axes[i].size;
    }
    return sketch->row.size > near;
}

/* Chunks that move_rows has a loop for, see move_template.inc. */
static bool has_a_loop(int64_t chunk) { return dmlc_width_place(chunk) != DMLC_ANY_CHUNK || chunk == 32; }

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
    const bool is_known = step == -1 || (sketch->abilities->even_steps && piece->count * chunk >= 8 &&
                                         (step == -2 || (step >= 2 && step <= 4)));
    return is_known ? step : 0;
}

static double gather_cost(const dmlc_sketch *sketch, const dmlc_piece *piece, const dmlc_permutation *permutation)
{
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
    const int64_t step = even_step(sketch, piece);
    if (permutation != NULL && piece->count >= permutation->units) {
        /* Rows of a single gather share what sets it up. */
        const double calls = row->piece_count == 1 ? sketch->calls / costs->call / sketch->rows : 1;
        return calls * costs->setup + (double)piece->count / (double)permutation->units *
                                          (costs->permutation + dmlc_sources_cost(permutation, sketch->abilities));
    }
    if (step != 0)
        return (double)(piece->count * (step < 0 ? -step : step)) * costs->even_chunk[dmlc_width_place(row->chunk)];
    const int64_t distance = piece->step < 0 ? -piece->step : piece->step;
    const bool is_far =
        distance >= LINE_BYTES && loses_its_lines(sketch, 2 * dmlc_lines_in_cache(distance, NEAR_LINES / 2));
    return (double)piece->count * ((double)dmlc_chunk_vectors(row->chunk) * costs->gather + (is_far ? costs->far : 0));
}

/* A chunk over and over, by a move each or from a pattern that is made first. */
static double repeat_cost(const dmlc_sketch *sketch, const dmlc_piece *piece)
{
    const dmlc_costs *costs = sketch->costs;
    const double moves = (double)(piece->count * dmlc_chunk_vectors(sketch->row.chunk)) * costs->move;
    const double filled = 3 * costs->piece + (double)(piece->count * sketch->row.chunk) * costs->move / 32;
    return moves < filled ? moves : filled;
}

static double row_cost(const dmlc_sketch *sketch, const dmlc_row_permutations *permutations)
{
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
    const double vector = costs->move / 32; /* a byte of a short run */
    if (row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY)
        return costs->piece + (double)row->pieces[0].count * vector;
    double cost = 2 * costs->piece;
    /* Rows of one gather are a loop of their own, where their chunks have one; the more so those of a few chunks. */
    enum { MOST_UNROLLED = 7 };
    const dmlc_piece *first = &row->pieces[0];
    if (row->piece_count == 1 && first->operation == DMLC_GATHER) {
        if (permutation_of(permutations, first) != NULL)
            cost = costs->permuted_row;
        else if (has_a_loop(row->chunk))
            cost = -(even_step(sketch, first) != 0 ? 0.5 : first->count > MOST_UNROLLED ? 0.25 : 0.75) * costs->piece;
    }
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        cost += costs->piece;
        if (piece->operation == DMLC_GATHER)
            cost += gather_cost(sketch, piece, permutation_of(permutations, piece));
        else if (piece->operation == DMLC_COPY || piece->operation == DMLC_FILL)
            cost += (double)piece->count * vector;
        else if (piece->operation == DMLC_REPEAT)
            cost += repeat_cost(sketch, piece);
    }
    return cost;
}

static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    return sketch->calls + sketch->rows * row_cost(sketch, NULL);
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_ROWS;
    sketch->plan->leaf_axes = 1;
    sketch->plan->program.rows.row = sketch->row;
    return DMLC_OK;
}

const dmlc_map_way dmlc_rows_way = {cost, make};

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
        /* A block of a single small chunk is a gather that costs more. */
        const bool is_full = 2 * permutation->units * row->chunk > sketch->abilities->block_bytes;
        permutations->count +=
            (permutation->units > 1 || is_full) && permutation->units > 0 && piece->count >= permutation->units;
    }
    return permutations->count == 0 ? (double)INFINITY : sketch->calls + sketch->rows * row_cost(sketch, permutations);
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

const dmlc_map_way dmlc_permuted_rows_way = {permuted_cost, make_permuted};
