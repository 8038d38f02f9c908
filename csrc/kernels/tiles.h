/* Tiles turned in registers: riffling the halves of c vectors log2(c) times turns them around.
 *
 *     new[2i], new[2i + 1] = the low and the high halves of old[i] and old[i + c/2], element by element
 *
 * Each turn moves the highest bit of an element's number, its vector first, to the lowest place: after log2(c) of them
 * element k of vector c is element k * c' + c of all, where c' is how many vectors there are.
 */
#ifndef DMLC_KERNELS_TILES_H
#define DMLC_KERNELS_TILES_H

#include "kernels/bytes.h"

#if defined(__SSE2__)
#define LOW_1(a, b) _mm_unpacklo_epi8(a, b)
#define HIGH_1(a, b) _mm_unpackhi_epi8(a, b)
#define LOW_2(a, b) _mm_unpacklo_epi16(a, b)
#define HIGH_2(a, b) _mm_unpackhi_epi16(a, b)
#define LOW_4(a, b) _mm_unpacklo_epi32(a, b)
#define HIGH_4(a, b) _mm_unpackhi_epi32(a, b)
#define LOW_8(a, b) _mm_unpacklo_epi64(a, b)
#define HIGH_8(a, b) _mm_unpackhi_epi64(a, b)
#define DMLC_HAVE_TILES 1
#elif defined(DMLC_NEON)
#define ZIP(half, type, a, b)                                                                                          \
    vreinterpretq_u8_##type(vzip##half##q_##type(vreinterpretq_##type##_u8(a), vreinterpretq_##type##_u8(b)))
#define LOW_1(a, b) vzip1q_u8(a, b)
#define HIGH_1(a, b) vzip2q_u8(a, b)
#define LOW_2(a, b) ZIP(1, u16, a, b)
#define HIGH_2(a, b) ZIP(2, u16, a, b)
#define LOW_4(a, b) ZIP(1, u32, a, b)
#define HIGH_4(a, b) ZIP(2, u32, a, b)
#define LOW_8(a, b) ZIP(1, u64, a, b)
#define HIGH_8(a, b) ZIP(2, u64, a, b)
#define DMLC_HAVE_TILES 1
#endif

/* Where the tile of so many elements that would begin at `at` begins: the last one ends where all do. */
static inline int64_t tile_begin(int64_t at, int64_t tile, int64_t size)
{
    return at + tile <= size ? at : size - tile;
}

#ifdef DMLC_HAVE_TILES

/* A tile that is not all in registers takes four times as long. */
#if defined(__GNUC__)
#define UNROLL_ALL _Pragma("GCC unroll 16")
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define UNROLL_ALL
#define ALWAYS_INLINE inline
#endif

/* 2, 4, 8 or 16 bytes, the rest zero. */
static inline vector16 load_part(const char *from, const int bytes)
{
    if (bytes == 16)
        return load16(from);
    uint64_t low = 0;
    memcpy(&low, from, (size_t)bytes);
    return from_halves(low, 0);
}

/* Bytes [at, at + bytes) of a vector, which do not lie in both halves unless they are all. */
static inline void store_part(char *to, vector16 value, const int at, const int bytes)
{
    if (bytes == 16) {
        store16(to, value);
        return;
    }
    const uint64_t part = (at < 8 ? low_half(value) : high_half(value)) >> at % 8 * 8;
    memcpy(to, &part, (size_t)bytes);
}

/* `columns` runs of `rows` elements become rows of columns, from their sources to their places. Both counts are powers of
 * two and constants, from 2 to the elements of a vector. */
