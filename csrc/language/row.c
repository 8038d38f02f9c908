/* Rows: one axis as pieces. */
#include "language/plan.h"

static void add_piece(dmlc_row *row, const dmlc_segment *run, int64_t output)
{
    const bool dense = dmlc_row_is_dense(row);
    dmlc_piece piece = {.output = output, .input = run->offset, .step = run->step, .count = run->size};
    if (run->outside)
        piece.operation = dense ? DMLC_FILL : DMLC_FILL_EACH;
    else if (dense && (run->size == 1 || run->step == row->chunk))
        piece.operation = DMLC_COPY;
    else /* a chunk that does not divide a block, a pixel of three bytes, repeats as any other gather */
        piece.operation = dense && run->step == 0 && DMLC_BLOCK_BYTES % row->chunk == 0 ? DMLC_REPEAT : DMLC_GATHER;
    if (piece.operation == DMLC_COPY || piece.operation == DMLC_FILL)
        piece.count *= row->chunk;
    row->pieces[row->piece_count++] = piece;
}

dmlc_row dmlc_row_of(const dmlc_axis *axis, int64_t chunk, int64_t begin, int64_t end)
{
    dmlc_row row;
    row.chunk = chunk;
    row.output_step = axis->output_step;
    row.size = end - begin;
    row.piece_count = 0;
    /* From the second turn on, a row repeats what it has written already. */
    const int64_t first_turn = end - begin > axis->cycle ? begin + axis->cycle : end;
    for (int64_t position = begin; position < first_turn;) {
        const dmlc_segment run = dmlc_axis_run(axis, position, first_turn);
        add_piece(&row, &run, (position - begin) * axis->output_step);
        position += run.size;
    }
    if (first_turn < end) {
        row.pieces[row.piece_count++] = (dmlc_piece){
            .operation = DMLC_REPLICATE,
            .output = axis->cycle * axis->output_step,
            .step = axis->cycle * axis->output_step,
            .count = end - first_turn,
        };
    }
    return row;
}
