/* Rows of a few bytes inside a border that is filled: all of them are filled at once and then copied to, which costs less than
 * to fill and to copy in each. */
#include "plan/planner.h"

#include <math.h>

/* The copy of a row that is one copy and filled for the rest; NULL for other rows. */
static const dmlc_piece *find_copy(const dmlc_row *row)
{
    const dmlc_piece *copy = NULL;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation == DMLC_COPY && copy == NULL)
            copy = piece;
        else if (piece->operation != DMLC_FILL)
            return NULL;
    }
    return row->piece_count < 2 ? NULL : copy;
}

/* A call has three loops and costs as much as two. Rows of a wide block are short rows or shuffles instead, and so are those of two narrow
 * ones: by AVX2 rows of 16 to 32 bytes took 0.93 of the time by mean, 0.45 at best. Where whole blocks are shuffled, ends cost less as long
 * as they have room: AVX-512 took 0.8 to 1.1 of the time by them, AVX2 1.2 to 2 times as long for rows of 34 to 200 bytes. Where they have
 * none, as most of the row is filled, AVX-512's rows took 0.2 to 0.4 of what they take piece by piece. */
static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const dmlc_plan *plan = sketch->plan;
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = sketch->row_bytes;
    const dmlc_piece *copy = find_copy(&sketch->row);
    const bool wide = dmlc_is_wide(sketch);
    const int64_t most_shuffled = wide ? DMLC_BLOCK_BYTES : 2 * sketch->abilities->block_bytes;
    if (copy == NULL || bytes > DMLC_MOST_FILLED_BYTES || plan->axis_count < 2 ||
        !dmlc_is_dense(plan, plan->axis_count - 2) || bytes <= most_shuffled ||
        (wide && dmlc_ends_have_room(copy, bytes)))
        return (double)INFINITY;
    sketch->filled_rows = (dmlc_filled_rows){bytes, copy->output, copy->input, copy->count};
    const double filled = (double)bytes * costs->move / 32, copied = (double)copy->count * costs->copied_byte;
    const double row = wide ? 0.5 * (costs->piece + filled) + 2 * copied : 0.3 * costs->piece + 0.7 * filled;
    return sketch->rest + 2 * sketch->calls + sketch->rows * row;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_FILLED_ROWS;
    sketch->plan->leaf_axes = 1;
    sketch->plan->program.filled_rows = sketch->filled_rows;
    return DMLC_OK;
}

const dmlc_map_way dmlc_filled_rows_way = {cost, make, NULL};
