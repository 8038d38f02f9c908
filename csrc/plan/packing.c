/* Leaves of several plans: which axes they have, and how what one plan wrote is read by another. Ways are made of it, see packed.c and
 * grown.c. */
#include "plan/planner.h"

#include <math.h>

bool dmlc_find_reads(const dmlc_axis *axis, dmlc_axis_reads *found)
{
    int64_t highest = INT64_MIN;
    *found = (dmlc_axis_reads){.lowest = INT64_MAX};
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        if (segment->outside)
            continue;
        const int64_t last = segment->offset + (segment->size - 1) * segment->step;
        const int64_t low = dmlc_minimum(segment->offset, last), high = segment->offset + last - low;
        const int64_t step = segment->size > 1 ? dmlc_absolute(segment->step) : 0;
        if (step != 0 && found->step != 0 && step != found->step)
            return false;
        found->step = step != 0 ? step : found->step;
        found->lowest = dmlc_minimum(low, found->lowest);
        highest = dmlc_maximum(high, highest);
    }
    if (highest < found->lowest || axis->size < axis->cycle)
        return false;
    if (found->step == 0)
        found->step = highest - found->lowest;
    found->count = found->step == 0 ? 1 : (highest - found->lowest) / found->step + 1;
    bool is_even = true;
    for (int32_t i = 0; i < axis->segment_count && found->step != 0; ++i)
        is_even =
            is_even && (axis->segments[i].outside || (axis->segments[i].offset - found->lowest) % found->step == 0);
    return is_even;
}

dmlc_axis dmlc_packed_axis(const dmlc_packing *found, const dmlc_plan *plan, int32_t i)
{
    dmlc_axis axis = plan->axes[i];
    if (i == found->split) {
        axis.size = axis.cycle = axis.segments[0].size = found->part;
        axis.segment_count = 1;
    }
    return axis;
}

/* The elements that an axis reads over and over in whole turns, or once; 0 where that is not all that it does. */
static int64_t turn_of(const dmlc_axis *axis)
{
    const dmlc_segment *first = &axis->segments[0];
    bool are_alike = axis->phase == 0 && !first->outside && first->step != 0 && axis->size % first->size == 0;
    for (int32_t i = 1; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        are_alike = are_alike && !segment->outside && segment->size == first->size &&
                    segment->offset == first->offset && segment->step == first->step;
    }
    return are_alike ? first->size : 0;
}

/* Of a part, how many there are in a turn, and how many turns that are not copies of the first one. */
static int64_t parts_of(const dmlc_packing *found, const dmlc_plan *plan, int32_t i)
{
    return i == found->split ? turn_of(&plan->axes[i]) / found->part : 1;
}

static int64_t turns_of(const dmlc_packing *found, const dmlc_plan *plan, int32_t i)
{
    return i == found->split && !dmlc_is_dense(plan, i) ? plan->axes[i].size / turn_of(&plan->axes[i]) : 1;
}

/* The largest part of at most so many elements that divides an axis; 1 where the first TRIES numbers of parts that are enough give none. */
static int64_t part_of(int64_t size, int64_t most)
{
    enum { TRIES = 64 };
    const int64_t first = most > 0 ? (size - 1) / most + 1 : size;
    for (int64_t parts = first; parts < first + TRIES && parts < size; ++parts)
        if (size % parts == 0)
            return size / parts;
    return 1;
}

/* Packs an axis as well where a stage has room for `others` times what is read then, and a leaf, which threads do not share, for what is
 * written. Where there is no such room, it packs a part, if no room is kept for the near axis and no axis is split yet. */
static bool take(dmlc_packing *found, const dmlc_plan *plan, int32_t i, int64_t others)
{
    enum { MOST_LEAF_BYTES = 512 * 1024 };
    dmlc_axis_reads *here = &found->reads[i];
    dmlc_axis axis = plan->axes[i];
    if (dmlc_is_packed(found, i))
        return true;
    if (!dmlc_find_reads(&axis, here))
        return false;
    const int64_t room = found->room / found->bytes / others;
    const int64_t most = MOST_LEAF_BYTES / plan->chunk / found->chunks;
    if (here->count > room || axis.size > most) {
        const int64_t turn = others == 1 && found->split < 0 ? turn_of(&axis) : 0;
        const int64_t part = turn == 0 ? 1 : part_of(turn, dmlc_minimum(room, most));
        if (part == 1)
            return false;
        found->split = i;
        found->part = part;
        axis = dmlc_packed_axis(found, plan, i);
        dmlc_find_reads(&axis, here);
    }
    found->axes |= UINT64_C(1) << i;
    found->bytes *= here->count;
    found->chunks *= axis.size;
    return true;
}

/* The axis outside the row whose elements share lines, the nearest; -1 where none does. */
static int32_t find_near_axis(const dmlc_sketch *sketch)
{
    int32_t near = -1;
    for (int32_t i = 0; i < sketch->plan->axis_count - 1; ++i)
        if (sketch->distances[i] < (near < 0 ? DMLC_LINE_BYTES : sketch->distances[near]))
            near = i;
    return near;
}

/* How much of that is to be packed at least: a line. */
static int64_t least_near(const dmlc_sketch *sketch, int32_t near)
{
    const dmlc_axis *axis = &sketch->plan->axes[near];
    const int64_t of_a_line = DMLC_LINE_BYTES / sketch->distances[near], turn = turn_of(axis);
    return turn == 0 ? axis->size : dmlc_minimum(of_a_line, turn);
}

