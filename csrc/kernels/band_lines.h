/* Rows of a band past the cache, see line_writer.h. Triangles of 128 x 128 to 512 x 512 elements of 4 bytes, 25 MB in all, took 0.35 to
 * 0.9 of the time that they took run by run, which waits for all stores where one run ends and the next begins. */
#ifndef DMLC_KERNELS_BAND_LINES_H
#define DMLC_KERNELS_BAND_LINES_H

#include "kernels/line_writer.h"
#include "kernels/passages.h"

/* A shorter row that is a window of a table, see windows.h, goes by a stage: of 32 to 80 bytes these took 1.2 to 3.3 times as long by
 * lines, of 64 and more 0.9 to 1.6, of 128 and more 0.3 to 1.1. */
enum { LEAST_BAND_ROW = 128 };

/* Rows that do not follow each other densely took 1.2 to 7 times as long by lines, each with two that are not whole. */
static inline bool band_goes_by_lines(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    return rows->stream != NULL && band->dense && band->background != DMLC_BACKGROUND_KEEP &&
           (band->way != DMLC_BAND_WINDOWS || band->columns * rows->width >= LEAST_BAND_ROW);
}

/* From byte `at` on, the value is set or not. */
static ALWAYS_INLINE void set_from(line_writer *to, int64_t at, bool is_set, const char *flips)
{
    if (to->is_set == is_set)
        return;
    lines_flip(to, at, flips);
    to->is_set = is_set;
}

/* What row y reads, at its input. */
static ALWAYS_INLINE void fetch_input_of_row(const dmlc_band_rows *rows, int64_t y, const char *input)
{
    enum { MOST_FETCHED = 2048 };
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns, width = rows->width;
    const int64_t from = dmlc_clip(band->begin + y, 0, columns), end = dmlc_clip(band->end + y, 0, columns);
    if (band->inverted) {
        if ((end - from) * width <= MOST_FETCHED)
            fetch(input + from * width, (end - from) * width);
    } else if ((from + columns - end) * width <= MOST_FETCHED) {
        fetch(input, from * width);
        fetch(input + end * width, (columns - end) * width);
    }
}

/* Where rows read parts of lines that follow each other, a processor fetches what lies between and not what is read next: so many rows
 * ahead are asked for. Rows of 512 to 2048 bytes took 0.6 to 1.0 of the time, shorter ones up to 1.1 times as long. */
static inline int64_t rows_fetched_ahead(int64_t row_bytes, int64_t count)
{
    enum { LEAST_FETCHED_ROW = 512, FETCHED_BYTES = 4096 };
    const int64_t ahead = row_bytes < FETCHED_BYTES ? FETCHED_BYTES / row_bytes : 1;
    return row_bytes < LEAST_FETCHED_ROW ? 0 : ahead < count ? ahead : count;
}

/* Matrices that follow each other densely, on both sides if they are read. */
static ALWAYS_INLINE void stream_joined(const dmlc_band_rows *rows, const bool reads)
{
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns, width = rows->width, row_bytes = columns * width, count = rows->count;
    const int64_t ahead = reads ? rows_fetched_ahead(row_bytes, count) : 0;
    char flips[2 * DMLC_LINE_BYTES] = {0};
    for (int64_t i = 0; i < DMLC_LINE_BYTES; ++i)
        flips[DMLC_LINE_BYTES + i] = (char)(reads ? 0xff : rows->value->bytes[i] ^ rows->background->bytes[i]);
    line_writer to = line_writer_of(rows->stream, rows->output, reads ? rows->input : NULL,
                                    rows->batch * count * row_bytes, rows->value, rows->background);
    const bool inner = !band->inverted;
#define SET_FROM(BYTE, IS_SET) set_from(&to, BYTE, IS_SET, flips + DMLC_LINE_BYTES)
    int64_t at = 0;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        const bool is_last = matrix == rows->batch - 1;
        int passage = 0;
        for (int64_t row = 0; row < count; ++passage) {
            const int64_t end = passage_end(rows, passage);
            if (row < end && !is_crossed(passage)) {
                SET_FROM(at, (passage == COVERED) == inner);
                at += (end - row) * row_bytes;
                row = end;
            }
            for (; row < end; ++row, at += row_bytes) {
                if (ahead > 0 && row + ahead < count)
                    fetch_input_of_row(rows, rows->first + row + ahead, rows->input + at + ahead * row_bytes);
                else if (ahead > 0 && !is_last)
                    fetch_input_of_row(rows, rows->first + row + ahead - count, rows->input + at + ahead * row_bytes);
                const int64_t y = rows->first + row;
                const int64_t from = dmlc_clip(band->begin + y, 0, columns),
                              to_column = dmlc_clip(band->end + y, 0, columns);
                if (from > 0)
                    SET_FROM(at, !inner);
                SET_FROM(at + from * width, inner);
                if (to_column < columns)
                    SET_FROM(at + to_column * width, !inner);
            }
        }
    }
#undef SET_FROM
    lines_end(&to);
}

/* As many matrices at a time as follow each other densely. */
static void stream_band(const dmlc_band_rows *rows)
{
    const int64_t bytes = rows->count * rows->band->columns * rows->width;
    const bool reads = rows->band->background == DMLC_BACKGROUND_INPUT;
    dmlc_band_rows some = *rows;
    some.batch = rows->output_batch == bytes && (!reads || rows->input_batch == bytes) ? rows->batch : 1;
    for (int64_t matrix = 0; matrix < rows->batch; matrix += some.batch) {
        some.output = rows->output + matrix * rows->output_batch;
        some.input = rows->input + matrix * rows->input_batch;
        if (reads)
            stream_joined(&some, true);
        else
            stream_joined(&some, false);
    }
}

#endif
