/* Rows whose gathers are permutations of bytes. */
#include "plan/planner.h"

#include <math.h>

static bool is_known(const dmlc_permuted_rows *permuted, int64_t step)
{
    for (int32_t i = 0; i < permuted->count; ++i)
        if (permuted->permutations[i].unit_step == step)
            return true;
    return false;
}

static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    dmlc_permuted_rows *permuted = &sketch->permuted_rows;
    const dmlc_row *row = &sketch->row;
    permuted->count = 0;
    for (int32_t i = 0; i < row->piece_count && sketch->dense_row; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation != DMLC_GATHER || is_known(permuted, piece->step) ||
            permuted->count == DMLC_ROW_PERMUTATIONS)
            continue;
        dmlc_permutation *permutation = &permuted->permutations[permuted->count];
        dmlc_permute_chunks(permutation, sketch->abilities, row->chunk, piece->step);
        /* A block of a single small chunk is a gather that costs more. */
        const bool is_full = 2 * permutation->units * row->chunk > sketch->abilities->block_bytes;
        permuted->count +=
            (permutation->units > 1 || is_full) && permutation->units > 0 && piece->count >= permutation->units;
    }
    return permuted->count == 0 ? (double)INFINITY : sketch->calls + sketch->rows * dmlc_row_cost(sketch, permuted);
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_PERMUTED_ROWS;
    sketch->plan->leaf_axes = 1;
    sketch->permuted_rows.row = sketch->row;
    sketch->plan->program.permuted_rows = sketch->permuted_rows;
    return DMLC_OK;
}

const dmlc_map_way dmlc_permuted_rows_way = {cost, make};
