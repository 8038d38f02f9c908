/* The widest vector that a table of kernels has, by bits and by equal elements. */
#ifndef DMLC_KERNELS_VECTORS_H
#define DMLC_KERNELS_VECTORS_H

#include "kernels/bytes.h"

/* blend: a where the mask's bit is set, else b; choose_n: on in each element of n bytes that is the same in a and b, else
 * off. */
#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512i vector;
static inline vector load_vector(const void *from) { return _mm512_loadu_si512(from); }
static inline void store_vector(void *to, vector value) { _mm512_storeu_si512(to, value); }
static inline vector repeat_vector(uint64_t eight) { return _mm512_set1_epi64((long long)eight); }
static inline vector xor_vector(vector a, vector b) { return _mm512_xor_si512(a, b); }
static inline vector and_vector(vector a, vector b) { return _mm512_and_si512(a, b); }
static inline vector blend(vector mask, vector a, vector b) { return _mm512_ternarylogic_epi64(mask, a, b, 0xCA); }
static inline vector choose_1(vector a, vector b, vector on, vector off)
{
    return _mm512_mask_mov_epi8(off, _mm512_cmpeq_epi8_mask(a, b), on);
}
static inline vector choose_2(vector a, vector b, vector on, vector off)
{
    return _mm512_mask_mov_epi16(off, _mm512_cmpeq_epi16_mask(a, b), on);
}
static inline vector choose_4(vector a, vector b, vector on, vector off)
{
    return _mm512_mask_mov_epi32(off, _mm512_cmpeq_epi32_mask(a, b), on);
}
static inline vector choose_8(vector a, vector b, vector on, vector off)
{
    return _mm512_mask_mov_epi64(off, _mm512_cmpeq_epi64_mask(a, b), on);
}
#elif defined(__AVX2__)
#include <immintrin.h>
typedef __m256i vector;
static inline vector load_vector(const void *from) { return _mm256_loadu_si256(from); }
static inline void store_vector(void *to, vector value) { _mm256_storeu_si256(to, value); }
static inline vector repeat_vector(uint64_t eight) { return _mm256_set1_epi64x((long long)eight); }
static inline vector xor_vector(vector a, vector b) { return _mm256_xor_si256(a, b); }
static inline vector and_vector(vector a, vector b) { return _mm256_and_si256(a, b); }
static inline vector equal_1(vector a, vector b) { return _mm256_cmpeq_epi8(a, b); }
static inline vector equal_2(vector a, vector b) { return _mm256_cmpeq_epi16(a, b); }
static inline vector equal_4(vector a, vector b) { return _mm256_cmpeq_epi32(a, b); }
static inline vector equal_8(vector a, vector b) { return _mm256_cmpeq_epi64(a, b); }
#elif defined(__SSE2__)
typedef vector16 vector;
static inline vector load_vector(const void *from) { return load16(from); }
static inline void store_vector(void *to, vector value) { store16(to, value); }
static inline vector repeat_vector(uint64_t eight) { return from_halves(eight, eight); }
static inline vector xor_vector(vector a, vector b) { return _mm_xor_si128(a, b); }
static inline vector and_vector(vector a, vector b) { return _mm_and_si128(a, b); }
static inline vector equal_1(vector a, vector b) { return _mm_cmpeq_epi8(a, b); }
static inline vector equal_2(vector a, vector b) { return _mm_cmpeq_epi16(a, b); }
static inline vector equal_4(vector a, vector b) { return _mm_cmpeq_epi32(a, b); }
static inline vector equal_8(vector a, vector b)
{
    const vector halves = _mm_cmpeq_epi32(a, b);
    return _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xb1));
}
#elif defined(DMLC_NEON)
typedef vector16 vector;
static inline vector load_vector(const void *from) { return load16(from); }
static inline void store_vector(void *to, vector value) { store16(to, value); }
static inline vector repeat_vector(uint64_t eight) { return from_halves(eight, eight); }
static inline vector xor_vector(vector a, vector b) { return veorq_u8(a, b); }
static inline vector and_vector(vector a, vector b) { return vandq_u8(a, b); }
static inline vector equal_1(vector a, vector b) { return vceqq_u8(a, b); }
static inline vector equal_2(vector a, vector b)
{
    return vreinterpretq_u8_u16(vceqq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}
static inline vector equal_4(vector a, vector b)
{
    return vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
static inline vector equal_8(vector a, vector b)
{
    return vreinterpretq_u8_u64(vceqq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}
#else
typedef vector16 vector;
static inline vector load_vector(const void *from) { return load16(from); }
static inline void store_vector(void *to, vector value) { store16(to, value); }
static inline vector repeat_vector(uint64_t eight) { return (vector){{eight, eight}}; }
static inline vector xor_vector(vector a, vector b) { return (vector){{a.half[0] ^ b.half[0], a.half[1] ^ b.half[1]}}; }
static inline vector and_vector(vector a, vector b) { return (vector){{a.half[0] & b.half[0], a.half[1] & b.half[1]}}; }
/* Elements of so many bits are the same where no bit of their difference carries into the highest. */
static inline uint64_t equal_half(uint64_t a, uint64_t b, int bits)
{
    const uint64_t all = ~UINT64_C(0) >> (64 - bits), lowest = ~UINT64_C(0) / all, highest = lowest << (bits - 1);
    const uint64_t differ = a ^ b, same = ~(((differ & ~highest) + ~highest) | differ) & highest;
    return (same >> (bits - 1)) * all;
}
static inline vector equal_elements(vector a, vector b, int bits)
{
    return (vector){{equal_half(a.half[0], b.half[0], bits), equal_half(a.half[1], b.half[1], bits)}};
}
static inline vector equal_1(vector a, vector b) { return equal_elements(a, b, 8); }
static inline vector equal_2(vector a, vector b) { return equal_elements(a, b, 16); }
static inline vector equal_4(vector a, vector b) { return equal_elements(a, b, 32); }
static inline vector equal_8(vector a, vector b) { return equal_elements(a, b, 64); }
#endif
#if !defined(__AVX512F__)
static inline vector blend(vector mask, vector a, vector b)
{
    return xor_vector(b, and_vector(mask, xor_vector(a, b)));
}
#define CHOOSE(WIDTH)                                                                                                  \
    static inline vector choose_##WIDTH(vector a, vector b, vector on, vector off)                                     \
    {                                                                                                                  \
        return blend(equal_##WIDTH(a, b), on, off);                                                                    \
    }
CHOOSE(1)
CHOOSE(2)
CHOOSE(4)
CHOOSE(8)
#undef CHOOSE
#endif
enum { VECTOR_BYTES = (int)sizeof(vector) };

#endif