#define DEFINE_TURN(WIDTH)                                                                                             \
    static ALWAYS_INLINE void turn_##WIDTH(char *output, const int64_t *places, const char *input,                     \
                                           const int64_t *sources, const int rows, const int columns)                  \
    {                                                                                                                  \
        vector16 tile[16 / WIDTH], riffled[16 / WIDTH];                                                                \
        UNROLL_ALL                                                                                                     \
        for (int i = 0; i < columns; ++i)                                                                              \
            tile[i] = load_part(input + sources[i], rows * WIDTH);                                                     \
        UNROLL_ALL                                                                                                     \
        for (int turned = 1; turned < columns; turned *= 2) {                                                          \
            UNROLL_ALL                                                                                                 \
            for (int i = 0; i < columns / 2; ++i) {                                                                    \
                riffled[2 * i] = LOW_##WIDTH(tile[i], tile[i + columns / 2]);                                          \
                riffled[2 * i + 1] = HIGH_##WIDTH(tile[i], tile[i + columns / 2]);                                     \
            }                                                                                                          \
            UNROLL_ALL                                                                                                 \
            for (int i = 0; i < columns; ++i)                                                                          \
                tile[i] = riffled[i];                                                                                  \
        }                                                                                                              \
        const int row_bytes = columns * WIDTH;                                                                         \
        UNROLL_ALL                                                                                                     \
        for (int row = 0; row < rows; ++row)                                                                           \
            store_part(output + places[row], tile[row * row_bytes / 16], row * row_bytes % 16, row_bytes);             \
    }

DEFINE_TURN(1)
DEFINE_TURN(2)
DEFINE_TURN(4)
DEFINE_TURN(8)

#undef DEFINE_TURN

#endif

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* The same with whole cache lines, so that lines that share a place in the first-level cache, as the rows of a matrix
 * whose width is a power of two do, are each touched once. */
#define DEFINE_TURN_LINES(WIDTH, K, STAGES, BITS)                                                                      \
    static void turn_lines_##WIDTH(char *output, const int64_t *places, const char *input, const int64_t *sources,     \
                                   __m512i low, __m512i high)                                                          \
    {                                                                                                                  \
        __m512i tile[K], riffled[K];                                                                                   \
        for (int i = 0; i < K; ++i)                                                                                    \
            tile[i] = _mm512_loadu_si512(input + sources[i]);                                                          \
        for (int stage = 0; stage < STAGES; ++stage) {                                                                 \
            for (int i = 0; i < K / 2; ++i) {                                                                          \
                riffled[2 * i] = _mm512_permutex2var_epi##BITS(tile[i], low, tile[i + K / 2]);                         \
                riffled[2 * i + 1] = _mm512_permutex2var_epi##BITS(tile[i], high, tile[i + K / 2]);                    \
            }                                                                                                          \
            for (int i = 0; i < K; ++i)                                                                                \
                tile[i] = riffled[i];                                                                                  \
        }                                                                                                              \
        for (int i = 0; i < K; ++i)                                                                                    \
            _mm512_storeu_si512(output + places[i], tile[i]);                                                          \
    }

DEFINE_TURN_LINES(4, 16, 4, 32)
DEFINE_TURN_LINES(8, 8, 3, 64)

#undef DEFINE_TURN_LINES

/* At least a line of rows and of columns, for elements of 4 or 8 bytes. What is left over at the ends of either goes by a
 * tile that overlaps the one before it. */
static void turn_all_lines(char *output, const int64_t *places, int64_t rows, const char *input, const int64_t *sources,
                           int64_t columns, int64_t width)
{
    const __m512i low = width == 4 ? _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
                                   : _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = width == 4 ? _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8)
                                    : _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    /* Strips of a few lines of columns: the input's rows are pages apart, and few pages are known at a time. */
    const int64_t line = 64 / width, strip = 4 * line;
    for (int64_t begin = 0; begin < columns; begin += strip)
        for (int64_t across = 0; across < rows; across += line)
            for (int64_t along = begin; along < columns && along < begin + strip; along += line) {
                const int64_t row = tile_begin(across, line, rows), column = tile_begin(along, line, columns);
                char *to = output + column * width;
                if (width == 4)
                    turn_lines_4(to, places + row, input + row * width, sources + column, low, high);
                else
                    turn_lines_8(to, places + row, input + row * width, sources + column, low, high);
            }
}

#define DMLC_HAVE_LINES 1

