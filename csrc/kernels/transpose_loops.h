/* The loops of a transpose, for rows r and columns c in tiles, as pixels, by moves, or by lists of both:
 *
 *     output[places[r] + c * output_step] = input[r * input_step + sources[c]] */
#ifndef DMLC_KERNELS_TRANSPOSE_LOOPS_H
#define DMLC_KERNELS_TRANSPOSE_LOOPS_H

#include "kernels/boxes.h"
#include "kernels/moves.h"
#include "kernels/pixels.h"
#include "kernels/staged_transposes.h"
#include "kernels/tiles.h"

#define TEMPLATE "kernels/transpose_template.inc"
#include "kernels/chunks.inc"

/* Chunks of any other size. */
#define NAME(base) base##_any
#define CHUNK chunk
#define LOAD_STORE(output, input) copy_bytes(output, input, chunk)
#include "kernels/transpose_template.inc"

/* See transpose_scalar. */
static void transpose_by_size(char *output, int64_t output_step, const int64_t *places, int64_t rows, const char *input,
                              int64_t input_step, const int64_t *sources, int64_t columns, int64_t chunk,
                              bool stores_wait)
{
#define TRANSPOSE(SUFFIX)                                                                                              \
    transpose_##SUFFIX(output, output_step, places, rows, input, input_step, sources, columns, chunk, stores_wait)
    switch (chunk) {
    case 1: TRANSPOSE(1); return;
    case 2: TRANSPOSE(2); return;
    case 3: TRANSPOSE(3); return;
    case 4: TRANSPOSE(4); return;
    case 6: TRANSPOSE(6); return;
    case 8: TRANSPOSE(8); return;
    case 12: TRANSPOSE(12); return;
    case 16: TRANSPOSE(16); return;
    case 32: TRANSPOSE(32); return;
    default: TRANSPOSE(any); return;
    }
#undef TRANSPOSE
}

#ifdef DMLC_HAVE_TILE_LANES

/* Dense pixels of three bytes on either side, as many rows and columns as whole tiles have. Two more of each follow at least:
 * the last tiles read and write four bytes into them. */
static APART void turn_pixels(char *output, const int64_t *places, int64_t rows, const char *input,
                              const int64_t *sources, int64_t columns, bool stores_wait)
{
    enum { STRIP = 64, MOST_ROWS = 128 };
    const int64_t in_cache =
        dmlc_lines_in_cache(places[1] - places[0], MOST_ROWS, DMLC_NEARLY_WRITTEN) / PIXEL_ROWS * PIXEL_ROWS;
    const int64_t line_rows = dmlc_maximum(in_cache, PIXEL_ROWS);
    for (int64_t strip = 0; strip < columns; strip += STRIP)
        for (int64_t line = 0; line < rows; line += line_rows)
            for (int64_t column = strip; column < columns && column < strip + STRIP; column += PIXEL_COLUMNS)
                for (int64_t row = line; row < rows && row < line + line_rows; row += PIXEL_ROWS)
                    turn_lanes_3(output + column * 3, places + row, input + row * 3, sources + column, stores_wait);
}

#endif

static void transpose_chunks(char *output, int64_t output_step, const int64_t *places, int64_t rows, const char *input,
                             int64_t input_step, const int64_t *sources, int64_t columns, int64_t chunk,
                             bool stores_wait)
{
#ifdef DMLC_HAVE_TILE_LANES
    if (chunk == 3 && output_step == chunk && input_step == chunk && rows >= PIXEL_ROWS + 4 &&
        columns >= PIXEL_COLUMNS + 4) {
        /* Four are left at least, a tile of turn_3. */
        const int64_t some_rows = (rows - 4) / PIXEL_ROWS * PIXEL_ROWS;
        const int64_t some_columns = (columns - 4) / PIXEL_COLUMNS * PIXEL_COLUMNS;
        turn_pixels(output, places, some_rows, input, sources, some_columns, stores_wait);
        transpose_3(output + some_columns * chunk, chunk, places, some_rows, input, chunk, sources + some_columns,
                    columns - some_columns, chunk, stores_wait);
        transpose_3(output, chunk, places + some_rows, rows - some_rows, input + some_rows * chunk, chunk, sources,
                    columns, chunk, stores_wait);
        return;
    }
#endif
    transpose_by_size(output, output_step, places, rows, input, input_step, sources, columns, chunk, stores_wait);
}

