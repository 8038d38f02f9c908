/* Blocks of one-hot sequences, see dmlc_select_block, from normalized indices. */
#ifndef DMLC_KERNELS_ONE_HOT_H
#define DMLC_KERNELS_ONE_HOT_H

#include "kernels/moves.h"
#include "kernels/rows.h"

/* One dense sequence past the cache, in order: a line is not come back to. */
static inline void stream_sequence(const dmlc_select_block *block, char *output, int64_t index)
{
    const int64_t width = block->width;
    fill(output, index * width, block->off, block->stream);
    if (index == block->depth)
        return;
    copy_run(output + index * width, (const char *)block->on->bytes, width, block->stream);
    fill(output + (index + 1) * width, (block->depth - index - 1) * width, block->off, block->stream);
}

/* Planes that follow each other: all are filled as one run. */
static void select_scatter_planes(const dmlc_select_block *block)
{
    const int64_t width = block->width, bytes = block->depth * block->depth_step;
    char stage[STAGE_BYTES];
    const bool staged = block->stream != NULL && bytes <= STAGE_BYTES;
    char *output = staged ? stage : block->output;
    fill_bytes(output, bytes, block->off->bytes);
    for (int64_t i = 0; i < block->count; ++i) {
        uint64_t index;
        memcpy(&index, (const char *)block->indices + i * (int64_t)sizeof(index), sizeof(index));
        if (index < (uint64_t)block->depth)
            copy_bytes(output + (int64_t)index * block->depth_step + i * width, (const char *)block->on->bytes, width);
    }
    if (staged)
        stream_copy(block->stream, block->output, stage, bytes);
}

static void select_scatter(const dmlc_select_block *block)
{
    const int64_t width = block->width, depth = block->depth;
    const bool dense_positions = block->position_step == width && block->depth_step != width;
    if (dense_positions && block->depth_step == block->count * width) {
        select_scatter_planes(block);
        return;
    }
    const bool streamed = block->stream != NULL && block->depth_step == width;
    if (dense_positions)
        for (int64_t k = 0; k < depth; ++k)
            fill(block->output + k * block->depth_step, block->count * width, block->off, NULL);
    for (int64_t i = 0; i < block->count; ++i) {
        char *output = block->output + i * block->position_step;
        uint64_t index;
        memcpy(&index, (const char *)block->indices + i * (int64_t)sizeof(index), sizeof(index));
        if (streamed) {
            stream_sequence(block, output, index < (uint64_t)depth ? (int64_t)index : depth);
            continue;
        }
        if (!dense_positions)
            fill_strided(output, block->depth_step, depth, block->off, NULL);
        if (index < (uint64_t)depth)
            copy_bytes(output + (int64_t)index * block->depth_step, (const char *)block->on->bytes, width);
    }
}

/* Copies ready-made sequences, one for each index and one for none. */
static void select_sequences(const dmlc_select_block *block)
{
    const int64_t depth = block->depth, width = block->width, bytes = depth * width;
    unsigned char ready[(DMLC_BLOCK_BYTES + 1) * DMLC_BLOCK_BYTES];
    for (int64_t i = 0; i <= depth; ++i) {
        memcpy(ready + i * DMLC_BLOCK_BYTES, block->off->bytes, DMLC_BLOCK_BYTES);
        if (i < depth)
            memcpy(ready + i * DMLC_BLOCK_BYTES + i * width, block->on->bytes, (size_t)width);
    }
    const unsigned char *indices = block->indices;
    char *output = block->output;
    const int64_t count = block->count, whole = DMLC_BLOCK_BYTES / bytes;
    int64_t i = 0;
    /* Each store is a whole vector; what it writes past its sequence, the next ones write again. */
#define COPY_SEQUENCES(SIZE)                                                                                           \
    for (; i + whole < count; ++i) {                                                                                   \
        const int64_t index = indices[i] < depth ? indices[i] : depth;                                                 \
        for (int64_t at = 0; at < SIZE; at += 16)                                                                      \
            store16(output + i * bytes + at, load16(ready + index * DMLC_BLOCK_BYTES + at));                           \
    }
    if (bytes <= 16) {
        COPY_SEQUENCES(16)
    } else if (bytes <= 32) {
        COPY_SEQUENCES(32)
    } else {
        COPY_SEQUENCES(64)
    }
#undef COPY_SEQUENCES
    for (; i < count; ++i) {
        const int64_t index = indices[i] < depth ? indices[i] : depth;
        copy_bytes(output + i * bytes, (const char *)ready + index * DMLC_BLOCK_BYTES, bytes);
    }
}

#if defined(__AVX512VBMI__)
/* Spreads the indices of a block's positions over its bytes and compares all of them with their k at once. */
static inline __m512i selected_tile(__m512i place, __m512i k, const char *indices, __m512i off, __m512i on)
{
    const __m512i spread = _mm512_permutexvar_epi8(place, _mm512_loadu_si512(indices));
    return _mm512_mask_mov_epi8(off, _mm512_cmpeq_epi8_mask(spread, k), on);
}

