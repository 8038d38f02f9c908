/* Rows of units of at most a block, as many as fit at once, see dmlc_short_rows. */
#ifndef DMLC_KERNELS_SHORT_ROWS_H
#define DMLC_KERNELS_SHORT_ROWS_H

#include "kernels/permutations.h"
#include "kernels/rows.h"

#if defined(DMLC_HAVE_LOOK_UP)

/* A few units, byte by byte. */
static void units_by_bytes(const dmlc_permutation *permutation, char *output, const char *input, int64_t units,
                           const dmlc_pattern *pattern)
{
    const int64_t step = permutation->unit_step, bytes = permutation->unit_bytes;
    input += permutation->begin + (step < 0 ? (permutation->units - 1) * step : 0);
    for (int64_t i = 0; i < units; ++i)
        for (int64_t byte = 0; byte < bytes; ++byte)
            output[i * bytes + byte] = permutation->filled >> byte & 1 ? (char)pattern->bytes[byte]
                                                                       : input[i * step + permutation->index[byte]];
}

static void short_rows_in_cache(const dmlc_permutation *permutation, int64_t rows, int64_t units,
                                const dmlc_block *block)
{
    char *output = block->output;
    const char *input = block->input;
    if (permute_fits(permutation, units)) {
        permute(permutation, output, block->output_step, input, block->input_step, rows, units, block);
        return;
    }
    /* One unit over and over, as edges have: byte by byte it took up to ten times as long. */
    const int64_t different = permutation->unit_step == 0 ? 1 : units, bytes = permutation->unit_bytes;
    for (int64_t r = 0; r < rows; ++r) {
        units_by_bytes(permutation, output, input, different, block->pattern);
        if (different < units)
            repeat(output + bytes, output, units - 1, bytes);
        output += block->output_step;
        input += block->input_step;
    }
}

/* One row, as many units at a time as there is room for in the stage. */
static void short_row_in_stage(const dmlc_permutation *permutation, int64_t units, char *output, const char *input,
                               const dmlc_block *block)
{
    dmlc_block all = *block;
    all.output = output;
    all.output_step = permutation->unit_bytes;
    all.input = input;
    all.input_step = permutation->unit_step;
    all.count = units;
    dmlc_block staged;
    for (int64_t i = 0; i < units; i += staged.count) {
        staged = staged_block(&all, i, permutation->unit_bytes);
        short_rows_in_cache(permutation, 1, staged.count, &staged);
    }
}

static void short_rows(const dmlc_permutation *permutation, int64_t rows, int64_t units, const dmlc_block *block)
{
    if (block->stream == NULL) {
        short_rows_in_cache(permutation, rows, units, block);
        return;
    }
    if (permute_fits(permutation, units)) {
        staged_rows(permutation, permutation->unit_bytes, permutation->unit_step, block->output, block->output_step,
                    block->input, block->input_step, rows, units, block);
        return;
    }
    for (int64_t r = 0; r < rows; ++r)
        short_row_in_stage(permutation, units, block->output + r * block->output_step,
                           block->input + r * block->input_step, block);
}

#endif

#endif
