/* Maps: which way through the axes costs least. */
#include "plan/planner.h"

#include <math.h>

/* A contiguous inner run up to this many bytes moves as one chunk of the row outside it; a longer one is a row
 * itself, so that rows stay worth a kernel's while and work can still be shared along them. */
enum { LONGEST_CHUNK = 64 };

/* A way that comes first wins where two cost the same. */
static const dmlc_map_way *const ways[] = {
    &dmlc_rows_way, &dmlc_permuted_rows_way, &dmlc_short_rows_way, &dmlc_filled_rows_way,
    &dmlc_ends_way, &dmlc_transpose_way,     &dmlc_moves_way,      &dmlc_shuffles_way,
};

/* Short runs of the input's last axis move as one; returns their bytes. The row is the draft's last axis from then on. */
static int64_t take_chunk(dmlc_draft *draft)
{
    int64_t chunk = draft->width;
    if (draft->axis_count > 1) {
        const dmlc_axis *last = &draft->axes[draft->axis_count - 1];
        const bool contiguous =
            dmlc_axis_is_plain(last) && last->output_step == chunk && last->segments[0].step == chunk;
        if (contiguous && last->size <= LONGEST_CHUNK / chunk) {
            chunk *= last->size;
            --draft->axis_count;
        }
    }
    if (draft->axis_count == 0) {
        /* A single element is a row of one. */
        dmlc_axis_add(dmlc_draft_add_axis(draft, 1, chunk), 1, 0, chunk, draft->outside);
    }
    return chunk;
}

/* The bytes of the leaf, whose axes may stand in any order, where they are one run; else 0. */
static int64_t dense_leaf(const dmlc_plan *plan)
{
    int64_t contiguous = plan->chunk;
    for (int32_t found = 0; found < plan->leaf_axes; ++found) {
        int32_t i = plan->axis_count - plan->leaf_axes;
        while (i < plan->axis_count && plan->axes[i].output_step != contiguous)
            ++i;
        if (i == plan->axis_count)
            return 0;
        contiguous *= plan->axes[i].size;
    }
    return contiguous;
}

static void note_dense_axes(dmlc_plan *plan)
{
    plan->dense = 0;
    int64_t contiguous = plan->chunk;
    for (int32_t i = plan->axis_count - 1; i >= 0; --i) {
        if (i == plan->axis_count - plan->leaf_axes - 1 && contiguous == 0)
            contiguous = dense_leaf(plan);
        const bool is_dense = contiguous > 0 && plan->axes[i].output_step == contiguous;
        plan->dense |= (uint64_t)is_dense << i;
        contiguous = is_dense ? contiguous * plan->axes[i].size : 0;
    }
}

/* What several ways ask of all axes. */
static void measure_axes(dmlc_sketch *sketch, const dmlc_plan *plan)
{
    sketch->elements = 1;
    sketch->nearest = 0;
    for (int32_t i = 0; i < plan->axis_count; ++i) {
        sketch->elements *= (double)plan->axes[i].size;
        sketch->distances[i] = dmlc_axis_distance(&plan->axes[i]);
        if (sketch->distances[i] < sketch->distances[sketch->nearest])
            sketch->nearest = i;
    }
}

static void begin_sketch(dmlc_sketch *sketch, dmlc_plan *plan)
{
    const dmlc_axis *last = &plan->axes[plan->axis_count - 1];
    sketch->plan = plan;
    sketch->abilities = plan->kernels->abilities;
    sketch->costs = &sketch->abilities->costs;
    sketch->row = dmlc_row_of(last, plan->chunk, 0, last->size);
    sketch->dense_row = last->output_step == plan->chunk;
    sketch->row_bytes = last->size > INT64_MAX / plan->chunk ? INT64_MAX : last->size * plan->chunk;
    measure_axes(sketch, plan);
    sketch->rows = sketch->elements / (double)last->size;
    /* A run of the axis outside that reads is a call. */
    const dmlc_axis *outer = plan->axis_count > 1 ? last - 1 : NULL;
    int32_t runs = 0;
    for (int32_t i = 0; outer != NULL && i < outer->segment_count; ++i)
        runs += !outer->segments[i].outside;
    const double together = runs == 0 ? 1 : (double)outer->size / runs;
    sketch->calls = sketch->rows / together * sketch->costs->call;
    sketch->box.axes = -1;
}

dmlc_status dmlc_plan_map(dmlc_plan **plan, dmlc_draft *draft)
{
    dmlc_draft_canonicalize(draft);
    const int64_t chunk = draft->empty ? draft->width : take_chunk(draft);
    dmlc_plan *made = NULL;
    dmlc_status status = dmlc_plan_allocate(&made, DMLC_ROWS, draft);
    if (status != DMLC_OK || draft->empty)
        return dmlc_plan_finish(plan, made, status);
    made->chunk = chunk;
    note_dense_axes(made);
    dmlc_sketch sketch;
    begin_sketch(&sketch, made);
    const dmlc_map_way *cheapest = ways[0];
    made->cost = INFINITY;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        const double cost = ways[i]->cost(&sketch, made->cost);
        if (cost < made->cost) {
            made->cost = cost;
            cheapest = ways[i];
        }
    }
    status = cheapest->make(&sketch);
    note_dense_axes(made);
    return dmlc_plan_finish(plan, made, status);
}
