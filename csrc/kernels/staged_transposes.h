/* Transposes past the cache. Strips of columns are turned in a stage of their own, whose rows begin as far behind a line as they do in the
 * output, and each row's whole lines are sent from there. What is left of a line moves to the front, where the next columns follow it:
 *
 *     stage, row a      |..aaaaaa|aaaaaaaa|aaa.....|
 *                        \_______ sent ___/ \_/ to the front
 *     and the next      |aaaAAAAA|AAAAAAAA|AAA.....|
 *
 * While a strip is sent, the lines that the next one reads are asked for: columns lie far apart, and each has but a few.
 *
 * Matrices of 14 to 32 MB, of 16 to 3,000 rows or columns, took on Zen 4, as a share of the time that tiles take which write the output
 * themselves, by mean and at worst:
 *
 *     elements of                16 bytes        8            4            2            1
 *     AVX-512, one thread      0.68, 1.25   0.75, 1.03   0.77, 1.07   0.77, 1.40   0.89, 1.16
 *     AVX2, one thread         0.71, 1.30   0.78, 1.05   0.78, 1.17   0.81, 1.51
 *     AVX2, two threads        0.77, 1.38   0.79, 1.06   0.78, 1.11   0.83, 1.29   0.91, 1.11
 *
 * Planes of pixels are a few rows, whose strips are wider, 4 KB in all. From less, what is sent was stored just before, which takes long,
 * see stream.h: two planes of 8 bytes took up to 2.3 times as long by 2 KB. By 12 KB, images of 16 to 72 MB took 0.85 to 1.85 times as
 * long.
 *
 * Strips twice as wide of half as many rows gained as much, but from columns a large power of two apart less, and of 2 bytes nothing.
 * In the cache, from 100 KB to 3 MB, ordinary stores from the stage took 1.0 to 3 times as long as tiles.
 */
#ifndef DMLC_KERNELS_STAGED_TRANSPOSES_H
#define DMLC_KERNELS_STAGED_TRANSPOSES_H

#include "kernels/moves.h"

#if defined(__SSE2__)

enum { STAGED_ROWS = 128, STAGED_STRIP_BYTES = 256, PLANE_STRIPS_BYTES = 4 * 1024 };

/* A strip's turning, into the block's output. */
typedef void turn_strip(const dmlc_piece *piece, const dmlc_row *row, const dmlc_block *block);

typedef struct staged_transpose {
    const dmlc_piece *piece;
    const dmlc_row *row;
    const dmlc_block *block;
    turn_strip *turn;
    int64_t strip_bytes; /* of a row */
    bool asks_for_ends;  /* the lines that rows end in, which ordinary stores write */
    bool fetches;
} staged_transpose;

/* Some rows of some columns. */
typedef struct strip {
    int64_t row, rows, column, columns;
} strip;

/* The strip that follows among the rows and columns of `all`: to the right, then below; it has no rows at the end. */
static strip next_strip(strip here, const strip *all, int64_t strip_columns)
{
    here.column += here.columns;
    if (here.column == all->column + all->columns) {
        here.column = all->column;
        here.row += here.rows;
    }
    here.rows = dmlc_minimum(STAGED_ROWS, all->rows - here.row);
    here.columns = dmlc_minimum(strip_columns, all->column + all->columns - here.column);
    return here;
}

static const char *input_of(const staged_transpose *of, const strip *some)
{
    return of->block->input + some->row * of->block->input_step + some->column * of->piece->step;
}

static char *output_of(const staged_transpose *of, const strip *some)
{
    return of->block->output + some->row * of->block->output_step + some->column * of->row->chunk;
}

/* Sends a row's next columns. What stands before them in their first line is in the stage as well, but for the row's first columns. */
static void send_columns(char *output, char *made, int64_t bytes, bool are_first, bool are_last)
{
    const int64_t begin = (int64_t)((uintptr_t)output % DMLC_LINE_BYTES), end = begin + bytes, lines = whole_lines(end);
    int64_t at = 0;
    output -= begin;
    made -= begin;
    if (are_first && begin > 0) {
        at = dmlc_minimum(end, DMLC_LINE_BYTES);
        copy_short(output + begin, made + begin, at - begin);
    }
    for (; at < lines; at += DMLC_LINE_BYTES)
        stream_line(output + at, made + at);
    if (are_last)
        copy_short(output + at, made + at, end - at);
    else if (at < end)
        store64(made, load64(made + at));
}

