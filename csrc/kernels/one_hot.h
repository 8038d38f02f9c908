/* Blocks of one-hot sequences, see dmlc_select_block, from normalized indices. */
#ifndef DMLC_KERNELS_ONE_HOT_H
#define DMLC_KERNELS_ONE_HOT_H

#include "kernels/moves.h"
#include "kernels/rows.h"
#include "kernels/windows.h"

/* Whether no element of what begins at `output` lies across two lines. */
static inline bool elements_are_aligned(const dmlc_select_block *block)
{
    return (uintptr_t)block->output % (uintptr_t)block->width == 0;
}

static inline uint64_t index_at(const char *indices, int64_t i)
{
    uint64_t index;
    memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
    return index;
}

/* Element (i, index i - first) of each position. */
static ALWAYS_INLINE void select_ones_of(const dmlc_select_block *block, const int64_t width)
{
    char *output = block->output;
    const char *indices = block->indices;
    const int64_t count = block->count, position_step = block->position_step, depth_step = block->depth_step;
    const uint64_t first = (uint64_t)block->first, depth = (uint64_t)block->depth;
    unsigned char one[16];
    memcpy(one, block->on->bytes, sizeof(one));
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t index = index_at(indices, i) - first;
        if (index < depth)
            memcpy(output + i * position_step + (int64_t)index * depth_step, one, (size_t)width);
    }
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
enum { SELECTED_BYTES = 2 * DMLC_PAGE_BYTES };

/* Makes a block's positions, `unit_bytes` each, in the cache. */
static void select_staged(const dmlc_select_block *block, int64_t unit_bytes, int64_t unit_indices,
                          void (*select)(const dmlc_select_block *))
{
    char made[SELECTED_BYTES];
    dmlc_select_block part = *block;
    part.output = made;
    part.stream = NULL;
    part.first = 0;
    const int64_t most = SELECTED_BYTES / unit_bytes;
    for (int64_t i = 0; i < block->count; i += most) {
        part.count = block->count - i < most ? block->count - i : most;
        part.indices = (const char *)block->indices + i * unit_indices;
        select(&part);
        stream_copy(block->stream, block->output + i * unit_bytes, made, part.count * unit_bytes);
    }
}

/* Sequences from so many bytes on go past the cache line by line: of 800 bytes and more, 24 MB in all, others took 1.1 to 2 times
 * as long, and those of 84 to 320 bytes 0.7 to 0.9 of the time. */
enum { LEAST_BY_LINES = 512 };

enum { LINE_VECTORS = DMLC_LINE_BYTES / VECTOR_BYTES };

/* Writes `off` past the cache, line by line, but for what is set in the line at output + begin. All that it does is inlined and it has
 * no buffer, so that lines stay in registers: with one, sequences took 1.2 to 1.6 times as long. */
typedef struct line_writer {
    dmlc_stream *stream;
    char *output;
    int64_t bytes, begin;
    vector off[LINE_VECTORS], line[LINE_VECTORS];
} line_writer;

static ALWAYS_INLINE void send_line(char *to, const vector *line)
{
    for (int v = 0; v < LINE_VECTORS; ++v)
        stream_vector(to + v * VECTOR_BYTES, line[v]);
}

/* The first line, some of which may lie before the output, and what is left of the last. */
static ALWAYS_INLINE void copy_line(line_writer *to, int64_t end)
{
    char made[DMLC_LINE_BYTES];
    const int64_t begin = to->begin > 0 ? to->begin : 0;
    for (int v = 0; v < LINE_VECTORS; ++v)
        store_vector(made + v * VECTOR_BYTES, to->line[v]);
    stream_copy(to->stream, to->output + begin, made + begin - to->begin, end - begin);
}

