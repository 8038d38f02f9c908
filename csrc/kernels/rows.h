/* Rows by their pieces, see dmlc_row and dmlc_row_permutations: `count` rows, `output_step` and `input_step` bytes apart. */
#ifndef DMLC_KERNELS_ROWS_H
#define DMLC_KERNELS_ROWS_H

#include "kernels/moves.h"
#include "kernels/permutations.h"
#include "kernels/pixels.h"
#include "kernels/staged_rows.h"

/* Copied from again and again, up to twice as many: with what is written they stay in a first-level cache of 32 KiB. From
 * 16 KiB copies of 2 MiB took 1.3 times as long as from 8, from 24 KiB twice as long. */
enum { REPLICATED_BYTES = 4 * 1024 };

/* Whether a block's rows, which are more than a copy, are made before they go past the cache: those that are dense and short. */
static inline bool is_staged(const dmlc_row *row, const dmlc_block *block)
{
    const int64_t row_bytes = row->size * row->chunk;
    return block->stream != NULL && block->count > 1 && dmlc_row_is_dense(row) && block->output_step == row_bytes &&
           row_bytes <= LONGEST_STAGED;
}

/* The next rows of a block, from row `begin` on, which follow each other: made where they go past the cache from. */
static inline dmlc_block staged_block(const dmlc_block *block, int64_t begin, int64_t row_bytes)
{
    const int64_t most = staged_together(row_bytes), left = block->count - begin, count = dmlc_minimum(left, most);
    return (dmlc_block){
        .output = stream_stage(block->stream, block->output + begin * row_bytes, count * row_bytes),
        .output_step = row_bytes,
        .input = block->input + begin * block->input_step,
        .input_step = block->input_step,
        .count = count,
        .pattern = block->pattern,
        .far = block->far,
    };
}

/* The permutation of a piece that it can serve; NULL where there is none. */
static inline const dmlc_permutation *permutation_of(const dmlc_row_permutations *permutations, const dmlc_piece *piece)
{
    for (int32_t i = 0; permutations != NULL && piece->operation == DMLC_GATHER && i < permutations->count; ++i)
        if (permutations->list[i].unit_step == piece->step && permute_fits(&permutations->list[i], piece->count))
            return &permutations->list[i];
    return NULL;
}

static void replicate(const dmlc_piece *piece, const dmlc_row *row, char *to, dmlc_stream *stream)
{
    if (stream != NULL)
        stream_flush(stream);
    if (!dmlc_row_is_dense(row)) {
        move(to, row->output_step, to - piece->step, row->output_step, piece->count, row->chunk);
        return;
    }
    /* Each copy doubles what there is to copy from, so that short cycles are long runs soon; but what is copied again and
     * again stays in cache. It is the first of all: the last may have gone past the cache. */
    const char *from = to - piece->step;
    int64_t bytes = piece->count * row->chunk;
    int64_t there = piece->step;
    while (bytes > 0) {
        const int64_t more = dmlc_minimum(bytes, there);
        copy_run(to, from, more, there >= REPLICATED_BYTES ? stream : NULL);
        to += more;
        bytes -= more;
        if (there < REPLICATED_BYTES)
            there += more;
    }
}

/* A piece of one of a block's rows, which begins at output and input. */
static void run_piece(const dmlc_piece *piece, const dmlc_row *row, const dmlc_permutation *permutation,
                      const dmlc_block *block, char *output, const char *input)
{
    dmlc_stream *stream = block->stream;
    char *to = output + piece->output;
    const char *from = input + piece->input;
    switch (piece->operation) {
    case DMLC_COPY: copy_run(to, from, piece->count, stream); return;
    case DMLC_FILL: fill(to, piece->count, block->pattern, stream); return;
    case DMLC_FILL_EACH:
        for (int64_t i = 0; i < piece->count; ++i)
            fill_bytes(to + i * row->output_step, row->chunk, block->pattern->bytes);
        return;
    case DMLC_REPEAT: repeat(to, from, piece->count, row->chunk); return;
    case DMLC_GATHER:
        if (stream != NULL && dmlc_row_is_dense(row) && piece->count > 1)
            staged_rows(permutation, row->chunk, piece->step, to, 0, from, 0, 1, piece->count, block);
        else if (permutation != NULL)
            permute(permutation, to, 0, from, 0, 1, piece->count, block);
        else
            move(to, row->output_step, from, piece->step, piece->count, row->chunk);
        return;
    case DMLC_REPLICATE: replicate(piece, row, to, stream); return;
    }
}