/* Where elements are that lie evenly apart. */
static void spread(int64_t *places, int64_t count, int64_t step)
{
    for (int64_t i = 0; i < count; ++i)
        places[i] = i * step;
}

#if defined(DMLC_HAVE_TILE_LANES)

/* Tiles of rows and columns that lie evenly apart; false where they have none. */
static bool transpose_evenly(const dmlc_block *block, int64_t step, int64_t columns, int64_t chunk)
{
    if (block->count * chunk < 16 || columns * chunk < 32 || dmlc_width_place(chunk) > 3)
        return false;
    switch (chunk) {
    case 1: turn_evenly_1(block, step, columns); return true;
    case 2: turn_evenly_2(block, step, columns); return true;
    case 4: turn_evenly_4(block, step, columns); return true;
    default: turn_evenly_8(block, step, columns); return true;
    }
}

#endif

#if defined(DMLC_HAVE_TILES)

/* Pixels of five to seven chunks, side by side, as if there were eight, in a tile that is so wide. What a pixel has too much, the
 * next one writes again, since rows go up; so the last one goes by itself. Took 0.55 to 0.9 of the time of two tiles each.
 *
 *     |a b c d e|e e e
 *               |a b c d e|e e e
 *                         |a b c d e| */
static APART void turn_wide_pixels(char *output, int64_t rows, const char *input, int64_t step, const int64_t *listed,
                                   int64_t columns, int64_t chunk)
{
    enum { TOGETHER = DMLC_MOST_PLACES };
    const int64_t pixel = columns * chunk, last = rows - 1;
    int64_t places[TOGETHER], sources[DMLC_WIDE_PIXEL];
    spread(places, dmlc_minimum(last, TOGETHER), pixel);
    for (int64_t i = 0; i < DMLC_WIDE_PIXEL; ++i) {
        const int64_t column = i < columns ? i : columns - 1;
        sources[i] = listed == NULL ? column * step : listed[column];
    }
    /* Lists of nearly the same length: only where there are as many as a tile has do rows go up. */
    const int64_t lists = (last + TOGETHER - 1) / TOGETHER;
    for (int64_t list = 0, r = 0; list < lists; ++list) {
        const int64_t some = (last - r) / (lists - list);
        transpose_chunks(output + r * pixel, chunk, places, some, input + r * chunk, chunk, sources, DMLC_WIDE_PIXEL,
                         chunk, false);
        r += some;
    }
    transpose_chunks(output + last * pixel, chunk, places, 1, input + last * chunk, chunk, sources, columns, chunk,
                     false);
}

#endif

#if defined(DMLC_HAVE_LOOK_UP)

/* Planes to pixels past the cache, as many as are made in the stage at a time. The last ones fill a block, too. */
static APART void interleave_staged(dmlc_stream *stream, char *output, const char *input, const int64_t *sources,
                                    int64_t pixels, int64_t planes, int64_t chunk)
{
    enum { TOGETHER = 2048 };
    const int64_t together = TOGETHER / (planes * chunk), least = 16 * LANES / chunk;
    for (int64_t at = 0, some; at < pixels; at += some) {
        const int64_t left = pixels - at;
        some = left < together + least ? left : together;
        char *to = stream_stage(stream, output + at * planes * chunk, some * planes * chunk);
        interleave(to, input + at * chunk, sources, some, planes, chunk);
    }
}

/* Planes of pixels, which follow each other as one run, past the cache: what the stage has room for is made there. What is longer is copied
 * to the stream: read as soon as it is stored, as less would be, it took 1.9 times as long. Of 12 to 16 KB strips took 0.5 to 0.9 of the
 * time, see staged_transposes.h. */
