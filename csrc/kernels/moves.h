/* Moves of chunks of one size, and fills: what every other room is made of. */
#ifndef DMLC_KERNELS_MOVES_H
#define DMLC_KERNELS_MOVES_H

#include "kernels/bytes.h"
#include "kernels/gathers.h"
#include "kernels/steps.h"
#include "kernels/stream.h"

#define MOVE_AS(TYPE, output, input)                                                                                   \
    do {                                                                                                               \
        TYPE moved;                                                                                                    \
        memcpy(&moved, input, sizeof(moved));                                                                          \
        memcpy(output, &moved, sizeof(moved));                                                                         \
    } while (0)

/* Whether what lies back to front is moved from its end on, so that what is read goes up: beyond the second-level cache, going down
 * took up to twice as long. But small chunks are written upward where the output's steps are the longer ones, or where nothing that is
 * read is near the last: down, 8 bytes and more apart in 20 to 90 MB of the output, they took 1.1 to 3.6 times as long. Those of 16 bytes
 * took up to 1.7 times as long upward, in the cache. */
static inline bool goes_from_its_end(int64_t output_step, int64_t input_step, int64_t chunk)
{
    enum { LARGE = 16, FAR_STEP = 256 };
    const bool read_near = -input_step >= output_step && -input_step < FAR_STEP;
    return input_step < 0 && (output_step == chunk || chunk >= LARGE || read_near);
}

#define TEMPLATE "kernels/move_template.inc"
#include "kernels/chunks.inc"

/* Chunks of a size that no move has, side by side in the output and apart in the input: by the next wider move. What it
 * writes too much, the next chunk writes again; what it reads too much lies inside the span of the others:
 *
 *     forward   |chunk..|                back   |..chunk|
 *                    |chunk..|       |..chunk|
 *
 * So the last chunk that is read goes by itself and, of chunks that go back, the first one, too. What is read goes up either way. */
static inline void move_wider(char *output, const char *input, int64_t input_step, int64_t count, int64_t chunk)
{
    const int64_t wide = chunk < 4 ? 4 : chunk < 8 ? 8 : chunk < 16 ? 16 : 32;
    const bool back = input_step < 0;
    const int64_t step = back ? -chunk : chunk, read_step = back ? -input_step : input_step;
    const int64_t last = count - 1, before = back ? wide - chunk : 0;
    if (back) {
        output += last * chunk;
        input += last * input_step;
        copy_below_32(output, input, chunk);
    }
#define MOVE_EACH(MOVE)                                                                                                \
    for (int64_t i = back ? 1 : 0; i < last; ++i) {                                                                    \
        char *to = output + i * step - before;                                                                         \
        const char *from = input + i * read_step - before;                                                             \
        MOVE;                                                                                                          \
    }
    if (wide == 4)
        MOVE_EACH(MOVE_AS(uint32_t, to, from))
    else if (wide == 8)
        MOVE_EACH(MOVE_AS(uint64_t, to, from))
    else if (wide == 16)
        MOVE_EACH(store16(to, load16(from)))
    else
        MOVE_EACH(store32(to, load32(from)))
#undef MOVE_EACH
    copy_below_32(output + last * step, input + last * read_step, chunk);
}

static APART void move(char *output, int64_t output_step, const char *input, int64_t input_step, int64_t count,
                       int64_t chunk)
{
#if defined(DMLC_HAVE_LOOK_UP)
    if (output_step == chunk && may_have_steps(input_step, chunk) &&
        move_steps(output, 0, input, 0, input_step, 1, count, chunk, AS_THEY_ARE))
        return;
#endif
    switch (chunk) {
    case 1: move_1(output, output_step, input, input_step, count); return;
    case 2: move_2(output, output_step, input, input_step, count); return;
    case 4: move_4(output, output_step, input, input_step, count); return;
    case 8: move_8(output, output_step, input, input_step, count); return;
    case 16: move_16(output, output_step, input, input_step, count); return;
    case 32: move_32(output, output_step, input, input_step, count); return;
    default:
        if (output_step == chunk && chunk < 32 && count > 2 && (input_step >= chunk || input_step <= -chunk))
            move_wider(output, input, input_step, count, chunk);
        else
            copy_rows(output, output_step, input, input_step, count, chunk);
        return;
    }
}

/* Whether chunks that go back are read from their lower end on, by move_up. */
static inline bool moves_up(int64_t chunk) { return chunk <= 32; }

/* Whether move_rows_down reads them downward: pixels and the like always go up. */
static inline bool moves_down(int64_t chunk)
{
    return !moves_up(chunk) || (dmlc_has_moves(chunk) && !dmlc_has_wider_move(chunk));
}

