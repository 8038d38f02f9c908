/* Rows too short to be worth a kernel's while, such as pixels: so many of them are a block. */
#include "plan/planner.h"

#include <math.h>

/* What a call sets up and ends with, in calls and in what sets a permutation up. */
static const double CALLS = 1.7, SETUPS = 1.3;

static double setup_cost(const dmlc_costs *costs) { return CALLS * costs->call + SETUPS * costs->setup; }

/* A leaf is all units of a row, where axes outside it are walked and what is set up once takes long beside them: crops of images with their
 * channels swapped took 0.2 to 0.95 of the time. A long row is left to be cut for threads, and units too few for blocks go byte by byte. */
static bool goes_by_units(const dmlc_sketch *sketch, const dmlc_axis *units, const dmlc_permutation *permutation)
{
    enum { MOST_BYTES = 64 * 1024 };
    return dmlc_axis_is_plain(units) && (sketch->plan->axis_count > 2 || sketch->is_part) &&
           units->size <= MOST_BYTES / units->output_step && dmlc_permutes(permutation, sketch->abilities, units->size);
}

/* Rows of units: each ends by a block that overlaps the one before it, or has fewer units. */
static double units_cost(const dmlc_sketch *sketch, int64_t units, const dmlc_permutation *permutation)
{
    static const double NARROW_ROW = 3, WIDE_ROW = 0.5, WIDE_BLOCK = 0.85;
    const dmlc_costs *costs = sketch->costs;
    const bool is_wide = dmlc_is_wide(sketch);
    const double block = is_wide ? WIDE_BLOCK * costs->shuffle : costs->permutation;
    const double blocks = (double)((units - 1) / permutation->units + 1);
    const int32_t outside = sketch->plan->axis_count - 2;
    const double call = dmlc_call_cost(sketch, outside) / costs->call * setup_cost(costs);
    const double row =
        (is_wide ? WIDE_ROW : NARROW_ROW) + blocks * (block + dmlc_sources_cost(permutation, sketch->abilities));
    return sketch->rest + dmlc_leaves(sketch, outside) * (call + row);
}

/* The units of the longest run count for the cost: a short one costs as much whatever it is. */
static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const dmlc_plan *plan = sketch->plan;
    const dmlc_row *row = &sketch->row;
    const dmlc_costs *costs = sketch->costs;
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
            const double block = costs->shuffle + dmlc_sources_cost(permutation, sketch->abilities);
            unit_cost = block / (double)permutation->units;
        }
    }
    short_rows->units = goes_by_units(sketch, outer, &short_rows->permutations[0]) ? outer->size : 1;
    if (short_rows->units > 1)
        return units_cost(sketch, short_rows->units, &short_rows->permutations[0]);
    return sketch->rest + sketch->calls / costs->call * setup_cost(costs) + sketch->rows * unit_cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    sketch->plan->way = DMLC_SHORT_ROWS;
    sketch->plan->leaf_axes = sketch->short_rows.units > 1 ? 2 : 1;
    dmlc_short_rows *made = &sketch->plan->program.short_rows;
    *made = sketch->short_rows;
    dmlc_runs runs;
    dmlc_runs_of_row(&runs, &sketch->row, 0, sketch->row_bytes);
    for (int32_t i = 0; i < made->count; ++i)
        dmlc_index_row(&made->permutations[i], &runs);
    return DMLC_OK;
}

const dmlc_map_way dmlc_short_rows_way = {cost, make, NULL};
