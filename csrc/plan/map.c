/* Maps: which way through the axes costs least. */
#include "plan/planner.h"

#include <math.h>

/* A way that comes first wins where two cost the same. Packed and grown leaves come last: what they cost is known only once their plans are
 * made, which pays only where all ways before them cost much. */
static const dmlc_map_way *const ways[] = {
    &dmlc_rows_way,      &dmlc_permuted_rows_way, &dmlc_short_rows_way, &dmlc_filled_rows_way, &dmlc_ends_way,
    &dmlc_transpose_way, &dmlc_moves_way,         &dmlc_shuffles_way,   &dmlc_packed_way,      &dmlc_grown_way,
};

/* Short runs of the input's last axis move as one. The row is the draft's last axis from then on. */
static void take_chunk(dmlc_draft *draft)
{
    if (draft->axis_count > 1) {
        const dmlc_axis *last = &draft->axes[draft->axis_count - 1];
        const int64_t width = draft->width;
        const bool contiguous =
            dmlc_axis_is_plain(last) && last->output_step == width && last->segments[0].step == width;
        if (contiguous && last->size <= DMLC_LONGEST_CHUNK / width) {
            draft->chunk *= last->size;
            --draft->axis_count;
        }
    }
    if (draft->axis_count == 0) {
        /* A single element is a row of one. */
        dmlc_axis_add(dmlc_draft_add_axis(draft, 1, draft->chunk), 1, 0, draft->chunk, draft->outside);
    }
}

/* The bytes of the axes from one on, which may stand in any order, where they are one run; else 0. */
static int64_t dense_bytes(const dmlc_plan *plan, int32_t axis)
{
    int64_t contiguous = plan->chunk;
    for (int32_t found = axis; found < plan->axis_count; ++found) {
        int32_t i = axis;
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
        if (contiguous == 0)
            contiguous = dense_bytes(plan, i + 1);
        const bool is_dense = contiguous > 0 && plan->axes[i].output_step == contiguous;
        plan->dense |= (uint64_t)is_dense << i;
        contiguous = is_dense ? contiguous * plan->axes[i].size : 0;
    }
}

/* Whether a run of one element of the axis over and over, as edges and broadcast axes have, is worth being made once and copied
 * for the rest. A gather of a byte costs ten times what its copy does. */
static bool repeats(const dmlc_plan *plan, int32_t axis)
{
    enum { LEAST_REPEATED_BYTES = 512 };
    return dmlc_is_dense(plan, axis) && plan->axes[axis].output_step >= LEAST_REPEATED_BYTES;
}

/* Rows that are copies are copied from the input each time: to make one first gains nothing. */
static void note_repeated_axes(dmlc_plan *plan)
{
    if (plan->way == DMLC_ROWS && dmlc_row_is_copy(&plan->program.rows.row))
        return;
    for (int32_t i = 0; i < plan->axis_count - plan->leaf_axes; ++i)
        plan->repeated |= (uint64_t)repeats(plan, i) << i;
}

/* How much of an axis a way goes through. Of one that is dense, what is outside is filled; turns after the first and what repeats an
 * element are copied. */
static void measure_axis(dmlc_sketch *sketch, const dmlc_plan *plan, int32_t i)
{
    const dmlc_axis *axis = &plan->axes[i];
    const bool dense = dmlc_is_dense(plan, i);
    sketch->made[i] = (double)axis->size;
    sketch->runs[i] = 1;
    sketch->fills[i] = 0;
    if (dmlc_axis_is_plain(axis) && axis->segments[0].step != 0)
        return;
    double elements = 0, runs = 0;
    for (int32_t j = 0; j < axis->segment_count; ++j) {
        const dmlc_segment *segment = &axis->segments[j];
        if (segment->outside && dense) {
            ++sketch->fills[i];
            continue;
        }
        elements += segment->step == 0 && repeats(plan, i) ? 1 : (double)segment->size;
        ++runs;
    }
    const double turns = (double)axis->size / (double)axis->cycle;
    const bool once = turns > 1 && dense;
    elements *= once ? 1 : turns;
    runs *= once || turns < 1 ? 1 : turns;
    sketch->made[i] = elements < 1 ? 1 : elements;
    sketch->runs[i] = runs < 1 ? 1 : runs;
}

