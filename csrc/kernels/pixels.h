/* Planes to pixels and back, for 2 to 4 planes of chunks of 1, 2, 4 or 8 bytes:
 *
 *     pixels   |a0 b0 c0|a1 b1 c1|a2 b2 c2| ..      dense
 *     planes   |a0 a1 a2| ..  |b0 b1 b2| ..  |c0 c1 c2| ..      each dense, anywhere
 *
 * A block is a vector of each plane. What is left over at the end goes by a block that overlaps the one before it. */
#ifndef DMLC_KERNELS_PIXELS_H
#define DMLC_KERNELS_PIXELS_H

#include "kernels/lanes.h"
#include "kernels/moves.h"
#include "kernels/tiles.h"

#if defined(DMLC_HAVE_LOOK_UP)

#if defined(__AVX2__)

/* Whether choices by bytes take the units that shuffle, which are few: all of AVX2's do, AVX-512's have masks. */
#if defined(__AVX512F__)
enum { CHOICES_TAKE_SHUFFLES = 0 };
#else
enum { CHOICES_TAKE_SHUFFLES = 1 };
#endif

/* Three planes. With K chunks to a vector, chunk e of the i-th vector of pixels is chunk K * i + e of all: of plane
 * (K * i + e) % 3, since K is no multiple of 3 another one for each i. So for each plane one vector holds at e what lies
 * there in any of the three. `i` is found from the plane, as K is its own inverse modulo 3. */
#define VECTOR_OF(plane, e, K) (((plane) + 2 * (e)) * ((K) % 3) % 3)

/* Where a plane's chunks go, so that each lies at the place that it has in the pixels: in each lane by itself. */
static ALWAYS_INLINE lanes spread_plane(const int plane, const int chunk)
{
#define BYTE(i) ((16 / chunk * VECTOR_OF(plane, (i) / chunk, 16 / chunk) + (i) / chunk) / 3 * chunk + (i) % chunk)
    return repeat_lane(LANE(BYTE));
#undef BYTE
}

/* The same for a vector of words: word i of a plane. */
static ALWAYS_INLINE lanes spread_words(const int plane, const int chunk)
{
#define WORD(i)                                                                                                        \
    ((32 / chunk * VECTOR_OF(plane, (i) * 4 / chunk, 32 / chunk) + (i) * 4 / chunk) / 3 * chunk / 4 + (i) % (chunk / 4))
    return WORDS(WORD);
#undef WORD
}

/* And back: chunk q of the plane lies at chunk (3 q + plane) % K. */
static ALWAYS_INLINE lanes gather_plane(const int plane, const int chunk)
{
#define BYTE(i) ((3 * ((i) / chunk) + plane) % (16 / chunk) * chunk + (i) % chunk)
    return repeat_lane(LANE(BYTE));
#undef BYTE
}

static ALWAYS_INLINE lanes gather_words(const int plane, const int chunk)
{
#define WORD(i) ((3 * ((i) * 4 / chunk) + plane) % (32 / chunk) * chunk / 4 + (i) % (chunk / 4))
    return WORDS(WORD);
#undef WORD
}

/* Which bytes of a lane of pixels are of that plane: of lane `number` of three, which repeat. */
static ALWAYS_INLINE lanes where_plane(const int plane, const int number, const int chunk)
{
#define BYTE(i) (VECTOR_OF(plane, (i) / chunk, 16 / chunk) == number ? 0xFF : 0)
    return repeat_lane(LANE(BYTE));
#undef BYTE
}

/* The same of a vector of 32 bytes, as a bit for each of its words. */
#define WORD_OF_PLANE(plane, vector, chunk, i) ((VECTOR_OF(plane, (i) * 4 / (chunk), 32 / (chunk)) == (vector)) << (i))
#define WORDS_OF_PLANE(plane, vector, chunk)                                                                           \
    (WORD_OF_PLANE(plane, vector, chunk, 0) | WORD_OF_PLANE(plane, vector, chunk, 1) |                                 \
     WORD_OF_PLANE(plane, vector, chunk, 2) | WORD_OF_PLANE(plane, vector, chunk, 3) |                                 \
     WORD_OF_PLANE(plane, vector, chunk, 4) | WORD_OF_PLANE(plane, vector, chunk, 5) |                                 \
     WORD_OF_PLANE(plane, vector, chunk, 6) | WORD_OF_PLANE(plane, vector, chunk, 7))