static void send_strip(const staged_transpose *of, const strip *here, const strip *all, char *made, int64_t made_row,
                       const strip *next)
{
    const int64_t chunk = of->row->chunk, output_row = of->block->output_step, step = of->piece->step;
    const bool are_first = here->column == all->column,
               are_last = here->column + here->columns == all->column + all->columns;
    const int64_t wanted = of->fetches && next->rows > 0 ? next->columns : 0;
    const char *from = wanted > 0 ? input_of(of, next) : NULL;
    char *output = output_of(of, here);
    int64_t fetched = 0;
    for (int64_t i = 0; i < here->rows; ++i) {
        for (; fetched * here->rows < (i + 1) * wanted; ++fetched)
            fetch(from + fetched * step, next->rows * chunk);
        send_columns(output + i * output_row, made + i * made_row, here->columns * chunk, are_first, are_last);
    }
}

/* So many columns from a block's input on. */
static dmlc_row row_of_columns(const staged_transpose *of, int64_t columns)
{
    const int64_t chunk = of->row->chunk;
    dmlc_row row = {.chunk = chunk, .output_step = chunk, .size = columns, .piece_count = 1};
    row.pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .count = columns, .step = of->piece->step};
    return row;
}

static APART void turn_strips(const staged_transpose *of, const strip *all)
{
    enum { ROW_BYTES = STAGED_STRIP_BYTES + 2 * DMLC_LINE_BYTES };
    _Alignas(DMLC_LINE_BYTES) char stage[(STAGED_ROWS + 1) * ROW_BYTES];
    const int64_t chunk = of->row->chunk, strip_columns = of->strip_bytes / chunk;
    const int64_t line_step = (int64_t)((uint64_t)of->block->output_step % DMLC_LINE_BYTES);
    dmlc_row row = row_of_columns(of, strip_columns);
    dmlc_block some = *of->block;
    some.output_step = of->strip_bytes + DMLC_LINE_BYTES + line_step;
    some.stream = NULL;
    some.in_memory = false;
    if (of->asks_for_ends)
        for (int64_t r = 0; r < all->rows; ++r)
            fetch_to_end_at((uintptr_t)(of->block->output + r * of->block->output_step) +
                            (uintptr_t)((all->column + all->columns) * chunk));
    strip here = {.column = all->column, .rows = dmlc_minimum(STAGED_ROWS, all->rows)};
    here.columns = dmlc_minimum(strip_columns, all->columns);
    while (here.rows > 0) {
        const strip next = next_strip(here, all, strip_columns);
        some.output = stage + DMLC_LINE_BYTES + (uintptr_t)output_of(of, &here) % DMLC_LINE_BYTES;
        some.input = input_of(of, &here);
        some.count = here.rows;
        row.pieces[0].count = here.columns;
        of->turn(&row.pieces[0], &row, &some);
        send_strip(of, &here, all, some.output, some.output_step, &next);
        here = next;
    }
}

/* Short rows that follow each other are one run, of as many rows as there is room for. On Zen 4 with AVX2, 14 and 32 MB of matrices of 17
 * to 200 columns and 80 to 50,000 rows took 0.76 of the time by mean (4 and 8 bytes) and 0.84 (2 bytes), 0.4 at best and 1.4 at worst. */
