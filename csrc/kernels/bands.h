/* Rows of a band, see dmlc_band, of each matrix of a batch. */
#ifndef DMLC_KERNELS_BANDS_H
#define DMLC_KERNELS_BANDS_H

#include "kernels/band_lines.h"
#include "kernels/band_windows.h"
#include "kernels/passages.h"
#include "kernels/rows.h"

/* Columns [from, to) of a row that the band leaves to the background. */
static inline void band_background(const dmlc_band_rows *rows, char *output, const char *input, int64_t from,
                                   int64_t to, bool is_last)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width;
    if (from == to || band->background == DMLC_BACKGROUND_KEEP)
        return;
    output += from * band->output_column;
    if (band->background == DMLC_BACKGROUND_VALUE) {
        fill_strided(output, band->output_column, to - from, rows->background, rows->stream);
        return;
    }
    input += from * band->input_column;
    const int64_t bytes = (to - from) * width;
    if (band->output_column != width || band->input_column != width) {
        move(output, band->output_column, input, band->input_column, to - from, width);
        return;
    }
    /* What is read of the next row: the processor fetches other lines ahead. Triangles of 96 matrices of 200 x 300 floats whose rows do
     * not follow each other took 0.5 of the time. Of longer rows, and in the cache, it took 1.0 to 1.3 times as long. */
    enum { LONGEST_FETCHED = 2048 };
    if (rows->stream != NULL && !is_last && bytes <= LONGEST_FETCHED)
        fetch(input + band->input_row, bytes);
    copy_run(output, input, bytes, rows->stream);
}

static inline void band_value(const dmlc_band_rows *rows, char *output, int64_t from, int64_t to)
{
    const int64_t column = rows->band->output_column;
    if (from < to)
        fill_strided(output + from * column, column, to - from, rows->value, rows->stream);
}

/* The band of rows [begin, end) of those that are given, where it is a single diagonal. */
static void fill_diagonal(const dmlc_band_rows *rows, int64_t begin, int64_t end, const dmlc_pattern *pattern)
{
    const int64_t d = rows->band->begin, columns = rows->band->columns, width = rows->width,
                  row_bytes = columns * width;
    const int64_t first = rows->first + begin, from = first + d < 0 ? -d : first;
    const int64_t last = rows->first + end, to = last + d > columns ? columns - d : last;
    if (from < to)
        fill_strided(rows->output + (from - rows->first) * row_bytes + (from + d) * width, row_bytes + width, to - from,
                     pattern, NULL);
}

/* A dense background of a value: fill rows as one run, then set the band, while they are in cache. Where the band is a line of
 * each row or more, up to a quarter of it, 8 KB are filled at a time: with the blocks that narrower and wider bands have, 1 to 16 MB took
 * 1.02 to 1.1 times as long. */
static void band_on_fill(const dmlc_band_rows *rows)
{
    enum { LEAST_BAND = 64, BAND_BYTES = 8 * 1024, BLOCK_BYTES = 32 * 1024 };
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns, width = rows->width, row_bytes = columns * width;
    const dmlc_pattern *outer = band->inverted ? rows->value : rows->background;
    const dmlc_pattern *inner = band->inverted ? rows->background : rows->value;
    const int64_t other = rows->count * row_bytes >= DMLC_LONG_FILL_BYTES ? DMLC_LONG_FILL_BYTES : BLOCK_BYTES;
    const int64_t inner_bytes = (band->end - band->begin) * width;
    const int64_t filled = inner_bytes >= LEAST_BAND && inner_bytes <= row_bytes / 4 ? BAND_BYTES : other;
    const int64_t block = (filled - 1) / row_bytes + 1;
    for (int64_t begin = 0, end; begin < rows->count; begin = end) {
        end = rows->count - begin < 2 * block ? rows->count : begin + block;
        char *output = rows->output + begin * row_bytes;
        fill(output, (end - begin) * row_bytes, outer, NULL);
        if (band->end - band->begin == 1) {
            fill_diagonal(rows, begin, end, inner);
            continue;
        }
        for (int64_t i = begin; i < end; ++i) {
            const int64_t from = dmlc_clip(band->begin + rows->first + i, 0, columns);
            const int64_t to = dmlc_clip(band->end + rows->first + i, 0, columns);
            fill_bytes(output + (i - begin) * row_bytes + from * width, (to - from) * width, inner->bytes);
        }
    }
}

static void band_matrix(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns;
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t y = rows->first + i;
        const bool is_last = i == rows->count - 1;
        char *output = rows->output + i * band->output_row;
        const char *input = rows->input + i * band->input_row;
        const int64_t from = dmlc_clip(band->begin + y, 0, columns);
        const int64_t to = dmlc_clip(band->end + y, 0, columns);
        if (band->inverted) {
            band_value(rows, output, 0, from);
            band_background(rows, output, input, from, to, is_last);
            band_value(rows, output, to, columns);
        } else {
            band_background(rows, output, input, 0, from, is_last);
            band_value(rows, output, from, to);
            band_background(rows, output, input, to, columns, is_last);
        }
    }
}

