/* What goes past the cache line by line, straight from registers: what was just stored is not read there until all that goes past the
 * cache before it has left. One value where it is set, and another, or the input, elsewhere:
 *
 *     set     |          xxxxxx|xxxxxxxxxxxxxxxx|xxx       xxxxxx|xx
 *     output  |   ooooooo111111|1111111111111111|111ooooooo111111|11oo
 *
 * The first line and what is left of the last, which may not be whole, are made in a buffer. */
#ifndef DMLC_KERNELS_LINE_WRITER_H
#define DMLC_KERNELS_LINE_WRITER_H

#include "kernels/stream.h"

enum { LINE_VECTORS = DMLC_LINE_BYTES / VECTOR_BYTES };

/* Before output + begin, where a line begins, all lines are sent; the first may begin before the output. The line there is right up to
 * where it was last flipped; what stands behind is as `is_set` says. It holds what is written, or, where an input is read, a mask. All
 * that is done with it is inlined, so that it stays in registers: with a buffer, one-hot sequences took 1.2 to 1.6 times as long. */
typedef struct line_writer {
    dmlc_stream *stream;
    char *output;
    const char *input; /* NULL where nothing is read: then it is `off` */
    int64_t bytes, begin;
    vector on, off, line[LINE_VECTORS];
    bool is_set;
} line_writer;

/* A pattern as it stands where a line begins, elements being at the output's address. */
static inline vector pattern_of_lines(const dmlc_pattern *pattern, const char *output)
{
    const int64_t inside = (int64_t)((0 - (uintptr_t)output) % (uintptr_t)pattern->width);
    char twice[2 * DMLC_PATTERN_BYTES];
    if (inside == 0)
        return load_vector(pattern->bytes);
    memcpy(twice, pattern->bytes, DMLC_PATTERN_BYTES);
    memcpy(twice + DMLC_PATTERN_BYTES, pattern->bytes, DMLC_PATTERN_BYTES);
    return load_vector(twice + inside);
}

static ALWAYS_INLINE void line_begin(line_writer *to)
{
    const vector values = to->is_set ? to->on : to->off, mask = repeat_vector(to->is_set ? ~UINT64_C(0) : 0);
    for (int v = 0; v < LINE_VECTORS; ++v)
        to->line[v] = to->input == NULL ? values : mask;
}

static ALWAYS_INLINE line_writer line_writer_of(dmlc_stream *stream, char *output, const char *input, int64_t bytes,
                                                const dmlc_pattern *on, const dmlc_pattern *off)
{
    line_writer to = {.stream = stream, .output = output, .input = input, .bytes = bytes};
    to.begin = until_aligned(output, DMLC_LINE_BYTES) - DMLC_LINE_BYTES;
    to.on = pattern_of_lines(on, output);
    to.off = pattern_of_lines(off, output);
    line_begin(&to);
    return to;
}

/* What is read at byte `at`. */
static ALWAYS_INLINE const char *line_input(const line_writer *to, int64_t at)
{
    return to->input == NULL ? NULL : to->input + at;
}

/* A vector of the line, where `input` is what is read there. */
static ALWAYS_INLINE vector line_vector(const line_writer *to, int v, const char *input)
{
    return to->input == NULL ? to->line[v] : blend(to->line[v], to->on, load_vector(input + v * VECTOR_BYTES));
}

/* Of the line, what lies in the output, up to byte `end`. */
static ALWAYS_INLINE void line_copy(const line_writer *to, int64_t end)
{
    char made[DMLC_LINE_BYTES] = {0};
    const int64_t begin = dmlc_maximum(to->begin, 0), before = begin - to->begin;
    const int64_t bytes = dmlc_minimum(end - begin, DMLC_LINE_BYTES - before);
    if (to->input != NULL)
        copy_short(made + before, to->input + begin, bytes);
    for (int v = 0; v < LINE_VECTORS; ++v)
        store_vector(made + v * VECTOR_BYTES, line_vector(to, v, made));
    stream_copy(to->stream, to->output + begin, made + before, bytes);
}

/* One-hot sequences of 500 to 1200 bytes took 1.2 times as long with a loop over vectors up to an end that was counted before. */
#define EACH_LINE(...)                                                                                                 \
    for (; at - to->begin >= DMLC_LINE_BYTES; to->begin += DMLC_LINE_BYTES)                                            \
        for (int v = 0; v < LINE_VECTORS; ++v) {                                                                       \
            char *output = to->output + to->begin + v * VECTOR_BYTES;                                                  \
            __VA_ARGS__;                                                                                               \
        }

/* All lines before that of byte `at`. */
static ALWAYS_INLINE void lines_send_until(line_writer *to, int64_t at)
{
    if (at - to->begin < DMLC_LINE_BYTES)
        return;
    if (to->begin > 0) {
        for (int v = 0; v < LINE_VECTORS; ++v)
            stream_vector(to->output + to->begin + v * VECTOR_BYTES, line_vector(to, v, line_input(to, to->begin)));
        to->begin += DMLC_LINE_BYTES;
    } else {
        const int64_t head = to->begin + DMLC_LINE_BYTES;
        line_copy(to, head);
        stream_skip_lines(to->stream, to->output + head, to->bytes - head);
        to->begin = head;
    }
    line_begin(to);
    if (to->input == NULL || to->is_set) {
        const vector value = to->is_set ? to->on : to->off;
        EACH_LINE(stream_vector(output, value))
        return;
    }
    if (at - to->begin > FETCHED_AHEAD) {
        const int64_t bytes = whole_lines(at - to->begin);
        stream_lines_of(to->output + to->begin, to->input + to->begin, bytes);
        to->begin += bytes;
    }
    EACH_LINE(stream_vector(output, load_vector(to->input + (output - to->output))))
}

#undef EACH_LINE

/* Byte `at`, which is not sent yet, and what follows it in its line are flipped by `flips`, a line that stands behind one of zeros:
 *
 *     |0000000000000000|xxxx000000000000|
 *           |----------------|                the line that has them here, at LINE - |-----|
 *
 * They are the bits in which on and off differ, or, where an input is read, those of a mask. */
static ALWAYS_INLINE void lines_flip(line_writer *to, int64_t at, const char *flips)
{
    lines_send_until(to, at);
    const char *line = flips - (at - to->begin);
    for (int v = 0; v < LINE_VECTORS; ++v)
        to->line[v] = xor_vector(to->line[v], load_vector(line + v * VECTOR_BYTES));
}

static ALWAYS_INLINE void lines_end(line_writer *to)
{
    lines_send_until(to, to->bytes);
    line_copy(to, to->bytes);
}

#endif