enum { MOST_STAGED_PLANES = 4608, MOST_COPIED_PLANES = 8192 };
_Static_assert((int)SENT_BYTES + (int)MOST_STAGED_PLANES + DMLC_LINE_BYTES <= (int)DMLC_STAGE_BYTES,
               "planes are staged");

static APART void copy_planes(dmlc_stream *stream, char *output, const char *input, int64_t input_row, int64_t step,
                              int64_t rows, int64_t columns, int64_t chunk)
{
    _Alignas(DMLC_LINE_BYTES) char buffer[DMLC_LINE_BYTES + MOST_COPIED_PLANES];
    char *made = buffer + (uintptr_t)output % DMLC_LINE_BYTES;
    gather_planes(made, columns * chunk, NULL, input, input_row, step, rows, columns, chunk, false);
    stream_copy(stream, output, made, rows * columns * chunk);
}

/* Pixels of a few chunks on either side, see pixels.h; false where there are none, or where longer planes go past the cache. */
static bool transpose_pixels(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places,
                             const int64_t *sources, const dmlc_block *block)
{
    const int64_t chunk = row->chunk, columns = piece->count, rows = block->count, row_bytes = columns * chunk;
    const int64_t output_row = block->output_step, input_row = block->input_step;
    char *output = block->output + piece->output;
    const char *input = block->input + piece->input;
    dmlc_stream *stream = block->stream;
    if (row->output_step != chunk)
        return false;
    const bool is_run = places == NULL && output_row == row_bytes;
    if (is_run && input_row == chunk && pixels_fill_a_block(rows, columns, chunk)) {
        int64_t even_sources[DMLC_MOST_PLANES];
        if (sources == NULL)
            spread(even_sources, columns, piece->step);
        const int64_t *from = sources == NULL ? even_sources : sources;
        if (stream == NULL)
            interleave(output, input, from, rows, columns, chunk);
        else
            interleave_staged(stream, output, input, from, rows, columns, chunk);
        return true;
    }
    if (sources != NULL || !are_pixels(input_row, piece->step, rows, columns, chunk))
        return false;
    if (stream != NULL && is_run && rows * row_bytes <= MOST_STAGED_PLANES) {
        output = stream_stage(stream, output, rows * row_bytes);
    } else if (stream != NULL && is_run && rows * row_bytes <= MOST_COPIED_PLANES) {
        copy_planes(stream, output, input, input_row, piece->step, rows, columns, chunk);
        return true;
    } else if (pays_a_stage_of_lines(piece, row, places, sources, block)) {
        return false;
    }
    gather_planes(output, output_row, places, input, input_row, piece->step, rows, columns, chunk, block->stores_wait);
    return true;
}

#endif

/* Whether rows and columns are turned in registers. */
static bool has_tiles(int64_t output_step, int64_t rows, int64_t input_row, int64_t columns, int64_t chunk)
{
    if (output_step != chunk || input_row != chunk)
        return false;
#if defined(DMLC_HAVE_LOOK_UP)
    if (chunk == 3)
        return rows >= 4 && columns >= 4;
#endif
#if defined(DMLC_HAVE_TILES)
    return dmlc_width_place(chunk) <= 3 && rows >= 2 && columns >= 2;
#else
    (void)rows, (void)columns;
    return false;
#endif
}

/* Elements of 16 bytes whose few rows are written one by one where stores wait for lines: on Granite Rapids they took 0.89 of the
 * time by mean from 44 KB to 1.5 MB, 0.67 at best, but 1.02 from 6 MB on. */
static inline bool writes_row_by_row(const dmlc_block *block, int64_t output_step, int64_t chunk)
{
    return block->stores_wait && !block->far && chunk == 16 && output_step == chunk;
}

/* Columns that lie evenly apart, chunk by chunk: a few rows column by column, so that memory is gone through in its order, more
 * of them row by row, as many columns at a time as lie in the first-level cache. With a list of sources both took up to three
 * times as long. False where lists do better: for chunks that no move has or that lists move by a wider one, for those of 16 bytes
 * whose lines share their places in that cache, and for short rows at places of their own. */
