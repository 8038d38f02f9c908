/* Boxes: small inner axes as one list of byte permutations, so that what is repeated over the outer axes costs neither a
 * row nor an axis. Planned byte by byte, hence only where it is run many times. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BOX_BYTES = 512, MOST_ROW_BYTES = 128, MOST_PARTS = 24, FEWEST_BOXES = 16 };

#define OUTSIDE INT64_MIN

/* Where each byte of the box is read from, in the order of the output; `at` counts them. */
static void list_sources(const dmlc_plan *plan, int32_t axis, int64_t offset, bool outside, int64_t *sources,
                         int64_t *at)
{
    const int64_t chunk = plan->program.row.chunk;
    if (axis == plan->axis_count) {
        for (int64_t byte = 0; byte < chunk; ++byte)
            sources[(*at)++] = outside ? OUTSIDE : offset + byte;
        return;
    }
    const dmlc_axis *here = &plan->axes[axis];
    for (int64_t position = 0; position < here->size;) {
        const dmlc_segment run = dmlc_axis_run(here, position, here->size);
        for (int64_t i = 0; i < run.size; ++i)
            list_sources(plan, axis + 1, offset + run.offset + i * run.step, outside || run.outside, sources, at);
        position += run.size;
    }
}

/* The bytes of one block that lie within a window from the lowest of those in `left` on, and the filled ones with them. */
static dmlc_box_part take_part(const int64_t *sources, uint64_t *left)
{
    dmlc_box_part part = {0};
    int64_t lowest = INT64_MAX;
    for (int64_t i = 0; i < DMLC_BLOCK_BYTES; ++i)
        if ((*left >> i & 1) && sources[i] != OUTSIDE && sources[i] < lowest)
            lowest = sources[i];
    for (int64_t i = 0; i < DMLC_BLOCK_BYTES; ++i) {
        if (!(*left >> i & 1))
            continue;
        const uint64_t bit = UINT64_C(1) << i;
        if (sources[i] == OUTSIDE) {
            part.filled |= bit;
        } else if (sources[i] - lowest < DMLC_WINDOW_BYTES) {
            const int64_t place = sources[i] - lowest;
            part.index[i] = (uint8_t)place;
            part.read[place / 64] |= UINT64_C(1) << place % 64;
        } else {
            continue;
        }
        part.written |= bit;
    }
    part.input = lowest == INT64_MAX ? 0 : lowest;
    *left &= ~part.written;
    return part;
}

dmlc_status dmlc_plan_box(dmlc_plan *plan)
{
    const dmlc_row *row = &plan->program.row;
    int64_t bytes = row->size * row->chunk;
    int32_t outer = plan->axis_count - 1;
    if (bytes > MOST_ROW_BYTES || plan->outside)
        return DMLC_OK;
    for (; outer > plan->dense_from && plan->axes[outer - 1].size <= MOST_BOX_BYTES / bytes; --outer)
        bytes *= plan->axes[outer - 1].size;
    const int32_t axes = plan->axis_count - outer;
    if (axes < 2 || outer == 0 || bytes < DMLC_BLOCK_BYTES || plan->bytes / 2 / bytes < FEWEST_BOXES)
        return DMLC_OK;
    int64_t sources[MOST_BOX_BYTES + DMLC_BLOCK_BYTES], listed = 0;
    list_sources(plan, outer, 0, false, sources, &listed);
    dmlc_box_part parts[MOST_PARTS];
    int32_t count = 0;
    for (int64_t at = 0; at < bytes; at += DMLC_BLOCK_BYTES) {
        uint64_t left = bytes - at < DMLC_BLOCK_BYTES ? (UINT64_C(1) << (bytes - at)) - 1 : ~UINT64_C(0);
        while (left != 0) {
            if (count == MOST_PARTS)
                return DMLC_OK;
            parts[count] = take_part(sources + at, &left);
            parts[count++].output = at;
        }
    }
    plan->box = malloc(sizeof(*plan->box) + (size_t)count * sizeof(*parts));
    if (plan->box == NULL)
        return DMLC_OUT_OF_MEMORY;
    plan->box->axes = axes;
    plan->box->bytes = bytes;
    plan->box->part_count = count;
    memcpy(plan->box->parts, parts, (size_t)count * sizeof(*parts));
    return DMLC_OK;
}