/* Three vectors that have at each byte one of a, b and c, each another one. So the third is what the others leave, which took
 * 0.9 of the time of two more choices; choices by and, or and xor took more. */
static ALWAYS_INLINE void choose_three(lanes *chosen, lanes a, lanes b, lanes c, const lanes *where_a,
                                       const lanes *where_b)
{
    UNROLL_ALL
    for (int i = 0; i < 3; ++i)
        chosen[i] = choose_bytes(where_a[i], a, choose_bytes(where_b[i], b, c));
    if (CHOICES_TAKE_SHUFFLES)
        chosen[2] = differ(differ(chosen[0], chosen[1]), differ(differ(a, b), c));
}

/* A vector of each plane becomes as many vectors of pixels. */
static ALWAYS_INLINE void weave(lanes *block, const int planes, const int chunk)
{
    lanes next[DMLC_MOST_PLANES];
    if (planes == 3 && chunk >= 4) {
        const lanes a = pick_words(block[0], spread_words(0, chunk)), b = pick_words(block[1], spread_words(1, chunk)),
                    c = pick_words(block[2], spread_words(2, chunk));
#define CHOOSE(vector, chunk)                                                                                          \
    CHOOSE_WORDS(WORDS_OF_PLANE(0, vector, chunk), a, CHOOSE_WORDS(WORDS_OF_PLANE(1, vector, chunk), b, c))
        block[0] = chunk == 4 ? CHOOSE(0, 4) : CHOOSE(0, 8);
        block[1] = chunk == 4 ? CHOOSE(1, 4) : CHOOSE(1, 8);
        block[2] = chunk == 4 ? CHOOSE(2, 4) : CHOOSE(2, 8);
#undef CHOOSE
        return;
    }
    /* The first half of them by the first lanes, the others by the second. */
    if (planes == 3) {
        const lanes a = pick(block[0], spread_plane(0, chunk)), b = pick(block[1], spread_plane(1, chunk)),
                    c = pick(block[2], spread_plane(2, chunk));
        const lanes of_a[] = {where_plane(0, 0, chunk), where_plane(0, 1, chunk), where_plane(0, 2, chunk)};
        const lanes of_b[] = {where_plane(1, 0, chunk), where_plane(1, 1, chunk), where_plane(1, 2, chunk)};
        choose_three(next, a, b, c, of_a, of_b);
        block[0] = first_lanes(next[0], next[1]);
        block[1] = FIRST_WORDS(4, next[2], next[0]);
        block[2] = second_lanes(next[1], next[2]);
        return;
    }
    riffle_lanes(block, planes, chunk);
    UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        next[i] = block[i];
    UNROLL_ALL
    for (int i = 0; i < planes / 2; ++i) {
        block[i] = first_lanes(next[2 * i], next[2 * i + 1]);
        block[planes / 2 + i] = second_lanes(next[2 * i], next[2 * i + 1]);
    }
}