static bool transpose_by_moves(char *output, int64_t output_step, const int64_t *places, int64_t output_row,
                               int64_t rows, const char *input, int64_t input_row, int64_t step, int64_t columns,
                               int64_t chunk, bool row_by_row, bool in_memory)
{
    enum { MOST_COLUMNS = 512, FEW_AT_PLACES = 32 };
    if (!dmlc_has_moves(chunk))
        return false;
    if (places == NULL && rows > 1 && rows <= DMLC_FEW_CHUNKS && !row_by_row) {
        move_rows(output, output_step, output_row, input, step, input_row, columns, rows, chunk);
        return true;
    }
    if (output_step == chunk && dmlc_has_wider_move(chunk))
        return false;
    const int64_t together = dmlc_lines_in_cache(step, MOST_COLUMNS, DMLC_NEARLY_READ);
    if ((chunk == 16 && (together < MOST_COLUMNS || places != NULL)) || (places != NULL && columns <= FEW_AT_PLACES))
        return false;
    const int64_t calls = places == NULL ? 1 : rows, rows_each = places == NULL ? rows : 1;
    for (int64_t column = 0; column < columns; column += together) {
        const int64_t some = dmlc_minimum(columns - column, together);
        char *to = output + column * output_step;
        const char *from = input + column * step;
        for (int64_t r = 0; r < calls; ++r)
            move_rows_apart(places == NULL ? to : to + places[r], output_row, output_step, from + r * input_row,
                            input_row, step, rows_each, some, chunk, in_memory);
    }
    return true;
}

/* A few listed columns that no tile turns are the moves of a box, which each row is: element by element, stacks of 2 to 8 arrays of 16
 * bytes took 1.1 to 2.5 times as long. Of five columns of 8 bytes, tiles turn three twice, and took 1.2 to 1.4 times as long. */
static bool are_few_moves(int64_t output_step, int64_t rows, int64_t input_row, int64_t columns, int64_t chunk)
{
    const bool is_listed = dmlc_has_moves(chunk) && !dmlc_has_wider_move(chunk);
    const bool pays_tiles = chunk < 8 || columns != 5;
    return columns > 1 && columns <= MOST_FEW_MOVES && is_listed &&
           !(pays_tiles && has_tiles(output_step, rows, input_row, columns, chunk));
}

static APART void move_listed(char *output, int64_t output_step, int64_t output_row, int64_t rows, const char *input,
                              int64_t input_row, const int64_t *sources, int64_t columns, int64_t chunk)
{
    dmlc_move moves[MOST_FEW_MOVES];
    for (int64_t i = 0; i < columns; ++i)
        moves[i] = (dmlc_move){.output = i * output_step, .input = sources[i]};
    move_in_boxes(moves, (int32_t)columns, chunk, output, output_row, input, input_row, rows, false);
}

/* By lists of places and sources, as many of them at a time as a list has room for where they lie evenly apart. */
static APART void transpose_by_lists(const int64_t *places, const int64_t *sources, int64_t output_step, int64_t step,
                                     int64_t columns, int64_t chunk, const dmlc_block *block)
{
    enum { TOGETHER = DMLC_MOST_PLACES };
    int64_t even_places[TOGETHER], even_sources[TOGETHER];
    const int64_t rows = block->count;
    if (places == NULL)
        spread(even_places, dmlc_minimum(rows, TOGETHER), block->output_step);
    if (sources == NULL)
        spread(even_sources, dmlc_minimum(columns, TOGETHER), step);
    for (int64_t column = 0; column < columns; column += TOGETHER)
        for (int64_t r = 0; r < rows; r += TOGETHER)
            transpose_chunks(block->output + r * block->output_step + column * output_step, output_step,
                             places == NULL ? even_places : places, dmlc_minimum(rows - r, TOGETHER),
                             block->input + r * block->input_step + column * step, block->input_step,
                             sources == NULL ? even_sources : sources, dmlc_minimum(columns - column, TOGETHER), chunk,
                             block->stores_wait);
}

#endif
