/* Short runs of bytes without a call. A fixed-size memcpy is one or a few vector moves; the last move of a run overlaps
 * the one before it instead of going on byte by byte:
 *
 *     |----- 16 -----|
 *               |----- 16 -----|      23 bytes
 */
#ifndef DMLC_KERNELS_BYTES_H
#define DMLC_KERNELS_BYTES_H

#include "kernels/kernels.h"
#include "kernels/registers.h"

#include <stdint.h>
#include <string.h>

/* A function by itself: a loop that is compiled into a large one may find no register for its steps, and loads from the
 * stack between stores take up to three times as long. */
#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

/* A function that is always inlined, because its parameters are constants where it is called. */
#if defined(__GNUC__)
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define ALWAYS_INLINE inline
#endif

/* Compilers leave loops of a load and a store as they are, and their counters take as long as what they count. */
#if defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 4")
#else
#define UNROLL
#endif

/* A tile that is not all in registers takes four times as long. */
#if defined(__GNUC__)
#define UNROLL_ALL _Pragma("GCC unroll 16")
#else
#define UNROLL_ALL
#endif

/* What stands before this is done before what stands after it, in the compiler's order of instructions. */
#if defined(__GNUC__)
#define IN_ORDER __asm__ volatile("" : : : "memory")
#else
#define IN_ORDER
#endif

/* The pointer's value is computed here: no compiler may put the addition off into the address of a later access. */
#if defined(__GNUC__)
#define ADDED_UP(pointer) __asm__ volatile("" : "+r"(pointer))
#else
#define ADDED_UP(pointer)
#endif

/* Asks for lines that are read soon, where the processor would fetch others. Always inlined, since GCC drops calls of a
 * function that does nothing but fetch. */
#if defined(__GNUC__)
static ALWAYS_INLINE void fetch_line(const char *from) { __builtin_prefetch(from); }

/* Asks for the line of a byte that is written soon, see dmlc_stores_wait. */
static ALWAYS_INLINE void fetch_to_write(char *to) { __builtin_prefetch(to, 1); }
#else
static inline void fetch_line(const char *from) { (void)from; }
static inline void fetch_to_write(char *to) { (void)to; }
#endif

static ALWAYS_INLINE void fetch(const char *from, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += 64)
        fetch_line(from + at);
}

/* How many bytes after `at` the next multiple of an alignment lies, in [1, alignment]. */
static inline int64_t until_aligned(const void *at, int64_t alignment)
{
    return alignment - (int64_t)((uintptr_t)at % (uintptr_t)alignment);
}

/* The first of units [least, most) that begins at a multiple of an alignment; `most` where none does. */
static inline int64_t first_aligned(const char *output, int64_t unit_bytes, int64_t least, int64_t most,
                                    int64_t alignment)
{
    int64_t unit = least;
    while (unit < most && (uintptr_t)(output + unit * unit_bytes) % (uintptr_t)alignment != 0)
        ++unit;
    return unit;
}

/* Runs, and rows of one length, of so many bytes and more go by stores of whole cache lines, up to LONG_RUN. With AVX-512 these took
 * 0.7 to 0.97 of memcpy's time and 0.93 to 1.0 of that of stores anywhere; of fewer bytes up to 1.15 times as long on Zen 5. On Zen 4,
 * 0.02 to 9 MB of rows of 200 to 1,000 bytes took 0.93 to 1.04, 0.97 by mean; runs of 200 to 500 bytes that others go with took 1.01 times
 * as long. With AVX2, borders, crops and rolls of rows of 256 to 1024 bytes took 0.93 to 0.99 of the time; of half as many bytes, where
 * one length follows another, up to 1.04 times as long. */
#if defined(__AVX512F__)
enum { ALIGNED_RUN = 1024 };
static inline int64_t least_aligned_row(void) { return dmlc_least_aligned_row_bytes; }
#else
enum { ALIGNED_RUN = 256 };
static inline int64_t least_aligned_row(void) { return 129; }
#endif
enum { LONG_RUN = 3072, VERY_LONG_RUN = 64 * 1024 };