/* Whether there is anything to gain: chunks lie apart or in another order, and are read more than once or have a border. */
static bool is_worth_packing(const dmlc_packing *found, const dmlc_plan *plan)
{
    bool lies_apart = false, is_copy = true;
    int64_t bytes = plan->chunk;
    for (int32_t i = plan->axis_count - 1; i >= 0; --i) {
        if (!dmlc_is_packed(found, i))
            continue;
        const dmlc_axis *axis = &plan->axes[i];
        const dmlc_axis_reads *here = &found->reads[i];
        is_copy = is_copy && dmlc_axis_is_plain(axis) && axis->segments[0].step != 0;
        lies_apart = lies_apart || (here->count > 1 && here->step != bytes && bytes <= DMLC_LONGEST_CHUNK);
        bytes *= here->count;
    }
    return lies_apart && !is_copy;
}

/* The axes inside the near one leave room for enough of its elements to use up a line, so that whole lines are read, and once. */
bool dmlc_find_packing(dmlc_packing *found, const dmlc_sketch *sketch, int64_t room)
{
    const dmlc_plan *plan = sketch->plan;
    const int32_t row = plan->axis_count - 1, near = find_near_axis(sketch);
    const int64_t others = near < 0 ? 1 : least_near(sketch, near);
    found->room = room;
    found->axes = 0;
    found->split = -1;
    found->bytes = plan->chunk;
    found->chunks = 1;
    int32_t i = row;
    while (i > near && take(found, plan, i, others))
        --i;
    bool more = dmlc_is_packed(found, row) && (near < 0 || take(found, plan, near, 1));
    for (; i >= 0 && more; --i)
        more = take(found, plan, i, 1);
    found->first = 0;
    while (found->first < row && !dmlc_is_packed(found, found->first))
        ++found->first;
    return dmlc_is_packed(found, row) && (near < 0 || dmlc_is_packed(found, near)) && is_worth_packing(found, plan);
}

/* Along the innermost axis that is not packed. */
double dmlc_packings_following(const dmlc_packing *found, const dmlc_sketch *sketch)
{
    int32_t i = sketch->plan->axis_count - 1;
    while (i >= 0 && dmlc_is_packed(found, i) && i != found->split)
        --i;
    if (i < 0)
        return 1;
    return i == found->split ? (double)parts_of(found, sketch->plan, i) : ceil(sketch->made[i] / sketch->runs[i]);
}

/* Only what is outside all of the leaf's axes is dense. */
double dmlc_packings(const dmlc_packing *found, const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    double leaves = dmlc_leaves(sketch, found->first);
    for (int32_t i = found->first; i < plan->axis_count; ++i)
        leaves *= dmlc_is_packed(found, i) ? (double)(parts_of(found, plan, i) * turns_of(found, plan, i))
                                           : (double)plan->axes[i].size;
    return leaves;
}

double dmlc_packings_cost(const dmlc_packing *found, const dmlc_sketch *sketch, double each)
{
    const double leaves = dmlc_packings(found, sketch);
    return leaves * each + dmlc_rest_cost(sketch, found->first, leaves * (double)found->chunks);
}

void dmlc_draft_add_reread(dmlc_draft *draft, const dmlc_axis *axis, const dmlc_axis_reads *reads, int64_t step)
{
    dmlc_axis *packed = dmlc_draft_add_axis(draft, axis->size, axis->output_step);
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        const int64_t at = segment->outside || reads->step == 0 ? 0 : (segment->offset - reads->lowest) / reads->step;
        const int64_t by = segment->step > 0 ? step : segment->step < 0 ? -step : 0;
        dmlc_axis_add(packed, segment->size, at * step, by, segment->outside);
    }
    packed->phase = axis->phase;
}

/* An axis that parts are walked along; how many axes there are then. */
static int32_t add_outside(dmlc_axis *axes, int32_t count, int64_t size, int64_t output_step, int64_t step)
{
    if (size == 1)
        return count;
    axes[count] = (dmlc_axis){.size = size, .output_step = output_step};
    dmlc_axis_add(&axes[count], size, 0, step, false);
    return count + 1;
}

void dmlc_order_packed_axes(dmlc_plan *plan, const dmlc_packing *found)
{
    dmlc_axis ordered[DMLC_MAXIMUM_RANK + 2];
    int32_t count = 0;
    for (int32_t i = 0; i < plan->axis_count; ++i) {
        const dmlc_axis *axis = &plan->axes[i];
        if (i == found->split) {
            const int64_t turn = turn_of(axis), step = axis->segments[0].step;
            count = add_outside(ordered, count, axis->size / turn, turn * axis->output_step, 0);
            count =
                add_outside(ordered, count, turn / found->part, found->part * axis->output_step, found->part * step);
        } else if (!dmlc_is_packed(found, i)) {
            ordered[count++] = *axis;
        }
    }
    const int32_t outer = count;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        if (dmlc_is_packed(found, i))
            ordered[count++] = dmlc_packed_axis(found, plan, i);
    memcpy(plan->axes, ordered, (size_t)count * sizeof(*ordered));
    plan->axis_count = count;
    plan->leaf_axes = count - outer;
}