/* What lies between rows of so many bytes in the input; less than nothing where they overlap. */
static inline int64_t gap_between(const dmlc_block *block, int64_t bytes)
{
    return dmlc_absolute(block->input_step) - bytes;
}

/* Rows that lie so far apart in the input that what the processor fetches by itself lies in the gaps. */
static inline bool lie_apart(const dmlc_block *block, int64_t bytes, int64_t least_gap)
{
    return gap_between(block, bytes) >= least_gap;
}

/* Whether rows that go back are read downward, as what is read next to them is. */
static inline bool are_read_down(const dmlc_row *row, const dmlc_block *block)
{
    const dmlc_piece *only = &row->pieces[0];
    return block->reads_down && only->step < 0 && dmlc_row_is_dense(row) && moves_down(row->chunk);
}

/* Rows of a single gather, chunk by chunk. Where what is read next lies below a row, dense rows whose chunks go back are read downward, see
 * are_read_down. Other rows are then gone through from the last one, so that what is read goes up, with three exceptions. Rows of vectors
 * keep the direction of their steps: where these go down, rows that went up took twice as long. Blocks of less than LEAST_TURNED_BYTES
 * stay as they are: those of 19 KB, one below the other, took twice as long. And so do rows that lie further apart in the output than in
 * the input: written downward, rows of 72 bytes 7 apart in 40 MB took 3.6 times as long, every second of 48 MB 2 to 3 times. */
static inline void gather_rows(const dmlc_row *row, const dmlc_block *block)
{
    enum { LEAST_TURNED_BYTES = 64 * 1024, LEAST_ASKED_FOR = 448, LEAST_GAP = 448 };
    enum { MOST_FAR = 64 * 1024, MOST_NEAR = 8 * 1024 };
    const dmlc_piece *piece = &row->pieces[0];
    const int64_t output_step = row->output_step, step = piece->step;
#if defined(DMLC_HAVE_LOOK_UP)
    if (dmlc_row_is_dense(row) && are_pixels(block->input_step, step, block->count, piece->count, row->chunk)) {
        gather_planes(block->output + piece->output, block->output_step, NULL, block->input + piece->input,
                      block->input_step, step, block->count, piece->count, row->chunk, block->stores_wait);
        return;
    }
    const bool in_vectors = dmlc_row_is_dense(row) && may_have_steps(step, row->chunk);
#else
    const bool in_vectors = false;
#endif
    if (!in_vectors && are_read_down(row, block)) {
        move_rows_down(block->output + piece->output, block->output_step, block->input + piece->input,
                       block->input_step, step, block->count, piece->count, row->chunk);
        return;
    }
    dmlc_block up;
    if (block->reads_down && -block->input_step * block->count >= LEAST_TURNED_BYTES &&
        block->output_step <= -block->input_step && (step > 0 || !in_vectors)) {
        up = from_its_end(block);
        block = &up;
    }
#if defined(DMLC_HAVE_LOOK_UP)
    const int64_t bytes = in_vectors ? piece->count * step : 0;
    if (bytes >= LEAST_ASKED_FOR && bytes < (block->far ? MOST_FAR : MOST_NEAR) && lie_apart(block, bytes, LEAST_GAP) &&
        move_steps(block->output + piece->output, block->output_step, block->input + piece->input, block->input_step,
                   step, block->count, piece->count, row->chunk, ASK_FOR_NEXT))
        return;
#endif
    move_rows_apart(block->output + piece->output, block->output_step, output_step, block->input + piece->input,
                    block->input_step, step, block->count, piece->count, row->chunk, block->in_memory);
}

