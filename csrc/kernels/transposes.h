/* Rows whose input lies closer together from row to row than along the row, see transpose_loops.h: piece by piece, in the direction and by
 * the buffer or stage that suit where they lie. */
#ifndef DMLC_KERNELS_TRANSPOSES_H
#define DMLC_KERNELS_TRANSPOSES_H

#include "kernels/rows.h"
#include "kernels/staged_transposes.h"
#include "kernels/transpose_loops.h"

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
    const int64_t wider = DMLC_BUFFER_BYTES / chunk / together, most = dmlc_minimum(columns, wider);
    char buffer[DMLC_BUFFER_BYTES];
    dmlc_row dense = {.chunk = chunk, .output_step = chunk, .size = row->size, .piece_count = 1};
    dense.pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .step = together * chunk};
    for (int64_t column = 0; column < columns; column += most) {
        const int64_t some = dmlc_minimum(columns - column, most);
        dense.pieces[0].count = some;
        for (int64_t r = 0; r < rows; r += together) {
            dmlc_block part = *block;
            part.count = dmlc_minimum(rows - r, together);
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

/* The chunks of a piece that gathers, of all rows; the block, which is the caller's to lose, begins at the piece. */
static void transpose_rows(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places, const int64_t *sources,
                           dmlc_block *here)
{
    const int64_t chunk = row->chunk, columns = piece->count, rows = here->count;
#if defined(__SSE2__)
    if (pays_a_stage_of_lines(piece, row, places, sources, here)) {
        transpose_staged(piece, row, here, transpose_strip);
        return;
    }
#endif
#if defined(DMLC_HAVE_LOOK_UP)
    if (dmlc_turns_in_buffer(chunk, row->output_step, here->input_step, rows, columns)) {
        transpose_in_buffer(row, places, sources, piece->step, columns, here);
        return;
    }
#endif
#if defined(DMLC_HAVE_TILE_LANES)
    if (places == NULL && sources == NULL && row->output_step == chunk && here->input_step == chunk &&
        transpose_evenly(here, piece->step, columns, chunk))
        return;
#endif
    const int64_t output_row = here->output_step, input_row = here->input_step;
#if defined(DMLC_HAVE_TILES)
    if (places == NULL && row->output_step == chunk && input_row == chunk &&
        dmlc_are_nearly_wide(output_row, rows, columns, chunk, TILE_ROW_BYTES)) {
        turn_wide_pixels(here->output, rows, here->input, piece->step, sources, columns, chunk);
        return;
    }
#endif
    /* What is read goes up, see goes_from_its_end; tiles read whole vectors across. */
    const bool down = sources == NULL && input_row != chunk && goes_from_its_end(row->output_step, piece->step, chunk);
    const int64_t step = down ? -piece->step : piece->step, output_step = down ? -row->output_step : row->output_step;
    if (down) {
        here->output += (columns - 1) * row->output_step;
        here->input += (columns - 1) * piece->step;
    }
    if (sources == NULL && !has_tiles(output_step, rows, input_row, columns, chunk) &&
        transpose_by_moves(here->output, output_step, places, output_row, rows, here->input, input_row, step, columns,
                           chunk, writes_row_by_row(here, output_step, chunk), here->in_memory))
        return;
    if (places == NULL && sources != NULL && are_few_moves(output_step, rows, input_row, columns, chunk)) {
        move_listed(here->output, output_step, output_row, rows, here->input, input_row, sources, columns, chunk);
        return;
    }
    transpose_by_lists(places, sources, output_step, step, columns, chunk, here);
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

/* To make a block of the piece takes 5 ns where the given one was just written, as long as some pixels. */
static void transpose_piece(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places, const int64_t *sources,
                            const dmlc_block *block)
{
#if defined(DMLC_HAVE_LOOK_UP)
    if (transpose_pixels(piece, row, places, sources, block))
        return;
#endif
    dmlc_block here = *block;
    here.output += piece->output;
    here.input += piece->input;
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
    const int64_t lines = dmlc_minimum(piece->count, MANY_LINES);
    return block->stream != NULL && sources == NULL && block->count > DMLC_FEW_CHUNKS && row->chunk == ELEMENT &&
           row->output_step == ELEMENT && dmlc_lines_in_cache(piece->step, lines, DMLC_NEARLY_READ) == lines &&
           !pays_a_stage_of_lines(piece, row, places, sources, block);
}

/* In the order of the output; each run to come may be asked for. */
static ALWAYS_INLINE void copy_runs_in_order(const dmlc_row *row, const int64_t *sources, const dmlc_block *block,
                                             bool are_asked_for)
{
    enum { FETCHED = 1024 };
    const dmlc_block here = *block;
    const int64_t bytes = row->chunk, columns = row->pieces[0].count;
    for (int64_t r = 0; r < here.count; ++r)
        for (int64_t i = 0; i < columns; ++i) {
            const char *from = here.input + r * here.input_step + sources[i];
            if (are_asked_for && r + 1 < here.count)
                fetch(from + here.input_step, dmlc_minimum(bytes, FETCHED));
            copy_run(here.output + r * here.output_step + i * bytes, from, bytes, here.stream);
        }
}

/* Of runs that come from memory, from more places than a processor fetches ahead by itself, those to come are asked for: 24 to 250 of 72 to
 * 256 bytes, 60 MB in all, took 0.7 to 1.0 of the time on Zen 4. To decide that for each run took 1.1 times as long in 4 MB. */
static APART void copy_far_runs(const dmlc_row *row, const int64_t *sources, const dmlc_block *block)
{
    enum { FEW_PLACES = 16 };
    if (block->in_memory && row->pieces[0].count > FEW_PLACES)
        copy_runs_in_order(row, sources, block, true);
    else
        copy_runs_in_order(row, sources, block, false);
}

/* Runs that are longer than a chunk, side by side. Where they are near, or made in the stage, a few KB of rows go source by source; where
 * they are far, in the order of the output: source by source took 1.4 to 1.8 times as long in 10 MB, and 0.8 to 0.95 of the time in 1 MB.
 */
static APART void copy_side_by_side(const dmlc_row *row, const int64_t *sources, const dmlc_block *block)
{
    enum { TOGETHER_BYTES = 8192 };
    const dmlc_block here = *block;
    const int64_t bytes = row->chunk, columns = row->pieces[0].count, pixel = columns * bytes;
    const bool is_staged = here.stream != NULL && pixel <= LONGEST_STAGED && here.output_step == pixel;
    if (!is_staged && (here.stream != NULL || here.far)) {
        copy_far_runs(row, sources, block);
        return;
    }
    const int64_t fitting = (is_staged ? LONGEST_STAGED : TOGETHER_BYTES) / pixel, together = dmlc_maximum(fitting, 1);
    for (int64_t r = 0; r < here.count; r += together) {
        const int64_t some = dmlc_minimum(together, here.count - r);
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