/* `rows` pixels of 2 to 4 chunks, one from each of as many planes `input_step` apart: output block byte j is byte
 * index[j] of two planes side by side, of the first pair or of the second. Returns how many rows were done; none of a few,
 * which move in the time that the indices take. */
static int64_t interleave(char *output, const char *input, int64_t input_step, int64_t rows, int64_t planes,
                          int64_t chunk)
{
    const int64_t pixel = planes * chunk, together = 64 / pixel, block = together * pixel;
    const int64_t used = together * chunk; /* bytes of each plane */
    if (rows * pixel < 256)
        return 0;
    unsigned char places[64] = {0};
    uint64_t second = 0;
    for (int64_t i = 0, j = 0; i < together; ++i)
        for (int64_t plane = 0; plane < planes; ++plane)
            for (int64_t byte = 0; byte < chunk; ++byte, ++j) {
                places[j] = (unsigned char)(plane % 2 * 64 + i * chunk + byte);
                second |= (uint64_t)(plane / 2) << j;
            }
    const __m512i index = _mm512_loadu_si512(places);
    const __mmask64 load = used >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << used) - 1;
    int64_t done = 0;
    for (; (rows - done) * pixel >= 64; done += together) {
        __m512i plane[4];
        for (int64_t p = 0; p < 4; ++p)
            plane[p] = _mm512_maskz_loadu_epi8(load, input + (p < planes ? p : 0) * input_step);
        const __m512i first_pair = _mm512_permutex2var_epi8(plane[0], index, plane[1]);
        const __m512i second_pair = _mm512_permutex2var_epi8(plane[2], index, plane[3]);
        _mm512_storeu_si512(output, _mm512_mask_mov_epi8(first_pair, second, second_pair));
        output += block;
        input += used;
    }
    return done;
}

#elif defined(DMLC_HAVE_LOOK_UP)

/* The same by vectors of 16 bytes, for chunks that divide them: a vector of each plane becomes as many vectors of the
 * output, each with bytes of all planes. A constant number of planes keeps all indices in registers. */
static inline int64_t interleave_planes(char *output, const char *input, int64_t input_step, int64_t rows,
                                        const int planes, int64_t chunk)
{
    const int64_t pixel = planes * chunk, together = 16 / chunk;
    unsigned char places[4][4][16];
    memset(places, ELSEWHERE, sizeof(places));
    for (int64_t j = 0; j < 16 * planes; ++j)
        places[j / 16][j % pixel / chunk][j % 16] = (unsigned char)(j / pixel * chunk + j % chunk);
    int64_t done = 0;
    for (; rows - done >= together; done += together) {
        for (int i = 0; i < planes; ++i) {
            vector16 bytes = {0};
            for (int plane = 0; plane < planes; ++plane)
                bytes = look_up(bytes, load16(input + plane * input_step), load16(places[i][plane]));
            store16(output + 16 * i, bytes);
        }
        output += 16 * planes;
        input += 16;
    }
    return done;
}

static int64_t interleave(char *output, const char *input, int64_t input_step, int64_t rows, int64_t planes,
                          int64_t chunk)
{
    /* A pixel of 16 bytes or more is as fast in tiles, up to twice as fast; and preparing the indices costs as much as
     * moving some hundred bytes. */
    const int64_t pixel = planes * chunk;
    if (16 % chunk != 0 || pixel >= 16 || rows * pixel < 256)
        return 0;
    switch (planes) {
    case 2: return interleave_planes(output, input, input_step, rows, 2, chunk);
    case 3: return interleave_planes(output, input, input_step, rows, 3, chunk);
    default: return interleave_planes(output, input, input_step, rows, 4, chunk);
    }
}

#else

static int64_t interleave(char *output, const char *input, int64_t input_step, int64_t rows, int64_t planes,
                          int64_t chunk)
{
    (void)output;
    (void)input;
    (void)input_step;
    (void)rows;
    (void)planes;
    (void)chunk;
    return 0;
}

#endif

#endif
