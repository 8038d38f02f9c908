/* Rows that are one long copy but for their ends, which are shuffles, see dmlc_ends. */
#ifndef DMLC_KERNELS_ENDS_H
#define DMLC_KERNELS_ENDS_H

#if defined(__AVX512VBMI__)
#include "kernels/ends_blocks.h"
#else
#include "kernels/ends_lanes.h"
#endif

#if defined(DMLC_HAVE_LOOK_UP)

/* Past the cache a row is written in order: head, copy, tail. Ends have masks, as to fetch ahead from one on is to fetch the wrong
 * lines: without, it took up to 1.9 times as long. */
static void stream_ends(const dmlc_ends *ends, const dmlc_block *block)
{
    const shuffle *all = shuffles_of(&ends->shuffles);
    const int64_t copy_end = ends->copy_output + ends->copy_bytes;
    const int64_t head_bytes = at_most(ends->copy_output, DMLC_MOST_END_BYTES);
    const int64_t tail_bytes = at_most(ends->bytes - copy_end, DMLC_MOST_END_BYTES);
    for (int64_t r = 0; r < block->count; ++r) {
        char *output = block->output + r * block->output_step;
        const char *input = block->input + r * block->input_step;
        char head[DMLC_MOST_END_BYTES + DMLC_BLOCK_BYTES], tail[2 * DMLC_BLOCK_BYTES + DMLC_MOST_END_BYTES];
        for (int32_t i = 0; i < ends->head_count; ++i)
            run_shuffle(&all[i], head, 0, input, 0, 1, block->pattern, false);
        stream_copy(block->stream, output, head, head_bytes);
        stream_copy(block->stream, output + ends->copy_output, input + ends->copy_input, ends->copy_bytes);
        /* The tail's shuffles begin somewhat before the copy's end. */
        const int64_t begin = copy_end - DMLC_BLOCK_BYTES;
        for (int32_t i = ends->head_count; i < ends->shuffles.count; ++i) {
            shuffle one = all[i];
            one.output -= begin;
            run_shuffle(&one, tail, 0, input, 0, 1, block->pattern, false);
        }
        stream_copy(block->stream, output + copy_end, tail + DMLC_BLOCK_BYTES, tail_bytes);
    }
}

/* Dense rows that are short are made in the cache, some at a time, and go past it from there: one by one, those of 144 bytes took
 * three times as long, and of 600 bytes 1.1 to 1.3 times with AVX-512, but 0.85 of the time with AVX2. Of 900 bytes they took 0.7 to 0.95
 * one by one. */
#if defined(__AVX512VBMI__)
enum { LONGEST_STAGED_ENDS = 704 };
#else
enum { LONGEST_STAGED_ENDS = 512 };
#endif

static void staged_ends(const dmlc_ends *program, const dmlc_block *block)
{
    dmlc_block staged;
    for (int64_t r = 0; r < block->count; r += staged.count) {
        staged = staged_block(block, r, program->bytes);
        ends_in_cache(program, &staged);
    }
}

static void ends(const dmlc_ends *program, const dmlc_block *block)
{
    if (block->stream == NULL)
        ends_in_cache(program, block);
    else if (block->output_step == program->bytes && program->bytes <= LONGEST_STAGED_ENDS)
        staged_ends(program, block);
    else
        stream_ends(program, block);
}

#endif

#endif
