/* Vectors of lanes: an algorithm for 16 bytes at a time goes on in each lane by itself. With AVX2 there are two, which lie
 * apart in memory or side by side; with NEON one, and what is said of the second is ignored.
 *
 *     first    |aaaaaaaaaaaaaaaa|          second    |bbbbbbbbbbbbbbbb|
 *     lanes    |aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb|
 */
#ifndef DMLC_KERNELS_LANES_H
#define DMLC_KERNELS_LANES_H

#include "kernels/bytes.h"

#if defined(__AVX2__)

#include <immintrin.h>

typedef __m256i lanes;
enum { LANES = 2 };

static inline lanes join_lanes(vector16 first, vector16 second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}
static inline lanes load_lanes(const char *first, const char *second)
{
    return join_lanes(load16(first), load16(second));
}
static inline vector16 first_lane(lanes bytes) { return _mm256_castsi256_si128(bytes); }
static inline vector16 second_lane(lanes bytes) { return _mm256_extracti128_si256(bytes, 1); }
static inline void store_lanes(char *first, char *second, lanes bytes)
{
    store16(first, first_lane(bytes));
    store16(second, second_lane(bytes));
}
static inline lanes load_side_by_side(const char *from) { return _mm256_loadu_si256((const void *)from); }
static inline void store_side_by_side(char *to, lanes bytes) { _mm256_storeu_si256((void *)to, bytes); }
static inline lanes swap_lanes(lanes bytes) { return _mm256_permute4x64_epi64(bytes, 0x4E); }
static inline lanes repeat_lane(vector16 lane) { return _mm256_broadcastsi128_si256(lane); }
/* Byte i = bytes[index[i]] of the same lane, or 0 where that is ELSEWHERE. */
static inline lanes pick(lanes bytes, lanes index) { return _mm256_shuffle_epi8(bytes, index); }
/* Four bytes at once, from either lane: word i = words[index[i]]. */
static inline lanes pick_words(lanes words, lanes index) { return _mm256_permutevar8x32_epi32(words, index); }
/* Word i of a where bit i of the constant `where` is set, of b where it is not. */
#define CHOOSE_WORDS(where, a, b) _mm256_blend_epi32(b, a, where)
/* The first `count` words of a, and the others of b. */
#define FIRST_WORDS(count, a, b) CHOOSE_WORDS((1 << (count)) - 1, a, b)
#define DMLC_HAVE_WORDS 1
static inline lanes either(lanes a, lanes b) { return _mm256_or_si256(a, b); }
/* Byte i of a where that of `where` is 0xFF, of b where it is 0. */
static inline lanes choose_bytes(lanes where, lanes a, lanes b) { return _mm256_blendv_epi8(b, a, where); }

/* Lanes of two vectors: the first of both, the second of both. */
static inline lanes first_lanes(lanes a, lanes b) { return _mm256_permute2x128_si256(a, b, 0x20); }
static inline lanes second_lanes(lanes a, lanes b) { return _mm256_permute2x128_si256(a, b, 0x31); }
static inline lanes differ(lanes a, lanes b) { return _mm256_xor_si256(a, b); }

#define LANES_LOW_1(a, b) _mm256_unpacklo_epi8(a, b)
#define LANES_HIGH_1(a, b) _mm256_unpackhi_epi8(a, b)
#define LANES_LOW_2(a, b) _mm256_unpacklo_epi16(a, b)
#define LANES_HIGH_2(a, b) _mm256_unpackhi_epi16(a, b)
#define LANES_LOW_4(a, b) _mm256_unpacklo_epi32(a, b)
#define LANES_HIGH_4(a, b) _mm256_unpackhi_epi32(a, b)
#define LANES_LOW_8(a, b) _mm256_unpacklo_epi64(a, b)
#define LANES_HIGH_8(a, b) _mm256_unpackhi_epi64(a, b)

/* 8 bytes from either place, side by side, and back. Not by the instructions' names for doubles: compilers take those for
 * doubles, which are aligned. */
static inline vector16 load_halves(const char *low, const char *high)
{
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64((const void *)low)), (const void *)high));
}
static inline void store_halves(char *low, char *high, vector16 bytes)
{
    _mm_storel_epi64((void *)low, bytes);
    _mm_storeh_pi((void *)high, _mm_castsi128_ps(bytes));
}

#elif defined(DMLC_NEON)

typedef uint8x16_t lanes;
enum { LANES = 1 };

static inline lanes load_lanes(const char *first, const char *second)
{
    (void)second;
    return load16(first);
}
static inline vector16 first_lane(lanes bytes) { return bytes; }
static inline vector16 second_lane(lanes bytes) { return bytes; }
static inline void store_lanes(char *first, char *second, lanes bytes)
{
    (void)second;
    store16(first, bytes);
}
static inline lanes load_side_by_side(const char *from) { return load16(from); }
static inline void store_side_by_side(char *to, lanes bytes) { store16(to, bytes); }
static inline lanes swap_lanes(lanes bytes) { return bytes; }
static inline lanes repeat_lane(vector16 lane) { return lane; }
static inline lanes pick(lanes bytes, lanes index) { return vqtbl1q_u8(bytes, index); }
static inline lanes either(lanes a, lanes b) { return vorrq_u8(a, b); }

static inline vector16 load_halves(const char *low, const char *high)
{
    return vcombine_u8(vld1_u8((const void *)low), vld1_u8((const void *)high));
}
static inline void store_halves(char *low, char *high, vector16 bytes)
{
    vst1_u8((void *)low, vget_low_u8(bytes));
    vst1_u8((void *)high, vget_high_u8(bytes));
}

#endif

/* A lane of constants: byte i is BYTE(i), which may depend on parameters that are constants after inlining. */
#define HALF_LANE(BYTE, i)                                                                                             \
    ((uint64_t)(BYTE(i)) | (uint64_t)(BYTE((i) + 1)) << 8 | (uint64_t)(BYTE((i) + 2)) << 16 |                          \
     (uint64_t)(BYTE((i) + 3)) << 24 | (uint64_t)(BYTE((i) + 4)) << 32 | (uint64_t)(BYTE((i) + 5)) << 40 |             \
     (uint64_t)(BYTE((i) + 6)) << 48 | (uint64_t)(BYTE((i) + 7)) << 56)
#define LANE(BYTE) from_halves(HALF_LANE(BYTE, 0), HALF_LANE(BYTE, 8))

/* A vector of constant words of four bytes, likewise. */
#ifdef DMLC_HAVE_WORDS
#define WORDS(WORD) _mm256_setr_epi32(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7))
#endif

#endif