static APART void turn_short_rows(const staged_transpose *of)
{
    enum { STAGE_BYTES = 24 * 1024, MULTIPLE = 16 };
    char stage[STAGE_BYTES];
    const int64_t chunk = of->row->chunk, columns = of->piece->count, rows = of->block->count;
    const int64_t row_bytes = columns * chunk, together = STAGE_BYTES / row_bytes / MULTIPLE * MULTIPLE;
    const dmlc_row row = row_of_columns(of, columns);
    dmlc_block some = *of->block;
    some.output = stage;
    some.stream = NULL;
    some.in_memory = false;
    for (int64_t r = 0; r < rows; r += some.count) {
        some.count = dmlc_minimum(together, rows - r);
        some.input = of->block->input + r * chunk;
        of->turn(&row.pieces[0], &row, &some);
        const int64_t next_rows = of->fetches ? dmlc_minimum(together, rows - r - some.count) : 0;
        const int64_t bytes = some.count * row_bytes, each = bytes / columns;
        char *output = of->block->output + r * row_bytes;
        for (int64_t column = 0; column < columns; ++column) {
            if (next_rows > 0)
                fetch(some.input + some.count * chunk + column * of->piece->step, next_rows * chunk);
            stream_copy(of->block->stream, output + column * each, stage + column * each,
                        column < columns - 1 ? each : bytes - column * each);
        }
    }
}

/* Where columns are short, the processor fetches the rows below those that are read: as many columns as lie in NEAR_BYTES go before the
 * next. Columns of 512 to 2,048 bytes took 0.7 to 1.0 of the time so, longer ones up to 1.35 times as long. */
static int64_t columns_together(const dmlc_block *block, int64_t step, int64_t columns, int64_t strip_columns)
{
    enum { SHORT_STEP = 2048, NEAR_BYTES = 1024 * 1024 };
    const int64_t distance = dmlc_absolute(step);
    if (distance > SHORT_STEP || distance == 0 || block->count <= STAGED_ROWS)
        return columns;
    return (NEAR_BYTES / distance / strip_columns + 1) * strip_columns;
}

/* The chunks of a piece that gathers, of all rows, where its output is dense and the input of its rows, too. */
static void transpose_staged(const dmlc_piece *piece, const dmlc_row *row, const dmlc_block *block, turn_strip *turn)
{
    const bool are_planes = dmlc_are_pixels(block->input_step, piece->step, block->count, row->chunk);
    const int64_t strip_bytes = are_planes ? whole_lines(PLANE_STRIPS_BYTES / block->count) : STAGED_STRIP_BYTES;
    const int64_t strip_columns = strip_bytes / row->chunk;
    const int64_t together = columns_together(block, piece->step, piece->count, strip_columns);
    const staged_transpose of = {
        .piece = piece,
        .row = row,
        .block = block,
        .turn = turn,
        .strip_bytes = strip_bytes,
        .asks_for_ends = are_planes,
        .fetches =
            !are_planes && dmlc_lines_in_farther_cache(piece->step, strip_columns, DMLC_NEARLY_READ) == strip_columns,
    };
    if (piece->count * row->chunk < DMLC_LEAST_STAGED_ROW) {
        turn_short_rows(&of);
        return;
    }
    strip all = {.rows = block->count};
    for (; all.column < piece->count; all.column += together) {
        all.columns = dmlc_minimum(together, piece->count - all.column);
        turn_strips(&of, &all);
    }
}

/* Bytes whose columns lie LONG_STEP apart took 1.0 to 1.3 times as long. */
static bool pays_a_stage_of_lines(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places,
                                  const int64_t *sources, const dmlc_block *block)
{
    enum { LONG_STEP = 256 };
    const bool is_long = piece->step >= LONG_STEP || piece->step <= -LONG_STEP;
    if (block->stream == NULL || places != NULL || sources != NULL || row->output_step != row->chunk)
        return false;
    if (dmlc_are_pixels(block->input_step, piece->step, block->count, row->chunk))
        return dmlc_are_long_planes(row->chunk, piece->count);
    return !(row->chunk == 1 && is_long) &&
           dmlc_may_be_staged(row->chunk, block->input_step, block->output_step, block->count, piece->count);
}

#else

static bool pays_a_stage_of_lines(const dmlc_piece *piece, const dmlc_row *row, const int64_t *places,
                                  const int64_t *sources, const dmlc_block *block)
{
    (void)piece;
    (void)row;
    (void)places;
    (void)sources;
    (void)block;
    return false;
}

#endif

#endif
