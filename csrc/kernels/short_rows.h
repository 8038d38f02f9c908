/* Rows of at most a block, as many as fit at once, see dmlc_short_rows. */
#ifndef DMLC_KERNELS_SHORT_ROWS_H
#define DMLC_KERNELS_SHORT_ROWS_H

#include "kernels/permutations.h"
#include "kernels/rows.h"

#if defined(DMLC_HAVE_LOOK_UP)

/* A few rows, byte by byte. */
static void short_rows_by_bytes(const dmlc_permutation *permutation, char *output, const char *input, int64_t count,
                                const dmlc_pattern *pattern)
{
    const int64_t step = permutation->unit_step, bytes = permutation->unit_bytes;
    input += permutation->begin + (step < 0 ? (permutation->units - 1) * step : 0);
    for (int64_t r = 0; r < count; ++r)
        for (int64_t byte = 0; byte < bytes; ++byte)
            output[r * bytes + byte] = permutation->filled >> byte & 1 ? (char)pattern->bytes[byte]
                                                                       : input[r * step + permutation->index[byte]];
}

static void short_rows_in_cache(const dmlc_permutation *permutation, const dmlc_block *block)
{
    char *output = block->output;
    const char *input = block->input;
    const int64_t count = block->count;
    if (permute_fits(permutation, count)) {
        permute(permutation, output, 0, input, 0, 1, count, block);
        return;
    }
    /* One row over and over, as edges have: byte by byte it took up to ten times as long. */
    const int64_t different = permutation->unit_step == 0 ? 1 : count, bytes = permutation->unit_bytes;
    short_rows_by_bytes(permutation, output, input, different, block->pattern);
    if (different < count)
        repeat(output + bytes, output, count - 1, bytes);
}

static void short_rows(const dmlc_permutation *permutation, const dmlc_block *block)
{
    if (block->stream == NULL) {
        short_rows_in_cache(permutation, block);
        return;
    }
    if (permute_fits(permutation, block->count)) {
        staged_rows(permutation, permutation->unit_bytes, permutation->unit_step, block->output, 0, block->input, 0, 1,
                    block->count, block);
        return;
    }
    dmlc_block staged;
    for (int64_t r = 0; r < block->count; r += staged.count) {
        staged = staged_block(block, r, permutation->unit_bytes);
        short_rows_in_cache(permutation, &staged);
    }
}

#endif

#endif
