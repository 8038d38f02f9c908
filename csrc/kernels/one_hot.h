/* Blocks of one-hot sequences and planes, see dmlc_select_block, from normalized indices. Small ones go by tiles, see one_hot_tiles.h. */
#ifndef DMLC_KERNELS_ONE_HOT_H
#define DMLC_KERNELS_ONE_HOT_H

#include "kernels/line_writer.h"
#include "kernels/moves.h"
#include "kernels/rows.h"
#include "kernels/windows.h"

/* Whether no element of what begins at `output` lies across two lines. */
static inline bool elements_are_aligned(const dmlc_select_block *block)
{
    return (uintptr_t)block->output % (uintptr_t)block->width == 0;
}

/* Of a block whose units are dense. */
static inline int64_t bytes_of_unit(const dmlc_select_block *block)
{
    return block->depth * block->inside * block->width;
}

static inline uint64_t index_at(const char *indices, int64_t i)
{
    uint64_t index;
    memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
    return index;
}

/* Element (index - first) of each position. */
static ALWAYS_INLINE void select_ones_inside(const dmlc_select_block *block, const int64_t width, const int64_t inside)
{
    char *output = block->output;
    const char *indices = block->indices;
    const int64_t count = block->count, unit_step = block->unit_step, depth_step = block->depth_step;
    const uint64_t first = (uint64_t)block->first, depth = (uint64_t)block->depth;
    unsigned char one[16];
    memcpy(one, block->on->bytes, sizeof(one));
    for (int64_t i = 0; i < count; ++i, output += unit_step)
        for (int64_t j = 0; j < inside; ++j) {
            const uint64_t index = index_at(indices, i * inside + j) - first;
            if (index < depth)
                memcpy(output + (int64_t)index * depth_step + j * width, one, (size_t)width);
        }
}

/* A loop inside the loop took 1.05 to 1.08 times as long for one position. */
static ALWAYS_INLINE void select_ones_of(const dmlc_select_block *block, const int64_t width)
{
    if (block->inside == 1)
        select_ones_inside(block, width, 1);
    else
        select_ones_inside(block, width, block->inside);
}

static void select_ones(const dmlc_select_block *block)
{
    switch (block->width) {
    case 1: select_ones_of(block, 1); return;
    case 2: select_ones_of(block, 2); return;
    case 4: select_ones_of(block, 4); return;
    case 8: select_ones_of(block, 8); return;
    default: select_ones_of(block, 16); return;
    }
}

/* What is made at a time in the first-level cache and goes past it from there. Little is read meanwhile, so that it need not be less:
 * with 2 KB one-hot took 0.9 to 1.3 times as long. */
enum { SELECTED_BYTES = DMLC_UNIT_BYTES };

/* Makes a block's dense units in the cache, by indices of so many bytes. */
static void select_staged(const dmlc_select_block *block, int64_t index_width,
                          void (*select)(const dmlc_select_block *))
{
    const int64_t unit_bytes = bytes_of_unit(block), unit_indices = block->inside * index_width;
    char made[SELECTED_BYTES];
    dmlc_select_block part = *block;
    part.output = made;
    part.stream = NULL;
    const int64_t most = SELECTED_BYTES / unit_bytes;
    for (int64_t i = 0; i < block->count; i += most) {
        part.count = dmlc_minimum(block->count - i, most);
        part.indices = (const char *)block->indices + i * unit_indices;
        select(&part);
        stream_copy(block->stream, block->output + i * unit_bytes, made, part.count * unit_bytes);
    }
}

/* Sequences from so many bytes on go past the cache line by line: of 800 bytes and more, 24 MB in all, others took 1.1 to 2 times
 * as long, and those of 84 to 320 bytes 0.7 to 0.9 of the time. */
enum { LEAST_BY_LINES = 512 };

/* Dense sequences past the cache, line by line, of indices that are `wide`, 8 bytes, or 4. */
static ALWAYS_INLINE void stream_sequences(const dmlc_select_block *block, const bool wide)
{
    const int64_t width = block->width, bytes = block->depth * width;
    char flips[2 * DMLC_LINE_BYTES] = {0};
    for (int64_t i = 0; i < width; ++i)
        flips[DMLC_LINE_BYTES + i] = (char)(block->on->bytes[i] ^ block->off->bytes[i]);
    line_writer to = line_writer_of(block->stream, block->output, NULL, block->count * bytes, block->on, block->off);
    for (int64_t i = 0; i < block->count; ++i) {
        const uint64_t index = wide ? index_at(block->indices, i) : (uint64_t)window_index(block->indices, i);
        if (index < (uint64_t)block->depth)
            lines_flip(&to, i * bytes + (int64_t)index * width, flips + DMLC_LINE_BYTES);
    }
    lines_end(&to);
}

