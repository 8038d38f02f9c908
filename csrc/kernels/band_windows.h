/* Bands by windows of a table, see windows.h: rows that are copies of them, or whose windows are masks of what is set. */
#ifndef DMLC_KERNELS_BAND_WINDOWS_H
#define DMLC_KERNELS_BAND_WINDOWS_H

#include "kernels/passages.h"
#include "kernels/rows.h"
#include "kernels/windows.h"

/* Elements of a table whose windows are rows of a band, the last row's first: [begin, end) of them are of the band. */
static void make_band_table(const dmlc_band_rows *rows, char *table, const unsigned char *inner,
                            const unsigned char *outer)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, size = rows->count - 1 + band->columns, last = rows->first + rows->count - 1;
    const int64_t from = dmlc_clip(band->begin + last, 0, size), to = dmlc_clip(band->end + last, 0, size);
    fill_bytes(table, from * width, outer);
    fill_bytes(table + from * width, (to - from) * width, inner);
    fill_bytes(table + to * width, (size - to) * width, outer);
}

/* output = value where the mask is set, else input, which may be the output. Fewer bytes than a vector has: words from either end,
 * which may overlap. By a vector that they were copied to and from, matrices of 4 to 34 bytes took three times as long. */
static inline void blend_few(char *output, const char *input, const char *masks, const unsigned char *value,
                             int64_t bytes)
{
#if defined(__AVX512F__)
    const __mmask64 all = ~UINT64_C(0) >> (64 - bytes);
    const vector read = _mm512_maskz_loadu_epi8(all, input), set = load_vector(value);
    _mm512_mask_storeu_epi8(output, all, blend(load_vector(masks), set, read));
#else
#define BLEND_WORD(TYPE, AT)                                                                                           \
    do {                                                                                                               \
        const int64_t at = (AT);                                                                                       \
        TYPE word, mask, set;                                                                                          \
        memcpy(&word, input + at, sizeof(TYPE));                                                                       \
        memcpy(&mask, masks + at, sizeof(TYPE));                                                                       \
        memcpy(&set, value + at, sizeof(TYPE));                                                                        \
        word = (TYPE)(word ^ ((word ^ set) & mask));                                                                   \
        memcpy(output + at, &word, sizeof(TYPE));                                                                      \
    } while (0)
#define BLEND_ENDS(TYPE)                                                                                               \
    do {                                                                                                               \
        BLEND_WORD(TYPE, 0);                                                                                           \
        BLEND_WORD(TYPE, bytes - (int64_t)sizeof(TYPE));                                                               \
    } while (0)
    if (bytes >= 16) {
        BLEND_WORD(uint64_t, 8);
        BLEND_WORD(uint64_t, bytes - 16);
    }
    if (bytes >= 8)
        BLEND_ENDS(uint64_t);
    else if (bytes >= 4)
        BLEND_ENDS(uint32_t);
    else if (bytes >= 2)
        BLEND_ENDS(uint16_t);
    else
        BLEND_ENDS(uint8_t);
#undef BLEND_ENDS
#undef BLEND_WORD
#endif
}

/* The same of any number. The last vector overlaps the one before. Stores of whole cache lines, whose masks then lie across two, took
 * 0.9 to 1.1 of the time. */
static void blend_bytes(char *output, const char *input, const char *masks, const unsigned char *value, int64_t bytes)
{
    if (bytes < VECTOR_BYTES) {
        blend_few(output, input, masks, value, bytes);
        return;
    }
    const vector set = load_vector(value);
#define BLEND(AT) store_vector(output + (AT), blend(load_vector(masks + (AT)), set, load_vector(input + (AT))))
    const int64_t last = bytes - VECTOR_BYTES;
    int64_t at = 0;
    UNROLL
    for (; at < last; at += VECTOR_BYTES)
        BLEND(at);
    BLEND(last);
#undef BLEND
}

/* The same past the cache, where the masks come round and no element lies across two lines. From a stage, whose lines are stored in
 * parts and so wait for all stores, matrices of 4 x 4 to 64 x 64 elements took 1.0 to 2 times as long. */
