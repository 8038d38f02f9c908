/* Dense rows of chunks of 1, 2, 4 or 8 bytes that lie at a constant step in the input, forward or back:
 *
 *     output[r * output_row + i * chunk] = input[r * input_row + i * step * chunk]
 *
 * No byte outside the span from the first to the last element of a row is read: the windows of a lane end where its own
 * elements do, and the last lanes overlap those before them. */
#ifndef DMLC_KERNELS_STEPS_H
#define DMLC_KERNELS_STEPS_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/stream.h"

#if defined(DMLC_HAVE_LOOK_UP)

enum { MOST_WINDOWS = 4, HALF = 8 };

/* How rows are read: with the next one asked for, where they lie apart; or a single one from its lower end on, though its steps go
 * back. */
typedef enum step_order { AS_THEY_ARE, ASK_FOR_NEXT, READ_UP } step_order;

/* The bytes from the first to the last of as many chunks as are `bytes` of the output: a lane's, or half of one. */
static ALWAYS_INLINE int span_of(const int bytes, const int chunk, const int distance)
{
    return (bytes / chunk - 1) * distance * chunk + chunk;
}

/* How many windows of so many bytes cover the chunks. They follow each other, but for the last one, which ends where the span
 * does and may overlap the one before. More windows than chunks are never needed, and two are enough for four chunks at a
 * distance of three. */
static ALWAYS_INLINE int window_count(const int bytes, const int chunk, const int distance)
{
    const int chunks = bytes / chunk, windows = (span_of(bytes, chunk, distance) + bytes - 1) / bytes;
    return chunks == 4 && distance == 3 ? 2 : windows < chunks ? windows : chunks;
}

static ALWAYS_INLINE int window_begin(const int bytes, const int chunk, const int distance, const int window)
{
    return window + 1 < window_count(bytes, chunk, distance) ? bytes * window : span_of(bytes, chunk, distance) - bytes;
}

/* Where byte `i` of the output is in a window, or ELSEWHERE. */
static ALWAYS_INLINE int place_in_window(const int i, const int bytes, const int chunk, const int step,
                                         const int window)
{
    const int distance = step < 0 ? -step : step, element = step < 0 ? bytes / chunk - 1 - i / chunk : i / chunk;
    const int place = element * distance * chunk + i % chunk - window_begin(bytes, chunk, distance, window);
    return place >= 0 && place < bytes ? place : ELSEWHERE;
}

static ALWAYS_INLINE lanes lane_index(const int chunk, const int step, const int window)
{
#define BYTE(i) place_in_window(i, 16, chunk, step, window)
    return repeat_lane(LANE(BYTE));
#undef BYTE
}

/* The same window of two half lanes side by side. */
static ALWAYS_INLINE vector16 halves_index(const int chunk, const int step, const int window)
{
#define BYTE(i) (place_in_window((i) % HALF, HALF, chunk, step, window) + (i) / HALF * HALF)
    return LANE(BYTE);
#undef BYTE
}

/* Rows of 8 to 15 bytes: their first and their last 8. */
static ALWAYS_INLINE void step_short_rows(char *output, int64_t output_row, const char *input, int64_t input_row,
                                          int64_t rows, int64_t count, const int chunk, const int step)
{
    const int distance = step < 0 ? -step : step, windows = window_count(HALF, chunk, distance), half = HALF / chunk;
    vector16 index[MOST_WINDOWS];
    for (int i = 0; i < windows; ++i)
        index[i] = halves_index(chunk, step, i);
    input += step < 0 ? (half - 1) * step * chunk : 0;
    const int64_t output_last = (count - half) * chunk, input_last = step * output_last;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row;
        vector16 bytes = {0};
        for (int i = 0; i < windows; ++i) {
            const int begin = window_begin(HALF, chunk, distance, i);
            bytes = look_up(bytes, load_halves(from + begin, from + input_last + begin), index[i]);
        }
        store_halves(to, to + output_last, bytes);
    }
}

/* The elements of a lane, and those of the one that follows it or, in a short row, overlaps it. */
static ALWAYS_INLINE lanes gather_lanes(const char *first, const char *second, const lanes *index, const int chunk,
                                        const int distance)
{
    const int windows = window_count(16, chunk, distance);
    lanes bytes = pick(load_lanes(first, second), index[0]);
    for (int i = 1; i < windows; ++i) {
        const int begin = window_begin(16, chunk, distance, i);
        bytes = either(bytes, pick(load_lanes(first + begin, second + begin), index[i]));
    }
    return bytes;
}

/* Rows of at least 16 bytes. Where the next row is asked for, that is line by line, as this one is read: on Zen 4, every second to fourth
 * chunk of 0.8 to 64 KB, in rows with gaps between them, 10 to 100 MB in all, took 0.64 to 1.0 of the time with AVX2, on two threads 0.68
 * to 1.12. All of the next row at once took 0.85 to 1.1, rows without gaps, or back to front, 1.0 to 1.1 either way. Rows of 450 bytes to 3
 * KB, 450 bytes to 20 KB apart, took 0.97 of the time by mean in 20 to 100 KB, and 0.85 to 0.99 from 0.3 MB on; shorter rows about as long
 * as without, and those closer together up to 1.4 times as long in 20 MB. Rows of more than 8 KB that are near take 0.94 of the time
 * without by mean, in 30 to 100 us, and 0.6 at best; far ones up to 1.5 times as long. 64 bytes at a time, by AVX-512's permutations, took
 * 0.96 to 1.08 by mean, and short rows back to front up to 1.5 times as long. */
