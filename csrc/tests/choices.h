/* Decisions read from bytes, so that random numbers, a fuzzer and a file all describe cases in one way. */
#ifndef DMLC_TESTS_CHOICES_H
#define DMLC_TESTS_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct choices {
    const uint8_t *bytes;
    size_t count;
} choices;

/* The next `bytes` bytes, little end first; 0 where there are no more. */
static inline uint64_t choose_bits(choices *from, int bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < bytes && from->count > 0; ++i) {
        bits |= (uint64_t)*from->bytes++ << (8 * i);
        --from->count;
    }
    return bits;
}

/* In [0, options); options is at least 1. */
static inline int64_t choose(choices *from, int64_t options)
{
    const int bytes = options <= 1 ? 0 : options <= 256 ? 1 : options <= 65536 ? 2 : 4;
    return (int64_t)(choose_bits(from, bytes) % (uint64_t)options);
}

/* In [first, last]. */
static inline int64_t choose_between(choices *from, int64_t first, int64_t last)
{
    return first + choose(from, last - first + 1);
}

/* True once in so many; false where there are no more bytes. */
static inline bool once_in(choices *from, int64_t times) { return choose(from, times) == times - 1; }

/* A stream of random bits from any seed: splitmix64. */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

static inline void random_bytes(uint64_t *state, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        bytes[i] = (uint8_t)random_bits(state);
}

#endif
