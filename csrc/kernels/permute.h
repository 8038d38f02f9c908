/* Rows of units by a planned byte permutation, see dmlc_permutation. Returns how many units of each row were done, from
 * the first on; the caller does the rest piece by piece. No byte outside the windows of those units is read; bytes past a
 * block may be written where the next block's follow. */
#ifndef DMLC_KERNELS_PERMUTE_H
#define DMLC_KERNELS_PERMUTE_H

#include "kernels/bytes.h"
#include "kernels/kernels.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* What `units` of a block read and write. */
typedef struct permute_masks {
    __mmask64 low, high, written;
} permute_masks;

/* The window's first units: from its low end, or of a reversed one from its high end. */
static inline permute_masks masks_of(const dmlc_permutation *permutation, int64_t units)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    const int64_t read = permutation->end - permutation->begin;
    const int64_t begin = step < 0 ? (permutation->units - units) * distance : 0;
    const int64_t end = step < 0 ? (permutation->units - 1) * distance + read : (units - 1) * distance + read;
    return (permute_masks){dmlc_bits(begin, end - begin), dmlc_bits(begin - 64, end - begin),
                           dmlc_bits(0, units * permutation->unit_bytes)};
}

typedef struct permute_vectors {
    __m512i index, fill;
    __mmask64 filled;
} permute_vectors;

static inline permute_vectors vectors_of(const dmlc_permutation *permutation, const dmlc_pattern *pattern)
{
    return (permute_vectors){_mm512_loadu_si512(permutation->index), _mm512_loadu_si512(pattern->bytes),
                             permutation->filled};
}

static inline __m512i permuted(permute_vectors vectors, permute_masks masks, const char *window)
{
    const __m512i first = _mm512_maskz_loadu_epi8(masks.low, window);
    const __m512i second = _mm512_maskz_loadu_epi8(masks.high, window + 64);
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(first, vectors.index, second), vectors.filled, vectors.fill);
}

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                       int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    const int64_t block = permutation->units, advance = block * permutation->unit_step;
    const int64_t unit_bytes = permutation->unit_bytes, block_bytes = block * unit_bytes;
    const permute_vectors vectors = vectors_of(permutation, pattern);
    const permute_masks whole = masks_of(permutation, block);
    const permute_masks rest = masks_of(permutation, units % block == 0 ? block : units % block);
    input += permutation->begin + (permutation->unit_step < 0 ? (block - 1) * permutation->unit_step : 0);
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row;
        int64_t left = units;
        if (whole.high == 0) {
            for (; left >= block && left * unit_bytes >= 64; left -= block) {
                const __m512i bytes = _mm512_permutexvar_epi8(vectors.index, _mm512_maskz_loadu_epi8(whole.low, from));
                _mm512_storeu_si512(to, _mm512_mask_mov_epi8(bytes, vectors.filled, vectors.fill));
                to += block_bytes;
                from += advance;
            }
        } else {
            for (; left >= block && left * unit_bytes >= 64; left -= block) {
                _mm512_storeu_si512(to, permuted(vectors, whole, from));
                to += block_bytes;
                from += advance;
            }
        }
        for (; left >= block; left -= block) {
            _mm512_mask_storeu_epi8(to, whole.written, permuted(vectors, whole, from));
            to += block_bytes;
            from += advance;
        }
        if (left > 0)
            _mm512_mask_storeu_epi8(to, rest.written, permuted(vectors, rest, from));
    }
    return units;
}

/* Rows that are a copy but for their ends, see dmlc_row.head. False where it cannot. */
static bool permute_ends(const dmlc_row *row, char *output, int64_t output_row, const char *input, int64_t input_row,
                         int64_t rows, const dmlc_pattern *pattern)
{
    const dmlc_piece *middle = &row->pieces[row->middle];
    const int64_t tail = row->size * row->chunk - 64, between = tail - 64;
    const char *from = input + middle->input + (64 - middle->output);
    const permute_vectors head_vectors = vectors_of(&row->head, pattern);
    const permute_vectors tail_vectors = vectors_of(&row->tail, pattern);
    const permute_masks head_masks = masks_of(&row->head, 1), tail_masks = masks_of(&row->tail, 1);
    const int64_t head_begin = row->head.begin, tail_begin = row->tail.begin;
    for (int64_t r = 0; r < rows; ++r) {
        _mm512_storeu_si512(output, permuted(head_vectors, head_masks, input + head_begin));
        if (between > 0)
            copy_bytes(output + 64, from + r * input_row, between);
        _mm512_storeu_si512(output + tail, permuted(tail_vectors, tail_masks, input + tail_begin));
        output += output_row;
        input += input_row;
    }
    return true;
}