static APART void rows_by_pieces(const dmlc_row *row, const dmlc_row_permutations *permutations,
                                 const dmlc_block *block)
{
    const dmlc_piece *first = &row->pieces[0];
    /* Locals, since a store through a char pointer might change the block, for all that the compiler knows. */
    char *output = block->output;
    const char *input = block->input;
    const int64_t output_step = block->output_step, input_step = block->input_step, count = block->count;
    dmlc_stream *stream = block->stream;
    const dmlc_permutation *found[DMLC_MAXIMUM_PIECES];
    for (int32_t i = 0; i < row->piece_count; ++i)
        found[i] = permutation_of(permutations, &row->pieces[i]);
    if (dmlc_row_is_dense_gather(row) && stream != NULL) {
        staged_rows(found[0], row->chunk, first->step, output, output_step, input + first->input, input_step, count,
                    first->count, block);
        return;
    }
    if (is_staged(row, block)) {
        dmlc_block staged;
        for (int64_t r = 0; r < block->count; r += staged.count) {
            staged = staged_block(block, r, row->size * row->chunk);
            rows_by_pieces(row, permutations, &staged);
        }
        return;
    }
    if (row->piece_count == 1 && found[0] != NULL && stream == NULL) {
        permute(found[0], output, output_step, input + first->input, input_step, count, first->count, block);
        return;
    }
    if (row->piece_count == 1 && first->operation == DMLC_REPEAT && stream == NULL) {
        repeat_rows(output, output_step, input + first->input, input_step, count, first->count, row->chunk);
        return;
    }
    /* Too few chunks for their permutation. */
    if (dmlc_row_is_gather(row) && stream == NULL) {
        gather_rows(row, block);
        return;
    }
    for (int64_t r = 0; r < count; ++r)
        for (int32_t i = 0; i < row->piece_count; ++i)
            run_piece(&row->pieces[i], row, found[i], block, output + r * output_step, input + r * input_step);
}

/* Whether rows of a few lines each are copied with those to come asked for. With AVX-512 those of less than a KB gain in the second-level
 * cache, too; with AVX2 the shortest ones gain where they lie further apart. Past the cache short ones gain sooner, since what is sent
 * there waits for what is read. */
static bool are_copied_ahead(const dmlc_block *block, int64_t bytes)
{
    enum { LEAST_ROW = 64, SHORT_ROW = 448, MOST_ROW = 3072, LEAST_GAP = 512, SHORT_GAP = 384, PAST_CACHE_GAP = 176 };
    int64_t least_gap = bytes >= SHORT_ROW ? LEAST_GAP : block->stream != NULL ? PAST_CACHE_GAP : SHORT_GAP;
#if defined(__AVX512F__)
    enum { MOST_NEAR_ROW = 1024, NEAR_BYTES = 128 * 1024 };
    const bool pays = block->far || (bytes < MOST_NEAR_ROW && block->count * bytes >= NEAR_BYTES);
#else
    enum { SHORTEST_ROW = 96 };
    const bool pays = block->far;
    if (bytes < SHORTEST_ROW && block->stream == NULL)
        least_gap = 2 * LEAST_GAP;
#endif
    return pays && bytes >= LEAST_ROW && bytes < MOST_ROW && lie_apart(block, bytes, least_gap);
}

/* A KB of the rows to come is asked for. On Zen 4, rows of 64 to 2000 bytes, 8 to 60 MB in all, took 0.75 to 0.95 of the time by mean where
 * 512 bytes to a KB lie between them, 240 to 260 bytes 0.5 to 0.6, and 0.8 to 1.0 in 0.3 to 3 MB with AVX-512. With 450 bytes between
 * them, rows of a KB took up to 1.4 times as long; shorter ones, in 12 MB, 0.7 to 1.0 of the time from 400 bytes on, and up to 1.4 times
 * as long with 180 to 260. Past the cache rows of 68 bytes took 0.25 to 0.5 of the time from 192 bytes on, of 100 to 300 bytes 0.4 to
 * 1.15. */
static APART void copy_rows_ahead(const dmlc_block *block, const char *input, int64_t bytes)
{
    enum { AHEAD_BYTES = 1024 };
    const dmlc_block here = *block;
    const int64_t ahead = bytes < AHEAD_BYTES ? AHEAD_BYTES / bytes : 1;
    const int64_t fetched = dmlc_minimum(bytes, AHEAD_BYTES);
    for (int64_t r = 0; r < here.count; ++r) {
        const char *from = input + r * here.input_step;
        if (r + ahead < here.count)
            fetch(from + ahead * here.input_step, fetched);
        copy_run(here.output + r * here.output_step, from, bytes, here.stream);
    }
}