/* And back. The chunks of a plane are brought together in each lane of pixels, and then those of two or four lanes. */
static ALWAYS_INLINE void unweave(lanes *block, const int planes, const int chunk)
{
    lanes next[DMLC_MOST_PLANES];
    if (planes == 3 && chunk >= 4) {
#define CHOOSE(plane, chunk)                                                                                           \
    CHOOSE_WORDS(WORDS_OF_PLANE(plane, 0, chunk), block[0],                                                            \
                 CHOOSE_WORDS(WORDS_OF_PLANE(plane, 1, chunk), block[1], block[2]))
        next[0] = chunk == 4 ? CHOOSE(0, 4) : CHOOSE(0, 8);
        next[1] = chunk == 4 ? CHOOSE(1, 4) : CHOOSE(1, 8);
        next[2] = chunk == 4 ? CHOOSE(2, 4) : CHOOSE(2, 8);
#undef CHOOSE
        UNROLL_ALL
        for (int i = 0; i < 3; ++i)
            block[i] = pick_words(next[i], gather_words(i, chunk));
        return;
    }
    if (planes == 3) {
        const lanes in_first[] = {where_plane(0, 0, chunk), where_plane(1, 0, chunk), where_plane(2, 0, chunk)};
        const lanes in_second[] = {where_plane(0, 1, chunk), where_plane(1, 1, chunk), where_plane(2, 1, chunk)};
        choose_three(next, block[0], block[1], block[2], in_first, in_second);
        UNROLL_ALL
        for (int i = 0; i < 3; ++i)
            block[i] = pick(next[i], gather_plane(i, chunk));
        return;
    }
    if (planes * chunk == 32) {
        next[0] = LANES_LOW_8(block[0], block[2]);
        next[1] = LANES_HIGH_8(block[0], block[2]);
        next[2] = LANES_LOW_8(block[1], block[3]);
        next[3] = LANES_HIGH_8(block[1], block[3]);
        UNROLL_ALL
        for (int i = 0; i < planes; ++i)
            block[i] = next[i];
        return;
    }
    const int together = 16 / planes; /* bytes of a plane in a lane of pixels */
#define BYTE(i) ((i) % together / chunk * planes * chunk + (i) / together * chunk + (i) % chunk)
    if (chunk < together)
        UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        block[i] = pick(block[i], repeat_lane(LANE(BYTE)));
#undef BYTE
    riffle_lanes(block, planes, together);
}

static ALWAYS_INLINE void interleave_block(char *output, const char *const *input, int64_t at, const int planes,
                                           const int chunk)
{
    lanes block[DMLC_MOST_PLANES];
    UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        block[i] = load_side_by_side(input[i] + at * chunk);
    weave(block, planes, chunk);
    UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        store_side_by_side(output + (at * planes * chunk + 32 * i), block[i]);
}

static ALWAYS_INLINE void deinterleave_block(char *const *output, const char *input, int64_t at, const int planes,
                                             const int chunk)
{
    lanes block[DMLC_MOST_PLANES];
    input += at * planes * chunk;
    UNROLL_ALL
    for (int i = 0; i < planes; ++i) {
        /* Words are picked from both lanes; else the first half of the pixels' lanes are the first lanes of the vectors, the
         * others the second. Where there is much to choose, words that are chosen took 0.95 of the time of lanes that are
         * inserted, elsewhere up to 1.07 times as long. */
        const char *first = input + 16 * i, *second = input + 16 * (planes + i);
        block[i] = planes == 3 && chunk >= 4 ? load_side_by_side(input + 32 * i)
                   : planes == 3 && CHOICES_TAKE_SHUFFLES
                       ? FIRST_WORDS(4, repeat_lane(load16(first)), repeat_lane(load16(second)))
                       : load_lanes(first, second);
    }
    unweave(block, planes, chunk);
    UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        store_side_by_side(output[i] + at * chunk, block[i]);
}

#else

/* Loads and stores that do it. */
#define BLOCKS(PLANES, CHUNK, TYPE, SUFFIX)                                                                            \
    if (planes == PLANES && chunk == CHUNK) {                                                                          \
        TYPE##x##PLANES##_t block;                                                                                     \
        BLOCK(PLANES, SUFFIX)                                                                                          \
    }
#define ALL_BLOCKS                                                                                                     \
    BLOCKS(2, 1, uint8x16, u8)                                                                                         \
    BLOCKS(3, 1, uint8x16, u8)                                                                                         \
    BLOCKS(4, 1, uint8x16, u8)                                                                                         \
    BLOCKS(2, 2, uint16x8, u16)                                                                                        \
    BLOCKS(3, 2, uint16x8, u16)                                                                                        \
    BLOCKS(4, 2, uint16x8, u16)                                                                                        \
    BLOCKS(2, 4, uint32x4, u32)                                                                                        \
    BLOCKS(3, 4, uint32x4, u32)                                                                                        \
    BLOCKS(4, 4, uint32x4, u32)                                                                                        \
    BLOCKS(2, 8, uint64x2, u64)                                                                                        \
    BLOCKS(3, 8, uint64x2, u64)                                                                                        \
    BLOCKS(4, 8, uint64x2, u64)

