/* Boxes by shuffles: each table has one kind, of blocks or of lanes. */
#ifndef DMLC_KERNELS_SHUFFLES_H
#define DMLC_KERNELS_SHUFFLES_H

#include "kernels/boxes.h"

#if defined(__AVX512VBMI__)
#include "kernels/shuffles_blocks.h"
#else
#include "kernels/shuffles_lanes.h"
#endif

#if defined(DMLC_HAVE_LOOK_UP)

/* Shuffle by shuffle, in the caches: box by box took 1.15 to 1.2 times as long, whichever there are more of; with lanes in memory, 1.3
 * to 2.3. */
static APART void shuffle_boxes(const void *program, const dmlc_block *block)
{
    const dmlc_shuffle_list *list = &((const dmlc_shuffles *)program)->shuffles;
    run_shuffles(shuffles_of(list), list->count, block);
}

static void shuffles(const dmlc_shuffles *program, const dmlc_block *block)
{
    /* A single shuffle writes no line twice, so all boxes may go at once. */
    if (program->shuffles.count == 1 && block->stream == NULL)
        shuffle_boxes(program, block);
    else
        boxes(&program->box, block, shuffle_boxes, program);
}

#endif

#endif