/* All lines before that of byte `at`. */
static ALWAYS_INLINE void send_until(line_writer *to, int64_t at)
{
    if (at - to->begin < DMLC_LINE_BYTES)
        return;
    if (to->begin > 0) {
        send_line(to->output + to->begin, to->line);
        to->begin += DMLC_LINE_BYTES;
    } else {
        const int64_t head = to->begin + DMLC_LINE_BYTES;
        copy_line(to, head);
        stream_lines(to->stream, to->output + head, to->bytes - head);
        to->begin = head;
    }
    for (; at - to->begin >= DMLC_LINE_BYTES; to->begin += DMLC_LINE_BYTES)
        send_line(to->output + to->begin, to->off);
    for (int v = 0; v < LINE_VECTORS; ++v)
        to->line[v] = to->off[v];
}

/* Dense sequences past the cache, of indices that are `wide`, 8 bytes, or 4. A line is made in registers, since to read what was just
 * stored takes long while others go past the cache. Where one of the sequences' ones lies in it, a table has what on and off differ in:
 *
 *     places  |0000000000000000|x000000000000000|
 *                   |----------------|             the line that has it here, at 64 - |-----|
 */
static ALWAYS_INLINE void stream_sequences(const dmlc_select_block *block, const bool wide)
{
    const int64_t width = block->width, bytes = block->depth * width;
    char places[2 * DMLC_LINE_BYTES] = {0};
    for (int64_t i = 0; i < width; ++i)
        places[DMLC_LINE_BYTES + i] = (char)(block->on->bytes[i] ^ block->off->bytes[i]);
    line_writer to = {.stream = block->stream, .output = block->output, .bytes = block->count * bytes};
    to.begin = until_aligned(to.output, DMLC_LINE_BYTES) - DMLC_LINE_BYTES;
    for (int v = 0; v < LINE_VECTORS; ++v)
        to.line[v] = to.off[v] = load_vector(block->off->bytes);
    for (int64_t i = 0; i < block->count; ++i) {
        const uint64_t index = wide ? index_at(block->indices, i) : (uint64_t)window_index(block->indices, i);
        if (index >= (uint64_t)block->depth)
            continue;
        const int64_t one = i * bytes + (int64_t)index * width;
        send_until(&to, one);
        const char *place = places + DMLC_LINE_BYTES - (one - to.begin);
        for (int v = 0; v < LINE_VECTORS; ++v)
            to.line[v] = xor_vector(to.line[v], load_vector(place + v * VECTOR_BYTES));
    }
    send_until(&to, to.bytes);
    copy_line(&to, to.bytes);
}

/* Sequences that are one run. */
static void select_filled(const dmlc_select_block *block)
{
    fill_bytes(block->output, block->count * block->depth * block->width, block->off->bytes);
    select_ones(block);
}

