/* Rows whose input lies closer together from row to row than along the row, in tiles:
 *
 *     output[places[r] + c * output_step] = input[r * input_step + sources[c]]   for rows r and columns c */
#ifndef DMLC_KERNELS_TRANSPOSES_H
#define DMLC_KERNELS_TRANSPOSES_H

#include "kernels/boxes.h"
#include "kernels/rows.h"
#include "kernels/staged_transposes.h"
#include "kernels/tiles.h"

#define TEMPLATE "kernels/transpose_template.inc"
#include "kernels/chunks.inc"

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
    const int64_t line_rows = in_cache > PIXEL_ROWS ? in_cache : PIXEL_ROWS;
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
    spread(places, last < TOGETHER ? last : TOGETHER, pixel);
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

/* Pixels of a few chunks on either side, see pixels.h; false where there are none. */
static bool transpose_pixels(const dmlc_piece *piece, const dmlc_row *row, char *output, int64_t output_row,
                             const int64_t *places, const char *input, int64_t input_row, const int64_t *sources,
                             int64_t rows, bool stores_wait)
{
    const int64_t chunk = row->chunk, columns = piece->count;
    if (row->output_step != chunk)
        return false;
    if (places == NULL && input_row == chunk && output_row == columns * chunk &&
        pixels_fill_a_block(rows, columns, chunk)) {
        int64_t even_sources[DMLC_MOST_PLANES];
        if (sources == NULL)
            spread(even_sources, columns, piece->step);
        interleave(output, input, sources == NULL ? even_sources : sources, rows, columns, chunk);
        return true;
    }
    return sources == NULL &&
           gather_pixels(output, output_row, places, input, input_row, piece->step, rows, columns, chunk, stores_wait);
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
        const int64_t some = columns - column < together ? columns - column : together;
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

static void transpose_piece(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places, const int64_t *sources,
                            const dmlc_block *block);

#if defined(__SSE2__)

static void transpose_strip(const dmlc_piece *piece, const dmlc_row *row, const dmlc_block *block)
{
    transpose_piece(piece, row, NULL, NULL, block);
}

#endif

#if defined(DMLC_HAVE_LOOK_UP)

/* Chunks that lie apart along the rows of the input are brought together in a buffer, as many rows and columns as it holds, and turned
 * there:
 *
 *     input    |a..b..c..|        |d..e..f..|
 *     buffer   |abc|def|
 *     output   |ad|  |be|  |cf| */
static APART void transpose_in_buffer(const dmlc_row *row, const int64_t *places, const int64_t *sources, int64_t step,
                                      int64_t columns, const dmlc_block *block)
{
    const int64_t chunk = row->chunk, rows = block->count, input_row = block->input_step;
    const int64_t together = dmlc_rows_in_buffer(chunk, rows, columns);
    const int64_t wider = DMLC_BUFFER_BYTES / chunk / together, most = columns < wider ? columns : wider;
    char buffer[DMLC_BUFFER_BYTES];
    dmlc_row dense = {.chunk = chunk, .output_step = chunk, .size = row->size, .piece_count = 1};
    dense.pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .step = together * chunk};
    for (int64_t column = 0; column < columns; column += most) {
        const int64_t some = columns - column < most ? columns - column : most;
        dense.pieces[0].count = some;
        for (int64_t r = 0; r < rows; r += together) {
            dmlc_block part = *block;
            part.count = rows - r < together ? rows - r : together;
            part.output = block->output + column * chunk + (places == NULL ? r * block->output_step : 0);
            part.input = buffer;
            part.input_step = chunk;
            const char *from = block->input + r * input_row;
            if (sources == NULL)
                move_rows(buffer, together * chunk, chunk, from + column * step, step, input_row, some, part.count,
                          chunk);
            else
                for (int64_t i = 0; i < some; ++i)
                    move(buffer + i * together * chunk, chunk, from + sources[column + i], input_row, part.count,
                         chunk);
            transpose_piece(&dense.pieces[0], &dense, places == NULL ? NULL : places + r, NULL, &part);
        }
    }
}

#endif