/* Of a few lines each, past the cache: several are made in the stage before they are sent. Row by row, the line in which one ends and the
 * next begins was read before what makes it up had left the store buffer. The longer the rows are and the further apart they lie, the
 * longer the stage waits for what is read. Copies of 80 MB on Zen 4, as a share of the time row by row, by what lies between the rows, of
 * which those that take longer are not staged:
 *
 *             4 bytes         64             128            256
 *     68      0.4             0.55           0.8            1.0
 *     132     0.6             0.8            1.0 to 1.15    1.1         up in the input
 *     200     0.9             0.95 to 1.05   1.1            1.3
 *     340     0.95 to 1.1     1.0 to 1.15    1.05           1.6
 *     68      0.25            0.35           0.65           1.0
 *     132     0.45            0.55           0.85           1.2         down
 *     200     0.6             0.75           1.2 to 1.3     1.25
 *     340     1.3 to 1.5      1.6            2.5            2
 */
static bool are_copied_by_stage(const dmlc_block *block, int64_t bytes)
{
    enum { MOST_UP = 330, MOST_DOWN = 300, MOST_GAP = 176 };
    if (block->stream == NULL || block->output_step != bytes)
        return false;
    const int64_t apart = gap_between(block, bytes), gap = dmlc_maximum(apart, 0);
    return block->input_step < 0 ? gap < MOST_GAP && bytes + gap < MOST_DOWN : bytes + 2 * gap < MOST_UP;
}

/* Rows that follow each other closely are asked for, which took 0.87 to 0.95 of the time. */
static APART void copy_rows_by_stage(const dmlc_block *block, const char *input, int64_t bytes)
{
    enum { MOST_GAP = 24 };
    const dmlc_block here = *block;
    const int64_t together = staged_together(bytes);
    const int64_t fetched = here.input_step >= 0 && !lie_apart(block, bytes, MOST_GAP) ? bytes : 0;
    for (int64_t r = 0; r < here.count; r += together) {
        const int64_t some = dmlc_minimum(together, here.count - r),
                      next = dmlc_minimum(together, here.count - r - some);
        char *to = stream_stage(here.stream, here.output + r * bytes, some * bytes);
        for (int64_t i = 0; i < next; ++i)
            fetch(input + (r + some + i) * here.input_step, fetched);
        copy_rows(to, bytes, input + r * here.input_step, here.input_step, some, bytes);
    }
}

/* Of many lines each, downward in the input. Where most of them come from memory, AVX-512 asks for enough by itself. */
static bool are_copied_downward(const dmlc_block *block, int64_t bytes)
{
    enum { LEAST_ROW = 448, MOST_ROW = 8192 };
#if defined(__AVX512F__)
    const bool pays = block->far && !block->in_memory;
#else
    const bool pays = block->far;
#endif
    return pays && block->stream == NULL && block->input_step < 0 && bytes >= LEAST_ROW && bytes <= MOST_ROW;
}

/* With each line that is copied, the one at its place in the next row is asked for, which no processor fetches by itself, and one that
 * is written soon. On Zen 4 reversed rows took 0.92 to 1.0 of the time, those of 450 to 600 bytes in 3 MB up to 1.05 with AVX2; from 18 MB
 * moved on, AVX2 took 0.7 to 0.95 and AVX-512 1.1 to 1.2. Rows of 100 to 300 bytes took up to 1.2 times as long, and rows of 20 KB 1.15
 * times, since what was asked for has left the first-level cache. */
static APART void copy_rows_downward(const dmlc_block *block, const char *first_input, int64_t bytes)
{
    enum { WRITTEN_AHEAD = 512 };
    const dmlc_block here = *block;
    for (int64_t r = 0; r < here.count; ++r) {
        char *output = here.output + r * here.output_step;
        const char *input = first_input + r * here.input_step;
        const char *next = r + 1 < here.count ? input + here.input_step : input;
        store64(output, load64(input));
        for (int64_t at = until_aligned(output, 64); at < bytes - 64; at += 64) {
            fetch_line(next + at);
            if (at < bytes - WRITTEN_AHEAD)
                fetch_to_write(output + at + WRITTEN_AHEAD);
            store64(output + at, load64(input + at));
        }
        store64(output + bytes - 64, load64(input + bytes - 64));
    }
}

