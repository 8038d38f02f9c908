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
    const int32_t heads = ends->head_count, tails = ends->shuffles.count - heads;
    const int64_t head_bytes = ends->copy_output, tail_begin = head_bytes + ends->copy_bytes;
    for (int64_t r = 0; r < block->count; ++r) {
        char *output = block->output + r * block->output_step;
        const char *input = block->input + r * block->input_step;
        shuffle_row(all, heads, 0, stream_stage(block->stream, output, head_bytes), input, block->pattern);
        stream_copy(block->stream, output + head_bytes, input + ends->copy_input, ends->copy_bytes);
        char *tail = stream_stage(block->stream, output + tail_begin, ends->bytes - tail_begin);
        shuffle_row(all + heads, tails, tail_begin, tail, input, block->pattern);
    }
}

/* Dense rows that are short are made in the cache, some at a time, and go past it from there. On Zen 4 60 MB of those of 140 to 300 bytes
 * took 0.53 to 1.0 of the time with AVX-512, and longer ones 1.0 to 1.4; with AVX2, which writes the shortest in the cache, those of 260
 * to 700 bytes 1.0 to 1.5. */
#if defined(__AVX512VBMI__)
enum { LONGEST_STAGED_ENDS = 320 };
#else
enum { LONGEST_STAGED_ENDS = 0 };
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