/* By lists of places and sources, as many of them at a time as a list has room for where they lie evenly apart. */
static APART void transpose_by_lists(const int64_t *places, const int64_t *sources, int64_t output_step, int64_t step,
                                     int64_t columns, int64_t chunk, const dmlc_block *block)
{
    enum { TOGETHER = DMLC_MOST_PLACES };
    int64_t even_places[TOGETHER], even_sources[TOGETHER];
    const int64_t rows = block->count;
    if (places == NULL)
        spread(even_places, rows < TOGETHER ? rows : TOGETHER, block->output_step);
    if (sources == NULL)
        spread(even_sources, columns < TOGETHER ? columns : TOGETHER, step);
    for (int64_t column = 0; column < columns; column += TOGETHER)
        for (int64_t r = 0; r < rows; r += TOGETHER)
            transpose_chunks(block->output + r * block->output_step + column * output_step, output_step,
                             places == NULL ? even_places : places, rows - r < TOGETHER ? rows - r : TOGETHER,
                             block->input + r * block->input_step + column * step, block->input_step,
                             sources == NULL ? even_sources : sources,
                             columns - column < TOGETHER ? columns - column : TOGETHER, chunk, block->stores_wait);
}

/* The chunks of a piece that gathers, of all rows; the block begins at the piece. */
static void transpose_rows(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places, const int64_t *sources,
                           const dmlc_block *block)
{
    const int64_t chunk = row->chunk, columns = piece->count, rows = block->count;
    dmlc_block here = *block;
#if defined(__SSE2__)
    if (pays_a_stage_of_lines(piece, row, places, sources, &here)) {
        transpose_staged(piece, row, &here, transpose_strip);
        return;
    }
#endif
#if defined(DMLC_HAVE_LOOK_UP)
    if (dmlc_turns_in_buffer(chunk, row->output_step, here.input_step, rows, columns)) {
        transpose_in_buffer(row, places, sources, piece->step, columns, &here);
        return;
    }
#endif
#if defined(DMLC_HAVE_TILE_LANES)
    if (places == NULL && sources == NULL && row->output_step == chunk && here.input_step == chunk &&
        transpose_evenly(&here, piece->step, columns, chunk))
        return;
#endif
    const int64_t output_row = here.output_step, input_row = here.input_step;
#if defined(DMLC_HAVE_TILES)
    if (places == NULL && row->output_step == chunk && input_row == chunk &&
        dmlc_are_nearly_wide(output_row, rows, columns, chunk, TILE_ROW_BYTES)) {
        turn_wide_pixels(here.output, rows, here.input, piece->step, sources, columns, chunk);
        return;
    }
#endif
    /* What is read goes up, see move_template.inc; tiles read whole vectors across. */
    const bool down = sources == NULL && input_row != chunk && goes_from_its_end(row->output_step, piece->step, chunk);
    const int64_t step = down ? -piece->step : piece->step, output_step = down ? -row->output_step : row->output_step;
    if (down) {
        here.output += (columns - 1) * row->output_step;
        here.input += (columns - 1) * piece->step;
    }
    if (sources == NULL && !has_tiles(output_step, rows, input_row, columns, chunk) &&
        transpose_by_moves(here.output, output_step, places, output_row, rows, here.input, input_row, step, columns,
                           chunk, writes_row_by_row(block, output_step, chunk), block->in_memory))
        return;
    if (places == NULL && sources != NULL && are_few_moves(output_step, rows, input_row, columns, chunk)) {
        move_listed(here.output, output_step, output_row, rows, here.input, input_row, sources, columns, chunk);
        return;
    }
    transpose_by_lists(places, sources, output_step, step, columns, chunk, &here);
}

/* The last row first. */
static APART void transpose_rows_from_their_end(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places,
                                                const int64_t *sources, const dmlc_block *block)
{
    int64_t turned_places[DMLC_MOST_PLACES];
    dmlc_block here = from_its_end(block);
    if (places != NULL) {
        here.output = block->output;
        for (int64_t r = 0; r < block->count; ++r)
            turned_places[r] = places[block->count - 1 - r];
        places = turned_places;
    }
    transpose_rows(piece, row, places, sources, &here);
}

static void transpose_piece(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places, const int64_t *sources,
                            const dmlc_block *block)
{
    dmlc_block here = *block;
    here.output += piece->output;
    here.input += piece->input;
#if defined(DMLC_HAVE_LOOK_UP)
    if (transpose_pixels(piece, row, here.output, here.output_step, places, here.input, here.input_step, sources,
                         here.count, here.stores_wait))
        return;
#endif
    /* Tiles are of rows whose input lies in order. */
    if (here.input_step < 0 &&
        (row->output_step == row->chunk || places != NULL || here.output_step <= -here.input_step))
        transpose_rows_from_their_end(piece, row, places, sources, &here);
    else
        transpose_rows(piece, row, places, sources, &here);
}