/* Copies and gathers do not enter rows_by_pieces: to align its stack for vectors takes as long as to move 64 bytes. */
static void rows_at_once(const dmlc_row *row, const dmlc_row_permutations *permutations, const dmlc_block *block)
{
    const dmlc_piece *first = &row->pieces[0];
    if (dmlc_row_is_gather(row) && permutations == NULL && block->stream == NULL) {
        gather_rows(row, block);
        return;
    }
    if (!dmlc_row_is_copy(row)) {
        rows_by_pieces(row, permutations, block);
        return;
    }
    /* Past the cache always up in the input: stores go there down as well as up, and what is read from memory row by row from
     * its end on, 1 KB or 6 each, took 1.5 to 3 times as long. Plain stores take 1.1 to 1.5 times as long downward. */
    const bool by_stage = are_copied_by_stage(block, first->count);
    dmlc_block up;
    if (block->stream != NULL && block->input_step < 0 && !by_stage) {
        up = from_its_end(block);
        block = &up;
    }
    char *output = block->output;
    const char *input = block->input + first->input;
    const int64_t output_step = block->output_step, input_step = block->input_step;
    const int64_t count = block->count, bytes = first->count;
    dmlc_stream *stream = block->stream;
    if (output_step == bytes && input_step == bytes)
        copy_run(output, input, count * bytes, stream);
    else if (are_copied_downward(block, bytes))
        copy_rows_downward(block, input, bytes);
    else if (by_stage)
        copy_rows_by_stage(block, input, bytes);
    else if (are_copied_ahead(block, bytes))
        copy_rows_ahead(block, input, bytes);
    else if (stream == NULL && !(block->in_memory && bytes >= LONG_RUN))
        copy_rows(output, output_step, input, input_step, count, bytes);
    else /* long rows in memory, too: those that are alike in their lines took 0.8 of the time with AVX2 */
        for (int64_t r = 0; r < count; ++r)
            copy_run(output + r * output_step, input + r * input_step, bytes, stream);
}

/* Chunks in memory so far apart that the processor may skip lines between them, and then does not see which ones come next. */
enum { LEAST_APART = 96, MOST_APART = 176, FETCHED_BYTES = 4096 };

static bool are_fetched(const dmlc_row *row, const dmlc_block *block)
{
    const dmlc_piece *only = &row->pieces[0];
    return block->in_memory && dmlc_row_is_dense_gather(row) && only->step >= LEAST_APART && only->step <= MOST_APART &&
           only->count >= 3 * FETCHED_BYTES / only->step;
}

/* Part by part, with all lines of the next one asked for. On Zen 4, columns and narrow slices of 40 to 150 MB took 0.56 to 0.9 of the
 * time with AVX2, one thread, 0.68 to 1.0 with AVX-512. With the chunks' own lines alone they took as long as before, and 190 bytes apart
 * 1.2 times as long with all. */
static APART void fetched_rows(const dmlc_row *row, const dmlc_row_permutations *permutations, const dmlc_block *block)
{
    const dmlc_piece *only = &row->pieces[0];
    const int64_t units = only->count, step = only->step, most = FETCHED_BYTES / step;
    dmlc_row part = *row;
    dmlc_block here = *block;
    here.count = 1;
    for (int64_t r = 0; r < block->count; ++r) {
        const char *input = block->input + r * block->input_step;
        for (int64_t at = 0; at < units; at += part.size) {
            const int64_t left = units - at, ahead = left < 2 * most ? left - most : most;
            part.size = part.pieces[0].count = dmlc_minimum(left, most);
            here.output = block->output + r * block->output_step + at * row->output_step;
            here.input = input + at * step;
            if (left > most)
                fetch(here.input + only->input + most * step, (ahead - 1) * step + row->chunk);
            else if (r + 1 < block->count)
                fetch(input + block->input_step + only->input, (most - 1) * step + row->chunk);
            rows_at_once(&part, permutations, &here);
        }
    }
}

static void rows(const dmlc_row *row, const dmlc_row_permutations *permutations, const dmlc_block *block)
{
    if (are_fetched(row, block))
        fetched_rows(row, permutations, block);
    else
        rows_at_once(row, permutations, block);
}

#endif
