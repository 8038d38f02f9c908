/* Chunks of 1, 2 or 4 bytes that lie at a constant step, put together in a register and stored as one. Byte i of a gather of 16:
 *
 *     from[i / chunk * step + i % chunk]
 *
 * On Zen 4 with AVX2, one column of several took 0.65 to 0.95 of the time that it takes chunk by chunk, from memory 0.56 to 0.9; of 8 bytes
 * 0.9 to 1.06. With AVX-512, whose permutations take what lies closer, 0.74 to 1.1 in the cache, 0.97 by mean, from memory as long. */
#ifndef DMLC_KERNELS_GATHERS_H
#define DMLC_KERNELS_GATHERS_H

#include "kernels/bytes.h"

#if defined(__AVX2__)
#define DMLC_HAVE_GATHERS 1

#include <immintrin.h>

/* Rows of one gather and a few chunks took 1.1 to 1.2 times as long as chunk by chunk. */
enum { GATHERED_BYTES = 16, LEAST_GATHERS = 2 };

static inline bool may_be_gathered(int64_t chunk) { return chunk == 1 || chunk == 2 || chunk == 4; }

/* Not by the instructions' names: GCC would load a pair of bytes into a vector, and take it out again. */
#define DEFINE_GATHERED(CHUNK, TYPE)                                                                                   \
    static inline int gathered_##CHUNK(const char *from)                                                               \
    {                                                                                                                  \
        TYPE one;                                                                                                      \
        memcpy(&one, from, sizeof(one));                                                                               \
        return one;                                                                                                    \
    }
DEFINE_GATHERED(1, uint8_t)
DEFINE_GATHERED(2, uint16_t)
DEFINE_GATHERED(4, int32_t)
#undef DEFINE_GATHERED

/* Places are constants of the instructions. Each pointer is the one before and a step: registers do not last for a multiple of it for
 * each chunk. */
#define FIRST(CHUNK) all = _mm_cvtsi32_si128(gathered_##CHUNK(from))
#define NEXT(CHUNK, INSERT, PLACE)                                                                                     \
    from += step;                                                                                                      \
    all = INSERT(all, gathered_##CHUNK(from), PLACE)
#define NEXT_1(PLACE) NEXT(1, _mm_insert_epi8, PLACE)
#define NEXT_2(PLACE) NEXT(2, _mm_insert_epi16, PLACE)
#define NEXT_4(PLACE) NEXT(4, _mm_insert_epi32, PLACE)
#define NEXT_THREE(CHUNK, PLACE)                                                                                       \
    NEXT_##CHUNK(PLACE);                                                                                               \
    NEXT_##CHUNK((PLACE) + 1);                                                                                         \
    NEXT_##CHUNK((PLACE) + 2)

static ALWAYS_INLINE vector16 gather_16(const char *from, int64_t step, int64_t chunk)
{
    vector16 all;
    switch (chunk) {
    case 1:
        FIRST(1);
        NEXT_THREE(1, 1);
        NEXT_THREE(1, 4);
        NEXT_THREE(1, 7);
        NEXT_THREE(1, 10);
        NEXT_THREE(1, 13);
        return all;
    case 2:
        FIRST(2);
        NEXT_THREE(2, 1);
        NEXT_THREE(2, 4);
        NEXT_2(7);
        return all;
    default:
        FIRST(4);
        NEXT_THREE(4, 1);
        return all;
    }
}

#undef FIRST
#undef NEXT
#undef NEXT_1
#undef NEXT_2
#undef NEXT_4
#undef NEXT_THREE

#endif

#endif
