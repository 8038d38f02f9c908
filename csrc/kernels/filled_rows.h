/* Rows that are filled together and then copied to, see dmlc_filled_rows. */
#ifndef DMLC_KERNELS_FILLED_ROWS_H
#define DMLC_KERNELS_FILLED_ROWS_H

#include "kernels/moves.h"
#include "kernels/rows.h"

/* Some rows at a time: they are copied to while they are in the first-level cache. */
static void filled_rows(const dmlc_filled_rows *filled, const dmlc_block *block)
{
    dmlc_block some;
    for (int64_t r = 0; r < block->count; r += some.count) {
        some = staged_block(block, r, filled->bytes);
        fill_bytes(some.output, some.count * filled->bytes, block->pattern->bytes);
        copy_rows(some.output + filled->copy_output, filled->bytes, some.input + filled->copy_input, some.input_step,
                  some.count, filled->copy_bytes);
    }
}

#endif