static ALWAYS_INLINE void step_rows(char *output, int64_t output_row, const char *input, int64_t input_row,
                                    int64_t rows, int64_t count, const int chunk, const int step, step_order order)
{
    const int distance = step < 0 ? -step : step, windows = window_count(16, chunk, distance);
    const int lane = 16 / chunk, together = LANES * lane, last_lane = together - lane;
    lanes index[MOST_WINDOWS];
    for (int i = 0; i < windows; ++i)
        index[i] = lane_index(chunk, step, i);
    /* A lane's lowest element is its last one where they go back. */
    input += step < 0 ? (lane - 1) * step * chunk : 0;
#define AT(i) (from + (i) * (step * chunk))
#define VECTOR(i)                                                                                                      \
    (step == -1 ? pick(swap_lanes(load_side_by_side(AT((i) + last_lane))), index[0])                                   \
                : gather_lanes(AT(i), AT((i) + lane), index, chunk, distance))
    if (count <= together) {
        for (int64_t r = 0; r < rows; ++r) {
            char *to = output + r * output_row;
            const char *from = input + r * input_row;
            store_lanes(to, to + (count - lane) * chunk, gather_lanes(AT(0), AT(count - lane), index, chunk, distance));
        }
        return;
    }
    const int64_t last = count - together;
    if (step < 0 && order == READ_UP && count * chunk >= LEAST_READ_UP) {
        const char *from = input;
        const int64_t first = until_aligned(output, 16 * LANES) / chunk;
        store_side_by_side(output + last * chunk, VECTOR(last));
        for (int64_t i = first + (last - 1 - first) / together * together; i >= first; i -= together)
            store_side_by_side(output + i * chunk, VECTOR(i));
        store_side_by_side(output, VECTOR(0));
        return;
    }
    /* Stores of long rows are aligned, where elements are. Whole images turned about took 0.8 to 0.95 of the time, reversed rows of
     * 256 to 2048 bytes 0.96 to 0.98 on Zen 4, but those of 500 to 700 up to 1.15 times as long on Zen 5; others of as many bytes
     * 1.00 to 1.01. */
    const int64_t aligned_bytes = step == -1 ? DMLC_ALIGNED_REVERSED_BYTES : DMLC_ALIGNED_STEPS_BYTES;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row;
        int64_t i = 0;
        if (count * chunk >= aligned_bytes) {
            store_side_by_side(to, VECTOR(0));
            i = until_aligned(to, 16 * LANES) / chunk;
        }
        if (step > 1 && order == ASK_FOR_NEXT && r < rows - 1)
            for (; i < last; i += together) {
                fetch(AT(i) + input_row, together * step * chunk);
                store_side_by_side(to + i * chunk, VECTOR(i));
            }
        UNROLL
        for (; i < last; i += together)
            store_side_by_side(to + i * chunk, VECTOR(i));
        store_side_by_side(to + last * chunk, VECTOR(last));
    }
#undef VECTOR
#undef AT
}

/* Whether a step may have a loop of its own: to call what finds out takes as long as to move some chunks. */
static inline bool may_have_steps(int64_t input_step, int64_t chunk)
{
    return chunk <= 8 && input_step != 0 && input_step >= -2 * chunk && input_step <= 4 * chunk;
}

/* The steps of a chunk that have a loop of their own: those that take longer chunk by chunk, of 8 bytes past the first-level cache
 * alone (0.72 to 0.87 of the time there with AVX2). False where it has none, or a row is shorter than half a lane. */
static bool move_steps(char *output, int64_t output_row, const char *input, int64_t input_row, int64_t input_step,
                       int64_t rows, int64_t count, int64_t chunk, step_order order)
{
    if (count * chunk < HALF)
        return false;
    const bool is_short = count * chunk < 16;
#define STEP(CHUNK, STEP)                                                                                              \
    case (STEP) * (CHUNK):                                                                                             \
        if (is_short)                                                                                                  \
            step_short_rows(output, output_row, input, input_row, rows, count, CHUNK, STEP);                           \
        else                                                                                                           \
            step_rows(output, output_row, input, input_row, rows, count, CHUNK, STEP, order);                          \
        return true;
#define FIRST_STEPS(CHUNK)                                                                                             \
    STEP(CHUNK, -2)                                                                                                    \
    STEP(CHUNK, -1)                                                                                                    \
    STEP(CHUNK, 2)                                                                                                     \
    STEP(CHUNK, 3)
    switch (chunk) {
    case 1:
        switch (input_step) {
            FIRST_STEPS(1)
            STEP(1, 4)
        default: return false;
        }
    case 2:
        switch (input_step) {
            FIRST_STEPS(2)
            STEP(2, 4)
        default: return false;
        }
    case 4:
        switch (input_step) {
            FIRST_STEPS(4)
        default: return false;
        }
    case 8:
        switch (input_step) {
            FIRST_STEPS(8)
        default: return false;
        }
    default: return false;
    }
#undef FIRST_STEPS
#undef STEP
}

#endif

#endif