static void select_scatter(const dmlc_select_block *block)
{
    const int64_t depth = block->depth, bytes = depth * block->width, step = block->position_step;
    if (block->stream != NULL && block->depth_step == block->width) {
        if (step == bytes && bytes < LEAST_BY_LINES) {
            select_staged(block, bytes, sizeof(uint64_t), select_filled);
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
    /* Those of 84 to 200 bytes took 0.7 to 0.8 of the time that they took by 8 KB. */
    const int64_t together = block->stream != NULL ? staged_together(bytes) : block->count;
    for (int64_t i = 0; i < block->count; i += together) {
        const int64_t some = at_most(together, block->count - i);
        copy_windows(stream_stage(block->stream, block->output + i * bytes, some * bytes), bytes, some, ready + bytes,
                     (const char *)block->indices + i * (int64_t)sizeof(int32_t), width);
    }
}

#if defined(DMLC_HAVE_LOOK_UP)
/* The index of each byte of a tile, see dmlc_select_tiles. */
#if defined(__AVX512VBMI__)
enum { REACH = 64 };
static ALWAYS_INLINE vector indices_of_tile(vector place, const char *indices, const int64_t *positions,
                                            const bool by_lanes)
{
    (void)by_lanes;
    return _mm512_permutexvar_epi8(place, _mm512_loadu_si512(indices + positions[0]));
}
#elif defined(__AVX2__)
enum { REACH = 16 };
/* Of two windows it took 1.2 times as long as of one. */
static ALWAYS_INLINE vector indices_of_tile(vector place, const char *indices, const int64_t *positions,
                                            const bool by_lanes)
{
    const vector16 first = load16(indices + positions[0]);
    return _mm256_shuffle_epi8(
        by_lanes ? _mm256_set_m128i(load16(indices + positions[1]), first) : _mm256_broadcastsi128_si256(first), place);
}
#else
enum { REACH = 16 };
static ALWAYS_INLINE vector indices_of_tile(vector place, const char *indices, const int64_t *positions,
                                            const bool by_lanes)
{
    (void)by_lanes;
    return look_up(repeat16(0), load16(indices + positions[0]), place);
}
#endif
enum { TILE_LANES = VECTOR_BYTES / REACH };

static ALWAYS_INLINE vector tile_at(const dmlc_select_tile *tile, const char *indices, vector on, vector off,
                                    const bool by_lanes)
{
    const vector index = indices_of_tile(load_vector(tile->place), indices, tile->positions, by_lanes);
    return choose_1(index, load_vector(tile->k), on, off);
}

/* `periods` of `count` tiles, so many positions each; where they are few, they stay in registers. */
static ALWAYS_INLINE void select_periods(const dmlc_select_tile *tiles, int32_t count, char *output,
                                         const char *indices, int64_t positions, int64_t periods, vector on, vector off,
                                         const bool by_lanes)
{
    enum { FEW = DMLC_FEW_TILES };
    vector place[FEW], k[FEW];
    int64_t lanes[FEW][TILE_LANES];
    for (int32_t i = 0; i < count && i < FEW; ++i) {
        place[i] = load_vector(tiles[i].place);
        k[i] = load_vector(tiles[i].k);
        memcpy(lanes[i], tiles[i].positions, sizeof(lanes[i]));
    }
    /* One tile after the other took 1.0 to 1.4 times as long, depending on where the loop happens to lie in the code. */
    UNROLL
    for (int64_t p = 0; p < periods; ++p, indices += positions)
        for (int32_t i = 0; i < count; ++i, output += VECTOR_BYTES)
            store_vector(output, count <= FEW
                                     ? choose_1(indices_of_tile(place[i], indices, lanes[i], by_lanes), k[i], on, off)
                                     : tile_at(&tiles[i], indices, on, off, by_lanes));
}

/* `bytes` from where the first of the tiles begins. */
static ALWAYS_INLINE void select_some_tiles(const dmlc_select_block *block, const dmlc_select_tile *tiles, char *output,
                                            const char *indices, int64_t bytes, const bool by_lanes)
{
    const int32_t count = block->tiles->count;
    const int64_t positions = block->tiles->units * block->tiles->inside;
    const vector off = load_vector(block->off->bytes), on = load_vector(block->on->bytes);
    const int64_t period = count * VECTOR_BYTES, periods = bytes / period;
#define SELECT_PERIODS(COUNT) select_periods(tiles, COUNT, output, indices, positions, periods, on, off, by_lanes)
    switch (count) {
    case 1: SELECT_PERIODS(1); break;
    case 2: SELECT_PERIODS(2); break;
    case 3: SELECT_PERIODS(3); break;
    case 4: SELECT_PERIODS(4); break;
    case 5: SELECT_PERIODS(5); break;
    default: SELECT_PERIODS(count); break;
    }
#undef SELECT_PERIODS
    output += periods * period;
    indices += periods * positions;
    int64_t left = bytes - periods * period;
    for (; left >= VECTOR_BYTES; left -= VECTOR_BYTES, output += VECTOR_BYTES)
        store_vector(output, tile_at(tiles++, indices, on, off, by_lanes));
    if (left > 0) {
        char last[VECTOR_BYTES];
        store_vector(last, tile_at(tiles, indices, on, off, by_lanes));
        memcpy(output, last, (size_t)left);
    }
}

static void select_tiles_of(const dmlc_select_block *block, const dmlc_select_tile *tiles, char *output,
                            const char *indices, int64_t bytes)
{
    if (TILE_LANES > 1 && block->tiles->by_lanes)
        select_some_tiles(block, tiles, output, indices, bytes, true);
    else
        select_some_tiles(block, tiles, output, indices, bytes, false);
}

/* The same period from byte `begin` of the first tile on:
 *
 *     tiles    |---- 0 ----|---- 1 ----|---- 0 ----   of the next period
 *     shifted     |---- 0 ----|---- 1 ----|
 *
 * False where a look-up would not reach all positions. */
static bool shift_tiles(const dmlc_select_tiles *tiles, int64_t begin, dmlc_select_tile *shifted)
{
    const int64_t lane_bytes = tiles->by_lanes ? REACH : VECTOR_BYTES;
    for (int32_t i = 0; i < tiles->count; ++i) {
        int64_t positions[VECTOR_BYTES];
        for (int64_t j = 0; j < VECTOR_BYTES; ++j) {
            const int64_t at = (j + begin) % VECTOR_BYTES;
            const bool is_next = j + begin >= VECTOR_BYTES, is_last = i + 1 == tiles->count;
            const dmlc_select_tile *from = &tiles->tiles[!is_next ? i : is_last ? 0 : i + 1];
            const int64_t period = is_next && is_last ? tiles->units * tiles->inside : 0;
            positions[j] = period + from->positions[at / lane_bytes] + from->place[at];
            shifted[i].k[j] = from->k[at];
        }
        for (int64_t lane = 0; lane < VECTOR_BYTES; lane += lane_bytes) {
            int64_t first = positions[lane];
            for (int64_t j = 1; j < lane_bytes; ++j)
                first = positions[lane + j] < first ? positions[lane + j] : first;
            shifted[i].positions[lane / lane_bytes] = first;
            for (int64_t j = lane; j < lane + lane_bytes; ++j) {
                if (positions[j] - first >= REACH)
                    return false;
                shifted[i].place[j] = (uint8_t)(positions[j] - first);
            }
        }
    }
    return true;
}

static void select_tiles(const dmlc_select_block *block)
{
    /* Of 4 to 16 KB, which stay in the first-level cache, one-hot took up to 1.18 times as long with them. */
    enum { LEAST_SHIFTED = 32 * 1024 };
    const dmlc_select_tiles *tiles = block->tiles;
    const int64_t unit = tiles->unit_bytes, bytes = block->count * unit;
    if (block->stream != NULL) {
        select_staged(block, unit, tiles->inside, select_tiles);
        return;
    }
    /* Stores across lines took 1.2 to 1.5 times as long, in and past the first-level cache: units until one begins where a
     * vector does, or where none does but an element, tiles that begin there. */
    int64_t head = first_aligned(block->output, unit, 0, tiles->units, VECTOR_BYTES);
    const int64_t begin = -(intptr_t)block->output & (VECTOR_BYTES - 1);
    dmlc_select_tile shifted[DMLC_FEW_TILES];
    if (head == tiles->units && begin % block->width == 0 && tiles->count <= DMLC_FEW_TILES && bytes >= LEAST_SHIFTED &&
        shift_tiles(tiles, begin, shifted)) {
        select_tiles_of(block, tiles->tiles, block->output, block->indices, begin);
        select_tiles_of(block, shifted, block->output + begin, block->indices, bytes - begin);
        return;
    }
    if (head == tiles->units || head > block->count)
        head = 0;
    select_tiles_of(block, tiles->tiles, block->output, block->indices, head * unit);
    select_tiles_of(block, tiles->tiles, block->output + head * unit,
                    (const char *)block->indices + head * tiles->inside, bytes - head * unit);
}
#endif

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
        const int64_t count = block->count - begin < MOST ? block->count - begin : MOST;
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