static ALWAYS_INLINE void interleave_block(char *output, const char *const *input, int64_t at, const int planes,
                                           const int chunk)
{
#define BLOCK(PLANES, SUFFIX)                                                                                          \
    for (int i = 0; i < PLANES; ++i)                                                                                   \
        block.val[i] = vld1q_##SUFFIX((const void *)(input[i] + at * chunk));                                          \
    vst##PLANES##q_##SUFFIX((void *)(output + at * planes * chunk), block);
    ALL_BLOCKS
#undef BLOCK
}

static ALWAYS_INLINE void deinterleave_block(char *const *output, const char *input, int64_t at, const int planes,
                                             const int chunk)
{
#define BLOCK(PLANES, SUFFIX)                                                                                          \
    block = vld##PLANES##q_##SUFFIX((const void *)(input + at * planes * chunk));                                      \
    for (int i = 0; i < PLANES; ++i)                                                                                   \
        vst1q_##SUFFIX((void *)(output[i] + at * chunk), block.val[i]);
    ALL_BLOCKS
#undef BLOCK
}

#undef BLOCKS
#undef ALL_BLOCKS

#endif

/* A loop for each number of planes and each chunk. */
#define EACH_CHUNK(PLANES)                                                                                             \
    switch (chunk) {                                                                                                   \
    case 1: EACH_BLOCK(PLANES, 1) break;                                                                               \
    case 2: EACH_BLOCK(PLANES, 2) break;                                                                               \
    case 4: EACH_BLOCK(PLANES, 4) break;                                                                               \
    default: EACH_BLOCK(PLANES, 8) break;                                                                              \
    }
#define EACH_PLANES                                                                                                    \
    switch (planes) {                                                                                                  \
    case 2: EACH_CHUNK(2) break;                                                                                       \
    case 3: EACH_CHUNK(3) break;                                                                                       \
    default: EACH_CHUNK(4) break;                                                                                      \
    }

/* Whether so many pixels of so many planes fill a block. */
static bool pixels_fill_a_block(int64_t pixels, int64_t planes, int64_t chunk)
{
    return planes >= 2 && planes <= DMLC_MOST_PLANES && dmlc_width_place(chunk) <= 3 && pixels * chunk >= 16 * LANES;
}

/* Where the second block begins, at most `block` chunks behind the first one, which it may overlap: from there on stores are
 * aligned, where they can be. Large arrays begin 16 bytes behind a line: planes of 96 x 128 and 480 x 640 took 0.90 to 0.95 of the
 * time by mean with aligned stores, and where arrays begin at a line 0.98 to 1.01. */
static ALWAYS_INLINE int64_t second_block(const char *output, const int step, const int block, int64_t pixels)
{
    enum { LEAST_BLOCKS = 16 };
    return pixels < LEAST_BLOCKS * block ? block : first_aligned(output, step, 1, block, 16 * LANES);
}

/* output[i * planes + p] = input[sources[p] + i], in chunks but for the sources. */
static void interleave(char *output, const char *input, const int64_t *sources, int64_t pixels, int64_t planes,
                       int64_t chunk)
{
    const char *const from[DMLC_MOST_PLANES] = {input + sources[0], input + sources[1],
                                                planes > 2 ? input + sources[2] : NULL,
                                                planes > 3 ? input + sources[3] : NULL};
#define EACH_BLOCK(PLANES, CHUNK)                                                                                      \
    {                                                                                                                  \
        const int block = 16 * LANES / CHUNK;                                                                          \
        interleave_block(output, from, 0, PLANES, CHUNK);                                                              \
        for (int64_t at = second_block(output, PLANES * CHUNK, block, pixels); at < pixels - block; at += block)       \
            interleave_block(output, from, at, PLANES, CHUNK);                                                         \
        interleave_block(output, from, pixels - block, PLANES, CHUNK);                                                 \
    }
    EACH_PLANES
#undef EACH_BLOCK
}

/* Asks for the lines in which a block of each plane ends. On Granite Rapids with AVX2 pixels to planes took 0.4 to 1.0 of the time so from
 * 44 KB to 2.5 MB, 0.63 by mean, and 0.93 beyond. Planes to pixels, which are written side by side, took 1.05 to 1.1. */