/* The first and the last bytes of a run, as many as a vector has or an integer. */
#define MOVE_ENDS(SIZE)                                                                                                \
    do {                                                                                                               \
        const vector##SIZE head = load##SIZE(input), tail = load##SIZE(input + bytes - (SIZE));                        \
        store##SIZE(output, head);                                                                                     \
        store##SIZE(output + bytes - (SIZE), tail);                                                                    \
    } while (0)
#define MOVE_FEW_ENDS(SIZE)                                                                                            \
    do {                                                                                                               \
        unsigned char head[SIZE], tail[SIZE];                                                                          \
        memcpy(head, input, SIZE);                                                                                     \
        memcpy(tail, input + bytes - (SIZE), SIZE);                                                                    \
        memcpy(output, head, SIZE);                                                                                    \
        memcpy(output + bytes - (SIZE), tail, SIZE);                                                                   \
    } while (0)

static inline void copy_below_32(char *output, const char *input, int64_t bytes)
{
    if (bytes >= 16) {
        MOVE_ENDS(16);
    } else if (bytes >= 8) {
        MOVE_FEW_ENDS(8);
    } else if (bytes >= 4) {
        MOVE_FEW_ENDS(4);
    } else if (bytes >= 2) {
        MOVE_FEW_ENDS(2);
    } else if (bytes == 1) {
        *output = *input;
    }
}

/* At most 64 bytes. */
static inline void copy_short(char *output, const char *input, int64_t bytes)
{
    if (bytes >= 32)
        MOVE_ENDS(32);
    else
        copy_below_32(output, input, bytes);
}

/* From 64 bytes on and, where it is `aligned`, by whole lines of the output but for its ends. Never a call: a loop of rows would clear
 * the vectors before each of its calls. */
static ALWAYS_INLINE void copy_lines(char *output, const char *input, int64_t bytes, bool aligned)
{
    int64_t at = 0;
    if (aligned) {
        store64(output, load64(input));
        at = until_aligned(output, 64);
    }
    for (; at < bytes - 64; at += 64)
        store64(output + at, load64(input + at));
    /* If half a line is left, 32 bytes are one store instead of two; with AVX-512 it is one either way. */
    if (bytes - at > 32)
        store64(output + bytes - 64, load64(input + bytes - 64));
    else
        store32(output + bytes - 32, load32(input + bytes - 32));
}

/* Both are read before they are written: on Zen 4 with AVX2, runs of 1 to 4 MB took 0.95 to 1.0 of the time that they take line by line,
 * those of 9 to 20 MB 0.8 to 0.97, shorter ones as long; with AVX-512 all took as long. */
static inline void copy_two_lines(char *output, const char *input)
{
    const vector64 first = load64(input), second = load64(input + 64);
    store64(output, first);
    store64(output + 64, second);
}

/* Whether the output's place in a page is a little behind the input's. A processor that compares no more than that waits with what it
 * reads for what was written just before. */
static inline bool is_close_behind(const char *output, const char *input)
{
    enum { LITTLE = 512 };
    return ((uintptr_t)output - (uintptr_t)input) % DMLC_PAGE_BYTES - 1 < LITTLE;
}

/* From LONG_RUN on; what is close behind begins at its end, if it is `alone` or very long. On Zen 4, runs of 0.1 to 4 MB took 0.75 to 0.98
 * of the time by places with AVX-512 and 0.9 to 0.95 with AVX2, of 4 to 20 KB 0.92 to 0.97 by mean and 0.23 at best. Where others go
 * before and after it, a processor has fetched ahead what comes next, and rows of 5 to 30 KB from the last-level cache took 1.05 to 1.2
 * times as long from their end. */
