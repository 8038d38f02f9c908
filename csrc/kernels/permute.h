/* Blocks of units by a planned byte permutation, see dmlc_permutation. Returns how many units were done, from the first
 * on; the caller does the rest piece by piece. No byte outside the windows of those units is read; bytes past a block
 * may be written where the next block's follow. */
#ifndef DMLC_KERNELS_PERMUTE_H
#define DMLC_KERNELS_PERMUTE_H

#include "kernels/kernels.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* Bits [begin, end) of 128, 64 of them from `first` on. */
static inline __mmask64 bits(int64_t begin, int64_t end, int64_t first)
{
    begin = begin < first ? 0 : begin - first;
    end = end - first;
    if (end <= begin || begin >= 64)
        return 0;
    const uint64_t below_end = end >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << end) - 1;
    return below_end & ~((UINT64_C(1) << begin) - 1);
}

static int64_t permute(const dmlc_permutation *permutation, char *output, const char *input, int64_t units,
                       const dmlc_pattern *pattern)
{
    const int64_t all = units;
    const int64_t block = permutation->units, step = permutation->unit_step;
    const int64_t distance = step < 0 ? -step : step;
    const int64_t read = permutation->end - permutation->begin;
    const int64_t window = (block - 1) * distance + read;
    const int64_t block_bytes = block * permutation->unit_bytes;
    const __m512i index = _mm512_loadu_si512(permutation->index);
    const __m512i fill = _mm512_loadu_si512(pattern->bytes);
    const __mmask64 filled = permutation->filled;
    input += permutation->begin + (step < 0 ? (block - 1) * step : 0);
    const __mmask64 low = bits(0, window, 0), high = bits(0, window, 64);
    if (high == 0) {
        for (; units >= block && units * permutation->unit_bytes >= 64; units -= block) {
            const __m512i bytes = _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(low, input));
            _mm512_storeu_si512(output, _mm512_mask_mov_epi8(bytes, filled, fill));
            output += block_bytes;
            input += block * step;
        }
    } else {
        for (; units >= block && units * permutation->unit_bytes >= 64; units -= block) {
            const __m512i first = _mm512_loadu_si512(input);
            const __m512i second = _mm512_maskz_loadu_epi8(high, input + 64);
            const __m512i bytes = _mm512_permutex2var_epi8(first, index, second);
            _mm512_storeu_si512(output, _mm512_mask_mov_epi8(bytes, filled, fill));
            output += block_bytes;
            input += block * step;
        }
    }
    while (units > 0) {
        const int64_t now = units < block ? units : block;
        /* The window's first `now` units: from its low end, or of a reversed one from its high end. */
        const int64_t begin = step < 0 ? (block - now) * distance : 0;
        const int64_t end = step < 0 ? window : (now - 1) * distance + read;
        const __m512i first = _mm512_maskz_loadu_epi8(bits(begin, end, 0), input);
        const __m512i second = _mm512_maskz_loadu_epi8(bits(begin, end, 64), input + 64);
        const __m512i bytes = _mm512_permutex2var_epi8(first, index, second);
        _mm512_mask_storeu_epi8(output, bits(0, now * permutation->unit_bytes, 0),
                                _mm512_mask_mov_epi8(bytes, filled, fill));
        output += now * permutation->unit_bytes;
        input += now * step;
        units -= now;
    }
    return all;
}

#elif defined(__AVX2__)

#include <immintrin.h>

/* 16 bytes of the block from at most this many vectors of the window. */
enum { PERMUTE_SOURCES = 4 };

typedef struct permute_lane {
    int count;
    int64_t at[PERMUTE_SOURCES];
    unsigned char shuffle[PERMUTE_SOURCES][16]; /* 0x80 gives zero */
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
            lane->shuffle[lane->count][i] = here ? (unsigned char)(byte - from) : 0x80;
        }
        lane->at[lane->count++] = from;
    }
    return true;
}

static int64_t permute(const dmlc_permutation *permutation, char *output, const char *input, int64_t units,
                       const dmlc_pattern *pattern)
{
    const int64_t all = units;
    const int64_t block = permutation->units, step = permutation->unit_step;
    const int64_t window = (block - 1) * (step < 0 ? -step : step) + permutation->end - permutation->begin;
    if (window < 16 || units * permutation->unit_bytes < 256)
        return 0;
    permute_lane lanes[4];
    for (int i = 0; i < 4; ++i)
        if (!permute_lane_build(&lanes[i], permutation, window, 16 * i))
            return 0;
    const __m128i fill = _mm_loadu_si128((const __m128i *)pattern->bytes);
    input += permutation->begin + (step < 0 ? (block - 1) * step : 0);
    for (; units >= block && units * permutation->unit_bytes >= 64; units -= block) {
        for (int i = 0; i < 4; ++i) {
            const permute_lane *lane = &lanes[i];
            __m128i bytes = _mm_and_si128(fill, _mm_loadu_si128((const __m128i *)lane->filled));
            for (int s = 0; s < lane->count; ++s)
                bytes = _mm_or_si128(bytes,
                                     _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(input + lane->at[s])),
                                                      _mm_loadu_si128((const __m128i *)lane->shuffle[s])));
            _mm_storeu_si128((__m128i *)(output + 16 * i), bytes);
        }
        output += block * permutation->unit_bytes;
        input += block * step;
    }
    return all - units;
}

#else

static int64_t permute(const dmlc_permutation *permutation, char *output, const char *input, int64_t units,
                       const dmlc_pattern *pattern)
{
    (void)permutation;
    (void)output;
    (void)input;
    (void)units;
    (void)pattern;
    return 0;
}

#endif

#endif
