/* One-hot units by their tiles, see dmlc_select_tiles: an index for each byte of a vector, compared with what the byte stands for. */
#ifndef DMLC_KERNELS_ONE_HOT_TILES_H
#define DMLC_KERNELS_ONE_HOT_TILES_H

#include "kernels/one_hot.h"

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
    const int64_t positions = block->tiles->units * block->inside;
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
static bool shift_tiles(const dmlc_select_tiles *tiles, int64_t inside, int64_t begin, dmlc_select_tile *shifted)
{
    const int64_t lane_bytes = tiles->by_lanes ? REACH : VECTOR_BYTES;
    for (int32_t i = 0; i < tiles->count; ++i) {
        int64_t positions[VECTOR_BYTES];
        for (int64_t j = 0; j < VECTOR_BYTES; ++j) {
            const int64_t at = (j + begin) % VECTOR_BYTES;
            const bool is_next = j + begin >= VECTOR_BYTES, is_last = i + 1 == tiles->count;
            const dmlc_select_tile *from = &tiles->tiles[!is_next ? i : is_last ? 0 : i + 1];
            const int64_t period = is_next && is_last ? tiles->units * inside : 0;
            positions[j] = period + from->positions[at / lane_bytes] + from->place[at];
            shifted[i].k[j] = from->k[at];
        }
        for (int64_t lane = 0; lane < VECTOR_BYTES; lane += lane_bytes) {
            int64_t first = positions[lane];
            for (int64_t j = 1; j < lane_bytes; ++j)
                first = dmlc_minimum(positions[lane + j], first);
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
    /* Of 4 to 16 KB, which stay in the first-level cache, one-hot took up to 1.18 times as long with shifted tiles. */
    enum { LEAST_SHIFTED = 32 * 1024 };
    const dmlc_select_tiles *tiles = block->tiles;
    const int64_t unit = bytes_of_unit(block), bytes = block->count * unit;
    if (block->stream != NULL) {
        select_staged(block, 1, select_tiles);
        return;
    }
    /* Stores across lines took 1.2 to 1.5 times as long, in and past the first-level cache: units until one begins where a
     * vector does, or where none does but an element, tiles that begin there. */
    int64_t head = first_aligned(block->output, unit, 0, tiles->units, VECTOR_BYTES);
    const int64_t begin = -(intptr_t)block->output & (VECTOR_BYTES - 1);
    dmlc_select_tile shifted[DMLC_FEW_TILES];
    if (head == tiles->units && begin % block->width == 0 && tiles->count <= DMLC_FEW_TILES && bytes >= LEAST_SHIFTED &&
        shift_tiles(tiles, block->inside, begin, shifted)) {
        select_tiles_of(block, tiles->tiles, block->output, block->indices, begin);
        select_tiles_of(block, shifted, block->output + begin, block->indices, bytes - begin);
        return;
    }
    if (head == tiles->units || head > block->count)
        head = 0;
    select_tiles_of(block, tiles->tiles, block->output, block->indices, head * unit);
    select_tiles_of(block, tiles->tiles, block->output + head * unit,
                    (const char *)block->indices + head * block->inside, bytes - head * unit);
}

#endif

#endif
