/* Rows of a band, see dmlc_band, of each matrix of a batch. */
#ifndef DMLC_KERNELS_BANDS_H
#define DMLC_KERNELS_BANDS_H

#include "kernels/moves.h"

static int64_t clamp(int64_t value, int64_t last) { return value < 0 ? 0 : value > last ? last : value; }

/* Columns [from, to) of a row that the band leaves to the background. */
static inline void band_background(const dmlc_band_rows *rows, char *output, const char *input, int64_t from,
                                   int64_t to)
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
    if (band->output_column == width && band->input_column == width)
        copy_run(output, input, (to - from) * width, rows->stream);
    else
        move(output, band->output_column, input, band->input_column, to - from, width);
}

static inline void band_value(const dmlc_band_rows *rows, char *output, int64_t from, int64_t to)
{
    const int64_t column = rows->band->output_column;
    if (from < to)
        fill_strided(output + from * column, column, to - from, rows->value, rows->stream);
}

/* A narrow band on a dense background of a value: fill rows as one run, then set the band, while they are in cache. */
static void band_on_fill(const dmlc_band_rows *rows)
{
    enum { BLOCK_BYTES = 8 * 1024 };
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns, width = rows->width, row_bytes = columns * width;
    const dmlc_pattern *outer = band->inverted ? rows->value : rows->background;
    const dmlc_pattern *inner = band->inverted ? rows->background : rows->value;
    const int64_t block = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    for (int64_t begin = 0; begin < rows->count; begin += block) {
        const int64_t end = begin + block < rows->count ? begin + block : rows->count;
        char *output = rows->output + begin * row_bytes;
        fill(output, (end - begin) * row_bytes, outer, NULL);
        for (int64_t i = begin; i < end; ++i) {
            const int64_t from = clamp(band->begin + rows->first + i, columns);
            const int64_t to = clamp(band->end + rows->first + i, columns);
            fill_bytes(output + (i - begin) * row_bytes + from * width, (to - from) * width, inner->bytes);
        }
    }
}

static bool band_is_dense(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, row_bytes = band->columns * width;
    const bool reads = band->background == DMLC_BACKGROUND_INPUT;
    return band->output_column == width && band->output_row == row_bytes &&
           (!reads || (band->input_column == width && band->input_row == row_bytes));
}

/* A band that leaves most of each row to a background of a value. */
static bool band_is_narrow(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    return band->background == DMLC_BACKGROUND_VALUE && band->end - band->begin <= band->columns / 4 + 1;
}

/* Matrices up to this size are gone through once. */
enum { SMALL_MATRIX_BYTES = 4096 };

#if defined(__AVX512VBMI__)
enum { MASKED_BYTES = SMALL_MATRIX_BYTES, WIDEST_MASKED_ROW = 256, WIDEST_MASKED_NARROW = 32 };

/* Sets bits [begin, end). */
static void set_bits(uint64_t *masks, int64_t begin, int64_t end)
{
    for (; begin < end; begin = begin / 64 * 64 + 64)
        masks[begin / 64] |= dmlc_bits(begin % 64, end - begin);
}

/* At most MASKED_BYTES of each matrix: where the value goes is the same in all, a bit for a byte of it. */
static void band_block_by_masks(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t row_bytes = band->columns * rows->width, bytes = rows->count * row_bytes;
    const uint64_t inverted = band->inverted ? ~UINT64_C(0) : 0;
    uint64_t masks[MASKED_BYTES / 64 + 1] = {0};
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t from = clamp(band->begin + rows->first + i, band->columns);
        const int64_t to = clamp(band->end + rows->first + i, band->columns);
        set_bits(masks, i * row_bytes + from * rows->width, i * row_bytes + to * rows->width);
    }
    const __m512i value = _mm512_loadu_si512(rows->value->bytes);
    const __m512i background = _mm512_loadu_si512(rows->background->bytes);
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        char *output = rows->output + matrix * rows->output_batch;
        const char *input = rows->input + matrix * rows->input_batch;
        for (int64_t at = 0; at < bytes; at += 64) {
            const __mmask64 there = dmlc_bits(0, bytes - at);
            const __mmask64 set = masks[at / 64] ^ inverted;
            if (band->background == DMLC_BACKGROUND_KEEP)
                _mm512_mask_storeu_epi8(output + at, set & there, value);
            else if (band->background == DMLC_BACKGROUND_VALUE)
                _mm512_mask_storeu_epi8(output + at, there, _mm512_mask_mov_epi8(background, set, value));
            else if (bytes - at >= 64)
                _mm512_storeu_si512(output + at, _mm512_mask_mov_epi8(_mm512_loadu_si512(input + at), set, value));
            else
                _mm512_mask_storeu_epi8(output + at, there,
                                        _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(there, input + at), set, value));
        }
    }
}