static inline void store_tile(char *output, __m512i bytes, int64_t left, dmlc_stream *stream)
{
    if (stream != NULL) {
        char line[64];
        _mm512_storeu_si512(line, bytes);
        stream_copy(stream, output, line, left < 64 ? left : 64);
    } else if (left >= 64) {
        _mm512_storeu_si512(output, bytes);
    } else {
        _mm512_mask_storeu_epi8(output, (UINT64_C(1) << left) - 1, bytes);
    }
}

/* `left` bytes from a position's start on. */
static void select_tiles_of(const dmlc_select_block *block, char *output, const char *indices, int64_t left)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const __m512i off = _mm512_loadu_si512(block->off->bytes), on = _mm512_loadu_si512(block->on->bytes);
    dmlc_stream *stream = block->stream;
    if (tiles->count == 1) {
        const __m512i place = _mm512_loadu_si512(tiles->tiles->place), k = _mm512_loadu_si512(tiles->tiles->k);
        const int64_t positions = tiles->units * tiles->inside;
        for (; left > 0; indices += positions, output += 64, left -= 64)
            store_tile(output, selected_tile(place, k, indices, off, on), left, stream);
        return;
    }
    for (; left > 0; indices += tiles->units * tiles->inside) {
        for (int32_t i = 0; i < tiles->count && left > 0; ++i, output += 64, left -= 64) {
            const dmlc_select_tile *tile = &tiles->tiles[i];
            const __m512i place = _mm512_loadu_si512(tile->place), k = _mm512_loadu_si512(tile->k);
            store_tile(output, selected_tile(place, k, indices + tile->position, off, on), left, stream);
        }
    }
}

#elif defined(DMLC_HAVE_LOOK_UP)
/* The same by vectors of 16 bytes, each from the indices of its first byte's position on. */
static inline void select_tile(const dmlc_select_tile *tile, char *output, const char *indices, vector16 off,
                               vector16 on, int64_t left)
{
    for (int64_t i = 0; i < 64 && i < left; i += 16) {
        const unsigned char first = tile->place[i];
        const vector16 place = subtract16(load16(tile->place + i), repeat16(first));
        const vector16 spread = look_up(repeat16(0), load16(indices + tile->position + first), place);
        store16(output + i, select16(equal16(spread, load16(tile->k + i)), on, off));
    }
}

static void select_tiles_of(const dmlc_select_block *block, char *output, const char *indices, int64_t left)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const vector16 off = load16(block->off->bytes), on = load16(block->on->bytes);
    for (; left > 0; indices += tiles->units * tiles->inside) {
        for (int32_t i = 0; i < tiles->count && left > 0; ++i, output += 64, left -= 64) {
            if (left >= 64 && block->stream == NULL) {
                select_tile(&tiles->tiles[i], output, indices, off, on, 64);
                continue;
            }
            char line[64];
            select_tile(&tiles->tiles[i], line, indices, off, on, left);
            copy_run(output, line, left < 64 ? left : 64, block->stream);
        }
    }
}
#endif

#if defined(__AVX512VBMI__) || defined(DMLC_HAVE_LOOK_UP)
static void select_tiles(const dmlc_select_block *block)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const int64_t bytes = tiles->unit_bytes;
    /* Units until one begins with a cache line, where one does: stores across lines take twice as long. */
    int64_t head = 0;
    while (head < tiles->units && (uintptr_t)(block->output + head * bytes) % 64 != 0)
        ++head;
    if (head == tiles->units || head > block->count)
        head = 0;
    select_tiles_of(block, block->output, block->indices, head * bytes);
    select_tiles_of(block, block->output + head * bytes, (const char *)block->indices + head * tiles->inside,
                    (block->count - head) * bytes);
}
#endif

#define NAME select_planes_1
#define ELEMENT uint8_t
#define INDEX uint8_t
#include "kernels/planes_template.inc"

#define NAME select_planes_2
#define ELEMENT uint16_t
#define INDEX uint16_t
#include "kernels/planes_template.inc"

#define NAME select_planes_4
#define ELEMENT uint32_t
#define INDEX uint32_t
#include "kernels/planes_template.inc"

#define NAME select_planes_8
#define ELEMENT uint64_t
#define INDEX uint64_t
#include "kernels/planes_template.inc"

static void select_planes_16(const dmlc_select_block *block)
{
    /* Looked up, as a choice between two vectors is a jump that cannot be foretold. */
    unsigned char values[2][16];
    memcpy(values[0], block->off->bytes, 16);
    memcpy(values[1], block->on->bytes, 16);
    const char *indices = block->indices;
    const int64_t count = block->count, depth = block->depth;
    for (int64_t k = 0; k < depth; ++k) {
        char *plane = block->output + k * block->depth_step;
        for (int64_t i = 0; i < count; ++i) {
            int64_t index;
            memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
            store16(plane + i * 16, load16(values[index == k]));
        }
    }
}

#endif
