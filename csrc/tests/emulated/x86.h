/* The intrinsics of x86-64 as portable C: SIMDe's, and here what it lacks or does more freely than a processor. A processor
 * touches no byte outside a mask, and faults where a streaming store is not aligned.
 */
#ifndef DMLC_TESTS_EMULATED_X86_H
#define DMLC_TESTS_EMULATED_X86_H

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __mmask8 simde__mmask8
#define __mmask16 simde__mmask16
#define __mmask32 simde__mmask32
#define __mmask64 simde__mmask64

static inline __m512i emulated_mask_loadu(__m512i source, __mmask64 mask, const void *from)
{
    unsigned char bytes[64];
    memcpy(bytes, &source, 64);
    for (int i = 0; i < 64; ++i)
        if (mask >> i & 1)
            bytes[i] = ((const unsigned char *)from)[i];
    __m512i loaded;
    memcpy(&loaded, bytes, 64);
    return loaded;
}

static inline void emulated_mask_storeu(void *to, __mmask64 mask, __m512i value)
{
    unsigned char bytes[64];
    memcpy(bytes, &value, 64);
    for (int i = 0; i < 64; ++i)
        if (mask >> i & 1)
            ((unsigned char *)to)[i] = bytes[i];
}

static inline __mmask32 emulated_equal_16(__m512i a, __m512i b)
{
    uint16_t of_a[32], of_b[32];
    memcpy(of_a, &a, 64);
    memcpy(of_b, &b, 64);
    __mmask32 equal = 0;
    for (int i = 0; i < 32; ++i)
        equal |= (__mmask32)(of_a[i] == of_b[i]) << i;
    return equal;
}

static inline void emulated_stream(void *to, const void *value, size_t bytes)
{
    if ((uintptr_t)to % bytes != 0) {
        fprintf(stderr, "a streaming store of %zu bytes to %p, which is not aligned\n", bytes, to);
        abort();
    }
    memcpy(to, value, bytes);
}

static inline void emulated_stream_128(__m128i *to, __m128i value) { emulated_stream(to, &value, 16); }
static inline void emulated_stream_256(__m256i *to, __m256i value) { emulated_stream(to, &value, 32); }
static inline void emulated_stream_512(void *to, __m512i value) { emulated_stream(to, &value, 64); }

#undef _mm512_mask_loadu_epi8
#define _mm512_mask_loadu_epi8(source, mask, from) emulated_mask_loadu(source, mask, from)
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8(mask, from) emulated_mask_loadu(simde_mm512_setzero_si512(), mask, from)
#undef _mm512_mask_storeu_epi8
#define _mm512_mask_storeu_epi8(to, mask, value) emulated_mask_storeu(to, mask, value)
#undef _mm512_cmpeq_epi16_mask
#define _mm512_cmpeq_epi16_mask(a, b) emulated_equal_16(a, b)
#undef _mm_stream_si128
#define _mm_stream_si128(to, value) emulated_stream_128(to, value)
#undef _mm256_stream_si256
#define _mm256_stream_si256(to, value) emulated_stream_256(to, value)
#undef _mm512_stream_si512
#define _mm512_stream_si512(to, value) emulated_stream_512(to, value)

#endif