/* Whether so many chunks are worth a permutation. */
static inline bool permute_pays(int64_t chunk, int64_t count)
{
    (void)chunk;
    (void)count;
    return true;
}

#elif defined(DMLC_HAVE_LOOK_UP)

/* Preparing the lanes takes as long as moving some hundred chunks one by one; and four of 4 bytes are as quick as 16 bytes
 * looked up in several vectors. */
static inline bool permute_pays(int64_t chunk, int64_t count) { return chunk < 4 && count >= 512; }

/* 16 bytes of the block from at most this many vectors of the window. */
enum { PERMUTE_SOURCES = 4 };

typedef struct permute_lane {
    int count;
    int64_t at[PERMUTE_SOURCES];
    unsigned char shuffle[PERMUTE_SOURCES][16]; /* ELSEWHERE where the byte is not in this vector */
    unsigned char filled[16];                   /* 0xFF where the pattern stands */
} permute_lane;

/* False where the lane would need too many vectors. */
static bool permute_lane_build(permute_lane *lane, const dmlc_permutation *permutation, int64_t window, int first)
{
    int64_t lowest = window, highest = -1;
    for (int i = first; i < first + 16; ++i) {
        const bool filled = permutation->filled >> i & 1;
        lane->filled[i - first] = filled ? 0xFF : 0;
        if (!filled && permutation->index[i] < lowest)
            lowest = permutation->index[i];
        if (!filled && permutation->index[i] > highest)
            highest = permutation->index[i];
    }
    lane->count = 0;
    for (int64_t at = lowest; at <= highest; at += 16) {
        if (lane->count == PERMUTE_SOURCES)
            return false;
        /* Vectors end with the window at the latest; their last bytes then stand in two of them, and count once. */
        const int64_t from = at + 16 <= window ? at : window - 16;
        for (int i = 0; i < 16; ++i) {
            const int64_t byte = permutation->index[first + i];
            const bool here = byte >= at && byte < at + 16 && !lane->filled[i];
            lane->shuffle[lane->count][i] = here ? (unsigned char)(byte - from) : ELSEWHERE;
        }
        lane->at[lane->count++] = from;
    }
    return true;
}

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                       int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    const int64_t block = permutation->units, step = permutation->unit_step;
    const int64_t unit_bytes = permutation->unit_bytes;
    const int64_t window = (block - 1) * (step < 0 ? -step : step) + permutation->end - permutation->begin;
    /* Preparing the lanes costs as much as moving some hundred bytes. */
    if (window < 16 || units * unit_bytes < 64 || rows * units * unit_bytes < 256)
        return 0;
    permute_lane lanes[4];
    for (int i = 0; i < 4; ++i)
        if (!permute_lane_build(&lanes[i], permutation, window, 16 * i))
            return 0;
    const vector16 fill = load16(pattern->bytes);
    input += permutation->begin + (step < 0 ? (block - 1) * step : 0);
    int64_t left = units;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row;
        for (left = units; left >= block && left * unit_bytes >= 64; left -= block) {
            for (int i = 0; i < 4; ++i) {
                const permute_lane *lane = &lanes[i];
                vector16 bytes = and16(fill, load16(lane->filled));
                for (int s = 0; s < lane->count; ++s)
                    bytes = look_up(bytes, load16(from + lane->at[s]), load16(lane->shuffle[s]));
                store16(to + 16 * i, bytes);
            }
            to += block * unit_bytes;
            from += block * step;
        }
    }
    return units - left;
}

#else

static inline bool permute_pays(int64_t chunk, int64_t count)
{
    (void)chunk;
    (void)count;
    return false;
}

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                       int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    (void)permutation;
    (void)output;
    (void)output_row;
    (void)input;
    (void)input_row;
    (void)rows;
    (void)units;
    (void)pattern;
    return 0;
}

#endif

#if !defined(__AVX512VBMI__)

static bool permute_ends(const dmlc_row *row, char *output, int64_t output_row, const char *input, int64_t input_row,
                         int64_t rows, const dmlc_pattern *pattern)
{
    (void)row;
    (void)output;
    (void)output_row;
    (void)input;
    (void)input_row;
    (void)rows;
    (void)pattern;
    return false;
}

#endif

#endif
