/* Short runs of bytes without a call. A fixed-size memcpy is one or a few vector moves; the last move of a run overlaps
 * the one before it instead of going on byte by byte:
 *
 *     |----- 16 -----|
 *               |----- 16 -----|      23 bytes
 */
#ifndef DMLC_KERNELS_BYTES_H
#define DMLC_KERNELS_BYTES_H

#include <stdint.h>
#include <string.h>

/* From here on the C library's memcpy, with its own choice of method, beats a loop of 64-byte moves. */
enum { LONG_RUN = 1024 };

#define MOVE_ENDS(SIZE)                                                                                                \
    do {                                                                                                               \
        unsigned char head[SIZE], tail[SIZE];                                                                          \
        memcpy(head, input, SIZE);                                                                                     \
        memcpy(tail, input + bytes - (SIZE), SIZE);                                                                    \
        memcpy(output, head, SIZE);                                                                                    \
        memcpy(output + bytes - (SIZE), tail, SIZE);                                                                   \
    } while (0)

static inline void copy_bytes(char *output, const char *input, int64_t bytes)
{
    if (bytes >= 64) {
        if (bytes >= LONG_RUN) {
            memcpy(output, input, (size_t)bytes);
            return;
        }
        int64_t at = 0;
        for (; at + 64 <= bytes; at += 64)
            memcpy(output + at, input + at, 64);
        if (at < bytes)
            memcpy(output + bytes - 64, input + bytes - 64, 64);
    } else if (bytes >= 32) {
        MOVE_ENDS(32);
    } else if (bytes >= 16) {
        MOVE_ENDS(16);
    } else if (bytes >= 8) {
        MOVE_ENDS(8);
    } else if (bytes >= 4) {
        MOVE_ENDS(4);
    } else if (bytes >= 2) {
        MOVE_ENDS(2);
    } else if (bytes == 1) {
        *output = *input;
    }
}

#define STORE_ENDS(SIZE)                                                                                               \
    do {                                                                                                               \
        memcpy(output, pattern, SIZE);                                                                                 \
        memcpy(output + bytes - (SIZE), pattern, SIZE);                                                                \
    } while (0)

/* output[0, bytes) = 64 bytes of a pattern, over and over. Both the run and the pattern are whole elements, so an
 * overlapping last store has the right phase. */
static inline void fill_bytes(char *output, int64_t bytes, const unsigned char *pattern)
{
    if (bytes >= 64) {
        unsigned char block[64];
        memcpy(block, pattern, 64);
        int64_t at = 0;
        for (; at + 64 <= bytes; at += 64)
            memcpy(output + at, block, 64);
        if (at < bytes)
            memcpy(output + bytes - 64, block, 64);
    } else if (bytes >= 32) {
        STORE_ENDS(32);
    } else if (bytes >= 16) {
        STORE_ENDS(16);
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
#undef STORE_ENDS

#endif