/* Rows that the band crosses. */
static void band_across(const dmlc_band_rows *rows)
{
    const dmlc_band_way way = rows->band->way;
    if (way == DMLC_BAND_WINDOWS) {
        band_by_windows(rows);
        return;
    }
    dmlc_band_rows one = *rows;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        one.output = rows->output + matrix * rows->output_batch;
        one.input = rows->input + matrix * rows->input_batch;
        if (way == DMLC_BAND_FILLED)
            band_on_fill(&one);
        else
            band_matrix(&one);
    }
}

/* Rows that are the input's from end to end, wherever they lie: one copy where they are dense, else rows. */
static void copy_rows_of_input(const dmlc_band_rows *rows, char *output, const char *input)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, bytes = band->columns * width;
    if (band->dense)
        copy_run(output, input, rows->count * bytes, rows->stream);
    else if (band->input_column == width)
        copy_rows(output, band->output_row, input, band->input_row, rows->count, bytes);
    else
        move_rows(output, band->output_row, width, input, band->input_row, band->input_column, rows->count,
                  band->columns, width);
}

/* Rows of the output, which is dense, that are of the band, or of the rest, from end to end. */
static void band_throughout(const dmlc_band_rows *rows, bool in_band)
{
    const dmlc_band *band = rows->band;
    const int64_t bytes = rows->count * band->columns * rows->width;
    if (in_band == band->inverted && band->background == DMLC_BACKGROUND_KEEP)
        return;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        char *output = rows->output + matrix * rows->output_batch;
        if (in_band != band->inverted)
            fill(output, bytes, rows->value, rows->stream);
        else if (band->background == DMLC_BACKGROUND_VALUE)
            fill(output, bytes, rows->background, rows->stream);
        else
            copy_rows_of_input(rows, output, rows->input + matrix * rows->input_batch);
    }
}

/* Rows as the band passes them; a tall matrix has few that it crosses. */
static void band_by_passages(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    dmlc_band_rows some = *rows;
    int64_t row = 0;
    for (int passage = 0; row < rows->count; ++passage) {
        const int64_t end = passage_end(rows, passage);
        if (end <= row)
            continue;
        some.first = rows->first + row;
        some.count = end - row;
        some.output = rows->output + row * band->output_row;
        some.input = rows->input + row * band->input_row;
        if (is_crossed(passage))
            band_across(&some);
        else
            band_throughout(&some, passage == COVERED);
        row = end;
    }
}

static inline bool is_set_throughout(const dmlc_band *band, int passage)
{
    return !is_crossed(passage) && (passage == COVERED) != band->inverted;
}

/* Of matrices whose rows lie apart in the input, those that a band leaves of the next one are asked for where rows that it sets stand
 * between them: across those the processor fetches nothing ahead. Triangles of 10 to 19 rows of 64 to 112 bytes, 11 to 17 MB in all, the
 * first 5 rows set, took 0.49 to 0.8 of the time; without such gaps up to 1.7 times as long. */
static bool fetches_next(const dmlc_band_rows *rows)
{
    enum { MOST_BYTES = 16 * 1024 };
    const dmlc_band *band = rows->band;
    if (!rows->far || band->background != DMLC_BACKGROUND_INPUT || band->dense || band->input_row <= 0 ||
        band->input_column <= 0)
        return false;
    /* One row behind the other, and no more of them than a first-level cache holds beside what is written. */
    if (band->columns > band->input_row / band->input_column || rows->count > MOST_BYTES / band->input_row)
        return false;
    int64_t begin = 0;
    bool has_gap = false;
    for (int passage = 0; passage < PASSAGES; ++passage) {
        const int64_t end = passage_end(rows, passage);
        has_gap = has_gap || (begin < end && is_set_throughout(band, passage));
        begin = dmlc_maximum(end, begin);
    }
    return has_gap;
}

/* Inlined, since GCC drops calls of a function that does nothing but fetch. */
static ALWAYS_INLINE void fetch_next(const dmlc_band_rows *matrix)
{
    const dmlc_band *band = matrix->band;
    const char *next = matrix->input + matrix->input_batch;
    const int64_t bytes = (band->columns - 1) * band->input_column + matrix->width;
    int64_t begin = 0;
    for (int passage = 0; passage < PASSAGES; ++passage) {
        const int64_t end = passage_end(matrix, passage);
        for (; begin < end; ++begin)
            if (!is_set_throughout(band, passage))
                fetch(next + begin * band->input_row, bytes);
    }
}

static void band(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    if (band_goes_by_lines(rows)) {
        stream_band(rows);
        return;
    }
    const int64_t bytes = rows->count * band->columns * rows->width;
    if (!band->dense_output || (band->way == DMLC_BAND_WINDOWS && bytes <= DMLC_WINDOWS_BYTES)) {
        band_across(rows);
        return;
    }
    if (rows->stream == NULL && (rows->far ? band->together_far : band->together)) {
        band_by_passages(rows);
        return;
    }
    /* In the output's order, as what comes from memory is fetched, and what goes past the cache has to be written. */
    const bool fetches = fetches_next(rows);
    dmlc_band_rows one = *rows;
    one.batch = 1;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        one.output = rows->output + matrix * rows->output_batch;
        one.input = rows->input + matrix * rows->input_batch;
        if (fetches && matrix < rows->batch - 1)
            fetch_next(&one);
        band_by_passages(&one);
    }
}

#endif