/* Dense chunks; what is read goes up, where moves_up. */
static void move_up(char *output, const char *input, int64_t input_step, int64_t count, int64_t chunk)
{
#if defined(DMLC_HAVE_LOOK_UP)
    if (may_have_steps(input_step, chunk) && move_steps(output, 0, input, 0, input_step, 1, count, chunk, READ_UP))
        return;
#endif
    move(output, chunk, input, input_step, count, chunk);
}

static APART void move_rows(char *output, int64_t output_row, int64_t output_step, const char *input, int64_t input_row,
                            int64_t input_step, int64_t rows, int64_t count, int64_t chunk)
{
#if defined(DMLC_HAVE_LOOK_UP)
    if (output_step == chunk && may_have_steps(input_step, chunk) &&
        move_steps(output, output_row, input, input_row, input_step, rows, count, chunk, AS_THEY_ARE))
        return;
#endif
#define MOVE_ROWS(SUFFIX) move_rows_##SUFFIX(output, output_row, output_step, input, input_row, input_step, rows, count)
    switch (chunk) {
    case 1: MOVE_ROWS(1); return;
    case 2: MOVE_ROWS(2); return;
    case 4: MOVE_ROWS(4); return;
    case 8: MOVE_ROWS(8); return;
    case 16: MOVE_ROWS(16); return;
    case 32: MOVE_ROWS(32); return;
    default: break;
    }
    /* Pixels, but for long dense rows, which go by wider moves. */
    const bool goes_wider = output_step == chunk && count > DMLC_FEW_CHUNKS;
    switch (goes_wider ? 0 : chunk) {
    case 3: MOVE_ROWS(3); return;
    case 6: MOVE_ROWS(6); return;
    case 12: MOVE_ROWS(12); return;
    default: break;
    }
    if (count > DMLC_FEW_CHUNKS || count >= rows) {
        for (int64_t row = 0; row < rows; ++row)
            move(output + row * output_row, output_step, input + row * input_row, input_step, count, chunk);
        return;
    }
    copy_chunks(output, output_row, output_step, input, input_row, input_step, rows, count, chunk);
#undef MOVE_ROWS
}

/* Rows of chunks that go back; what is read goes down, where moves_down. */
static void move_rows_down(char *output, int64_t output_row, const char *input, int64_t input_row, int64_t input_step,
                           int64_t rows, int64_t count, int64_t chunk)
{
    enum { FEWEST = 8 };
#if defined(DMLC_HAVE_LOOK_UP)
    if (may_have_steps(input_step, chunk) &&
        move_steps(output, output_row, input, input_row, input_step, rows, count, chunk, AS_THEY_ARE))
        return;
#endif
#define MOVE_DOWN(CHUNK) move_long_rows_##CHUNK(output, output_row, CHUNK, input, input_row, input_step, rows, count)
    switch (count < FEWEST ? 0 : chunk) {
    case 1: MOVE_DOWN(1); return;
    case 2: MOVE_DOWN(2); return;
    case 4: MOVE_DOWN(4); return;
    case 8: MOVE_DOWN(8); return;
    case 16: MOVE_DOWN(16); return;
    case 32: MOVE_DOWN(32); return;
    default: move_rows(output, output_row, chunk, input, input_row, input_step, rows, count, chunk); return;
    }
#undef MOVE_DOWN
}

/* Whether chunks that lie apart in an output in memory go one after the other, by move_in_turn, and not by move_fours. On Zen 4, in 12 to
 * 90 MB of the output, with rows that are read one between the other, they took as a share of the time by fours: 20 to 150 chunks of 4 and
 * 8 bytes 0.6 to 0.95 by mean, 1,000 of them 0.9 to 1.0; 20 chunks of one byte 0.8, 60 and more up to 1.3. Two at a time took as long as
 * one, but up to 1.2 times as long with 20 chunks and 1.15 with 60. Chunks that lie closer together, or in 3 MB of the output, take up to
 * 1.2 times as long in turn. */
static inline bool pays_in_turn(int64_t output_step, int64_t count, int64_t chunk)
{
    enum { FEWEST = 8, LEAST_STEP = 8, MOST_BYTES = 32 };
    return output_step != chunk && output_step >= LEAST_STEP && count >= FEWEST && dmlc_width_place(chunk) <= 3 &&
           (chunk > 1 || count < MOST_BYTES);
}

/* Rows for which pays_in_turn holds, chunk after chunk. */
static APART void move_rows_in_turn(char *output, int64_t output_row, int64_t output_step, const char *input,
                                    int64_t input_row, int64_t input_step, int64_t rows, int64_t count, int64_t chunk)
{
    if (goes_from_its_end(output_step, input_step, chunk)) {
        output += (count - 1) * output_step;
        input += (count - 1) * input_step;
        output_step = -output_step;
        input_step = -input_step;
    }
#define MOVE_IN_TURN(CHUNK)                                                                                            \
    case CHUNK:                                                                                                        \
        move_in_turn_##CHUNK(output, output_row, output_step, input, input_row, input_step, rows, count);              \
        return;
    switch (chunk) {
        MOVE_IN_TURN(1)
        MOVE_IN_TURN(2)
        MOVE_IN_TURN(4)
        MOVE_IN_TURN(8)
    default: return;
    }
#undef MOVE_IN_TURN
}

