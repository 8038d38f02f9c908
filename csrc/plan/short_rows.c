/* Rows too short to be worth a kernel's while, such as pixels: so many of them are a block. */
#include "plan/planner.h"

#include <math.h>

/* What a call sets up and ends with, in calls and in what sets a permutation up. */
static const double CALLS = 1.7, SETUPS = 1.3;

/* The units of the longest run count for the cost: a short one costs as much whatever it is. */
static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const dmlc_plan *plan = sketch->plan;
    const dmlc_row *row = &sketch->row;
    const int64_t bytes = sketch->row_bytes;
    const bool one_copy = dmlc_row_is_copy(row);
    if (plan->axis_count < 2 || plan->outside || !sketch->dense_row || bytes > sketch->abilities->block_bytes ||
        bytes % plan->width != 0)
        return (double)INFINITY;
    const dmlc_axis *outer = &plan->axes[plan->axis_count - 2];
    if (outer->output_step != bytes)
        return (double)INFINITY;
    dmlc_runs runs;
    if (!dmlc_runs_of_row(&runs, row, 0, bytes))
        return (double)INFINITY;
    dmlc_short_rows *short_rows = &sketch->short_rows;
    short_rows->count = 0;
    int64_t longest = 0;
    double unit_cost = 0;
    for (int32_t i = 0; i < outer->segment_count; ++i) {
        const dmlc_segment *segment = &outer->segments[i];
        if (segment->outside)
            continue;
        dmlc_permutation *permutation = &short_rows->permutations[short_rows->count++];
        /* A single row may have any step: none is to be added behind it. */
        dmlc_permute_row(permutation, sketch->abilities, &runs, bytes, segment->size > 1 ? segment->step : 0);
        if (permutation->units == 0 || (permutation->units == 1 && one_copy))
            return (double)INFINITY;
        if (segment->size > longest) {
            longest = segment->size;
            /* Their blocks are masked, as a shuffle is. */
            const double block = sketch->costs->shuffle + dmlc_sources_cost(permutation, sketch->abilities);
            unit_cost = block / (double)permutation->units;
        }
    }
    /* Each call sets it up, and ends by blocks that are put together. */
    const double calls = sketch->calls * (CALLS + SETUPS * sketch->costs->setup / sketch->costs->call);
    return sketch->rest + calls + sketch->rows * unit_cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_SHORT_ROWS;
    sketch->plan->leaf_axes = 1;
    dmlc_short_rows *made = &sketch->plan->program.short_rows;
    *made = sketch->short_rows;
    dmlc_runs runs;
    dmlc_runs_of_row(&runs, &sketch->row, 0, sketch->row_bytes);
    for (int32_t i = 0; i < made->count; ++i)
        dmlc_index_row(&made->permutations[i], &runs);
    return DMLC_OK;
}

const dmlc_map_way dmlc_short_rows_way = {cost, make, NULL};
