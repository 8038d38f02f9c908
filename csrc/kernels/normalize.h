/* Indices of any type as unsigned integers of a given width, see dmlc_kernels.normalize. */
#ifndef DMLC_KERNELS_NORMALIZE_H
#define DMLC_KERNELS_NORMALIZE_H

#include "kernels/kernels.h"

/* normalized = index, depth + index where it is negative and counts from the end, all ones where that is not in
 * [0, depth); computed modulo 2^w in unsigned integers of the wider one's width w, of which the vectors hold most.
 * No two indices meet: depth < 2^w, and what is still negative after depth was added is 2^(w-1) + depth at the least.
 * A negative index that does not count from the end is put outside by `outside`, all ones then. */
#define NORMALIZE_TO(TYPE, WIDTH, NORMALIZED, WIDER)                                                                   \
    static void normalize_##TYPE##_##WIDTH(void *normalized, const char *indices, int64_t step, int64_t count,         \
                                           int64_t depth, bool from_end)                                               \
    {                                                                                                                  \
        char *to = normalized;                                                                                         \
        const TYPE##_t zero = 0;                                                                                       \
        const WIDER end = (WIDER)depth, outside = from_end ? 0 : (WIDER) - 1;                                          \
        if (step == (int64_t)sizeof(TYPE##_t)) {                                                                       \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, (int64_t)sizeof(TYPE##_t)) /* a constant step is vectors */    \
        } else {                                                                                                       \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, step)                                                          \
        }                                                                                                              \
    }

#define NORMALIZE_LOOP(INDEX, NORMALIZED, WIDER, STEP)                                                                 \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
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