static void stream_blended(dmlc_stream *stream, char *output, const char *input, const char *masks, int64_t period,
                           const unsigned char *value, int64_t bytes)
{
    const vector set = load_vector(value);
    const int64_t head = dmlc_minimum(until_aligned(output, DMLC_LINE_BYTES) % DMLC_LINE_BYTES, bytes);
    if (head > 0)
        blend_bytes(stream_stage(stream, output, head), input, masks, value, head);
    const int64_t end = head + stream_skip_lines(stream, output + head, bytes - head);
    int64_t place = head;
    for (int64_t at = head; at < end; at += DMLC_LINE_BYTES) {
        if (at + FETCHED_AHEAD < end)
            fetch_line(input + at + FETCHED_AHEAD);
        for (int v = 0; v < DMLC_LINE_BYTES; v += VECTOR_BYTES)
            stream_vector(output + at + v, blend(load_vector(masks + place + v), set, load_vector(input + at + v)));
        place = place + DMLC_LINE_BYTES < period ? place + DMLC_LINE_BYTES : place + DMLC_LINE_BYTES - period;
    }
    if (end < bytes)
        blend_bytes(stream_stage(stream, output + end, bytes - end), input + end, masks + place, value, bytes - end);
}

/* So many matrices of `set` and `rest`, each row a copy of its window. One table has all windows: of rows that follow each other a band
 * crosses no more than there are columns before it covers them or leaves, and others are DMLC_WINDOWS_BYTES at most. With a table for
 * every so many bytes masks of 40 to 250 KB took 1.2 to 1.5 times as long. */
static void copy_band(const dmlc_band_rows *rows, char *output, int64_t batch, const unsigned char *set,
                      const unsigned char *rest)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, row_bytes = band->columns * width;
    char table[2 * DMLC_WINDOWS_BYTES + WINDOW_SLACK];
    make_band_table(rows, table, band->inverted ? rest : set, band->inverted ? set : rest);
    const char *last = table + (rows->count - 1) * width;
    for (int64_t i = 0; i < batch; ++i)
        copy_windows(output + i * rows->output_batch, row_bytes, rows->count, last, NULL, width);
}

/* At most DMLC_WINDOWS_BYTES of each matrix. Where the value goes is the same in all; those that follow each other densely
 * are gone through together. */
static void band_block_by_windows(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, bytes = rows->count * band->columns * width;
    const bool values = band->background == DMLC_BACKGROUND_VALUE, reads = band->background == DMLC_BACKGROUND_INPUT;
    static const unsigned char none[DMLC_PATTERN_BYTES];
    unsigned char all[DMLC_PATTERN_BYTES];
    memset(all, 0xff, sizeof(all));
    const unsigned char *set = values ? rows->value->bytes : all, *rest = values ? rows->background->bytes : none;
    char block[2 * DMLC_WINDOWS_BYTES];
    copy_band(rows, block, 1, set, rest);
    const bool joined = rows->output_batch == bytes && (!reads || rows->input_batch == bytes);
    const int64_t most = joined && rows->batch > 1 ? DMLC_WINDOWS_BYTES / bytes : 1;
    /* Each copy doubles what there is to copy from: one for each matrix took 100 to 200 ns where they are small. */
    const int64_t all_bytes = dmlc_minimum(most, rows->batch) * bytes;
    const bool is_blended = joined && reads && rows->stream != NULL && (uintptr_t)rows->output % (uintptr_t)width == 0;
    const int64_t end = all_bytes + (is_blended ? DMLC_LINE_BYTES : 0);
    for (int64_t there = bytes; there < end; there *= 2)
        copy_bytes(block + there, block, dmlc_minimum(end - there, there));
    if (is_blended) {
        stream_blended(rows->stream, rows->output, rows->input, block, all_bytes, rows->value->bytes,
                       rows->batch * bytes);
        return;
    }
    for (int64_t i = 0; i < rows->batch; i += most) {
        const int64_t some = dmlc_minimum(rows->batch - i, most) * bytes;
        char *output = rows->output + i * rows->output_batch;
        const char *input = reads ? rows->input + i * rows->input_batch : output;
        if (values)
            stream_copy(rows->stream, output, block, some);
        else
            blend_bytes(stream_stage(rows->stream, output, some), input, block, rows->value->bytes, some);
    }
}

static void band_by_windows(const dmlc_band_rows *rows)
{
    if (rows->band->background == DMLC_BACKGROUND_VALUE && rows->stream == NULL) {
        copy_band(rows, rows->output, rows->batch, rows->value->bytes, rows->background->bytes);
        return;
    }
    const int64_t row_bytes = rows->band->columns * rows->width, most = DMLC_WINDOWS_BYTES / row_bytes;
    dmlc_band_rows block = *rows;
    for (int64_t begin = 0; begin < rows->count; begin += block.count) {
        block.count = dmlc_minimum(rows->count - begin, most);
        block.first = rows->first + begin;
        block.output = rows->output + begin * row_bytes;
        block.input = rows->input + begin * rows->band->input_row;
        band_block_by_windows(&block);
    }
}

#endif