/* The same rows, in turn where that pays. */
static inline void move_rows_apart(char *output, int64_t output_row, int64_t output_step, const char *input,
                                   int64_t input_row, int64_t input_step, int64_t rows, int64_t count, int64_t chunk,
                                   bool in_memory)
{
    if (in_memory && pays_in_turn(output_step, count, chunk))
        move_rows_in_turn(output, output_row, output_step, input, input_row, input_step, rows, count, chunk);
    else
        move_rows(output, output_row, output_step, input, input_row, input_step, rows, count, chunk);
}

/* Rows of `bytes`, each its chunk over and over; the chunk's size is a constant where this is called. Chunks divide vectors, so that
 * a last store which overlaps those before it has the right phase. */
static ALWAYS_INLINE void repeat_each(char *first_output, int64_t output_row, const char *first_input,
                                      int64_t input_row, int64_t rows, int64_t bytes, const int64_t chunk)
{
#define EACH_ROW(FILL)                                                                                                 \
    for (int64_t row = 0; row < rows; ++row) {                                                                         \
        char *output = first_output + row * output_row;                                                                \
        const vector32 half = repeat32(first_input + row * input_row, chunk);                                          \
        FILL;                                                                                                          \
    }
    if (bytes >= 64)
        EACH_ROW({
            for (int64_t at = 0; at < bytes - 64; at += 64)
                store64(output + at, twice(half));
            store64(output + bytes - 64, twice(half));
        })
    else if (bytes > 32)
        EACH_ROW({
            store32(output, half);
            store32(output + bytes - 32, half);
        })
    else
        EACH_ROW(store32(output, half))
#undef EACH_ROW
}

/* In each row the chunk at its input, `count` times side by side. */
static APART void repeat_rows(char *output, int64_t output_row, const char *input, int64_t input_row, int64_t rows,
                              int64_t count, int64_t chunk)
{
    if (!dmlc_repeats_by_vectors(chunk, count * chunk)) {
        move_rows(output, output_row, chunk, input, input_row, 0, rows, count, chunk);
        return;
    }
    if (count * chunk >= ALIGNED_FILL) {
        for (int64_t row = 0; row < rows; ++row) {
            unsigned char pattern[DMLC_PATTERN_BYTES];
            dmlc_repeat_element(pattern, input + row * input_row, chunk);
            fill_bytes(output + row * output_row, count * chunk, pattern);
        }
        return;
    }
#define REPEAT_EACH(CHUNK)                                                                                             \
    case CHUNK: repeat_each(output, output_row, input, input_row, rows, (CHUNK) * count, CHUNK); return
    switch (chunk) {
        REPEAT_EACH(1);
        REPEAT_EACH(2);
        REPEAT_EACH(4);
        REPEAT_EACH(8);
        REPEAT_EACH(16);
    default: repeat_each(output, output_row, input, input_row, rows, count * chunk, 32); return;
    }
#undef REPEAT_EACH
}

static void repeat(char *output, const char *input, int64_t count, int64_t chunk)
{
    repeat_rows(output, 0, input, 0, 1, count, chunk);
}

/* The same rows or boxes, the last one first. Where much is read they go up in the input, though that may be down in the output: what is
 * read downward is fetched too late. */
static inline dmlc_block from_its_end(const dmlc_block *block)
{
    dmlc_block up = *block;
    up.output += (up.count - 1) * up.output_step;
    up.input += (up.count - 1) * up.input_step;
    up.output_step = -up.output_step;
    up.input_step = -up.input_step;
    return up;
}

static inline void copy_run(char *output, const char *input, int64_t bytes, dmlc_stream *stream)
{
    if (stream != NULL)
        stream_copy(stream, output, input, bytes);
    else
        copy_bytes(output, input, bytes);
}

static inline void fill(char *output, int64_t bytes, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    if (stream != NULL)
        stream_fill(stream, output, bytes, pattern->bytes);
    else
        fill_bytes(output, bytes, pattern->bytes);
}

/* `count` elements `step` bytes apart. */
static inline void fill_strided(char *output, int64_t step, int64_t count, const dmlc_pattern *pattern,
                                dmlc_stream *stream)
{
    if (step == pattern->width)
        fill(output, count * step, pattern, stream);
    else
        move(output, step, (const char *)pattern->bytes, 0, count, pattern->width);
}

#endif
