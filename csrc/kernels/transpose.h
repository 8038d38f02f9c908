/* Square tiles turned in registers: riffling the halves of k vectors of k elements log2(k) times turns them around.
 *
 *     new[2i], new[2i + 1] = the low and the high halves of old[i] and old[i + k/2], element by element
 */
#ifndef DMLC_KERNELS_TRANSPOSE_H
#define DMLC_KERNELS_TRANSPOSE_H

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

#ifdef DMLC_HAVE_TILES

/* A tile of K x K elements of 16 / K bytes: output[j][i] = input[i][j]. */
#define DEFINE_TURN(WIDTH, K, STAGES)                                                                                  \
    static inline void turn_##WIDTH(char *output, int64_t output_row, const char *input, int64_t input_row)            \
    {                                                                                                                  \
        vector16 tile[K], riffled[K];                                                                                  \
        for (int i = 0; i < K; ++i)                                                                                    \
            tile[i] = load16(input + i * input_row);                                                                   \
        for (int stage = 0; stage < STAGES; ++stage) {                                                                 \
            for (int i = 0; i < K / 2; ++i) {                                                                          \
                riffled[2 * i] = LOW_##WIDTH(tile[i], tile[i + K / 2]);                                                \
                riffled[2 * i + 1] = HIGH_##WIDTH(tile[i], tile[i + K / 2]);                                           \
            }                                                                                                          \
            for (int i = 0; i < K; ++i)                                                                                \
                tile[i] = riffled[i];                                                                                  \
        }                                                                                                              \
        for (int i = 0; i < K; ++i)                                                                                    \
            store16(output + i * output_row, tile[i]);                                                                 \
    }

DEFINE_TURN(1, 16, 4)
DEFINE_TURN(2, 8, 3)
DEFINE_TURN(4, 4, 2)
DEFINE_TURN(8, 2, 1)

#undef DEFINE_TURN

#endif

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* The same with whole cache lines, so that lines that share a place in the first-level cache, as the rows of a matrix
 * whose width is a power of two do, are each touched once. */
#define DEFINE_TURN_LINES(WIDTH, K, STAGES, BITS)                                                                      \
    static void turn_lines_##WIDTH(char *output, int64_t output_row, const char *input, int64_t input_row,             \
                                   __m512i low, __m512i high)                                                          \
    {                                                                                                                  \
        __m512i tile[K], riffled[K];                                                                                   \
        for (int i = 0; i < K; ++i)                                                                                    \
            tile[i] = _mm512_loadu_si512(input + i * input_row);                                                       \
        for (int stage = 0; stage < STAGES; ++stage) {                                                                 \
            for (int i = 0; i < K / 2; ++i) {                                                                          \
                riffled[2 * i] = _mm512_permutex2var_epi##BITS(tile[i], low, tile[i + K / 2]);                         \
                riffled[2 * i + 1] = _mm512_permutex2var_epi##BITS(tile[i], high, tile[i + K / 2]);                    \
            }                                                                                                          \
            for (int i = 0; i < K; ++i)                                                                                \
                tile[i] = riffled[i];                                                                                  \
        }                                                                                                              \
        for (int i = 0; i < K; ++i)                                                                                    \
            _mm512_storeu_si512(output + i * output_row, tile[i]);                                                     \
    }

DEFINE_TURN_LINES(4, 16, 4, 32)
DEFINE_TURN_LINES(8, 8, 3, 64)

#undef DEFINE_TURN_LINES

/* Whole tiles of lines of `rows` and `count`, for elements of 4 or 8 bytes. */
static void turn_all_lines(char *output, int64_t output_row, const char *input, int64_t input_step, int64_t rows,
                           int64_t count, int64_t width)
{
    const __m512i low = width == 4 ? _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
                                   : _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = width == 4 ? _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8)
                                    : _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    /* Strips of a few lines of columns: the input's rows are pages apart, and few pages are known at a time. */
    const int64_t line = 64 / width, strip = 4 * line;
    for (int64_t begin = 0; begin + line <= count; begin += strip)
        for (int64_t row = 0; row + line <= rows; row += line)
            for (int64_t column = begin; column + line <= count && column < begin + strip; column += line) {
                char *to = output + row * output_row + column * width;
                const char *from = input + row * width + column * input_step;
                if (width == 4)
                    turn_lines_4(to, output_row, from, input_step, low, high);
                else
                    turn_lines_8(to, output_row, from, input_step, low, high);
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