static ALWAYS_INLINE void copy_long_lines(char *output, const char *input, int64_t bytes, bool alone)
{
    const bool from_end = (alone || bytes >= VERY_LONG_RUN) && is_close_behind(output, input);
    const int64_t begin = until_aligned(output, 64), pairs = (bytes - begin) / 128, end = begin + pairs * 128;
    store64(output, load64(input));
    if (from_end)
        for (int64_t at = end - 128; at >= begin; at -= 128)
            copy_two_lines(output + at, input + at);
    else
        for (int64_t at = begin; at < end; at += 128)
            copy_two_lines(output + at, input + at);
    if (bytes - end > 64)
        store64(output + end, load64(input + end));
    store64(output + bytes - 64, load64(input + bytes - 64));
}

/* From LONG_RUN on. In many C libraries memcpy is `rep movsb`. Where both sides begin alike in their cache lines, it took 0.8 of
 * the time on Zen 5. Where they do not, it takes 1.1 to 1.25 times as long on Zen 4, and 20 times where the output's place in a
 * page of 4 KiB is less than a line behind the input's, which one row in 64 may be; on Zen 5, 0.65 to 1.0, on Granite Rapids 0.91 to
 * 1.01 from 8 KB on. */
static APART void copy_long(char *output, const char *input, int64_t bytes, bool alone)
{
    const bool alike = ((uintptr_t)output - (uintptr_t)input) % 64 == 0;
    if (alike || bytes >= dmlc_least_string_bytes)
        memcpy(output, input, (size_t)bytes);
    else
        copy_long_lines(output, input, bytes, alone);
}

/* A loop for either kind of lines: by one for both, rolled rows took up to 1.07 times as long. */
static ALWAYS_INLINE void copy_bytes(char *output, const char *input, int64_t bytes)
{
    if (bytes < 64)
        copy_short(output, input, bytes);
    else if (bytes < ALIGNED_RUN)
        copy_lines(output, input, bytes, false);
    else if (bytes < LONG_RUN)
        copy_lines(output, input, bytes, true);
    else
        copy_long(output, input, bytes, false);
}

/* A run that no others go with. */
static void copy(char *output, const char *input, int64_t bytes)
{
    if (bytes < LONG_RUN)
        copy_bytes(output, input, bytes);
    else
        copy_long(output, input, bytes, true);
}

/* Rows of a byte and more; how they are moved is found out once and not row by row. They go in their order, and each of at
 * most 128 bytes is read before it is written. Long ones by `rep movsb` where that is fast, alike or not: on Zen 4, rows that are alike
 * took 0.82 to 0.98 of the time without. */
static APART void copy_rows(char *first_output, int64_t output_step, const char *first_input, int64_t input_step,
                            int64_t count, int64_t bytes)
{
    const bool aligned = bytes >= least_aligned_row();
#define EACH_ROW(MOVE)                                                                                                 \
    UNROLL                                                                                                             \
    for (int64_t r = 0; r < count; ++r) {                                                                              \
        char *output = first_output + r * output_step;                                                                 \
        const char *input = first_input + r * input_step;                                                              \
        MOVE;                                                                                                          \
    }
    if (bytes >= LONG_RUN && bytes >= dmlc_least_string_bytes)
        EACH_ROW(memcpy(output, input, (size_t)bytes))
    else if (bytes >= LONG_RUN)
        EACH_ROW(copy_long_lines(output, input, bytes, false))
    else if (bytes > 128)
        EACH_ROW(copy_lines(output, input, bytes, aligned))
    else if (bytes > 64)
        EACH_ROW(MOVE_ENDS(64))
    else if (bytes == 64)
        EACH_ROW(store64(output, load64(input)))
    else if (bytes > 32)
        EACH_ROW(MOVE_ENDS(32))
    else if (bytes == 32)
        EACH_ROW(store32(output, load32(input)))
    else if (bytes >= 16)
        EACH_ROW(MOVE_ENDS(16))
    else if (bytes >= 8)
        EACH_ROW(MOVE_FEW_ENDS(8))
    else if (bytes >= 4)
        EACH_ROW(MOVE_FEW_ENDS(4))
    else if (bytes >= 2)
        EACH_ROW(MOVE_FEW_ENDS(2))
    else
        EACH_ROW(*output = *input)
#undef EACH_ROW
}