/* Units that are dense. */
static void select_filled(const dmlc_select_block *block)
{
    fill_bytes(block->output, block->count * bytes_of_unit(block), block->off->bytes);
    select_ones(block);
}

static void select_scatter(const dmlc_select_block *block)
{
    const int64_t depth = block->depth, bytes = depth * block->width, step = block->unit_step;
    if (block->inside > 1) {
        if (block->stream != NULL)
            select_staged(block, sizeof(uint64_t), select_filled);
        else
            select_filled(block);
        return;
    }
    if (block->stream != NULL && block->depth_step == block->width) {
        if (step == bytes && bytes < LEAST_BY_LINES) {
            select_staged(block, sizeof(uint64_t), select_filled);
            return;
        }
        if (bytes >= LEAST_BY_LINES && elements_are_aligned(block) && step % block->width == 0) {
            dmlc_select_block part = *block;
            part.count = step == bytes ? block->count : 1;
            for (int64_t i = 0; i < block->count; i += part.count) {
                part.output = block->output + i * step;
                part.indices = (const char *)block->indices + i * (int64_t)sizeof(uint64_t);
                stream_sequences(&part, true);
            }
            return;
        }
    }
    for (int64_t i = 0; i < block->count; ++i) {
        char *output = block->output + i * step;
        const uint64_t index = index_at(block->indices, i);
        fill_strided(output, block->depth_step, depth, block->off, NULL);
        if (index < (uint64_t)depth)
            copy_bytes(output + (int64_t)index * block->depth_step, (const char *)block->on->bytes, block->width);
    }
}

/* Windows of one sequence that is twice as long, with its only one in the middle: that of index k begins depth - k
 * elements on, that of none, which is normalized to -1, behind the one. */
static void select_sequences(const dmlc_select_block *block)
{
    const int64_t depth = block->depth, width = block->width, bytes = depth * width;
    if (block->stream != NULL && bytes >= LEAST_BY_LINES && elements_are_aligned(block)) {
        stream_sequences(block, false);
        return;
    }
    char ready[2 * DMLC_SEQUENCE_BYTES + 16 + WINDOW_SLACK];
    fill_bytes(ready, 2 * bytes + width, block->off->bytes);
    memcpy(ready + bytes, block->on->bytes, (size_t)width);
    /* By staged_together at a time, sequences of 84 to 200 bytes took 0.7 to 0.8 of the time that they took with 8 KB at a time. */
    const int64_t together = block->stream != NULL ? staged_together(bytes) : block->count;
    for (int64_t i = 0; i < block->count; i += together) {
        const int64_t some = dmlc_minimum(together, block->count - i);
        copy_windows(stream_stage(block->stream, block->output + i * bytes, some * bytes), bytes, some, ready + bytes,
                     (const char *)block->indices + i * (int64_t)sizeof(int32_t), width);
    }
}

/* Whether planes go past the cache: as one run or as long ones, of elements that do not lie across two lines. */
static inline bool planes_are_streamed(const dmlc_select_block *block, int64_t bytes)
{
    enum { LONG_PLANE = 1024 };
    return block->stream != NULL && (bytes >= LONG_PLANE || bytes == block->depth_step) &&
           elements_are_aligned(block) && block->depth_step % block->width == 0;
}

#define NAME select_planes_1
#define STREAMED stream_planes_1
#define ELEMENT uint8_t
#define CHOOSE choose_1
#include "kernels/planes_template.inc"

#define NAME select_planes_2
#define STREAMED stream_planes_2
#define ELEMENT uint16_t
#define CHOOSE choose_2
#include "kernels/planes_template.inc"

#define NAME select_planes_4
#define STREAMED stream_planes_4
#define ELEMENT uint32_t
#define CHOOSE choose_4
#include "kernels/planes_template.inc"

#define NAME select_planes_8
#define STREAMED stream_planes_8
#define ELEMENT uint64_t
#define CHOOSE choose_8
#include "kernels/planes_template.inc"

/* As twice as many of 8 bytes, each index standing for both halves of its element. */
static void select_planes_16(const dmlc_select_block *block)
{
    enum { MOST = 256 };
    uint64_t twice[2 * MOST + 8];
    dmlc_select_block part = *block;
    part.indices = twice;
    for (int64_t begin = 0; begin < block->count; begin += MOST) {
        const int64_t count = dmlc_minimum(block->count - begin, MOST);
        for (int64_t i = 0; i < count; ++i) {
            memcpy(&twice[2 * i], (const char *)block->indices + (begin + i) * 8, 8);
            twice[2 * i + 1] = twice[2 * i];
        }
        part.output = block->output + begin * 16;
        part.count = 2 * count;
        select_planes_8(&part);
    }
}

#endif