/* What several ways ask of all axes. */
static void measure_axes(dmlc_sketch *sketch, const dmlc_plan *plan)
{
    sketch->elements = 1;
    sketch->nearest = 0;
    for (int32_t i = 0; i < plan->axis_count; ++i) {
        sketch->elements *= (double)plan->axes[i].size;
        sketch->distances[i] = dmlc_axis_distance(&plan->axes[i]);
        measure_axis(sketch, plan, i);
        if (sketch->distances[i] < sketch->distances[sketch->nearest])
            sketch->nearest = i;
    }
}

double dmlc_leaves(const dmlc_sketch *sketch, int32_t outer)
{
    double leaves = 1;
    for (int32_t i = 0; i < outer; ++i)
        leaves *= sketch->made[i];
    return leaves;
}

double dmlc_call_cost(const dmlc_sketch *sketch, int32_t outer)
{
    const double call = sketch->costs->call;
    return outer == 0 ? call / (double)sketch->times : call * sketch->runs[outer - 1] / sketch->made[outer - 1];
}

double dmlc_rest_cost(const dmlc_sketch *sketch, int32_t outer, double chunks)
{
    double fills = 0;
    for (int32_t i = 0; i < outer; ++i)
        fills += dmlc_leaves(sketch, i) * sketch->fills[i];
    return fills * sketch->costs->call +
           (sketch->elements - chunks) * (double)sketch->plan->chunk * sketch->costs->copied_byte;
}

static void begin_sketch(dmlc_sketch *sketch, dmlc_plan *plan, const dmlc_draft *draft)
{
    const dmlc_axis *last = &plan->axes[plan->axis_count - 1];
    sketch->plan = plan;
    sketch->abilities = plan->kernels->abilities;
    sketch->costs = sketch->abilities->costs;
    sketch->is_part = draft->is_part;
    sketch->times = draft->times;
    sketch->row = dmlc_row_of(last, plan->chunk, 0, last->size);
    sketch->dense_row = last->output_step == plan->chunk;
    sketch->row_bytes = last->size > INT64_MAX / plan->chunk ? INT64_MAX : last->size * plan->chunk;
    measure_axes(sketch, plan);
    const int32_t outer = plan->axis_count - 1;
    sketch->rows = dmlc_leaves(sketch, outer);
    sketch->calls = sketch->rows * dmlc_call_cost(sketch, outer);
    sketch->rest = dmlc_rest_cost(sketch, outer, sketch->rows * (double)last->size);
    sketch->box.axes = -1;
}

dmlc_status dmlc_plan_map(dmlc_plan **plan, dmlc_draft *draft)
{
    dmlc_draft_canonicalize(draft);
    if (!draft->empty)
        take_chunk(draft);
    dmlc_plan *made = NULL;
    dmlc_status status = dmlc_plan_allocate(&made, DMLC_ROWS, draft);
    if (status != DMLC_OK || draft->empty)
        return dmlc_plan_finish(plan, made, status);
    if (made->outside)
        made->bytes /= 2; /* nothing is read */
    note_dense_axes(made);
    dmlc_sketch sketch;
    begin_sketch(&sketch, made, draft);
    const dmlc_map_way *cheapest = ways[0];
    made->cost = INFINITY;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        const double cost = ways[i]->cost(&sketch, made->cost);
        if (cost < made->cost) {
            if (cheapest->forget != NULL)
                cheapest->forget(&sketch);
            made->cost = cost;
            cheapest = ways[i];
        }
    }
    status = cheapest->make(&sketch);
    if (status == DMLC_OK) {
        note_dense_axes(made);
        note_repeated_axes(made);
    }
    return dmlc_plan_finish(plan, made, status);
}