/* Rows of a few chunks of at most 64 bytes, for which a call each would take longer than they do. They go in their order: column by
 * column, 8 KB of them at a time, took 1.0 to 1.25 times as long in the cache and up to three times in memory. */
static APART void copy_chunks(char *first_output, int64_t output_row, int64_t output_step, const char *first_input,
                              int64_t input_row, int64_t input_step, int64_t rows, int64_t count, int64_t bytes)
{
#define EACH_CHUNK(MOVE)                                                                                               \
    for (int64_t row = 0; row < rows; ++row)                                                                           \
        for (int64_t i = 0; i < count; ++i) {                                                                          \
            char *output = first_output + row * output_row + i * output_step;                                          \
            const char *input = first_input + row * input_row + i * input_step;                                        \
            MOVE;                                                                                                      \
        }
    if (bytes >= 32)
        EACH_CHUNK(MOVE_ENDS(32))
    else if (bytes >= 16)
        EACH_CHUNK(MOVE_ENDS(16))
    else
        EACH_CHUNK(copy_below_32(output, input, bytes))
#undef EACH_CHUNK
}

#define STORE_ENDS(SIZE)                                                                                               \
    do {                                                                                                               \
        memcpy(output, pattern, SIZE);                                                                                 \
        memcpy(output + bytes - (SIZE), pattern, SIZE);                                                                \
    } while (0)

/* From so many bytes on, whole cache lines: what a vector writes across two of them took 1.75 times as long with AVX2 and 1.35
 * times with AVX-512, from 16 KiB to the second-level cache's size. */
enum { ALIGNED_FILL = 1024 };

/* As fill_bytes. The pattern begins anew with each line, so it is turned by what stands before the first of them. It repeats
 * itself after 32 bytes: two copies of all 64, to read from any of them, were read before their stores had ended, which took
 * 1.1 times as long in rows of 2 KB. */
static APART void fill_aligned(char *output, int64_t bytes, const unsigned char *pattern)
{
    if (bytes >= DMLC_LONG_FILL_BYTES && memcmp(pattern, pattern + 1, 63) == 0) {
        memset(output, *pattern, (size_t)bytes);
        return;
    }
    const int64_t first = until_aligned(output, 64), end = bytes - 64;
    store64(output, load64(pattern));
    const vector64 block = twice(load32(pattern + first % 32));
    for (int64_t at = first; at < end; at += 64)
        store64(output + at, block);
    store64(output + end, twice(load32(pattern + end % 32)));
}

/* output[0, bytes) = 64 bytes of a pattern, over and over, whose second half is as the first. Both the run and the pattern are
 * whole elements, so an overlapping last store has the right phase. */
static inline void fill_bytes(char *output, int64_t bytes, const unsigned char *pattern)
{
    if (bytes >= ALIGNED_FILL) {
        fill_aligned(output, bytes, pattern);
    } else if (bytes >= 64) {
        const vector64 block = load64(pattern);
        int64_t at = 0;
        for (; at + 64 <= bytes; at += 64)
            store64(output + at, block);
        if (at < bytes)
            store64(output + bytes - 64, block);
    } else if (bytes >= 32) {
        const vector32 block = load32(pattern);
        store32(output, block);
        store32(output + bytes - 32, block);
    } else if (bytes >= 16) {
        const vector16 block = load16(pattern);
        store16(output, block);
        store16(output + bytes - 16, block);
    } else if (bytes >= 8) {
        STORE_ENDS(8);
    } else if (bytes >= 4) {
        STORE_ENDS(4);
    } else if (bytes >= 2) {
        STORE_ENDS(2);
    } else if (bytes == 1) {
        *output = (char)*pattern;
    }
}

#undef MOVE_ENDS
#undef MOVE_FEW_ENDS
#undef STORE_ENDS

#endif
