/* Indices of any type as unsigned integers of a given width, see dmlc_kernels.normalize. */
#ifndef DMLC_KERNELS_NORMALIZE_H
#define DMLC_KERNELS_NORMALIZE_H

#include "kernels/kernels.h"

/* normalized = index, depth + index where it is negative and counts from the end, all ones where that is not in
 * [0, depth); computed modulo 2^w in unsigned integers of the wider one's width w, of which the vectors hold most.
 * No two indices meet: depth < 2^w, and what is still negative after depth was added is 2^(w-1) + depth at the least.
 * A negative index that does not count from the end is put outside by `outside`, all ones then. */
#if defined(__AVX2__) && !defined(__AVX512VBMI__)
#include <immintrin.h>

/* Four or eight bytes of each index to one, 32 at once: compilers narrow by so much in many more steps. In 32 bits, low
 * half of an index of 64, with `end` the depth where negative ones count from it, else 0:
 *
 *     place = low + (low < 0 ? end : 0), or all ones where high is not low's sign; normalized = min(place, 255)
 *
 * which is not below depth, a byte, where the index is not, as the sum wraps for [-depth, 0) alone. What is unsigned
 * is never below 2^31 where it seems negative, and counts from no end. */
static inline __m256i normalized_32(__m256i low, __m256i end)
{
    const __m256i place = _mm256_add_epi32(low, _mm256_and_si256(_mm256_srai_epi32(low, 31), end));
    return _mm256_min_epu32(place, _mm256_set1_epi32(255));
}

static inline __m256i normalized_64(const char *indices, __m256i end)
{
    const __m256 a = _mm256_loadu_ps((const void *)indices), b = _mm256_loadu_ps((const void *)(indices + 32));
    const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    const __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
    const __m256i narrow = _mm256_cmpeq_epi32(high, _mm256_srai_epi32(low, 31));
    return _mm256_or_si256(normalized_32(low, end), _mm256_andnot_si256(narrow, _mm256_set1_epi32(255)));
}

/* How many are done. */
static inline int64_t normalize_bytes(unsigned char *to, const char *indices, int64_t count, int64_t depth,
                                      int64_t index_bytes)
{
    const __m256i end = _mm256_set1_epi32((int)depth);
    int64_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i quarters[4];
        for (int q = 0; q < 4; ++q) {
            const char *from = indices + (i + 8 * q) * index_bytes;
            quarters[q] = index_bytes == 4 ? normalized_32(_mm256_loadu_si256((const void *)from), end)
                                           : normalized_64(from, end);
        }
        const __m256i halves[] = {_mm256_packus_epi32(quarters[0], quarters[1]),
                                  _mm256_packus_epi32(quarters[2], quarters[3])};
        __m256i bytes = _mm256_packus_epi16(halves[0], halves[1]);
        /* Every step has left the two lanes apart, and the halves of 64 bits each lane's first and second pair. */
        bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        if (index_bytes == 8)
            bytes = _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15, 0,
                                                                1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
        _mm256_storeu_si256((void *)(to + i), bytes);
    }
    return i;
}
#else
static inline int64_t normalize_bytes(unsigned char *to, const char *indices, int64_t count, int64_t depth,
                                      int64_t index_bytes)
{
    (void)to, (void)indices, (void)count, (void)depth, (void)index_bytes;
    return 0;
}
#endif

#define NORMALIZE_TO(TYPE, WIDTH, NORMALIZED, WIDER)                                                                   \
    static void normalize_##TYPE##_##WIDTH(void *normalized, const char *indices, int64_t step, int64_t count,         \
                                           int64_t depth, bool from_end)                                               \
    {                                                                                                                  \
        char *to = normalized;                                                                                         \
        const TYPE##_t zero = 0, below = (TYPE##_t) - 1;                                                               \
        const WIDER end = (WIDER)depth, outside = from_end ? 0 : (WIDER) - 1;                                          \
        if (step == (int64_t)sizeof(TYPE##_t)) {                                                                       \
            int64_t i = 0;                                                                                             \
            if (sizeof(NORMALIZED) == 1 && sizeof(TYPE##_t) >= 4)                                                      \
                i = normalize_bytes(normalized, indices, count, below < zero && from_end ? depth : 0,                  \
                                    (int64_t)sizeof(TYPE##_t));                                                        \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, (int64_t)sizeof(TYPE##_t)) /* a constant step is vectors */    \
        } else {                                                                                                       \
            int64_t i = 0;                                                                                             \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, step)                                                          \
        }                                                                                                              \
    }

#define NORMALIZE_LOOP(INDEX, NORMALIZED, WIDER, STEP)                                                                 \
    for (; i < count; ++i) {                                                                                           \
        INDEX index;                                                                                                   \
        memcpy(&index, indices + i * STEP, sizeof(index));                                                             \
        const WIDER place = index < zero ? (WIDER)((WIDER)((WIDER)index + end) | outside) : (WIDER)index;              \
        const NORMALIZED kept = place < end ? (NORMALIZED)place : (NORMALIZED) - 1;                                    \
        memcpy(to + i * (int64_t)sizeof(kept), &kept, sizeof(kept));                                                   \
    }

#define NORMALIZE(TYPE, WIDER_1, WIDER_2, WIDER_4, WIDER_8)                                                            \
    NORMALIZE_TO(TYPE, 1, uint8_t, WIDER_1)                                                                            \
    NORMALIZE_TO(TYPE, 2, uint16_t, WIDER_2)                                                                           \
    NORMALIZE_TO(TYPE, 4, uint32_t, WIDER_4)                                                                           \
    NORMALIZE_TO(TYPE, 8, uint64_t, WIDER_8)

/* In the order of dmlc_index_type, each with the wider type of itself and 1, 2, 4 and 8 bytes. */
#define FOR_EACH_INDEX_TYPE(DO)                                                                                        \
    DO(int8, uint8_t, uint16_t, uint32_t, uint64_t)                                                                    \
    DO(int16, uint16_t, uint16_t, uint32_t, uint64_t)                                                                  \
    DO(int32, uint32_t, uint32_t, uint32_t, uint64_t)                                                                  \
    DO(int64, uint64_t, uint64_t, uint64_t, uint64_t)                                                                  \
    DO(uint8, uint8_t, uint16_t, uint32_t, uint64_t)                                                                   \
    DO(uint16, uint16_t, uint16_t, uint32_t, uint64_t)                                                                 \
    DO(uint32, uint32_t, uint32_t, uint32_t, uint64_t)                                                                 \
    DO(uint64, uint64_t, uint64_t, uint64_t, uint64_t)

FOR_EACH_INDEX_TYPE(NORMALIZE)

#endif
