/* Rows that are windows of one table: a one-hot sequence lies where its index says, a row of a band one element before the
 * row above it. A row is made by unaligned moves alone:
 *
 *     table    |0 0 0 0 0 0 1 0 0 0 0 0 0|
 *     row              |0 0 1 0 0|           from wherever its window begins
 */
#ifndef DMLC_KERNELS_WINDOWS_H
#define DMLC_KERNELS_WINDOWS_H

#include "kernels/vectors.h"

/* Behind a table, so that any window's last vector may be loaded whole. */
enum { WINDOW_SLACK = 64 };

/* Moves of half a cache line at most: those of 64 bytes are each of two lines, and took up to 1.3 times as long. */
#if defined(__AVX2__)
enum { WINDOW_MOVE = 32 };
static inline void move_of_window(char *output, const char *window) { store32(output, load32(window)); }
#else
enum { WINDOW_MOVE = VECTOR_BYTES };
static inline void move_of_window(char *output, const char *window) { store_vector(output, load_vector(window)); }
#endif

/* A row as whole moves, or as one of 16 bytes. */
static inline int64_t window_moved(int64_t bytes)
{
    return bytes <= 16 ? 16 : (bytes + WINDOW_MOVE - 1) / WINDOW_MOVE * WINDOW_MOVE;
}

static inline void move_window(char *output, const char *window, int64_t moved)
{
    if (moved == 16)
        store16(output, load16(window));
    else
        for (int64_t at = 0; at < moved; at += WINDOW_MOVE)
            move_of_window(output + at, window + at);
}

/* A longer row, aligned moves but for its ends. */
static inline void move_long_window(char *output, const char *window, int64_t bytes)
{
    const int64_t last = bytes - WINDOW_MOVE;
    move_of_window(output, window);
    int64_t at = until_aligned(output, WINDOW_MOVE);
    UNROLL
    for (; at < last; at += WINDOW_MOVE)
        move_of_window(output + at, window + at);
    move_of_window(output + last, window + last);
}

static inline int64_t window_index(const char *indices, int64_t i)
{
    int32_t index;
    memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
    return index;
}

/* output[i * bytes, (i + 1) * bytes) = the window at origin - index * width, for i < count, where index is the i-th 32-bit
 * integer of indices, or i itself where there are none. WINDOW_SLACK bytes may be read past each window, none is written past the last row:
 * what a row's last vector writes beyond it, the rows after it write again. */
static inline void copy_windows(char *output, int64_t bytes, int64_t count, const char *origin, const char *indices,
                                int64_t width)
{
    const int64_t moved = window_moved(bytes), whole = count - (moved - 1) / bytes;
    int64_t i = 0;
#define WINDOW (origin - (indices == NULL ? i : window_index(indices, i)) * width)
#define MOVE_EACH(MOVED)                                                                                               \
    for (; i < whole; ++i)                                                                                             \
    move_window(output + i * bytes, WINDOW, MOVED)
    /* Told apart once, and not row by row. */
    switch (moved) {
    case 16: MOVE_EACH(16); break;
    case 32: MOVE_EACH(32); break;
    case 64: MOVE_EACH(64); break;
    case 96: MOVE_EACH(96); break;
    case 128: MOVE_EACH(128); break;
    case 160: MOVE_EACH(160); break;
    case 192: MOVE_EACH(192); break;
    case 224: MOVE_EACH(224); break;
    case 256: MOVE_EACH(256); break;
    default:
        for (; i < count; ++i)
            move_long_window(output + i * bytes, WINDOW, bytes);
        return;
    }
    for (; i < count; ++i)
        copy_bytes(output + i * bytes, WINDOW, bytes);
#undef MOVE_EACH
#undef WINDOW
}

#endif
