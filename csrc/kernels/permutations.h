/* Units by a planned byte permutation, see dmlc_permutation: `units` in each of `rows` rows, the rows output_row and input_row
 * apart. No byte is read outside the span of a row's units; bytes past a block may be written where the next block's
 * follow. */
#ifndef DMLC_KERNELS_PERMUTATIONS_H
#define DMLC_KERNELS_PERMUTATIONS_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"

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

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
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
}

/* Whether so many units can go by blocks. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    return units > 0;
}

#elif defined(DMLC_HAVE_LOOK_UP)

#include "kernels/permutation_blocks.h"
#if defined(DMLC_HAVE_WORDS)
#include "kernels/permutation_groups.h"
#endif

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
#if defined(DMLC_HAVE_WORDS)
    if (permute_by_groups(permutation, output, output_row, input, input_row, rows, units, pattern))
        return;
#endif
#define PERMUTE(SOURCES) permute_from(permutation, output, output_row, input, input_row, rows, units, pattern, SOURCES)
    switch (sources_of(permutation)) {
#if defined(DMLC_HAVE_WORDS)
    case BY_WORDS: PERMUTE(BY_WORDS); break;
#endif
    case 1: PERMUTE(1); break;
    case 2: PERMUTE(2); break;
    case 3: PERMUTE(3); break;
    default: PERMUTE(4); break;
    }
#undef PERMUTE
}

#else

/* No plan for such a table has permutations. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    (void)units;
    return false;
}

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
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
}

#endif

#endif