/* Elements of 16 bytes, a quarter of a line each, go past the cache row by row, in whole lines, as long as the lines that are read
 * stay in the cache for the next row. Matrices of 32 MB took 0.4 to 0.7 of the time; where rows are a power of two apart, twice as
 * long, and five planes of 40,000, which are read in their order otherwise, 1.3 times. */
static bool goes_past_cache_by_rows(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places,
                                    const int64_t *sources, const dmlc_block *block)
{
    enum { ELEMENT = 16, MANY_LINES = 64 };
    const int64_t lines = piece->count < MANY_LINES ? piece->count : MANY_LINES;
    return block->stream != NULL && sources == NULL && block->count > DMLC_FEW_CHUNKS && row->chunk == ELEMENT &&
           row->output_step == ELEMENT && dmlc_lines_in_cache(piece->step, lines, DMLC_NEARLY_READ) == lines &&
           !pays_a_stage_of_lines(piece, row, places, sources, block);
}

/* Runs that are longer than a chunk, side by side. Where they are near, or made in the stage, a few KB of rows go source by source; where
 * they are far, in the order of the output: source by source took 1.4 to 1.8 times as long in 10 MB, and in 1 MB 0.8 to 0.95 of the time. */
static APART void copy_side_by_side(const dmlc_row *row, const int64_t *sources, const dmlc_block *block)
{
    enum { TOGETHER_BYTES = 8192 };
    const dmlc_block here = *block;
    const int64_t bytes = row->chunk, columns = row->pieces[0].count, pixel = columns * bytes;
    const bool is_staged = here.stream != NULL && pixel <= LONGEST_STAGED && here.output_step == pixel;
    if (!is_staged && (here.stream != NULL || here.far)) {
        for (int64_t r = 0; r < here.count; ++r)
            for (int64_t i = 0; i < columns; ++i)
                copy_run(here.output + r * here.output_step + i * bytes, here.input + r * here.input_step + sources[i],
                         bytes, here.stream);
        return;
    }
    const int64_t fitting = (is_staged ? LONGEST_STAGED : TOGETHER_BYTES) / pixel, together = fitting > 1 ? fitting : 1;
    for (int64_t r = 0; r < here.count; r += together) {
        const int64_t some = at_most(together, here.count - r);
        char *output = stream_stage(here.stream, here.output + r * here.output_step, some * pixel);
        for (int64_t i = 0; i < columns; ++i)
            copy_rows(output + i * bytes, here.output_step, here.input + r * here.input_step + sources[i],
                      here.input_step, some, bytes);
    }
}

/* A piece of a chunk or two of each row, as borders are: down each column. */
static bool move_columns(const dmlc_piece *piece, const dmlc_row *row, const dmlc_block *block)
{
    const bool is_filled = piece->operation == DMLC_FILL || piece->operation == DMLC_FILL_EACH;
    const bool in_bytes = piece->operation == DMLC_FILL || piece->operation == DMLC_COPY;
    const int64_t chunk = row->chunk, columns = in_bytes ? piece->count / chunk : piece->count;
    if (columns > DMLC_MOST_NARROW || piece->operation == DMLC_REPLICATE || !dmlc_has_moves(chunk))
        return false;
    const int64_t step = piece->operation == DMLC_COPY ? chunk : piece->step;
    const char *from = is_filled ? (const char *)block->pattern->bytes : block->input + piece->input;
    move_rows(block->output + piece->output, row->output_step, block->output_step, from, is_filled ? 0 : step,
              is_filled ? 0 : block->input_step, columns, block->count, chunk);
    return true;
}

static void transpose(const dmlc_row *row, const int64_t *places, const int64_t *sources, const dmlc_block *block)
{
    if (row->chunk > DMLC_LONGEST_CHUNK && sources != NULL && places == NULL && dmlc_row_is_gather(row) &&
        dmlc_row_is_dense(row)) {
        copy_side_by_side(row, sources, block);
        return;
    }
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (places == NULL && sources == NULL && row->piece_count > 1 && move_columns(piece, row, block))
            continue;
        /* What repeats along one row is a gather at a step of 0, and its rows lie next to each other. */
        if (piece->operation == DMLC_REPEAT ||
            (piece->operation == DMLC_GATHER && !goes_past_cache_by_rows(piece, row, places, sources, block))) {
            transpose_piece(piece, row, places, sources, block);
            continue;
        }
        for (int64_t r = 0; r < block->count; ++r)
            run_piece(piece, row, NULL, block, block->output + (places == NULL ? r * block->output_step : places[r]),
                      block->input + r * block->input_step);
    }
}

#endif
