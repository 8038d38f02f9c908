/* The ends of rows in blocks of a whole vector, for kernels that shuffle bytes across one; ends_lanes.h has the others. */
#ifndef DMLC_KERNELS_ENDS_BLOCKS_H
#define DMLC_KERNELS_ENDS_BLOCKS_H

#include "kernels/rows.h"
#include "kernels/shuffles_blocks.h"

#if defined(__AVX512VBMI__)

typedef struct end_vectors {
    __m512i index;
    __mmask64 low, high, filled;
} end_vectors;

static inline end_vectors end_vectors_of(const shuffle *end)
{
    return (end_vectors){_mm512_loadu_si512(end->index), end->read[0], end->read[1], end->filled};
}

/* From one source that is read whole, as borders are that a vector holds, or from what is read of two. */
static ALWAYS_INLINE void store_end(end_vectors end, __m512i fill, char *output, const char *input, const bool whole)
{
    __m512i bytes;
    if (whole)
        bytes = _mm512_permutexvar_epi8(end.index, _mm512_loadu_si512(input));
    else
        bytes = _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(end.low, input), end.index,
                                         _mm512_maskz_loadu_epi8(end.high, input + 64));
    _mm512_storeu_si512(output, _mm512_mask_mov_epi8(bytes, end.filled, fill));
}

/* A block on either side, the windows of each side by side: all that a row takes fits into registers. With windows apart it
 * does not, and took 1.3 times as long. */
static ALWAYS_INLINE void single_ends_by(const dmlc_ends *program, const dmlc_block *block, const bool whole)
{
    const shuffle *head = &program->shuffles.of.blocks[0], *tail = &program->shuffles.of.blocks[1];
    const end_vectors head_vectors = end_vectors_of(head), tail_vectors = end_vectors_of(tail);
    const __m512i fill = _mm512_loadu_si512(block->pattern->bytes);
    const int64_t output_step = block->output_step, input_step = block->input_step, count = block->count;
    const int64_t tail_output = tail->output, tail_input = tail->inputs[0] - head->inputs[0];
    const int64_t copy_input = program->copy_input - head->inputs[0], bytes = program->copy_bytes;
    char *first_output = block->output;
    const char *first_input = block->input + head->inputs[0];
    /* A single row may have any step: none is added behind the last. */
    for (int64_t r = 0; r < count; ++r) {
        char *output = first_output + r * output_step;
        const char *input = first_input + r * input_step;
        store_end(head_vectors, fill, output, input, whole);
        copy_bytes(output + DMLC_BLOCK_BYTES, input + copy_input, bytes);
        store_end(tail_vectors, fill, output + tail_output, input + tail_input, whole);
    }
}

static APART void whole_ends(const dmlc_ends *program, const dmlc_block *block)
{
    single_ends_by(program, block, true);
}

static APART void masked_ends(const dmlc_ends *program, const dmlc_block *block)
{
    single_ends_by(program, block, false);
}

/* Rows are gone through some at a time: a block of all of them, then the next, so that what a block needs is loaded once. In the
 * cache, as many as stay in its first level; the copies last took 0.9 of the time of the other order. What is not in the cache is
 * written nearly in order, so that memory is gone through line after line, which took 0.35 to 0.9 of the time. Short rows go a KB
 * at a time: one by one they took up to 1.9 times as long where the cache held them after all. */
static int64_t rows_together(const dmlc_ends *program, const dmlc_block *block)
{
    enum { NEAR_BYTES = 16 * 1024, SHORT_ROW = 512 };
    if (!block->writes_in_order)
        return 1 + NEAR_BYTES / program->bytes;
    return program->bytes < SHORT_ROW ? 1 + 2 * SHORT_ROW / program->bytes : 1;
}

static APART void many_ends(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *all = program->shuffles.of.blocks;
    const int32_t shuffle_count = program->shuffles.count;
    const int64_t output_step = block->output_step, input_step = block->input_step;
    const int64_t copy_output = program->copy_output, copy_input = program->copy_input, bytes = program->copy_bytes;
    const int64_t together = rows_together(program, block);
    dmlc_block rows = *block;
    for (int64_t r = 0; r < block->count; r += together) {
        rows.count = dmlc_minimum(block->count - r, together);
        rows.output = block->output + r * output_step;
        rows.input = block->input + r * input_step;
        if (bytes > 0 && block->far)
            copy_rows(rows.output + copy_output, output_step, rows.input + copy_input, input_step, rows.count, bytes);
        for (int32_t i = 0; i < shuffle_count; ++i)
            run_shuffle(&all[i], rows, false);
        if (bytes > 0 && !block->far)
            copy_rows(rows.output + copy_output, output_step, rows.input + copy_input, input_step, rows.count, bytes);
    }
}

static bool is_single_window(const shuffle *end) { return end->inputs[1] == end->inputs[0] + DMLC_BLOCK_BYTES; }

static void ends_in_cache(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *head = &program->shuffles.of.blocks[0], *tail = &program->shuffles.of.blocks[1];
    const bool are_single = program->shuffles.count == 2 && is_single_window(head) && is_single_window(tail);
    if (are_single && is_one_source(head) && is_one_source(tail))
        whole_ends(program, block);
    else if (are_single)
        masked_ends(program, block);
    else
        many_ends(program, block);
}

#endif

#endif
