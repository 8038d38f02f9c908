/* 16, 32 and 64 bytes as registers of the instruction set that is compiled for, or as structures of them; and what some sets do to
 * the 16: bytes are looked up, compared and chosen. */
#ifndef DMLC_KERNELS_REGISTERS_H
#define DMLC_KERNELS_REGISTERS_H

#include "language/plan.h"

#include <stdint.h>
#include <string.h>

/* 16 bytes at any address. Not a memcpy: GCC 12 takes that for one 128-bit integer, and where it vectorizes a loop of
 * them it assumes that they are aligned. */
#if defined(__SSE2__)
#include <emmintrin.h>
typedef __m128i vector16;
static inline vector16 load16(const void *from) { return _mm_loadu_si128(from); }
static inline void store16(void *to, vector16 value) { _mm_storeu_si128(to, value); }
static inline vector16 from_halves(uint64_t low, uint64_t high)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}
static inline uint64_t low_half(vector16 value) { return (uint64_t)_mm_cvtsi128_si64(value); }
static inline uint64_t high_half(vector16 value) { return low_half(_mm_unpackhi_epi64(value, value)); }
#elif defined(DMLC_NEON)
#include <arm_neon.h>
typedef uint8x16_t vector16;
static inline vector16 load16(const void *from) { return vld1q_u8(from); }
static inline void store16(void *to, vector16 value) { vst1q_u8(to, value); }
static inline vector16 from_halves(uint64_t low, uint64_t high)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}
static inline uint64_t low_half(vector16 value) { return vgetq_lane_u64(vreinterpretq_u64_u8(value), 0); }
static inline uint64_t high_half(vector16 value) { return vgetq_lane_u64(vreinterpretq_u64_u8(value), 1); }
#else
typedef struct vector16 {
    uint64_t half[2];
} vector16;
static inline vector16 load16(const void *from)
{
    vector16 value;
    memcpy(&value.half[0], from, 8);
    memcpy(&value.half[1], (const char *)from + 8, 8);
    return value;
}
static inline void store16(void *to, vector16 value)
{
    memcpy(to, &value.half[0], 8);
    memcpy((char *)to + 8, &value.half[1], 8);
}
#endif

/* 32 and 64 bytes likewise. Where AVX2 is the widest there is, GCC 12 takes a memcpy of them for moves of 16 bytes, and
 * puts what it moves on the stack as well: rows of 112 to 640 bytes took 1.2 to 2 times as long. */
#if defined(__AVX2__)
#include <immintrin.h>
typedef __m256i vector32;
static inline vector32 load32(const void *from) { return _mm256_loadu_si256(from); }
static inline void store32(void *to, vector32 value) { _mm256_storeu_si256(to, value); }
#else
typedef struct vector32 {
    vector16 low, high;
} vector32;
static inline vector32 load32(const void *from) { return (vector32){load16(from), load16((const char *)from + 16)}; }
static inline void store32(void *to, vector32 value)
{
    store16(to, value.low);
    store16((char *)to + 16, value.high);
}
#endif
#if defined(__AVX512F__)
typedef __m512i vector64;
static inline vector64 load64(const void *from) { return _mm512_loadu_si512(from); }
static inline void store64(void *to, vector64 value) { _mm512_storeu_si512(to, value); }
static inline vector64 twice(vector32 half) { return _mm512_broadcast_i64x4(half); }
#else
typedef struct vector64 {
    vector32 low, high;
} vector64;
static inline vector64 load64(const void *from) { return (vector64){load32(from), load32((const char *)from + 32)}; }
static inline void store64(void *to, vector64 value)
{
    store32(to, value.low);
    store32((char *)to + 32, value.high);
}
static inline vector64 twice(vector32 half) { return (vector64){half, half}; }
#endif

/* An element of 1, 2, 4, 8, 16 or 32 bytes over and over. */
#if defined(__AVX2__)
static inline vector32 repeat32(const char *element, int64_t width)
{
    switch (width) {
    case 1: return _mm256_set1_epi8(*element);
    case 2: return _mm256_broadcastw_epi16(_mm_loadu_si16(element));
    case 4: return _mm256_broadcastd_epi32(_mm_loadu_si32(element));
    case 8: return _mm256_broadcastq_epi64(_mm_loadu_si64(element));
    case 16: return _mm256_broadcastsi128_si256(load16(element));
    default: return load32(element);
    }
}
#else
static inline vector32 repeat32(const char *element, int64_t width)
{
    unsigned char all[32];
    for (int64_t at = 0; at < 32; at += width)
        memcpy(all + at, element, (size_t)width);
    return load32(all);
}
#endif

/* bytes[i] = table[index[i]], or bytes[i] where the index is ELSEWHERE or more. An index is below 16 or as look_up_index makes it, else
 * ELSEWHERE or more; where it looks a byte up, bytes[i] is 0 before. */
enum { ELSEWHERE = DMLC_ELSEWHERE };
#if defined(__AVX2__)
static inline vector16 look_up(vector16 bytes, vector16 table, vector16 index)
{
    return _mm_or_si128(bytes, _mm_shuffle_epi8(table, index));
}
/* Any index as look_up takes it: one above 15 saturates to ELSEWHERE or more; others keep their lowest four bits, all that are read. */
static inline vector16 look_up_index(vector16 index) { return _mm_adds_epu8(index, _mm_set1_epi8(0x70)); }
static inline vector16 and16(vector16 a, vector16 b) { return _mm_and_si128(a, b); }
static inline vector16 repeat16(unsigned char byte) { return _mm_set1_epi8((char)byte); }
static inline vector16 subtract16(vector16 a, vector16 b) { return _mm_sub_epi8(a, b); }
static inline vector16 equal16(vector16 a, vector16 b) { return _mm_cmpeq_epi8(a, b); }
static inline vector16 select16(vector16 where, vector16 a, vector16 b) { return _mm_blendv_epi8(b, a, where); }
#define DMLC_HAVE_LOOK_UP 1
#elif defined(DMLC_NEON)
static inline vector16 look_up(vector16 bytes, vector16 table, vector16 index)
{
    return vqtbx1q_u8(bytes, table, index);
}
static inline vector16 look_up_index(vector16 index) { return index; }
static inline vector16 and16(vector16 a, vector16 b) { return vandq_u8(a, b); }
static inline vector16 repeat16(unsigned char byte) { return vdupq_n_u8(byte); }
static inline vector16 subtract16(vector16 a, vector16 b) { return vsubq_u8(a, b); }
static inline vector16 equal16(vector16 a, vector16 b) { return vceqq_u8(a, b); }
static inline vector16 select16(vector16 where, vector16 a, vector16 b) { return vbslq_u8(where, a, b); }
#define DMLC_HAVE_LOOK_UP 1
#endif

#endif
