/* Dense rows of units that lie at a constant step in the input, past the cache. */
#ifndef DMLC_KERNELS_STAGED_ROWS_H
#define DMLC_KERNELS_STAGED_ROWS_H

#include "kernels/moves.h"
#include "kernels/permutations.h"

/* Units by their permutation, or one by one where that is NULL. */
typedef struct staged_units {
    const dmlc_permutation *permutation;
    int64_t bytes, step;
    const dmlc_block *block;
    bool up; /* units go back, and are read from a row's lower end on */
} staged_units;

static void make_staged_rows(const staged_units *of, char *output, int64_t output_row, const char *input,
                             int64_t input_row, int64_t rows, int64_t units)
{
    dmlc_stream *stream = of->block->stream;
    const int64_t row_bytes = units * of->bytes;
    if (of->permutation != NULL) {
        permute_staged(of->permutation, output, output_row, input, input_row, rows, units, of->block, of->up);
        return;
    }
    const int64_t together = output_row == row_bytes && row_bytes < LEAST_READ_UP ? staged_together(row_bytes) : 1;
    for (int64_t r = 0, some; r < rows; r += some) {
        some = dmlc_minimum(rows - r, together);
        char *to = stream_stage(stream, output + r * output_row, some * row_bytes);
        if (of->step < 0 && !of->up)
            move_rows_down(to, row_bytes, input + r * input_row, input_row, of->step, some, units, of->bytes);
        else if (together > 1)
            move_rows(to, row_bytes, of->bytes, input + r * input_row, input_row, of->step, some, units, of->bytes);
        else if (of->up)
            move_up(to, input + r * input_row, of->step, units, of->bytes);
        else
            move(to, of->bytes, input + r * input_row, of->step, units, of->bytes);
    }
}

/* A row that is longer than a stage goes as parts of whole lines, but for its ends:
 *
 *     |  first  |  part  |  part  |  part  |   last   |
 *
 * in the order in which they lie in the input; where it takes too many units to fill whole lines, parts are not of whole lines either. What
 * is read then goes up, or down, from the row's one end to its other: to go up in parts that follow each other down took up to three times
 * as long. */
typedef struct staged_parts {
    int64_t first, part, parts, last; /* in units, but for the number of parts */
} staged_parts;

static inline staged_parts staged_parts_of(const char *output, int64_t units, int64_t bytes)
{
    int64_t part = LONGEST_STAGED / 2 / bytes, together = 1;
    while (together * bytes % DMLC_LINE_BYTES != 0)
        together *= 2;
    const bool are_lines = 2 * together <= part;
    part -= are_lines ? part % together : 0;
    const int64_t aligned = are_lines ? first_aligned(output, bytes, part, part + together, DMLC_LINE_BYTES) : part;
    const int64_t first = aligned < part + together ? aligned : part;
    const int64_t parts = (units - first) / part - 1, whole = dmlc_maximum(parts, 0);
    return (staged_parts){first, part, whole, units - first - whole * part};
}

static void stage_long_row(const staged_units *of, char *output, const char *input, int64_t units)
{
    const staged_parts parts = staged_parts_of(output, units, of->bytes);
    const int64_t begins[] = {0, parts.first, units - parts.last}, counts[] = {1, parts.parts, 1},
                  sizes[] = {parts.first, parts.part, parts.last};
    for (int i = 0; i < 3; ++i) {
        const int which = of->up ? 2 - i : i;
        if (counts[which] == 0)
            continue;
        const int64_t size = sizes[which], direction = of->up ? -1 : 1;
        const int64_t begin = begins[which] + (of->up ? (counts[which] - 1) * size : 0);
        make_staged_rows(of, output + begin * of->bytes, direction * size * of->bytes, input + begin * of->step,
                         direction * size * of->step, counts[which], size);
    }
}

/* `rows` of so many `units`, each of `bytes` and `step` bytes apart in the input; by a permutation that fits them, or NULL.
 *
 * All that is read goes one way, up or down: each row as what the run reads next to it does, or else the rows as each row does. With rows
 * that went down and units that went up, or the other way round, 24 and 50 MB took 1.2 to 4.4 times as long. */
static APART void staged_rows(const dmlc_permutation *permutation, int64_t bytes, int64_t step, char *output,
                              int64_t output_row, const char *input, int64_t input_row, int64_t rows, int64_t units,
                              const dmlc_block *block)
{
    const int64_t row_bytes = units * bytes;
    const bool is_below = rows > 1 && input_row < 0;
    const bool down =
        block->reads_down && step < 0 && (permutation != NULL ? permutes_down(permutation) : moves_down(bytes));
    const bool up = !down && step < 0 && (permutation != NULL ? permutes_up(permutation) : moves_up(bytes));
    if (is_below && !down && row_bytes >= LEAST_READ_UP) {
        output += (rows - 1) * output_row;
        input += (rows - 1) * input_row;
        output_row = -output_row;
        input_row = -input_row;
    }
    const staged_units of = {permutation, bytes, step, block, up};
    if (row_bytes <= LONGEST_STAGED) {
        make_staged_rows(&of, output, output_row, input, input_row, rows, units);
        return;
    }
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        /* A line in which one row ends and the next begins is written in parts: without this the stores behind it waited for it. */
        if (r + 1 < rows)
            fetch_to_write(to + output_row + (output_row < 0 ? 0 : row_bytes - 1));
        stage_long_row(&of, to, input + r * input_row, units);
    }
}

#endif