static ALWAYS_INLINE void fetch_planes_to_write(char *const *output, int64_t at, const int planes, const int chunk)
{
    UNROLL_ALL
    for (int i = 0; i < planes; ++i)
        fetch_to_write(output[i] + at * chunk + 16 * LANES - 1);
}

/* output[p][i] = input[i * planes + p], in chunks. There is a function for each `stores_wait`: one for both took 1.04 times as long in the
 * first-level cache. */
static ALWAYS_INLINE void deinterleave_by(char *const *output, const char *input, int64_t pixels, int64_t planes,
                                          int64_t chunk, const bool stores_wait)
{
    /* Locals, since a store through a char pointer might change the list, for all that the compiler knows. */
    char *const to[DMLC_MOST_PLANES] = {output[0], output[1], output[2], output[3]};
#define EACH_BLOCK(PLANES, CHUNK)                                                                                      \
    {                                                                                                                  \
        const int block = 16 * LANES / CHUNK;                                                                          \
        deinterleave_block(to, input, 0, PLANES, CHUNK);                                                               \
        for (int64_t at = second_block(to[0], CHUNK, block, pixels); at < pixels - block; at += block) {               \
            if (stores_wait)                                                                                           \
                fetch_planes_to_write(to, at, PLANES, CHUNK);                                                          \
            deinterleave_block(to, input, at, PLANES, CHUNK);                                                          \
        }                                                                                                              \
        deinterleave_block(to, input, pixels - block, PLANES, CHUNK);                                                  \
    }
    EACH_PLANES
#undef EACH_BLOCK
}

static APART void deinterleave(char *const *output, const char *input, int64_t pixels, int64_t planes, int64_t chunk)
{
    deinterleave_by(output, input, pixels, planes, chunk, false);
}

static APART void deinterleave_where_stores_wait(char *const *output, const char *input, int64_t pixels, int64_t planes,
                                                 int64_t chunk)
{
    deinterleave_by(output, input, pixels, planes, chunk, true);
}

#undef EACH_CHUNK
#undef EACH_PLANES

/* Rows that are the planes of dense pixels: the first plane first or, where input_row is negative, the last one first. The pixels go one
 * way or the other. Row r lies at places[r] or, without places, r * output_row behind the output. */
static APART void gather_planes(char *output, int64_t output_row, const int64_t *places, const char *input,
                                int64_t input_row, int64_t step, int64_t rows, int64_t columns, int64_t chunk,
                                bool stores_wait)
{
    char *planes[4] = {NULL};
    for (int64_t r = 0; r < rows; ++r)
        planes[input_row < 0 ? rows - 1 - r : r] = output + (places == NULL ? r * output_row : places[r]);
    const char *first = input + (input_row < 0 ? (rows - 1) * input_row : 0);
    if (step > 0) {
        if (stores_wait)
            deinterleave_where_stores_wait(planes, first, columns, rows, chunk);
        else
            deinterleave(planes, first, columns, rows, chunk);
        return;
    }
    /* Pixels from the last to the first: so many of them in order, and each plane of these the other way. The last block
     * overlaps the one before it. */
    enum { PLANE_BYTES = 1024 };
    char stage[4][PLANE_BYTES];
    char *const staged[4] = {stage[0], stage[1], stage[2], stage[3]};
    const int64_t block = dmlc_minimum(columns, PLANE_BYTES / chunk);
    for (int64_t next = 0; next < columns; next += block) {
        const int64_t at = next + block <= columns ? next : columns - block;
        deinterleave(staged, first + (at + block - 1) * step, block, rows, chunk);
        for (int64_t plane = 0; plane < rows; ++plane)
            move(planes[plane] + at * chunk, chunk, staged[plane] + (block - 1) * chunk, -chunk, block, chunk);
    }
}

/* Whether the rows are the planes of dense pixels that fill a block. */
static inline bool are_pixels(int64_t input_row, int64_t step, int64_t rows, int64_t columns, int64_t chunk)
{
    return dmlc_are_pixels(input_row, step, rows, chunk) && pixels_fill_a_block(columns, rows, chunk);
}

#endif

#endif
