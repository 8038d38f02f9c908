/* Numbers that every room compares: sizes, places and bytes. */
#ifndef DMLC_LANGUAGE_NUMBERS_H
#define DMLC_LANGUAGE_NUMBERS_H

#include <stdint.h>

/* Sizes, strides, starts and what they reach stay below it, see dmlc.h: the sum of two of them fits into 64 bits. */
#define DMLC_REACH_LIMIT (INT64_C(1) << 62)

static inline int64_t dmlc_absolute(int64_t value) { return value < 0 ? -value : value; }

static inline int64_t dmlc_minimum(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t dmlc_maximum(int64_t a, int64_t b) { return a > b ? a : b; }

/* NumPy's clip, where least <= most. */
static inline int64_t dmlc_clip(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

#endif
