/* Rows by their pieces, see dmlc_row: `count` rows, `output_step` and `input_step` bytes apart.
 *
 * What goes past the cache and is not made of long runs is made in the cache first and goes past it from there: without
 * this, pixels reversed into 192 MiB took 1.2 times as long. */
#ifndef DMLC_KERNELS_ROWS_H
#define DMLC_KERNELS_ROWS_H

#include "kernels/moves.h"
#include "kernels/permute.h"

/* As much as fits into a first-level cache, twice. */
enum { REPLICATED_BYTES = 16 * 1024 };

enum { STAGE_BYTES = 8 * 1024 };

static void run_piece(const dmlc_piece *piece, const dmlc_row *row, char *output, const char *input,
                      const dmlc_pattern *pattern, dmlc_stream *stream)
{
    char *to = output + piece->output;
    switch (piece->operation) {
    case DMLC_COPY: copy_run(to, input + piece->input, piece->count, stream); return;
    case DMLC_FILL: fill(to, piece->count, pattern, stream); return;
    case DMLC_FILL_EACH:
        for (int64_t i = 0; i < piece->count; ++i)
            fill_bytes(to + i * row->output_step, row->chunk, pattern->bytes);
        return;
    case DMLC_REPEAT: repeat(to, input + piece->input, piece->count, row->chunk); return;
    case DMLC_GATHER: {
        const char *from = input + piece->input;
        if (stream != NULL && row->output_step == row->chunk && row->chunk <= STAGE_BYTES && piece->count > 1) {
            char stage[STAGE_BYTES];
            dmlc_piece part = *piece;
            part.output = 0;
            const int64_t most = STAGE_BYTES / row->chunk;
            for (int64_t i = 0; i < piece->count; i += part.count) {
                part.count = piece->count - i < most ? piece->count - i : most;
                part.input = piece->input + i * piece->step;
                run_piece(&part, row, stage, input, pattern, NULL);
                stream_copy(stream, to + i * row->chunk, stage, part.count * row->chunk);
            }
            return;
        }
        const int64_t done = piece->permutation >= 0 ? permute(&row->permutations[piece->permutation], to, 0, from, 0,
                                                               1, piece->count, pattern)
                                                     : 0;
        move(to + done * row->output_step, row->output_step, from + done * piece->step, piece->step,
             piece->count - done, row->chunk);
        return;
    }
    case DMLC_REPLICATE:
        if (row->output_step == row->chunk) {
            /* Each copy doubles what there is to copy from, so that short cycles are long runs soon; but what is copied
             * again and again stays in cache. */
            int64_t bytes = piece->count * row->chunk;
            int64_t there = piece->step;
            while (bytes > 0) {
                const int64_t more = bytes < there ? bytes : there;
                if (stream != NULL)
                    stream_flush(stream);
                copy_run(to, to - there, more, there >= REPLICATED_BYTES ? stream : NULL);
                to += more;
                bytes -= more;
                if (there < REPLICATED_BYTES)
                    there += more;
            }
            return;
        }
        if (stream != NULL)
            stream_flush(stream);
        move(to, row->output_step, to - piece->step, row->output_step, piece->count, row->chunk);
        return;
    }
}

static void rows(const dmlc_row *row, char *output, int64_t output_step, const char *input, int64_t input_step,
                 int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    const dmlc_piece *first = &row->pieces[0];
    const int64_t row_bytes = row->size * row->chunk;
    const bool one_copy = row->piece_count == 1 && first->operation == DMLC_COPY;
    if (stream != NULL && count > 1 && !one_copy && row->output_step == row->chunk && output_step == row_bytes &&
        row_bytes <= STAGE_BYTES / 2) {
        char stage[STAGE_BYTES];
        const int64_t most = STAGE_BYTES / row_bytes;
        for (int64_t r = 0; r < count; r += most) {
            const int64_t some = count - r < most ? count - r : most;
            rows(row, stage, row_bytes, input + r * input_step, input_step, some, pattern, NULL);
            stream_copy(stream, output + r * row_bytes, stage, some * row_bytes);
        }
        return;
    }
    if (row->whole.units > 0 && input_step == row->whole.unit_step && count > 1) {
        const int64_t done = permute(&row->whole, output, 0, input, 0, 1, count, pattern);
        output += done * output_step;
        input += done * input_step;
        count -= done;
    }
    if (row->middle >= 0 && count > 1 && stream == NULL &&
        permute_ends(row, output, output_step, input, input_step, count, pattern))
        return;
    if (row->piece_count == 1 && first->operation == DMLC_GATHER && first->permutation >= 0 && stream == NULL &&
        permute_pays(&row->permutations[first->permutation], first->count)) {
        const dmlc_permutation *permutation = &row->permutations[first->permutation];
        const int64_t chunks = first->count;
        const char *from = input + first->input;
        const int64_t done = permute(permutation, output, output_step, from, input_step, count, chunks, pattern);
        for (int64_t r = 0; r < count && done < chunks; ++r)
            move(output + r * output_step + done * row->chunk, row->chunk, from + r * input_step + done * first->step,
                 first->step, chunks - done, row->chunk);
        return;
    }
    if (one_copy) {
        const int64_t bytes = first->count;
        input += first->input;
        if (bytes >= 2 && bytes <= 128 && stream == NULL) {
            copy_short_rows(output, output_step, input, input_step, count, bytes);
            return;
        }
        for (int64_t r = 0; r < count; ++r)
            copy_run(output + r * output_step, input + r * input_step, bytes, stream);
        return;
    }
    if (row->piece_count == 1 && first->operation == DMLC_GATHER && stream == NULL) {
        move_rows(output, output_step, row->output_step, input + first->input, input_step, first->step, count,
                  first->count, row->chunk);
        return;
    }
    for (int64_t r = 0; r < count; ++r)
        for (int32_t i = 0; i < row->piece_count; ++i)
            run_piece(&row->pieces[i], row, output + r * output_step, input + r * input_step, pattern, stream);
}

#endif