/* Dense matrices of short rows; false where rows pay for themselves. A block begins with an element, as the pattern does.
 * One matrix with a narrow band is filled and its band set in the time that its masks take. */
static bool band_by_masks(const dmlc_band_rows *rows)
{
    const int64_t row_bytes = rows->band->columns * rows->width;
    const int64_t widest = rows->batch >= 4       ? MASKED_BYTES
                           : band_is_narrow(rows) ? WIDEST_MASKED_NARROW
                                                  : WIDEST_MASKED_ROW;
    if (!band_is_dense(rows) || row_bytes > widest)
        return false;
    dmlc_band_rows block = *rows;
    for (int64_t begin = 0; begin < rows->count; begin += block.count) {
        block.count = rows->count - begin < MASKED_BYTES / row_bytes ? rows->count - begin : MASKED_BYTES / row_bytes;
        block.first = rows->first + begin;
        block.output = rows->output + begin * row_bytes;
        block.input = rows->input + begin * rows->band->input_row;
        band_block_by_masks(&block);
    }
    return true;
}
#else
static bool band_by_masks(const dmlc_band_rows *rows)
{
    (void)rows;
    return false;
}
#endif

static void band_matrix(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns;
    if (band_is_narrow(rows) && band->output_column == rows->width && band->output_row == columns * rows->width &&
        rows->stream == NULL) {
        band_on_fill(rows);
        return;
    }
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t y = rows->first + i;
        char *output = rows->output + i * band->output_row;
        const char *input = rows->input + i * band->input_row;
        const int64_t from = clamp(band->begin + y, columns);
        const int64_t to = clamp(band->end + y, columns);
        if (band->inverted) {
            band_value(rows, output, 0, from);
            band_background(rows, output, input, from, to);
            band_value(rows, output, to, columns);
        } else {
            band_background(rows, output, input, 0, from);
            band_value(rows, output, from, to);
            band_background(rows, output, input, to, columns);
        }
    }
}

/* Rows that the band crosses. */
static void band_across(const dmlc_band_rows *rows)
{
    if (rows->stream == NULL && band_by_masks(rows))
        return;
    dmlc_band_rows one = *rows;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        band_matrix(&one);
        one.output += rows->output_batch;
        one.input += rows->input_batch;
    }
}

/* Dense rows that are of the band, or of the rest, from end to end. */
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
            copy_run(output, rows->input + matrix * rows->input_batch, bytes, rows->stream);
    }
}

/* Rows as the band passes them; a tall matrix has few that it crosses:
 *
 *     . . .
 *     # . .   1 - end             the first row that it reaches
 *     # # .
 *     # # #   columns - end       the first that it reaches the end of
 *     . # #   1 - begin           the first whose start it has left
 *     . . #
 *     . . .   columns - begin     the first that it has left
 */
static void band_by_passages(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    if (!band_is_dense(rows) || (rows->batch > 1 && rows->count * band->columns * rows->width <= SMALL_MATRIX_BYTES)) {
        band_across(rows);
        return;
    }
    const int64_t full = band->columns - band->end, left = 1 - band->begin;
    const int64_t bounds[] = {1 - band->end, full, full > left ? full : left, band->columns - band->begin, INT64_MAX};
    dmlc_band_rows some = *rows;
    int64_t row = 0;
    for (int i = 0; i < 5 && row < rows->count; ++i) {
        const int64_t end = clamp(bounds[i] - rows->first, rows->count);
        if (end <= row)
            continue;
        some.first = rows->first + row;
        some.count = end - row;
        some.output = rows->output + row * band->output_row;
        some.input = rows->input + row * band->input_row;
        if (i % 2 == 0)
            band_throughout(&some, i == 2);
        else
            band_across(&some);
        row = end;
    }
}

static void band(const dmlc_band_rows *rows)
{
    if (rows->stream == NULL) {
        band_by_passages(rows);
        return;
    }
    /* What goes past the cache is written in the output's order. */
    dmlc_band_rows one = *rows;
    one.batch = 1;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        band_by_passages(&one);
        one.output += rows->output_batch;
        one.input += rows->input_batch;
    }
}

#endif
