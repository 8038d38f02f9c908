/* Rows whose gathers are permutations of bytes, see dmlc_permuted_rows. */
#ifndef DMLC_KERNELS_PERMUTED_ROWS_H
#define DMLC_KERNELS_PERMUTED_ROWS_H

#include "kernels/permutations.h"
#include "kernels/rows.h"

/* The one for a piece that it can serve; NULL where there is none. */
static const dmlc_permutation *permutation_of(const dmlc_permuted_rows *permuted, const dmlc_piece *piece)
{
    if (piece->operation != DMLC_GATHER)
        return NULL;
    for (int32_t i = 0; i < permuted->count; ++i)
        if (permuted->permutations[i].unit_step == piece->step &&
            permute_fits(&permuted->permutations[i], piece->count))
            return &permuted->permutations[i];
    return NULL;
}

typedef struct permuted_gather {
    const dmlc_permutation *permutation;
    const dmlc_pattern *pattern;
    gather_steps steps;
} permuted_gather;

static void gather_by_permutation(const void *context, char *to, const char *from, int64_t count)
{
    const permuted_gather *gather = context;
    if (permute_fits(gather->permutation, count))
        permute(gather->permutation, to, 0, from, 0, 1, count, gather->pattern);
    else
        gather_by_step(&gather->steps, to, from, count);
}

static void permuted_rows(const dmlc_permuted_rows *permuted, const dmlc_row *row, const dmlc_block *block)
{
    if (is_staged(row, block)) {
        char stage[STAGE_BYTES];
        dmlc_block staged;
        for (int64_t r = 0; r < block->count; r += staged.count) {
            staged = stage_begin(block, r, row->size * row->chunk, stage);
            permuted_rows(permuted, row, &staged);
            stage_end(block, &staged, r);
        }
        return;
    }
    const dmlc_permutation *permutations[DMLC_MAXIMUM_PIECES];
    for (int32_t i = 0; i < row->piece_count; ++i)
        permutations[i] = permutation_of(permuted, &row->pieces[i]);
    char *output = block->output;
    const char *input = block->input;
    if (row->piece_count == 1 && permutations[0] != NULL && block->stream == NULL) {
        permute(permutations[0], output, block->output_step, input + row->pieces[0].input, block->input_step,
                block->count, row->pieces[0].count, block->pattern);
        return;
    }
    for (int64_t r = 0; r < block->count; ++r) {
        for (int32_t i = 0; i < row->piece_count; ++i) {
            const dmlc_piece *piece = &row->pieces[i];
            char *to = output + r * block->output_step + piece->output;
            const char *from = input + r * block->input_step + piece->input;
            if (permutations[i] == NULL) {
                run_piece(piece, row, to - piece->output, from - piece->input, block->pattern, block->stream);
                continue;
            }
            const permuted_gather gather = {permutations[i], block->pattern, {piece->step, row->chunk}};
            if (gather_is_staged(piece, row, block->stream))
                stage_gather(piece, row, to, from, block->stream, gather_by_permutation, &gather);
            else
                permute(permutations[i], to, 0, from, 0, 1, piece->count, block->pattern);
        }
    }
}

#endif
