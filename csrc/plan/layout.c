/* Canonical layouts: the fewest axes that say the same, outermost first. */
#include "plan/planner.h"

bool dmlc_width_is_valid(int64_t width) { return width == 1 || width == 2 || width == 4 || width == 8 || width == 16; }

bool dmlc_multiply(int64_t a, int64_t b, int64_t *product)
{
    if (a <= -DMLC_REACH_LIMIT || a >= DMLC_REACH_LIMIT || b <= -DMLC_REACH_LIMIT || b >= DMLC_REACH_LIMIT)
        return false;
    if (dmlc_product(dmlc_absolute(a), dmlc_absolute(b), DMLC_REACH_LIMIT) == DMLC_REACH_LIMIT)
        return false;
    *product = a * b;
    return true;
}

bool dmlc_reach_fits(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t reach = 0;
    for (int32_t i = 0; i < rank; ++i) {
        if (sizes[i] < 0 || sizes[i] >= DMLC_REACH_LIMIT || strides[i] <= -DMLC_REACH_LIMIT ||
            strides[i] >= DMLC_REACH_LIMIT)
            return false;
        if (sizes[i] < 2)
            continue;
        reach += dmlc_product(sizes[i] - 1, dmlc_absolute(strides[i]), DMLC_REACH_LIMIT);
        if (reach >= DMLC_REACH_LIMIT)
            return false;
    }
    return true;
}

bool dmlc_output_fits(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t count = 1;
    bool empty = false;
    if (!dmlc_reach_fits(rank, sizes, strides))
        return false;
    for (int32_t i = 0; i < rank; ++i) {
        empty = empty || sizes[i] == 0;
        if (sizes[i] > 1)
            count = dmlc_product(count, sizes[i], DMLC_REACH_LIMIT + 1);
    }
    return empty || count <= DMLC_REACH_LIMIT;
}

void dmlc_draft_begin(dmlc_draft *draft, const dmlc_kernels *kernels, int64_t width)
{
    draft->kernels = kernels;
    draft->width = width;
    draft->chunk = width;
    draft->is_part = false;
    draft->times = 1;
    draft->output_offset = 0;
    draft->input_offset = 0;
    draft->empty = false;
    draft->outside = false;
    draft->outside_value = 0;
    draft->axis_count = 0;
}

/* An axis of no segments. Those that it has room for are not written: that took a tenth of a small plan's making. */
static void axis_begin(dmlc_axis *axis, int64_t size, int64_t output_step)
{
    axis->size = size;
    axis->output_step = output_step;
    axis->phase = 0;
    axis->cycle = 0;
    axis->segment_count = 0;
}

dmlc_axis *dmlc_draft_add_axis(dmlc_draft *draft, int64_t size, int64_t output_step)
{
    dmlc_axis *axis = &draft->axes[draft->axis_count++];
    axis_begin(axis, size, output_step);
    draft->empty = draft->empty || size == 0;
    return axis;
}

/* Lays a cycle out flat where three segments suffice, as for most paddings. A cycle of one segment that is outside or reads one element, of
 * a broadcast axis, or of a single element that is wrapped or reflected, becomes one segment as long as the axis: turn by turn it would
 * become that too, but take as long to add as there are turns. Where rows are gathered, a cycle of one segment that has two turns or more
 * stays, as all turns but the first are copies. */
static void axis_unroll(dmlc_axis *axis, bool is_gathered)
{
    dmlc_segment *first = &axis->segments[0];
    if (axis->segment_count == 1 && (first->outside || first->step == 0 || first->size == 1)) {
        first->size = axis->cycle = axis->size;
        first->step = 0;
        axis->phase = 0;
        return;
    }
    const bool gathers_again = is_gathered && axis->segment_count == 1 && axis->size / 2 >= axis->cycle;
    if (gathers_again || (axis->cycle == axis->size && axis->phase == 0))
        return;
    dmlc_axis flat;
    axis_begin(&flat, axis->size, axis->output_step);
    for (int64_t position = 0; position < axis->size;) {
        if (flat.segment_count == DMLC_MAXIMUM_SEGMENTS)
            return;
        const dmlc_segment run = dmlc_axis_run(axis, position, axis->size);
        dmlc_axis_add(&flat, run.size, run.offset, run.step, run.outside);
        position += run.size;
    }
    *axis = flat;
}

/* Walks the axis from its other end: element o becomes element size - 1 - o. */
static void axis_reverse(dmlc_axis *axis)
{
    const int64_t last = dmlc_axis_place(axis, axis->size - 1);
    dmlc_axis reversed;
    axis_begin(&reversed, axis->size, -axis->output_step);
    for (int32_t i = axis->segment_count - 1; i >= 0; --i) {
        const dmlc_segment *segment = &axis->segments[i];
        dmlc_axis_add(&reversed, segment->size, segment->offset + (segment->size - 1) * segment->step, -segment->step,
                      segment->outside);
    }
    reversed.phase = axis->cycle - 1 - last;
    *axis = reversed;
}

/* Whether `inner`, which begins at the input's origin, continues `outer` on both sides, so that the two are one axis:
 *     outer.output_step == inner.size * inner.output_step, and the same of every step that reads the input. */
static bool axes_continue(const dmlc_axis *outer, const dmlc_axis *inner)
{
    if (!dmlc_axis_is_plain(inner) || outer->output_step != inner->size * inner->output_step)
        return false;
    for (int32_t i = 0; i < outer->segment_count; ++i) {
        const dmlc_segment *segment = &outer->segments[i];
        if (!segment->outside && segment->size > 1 && segment->step != inner->size * inner->segments[0].step)
            return false;
    }
    return true;
}

static void axes_merge(dmlc_axis *outer, const dmlc_axis *inner)
{
    const int64_t step = inner->segments[0].step;
    dmlc_axis merged;
    axis_begin(&merged, outer->size * inner->size, inner->output_step);
    for (int32_t i = 0; i < outer->segment_count; ++i) {
        const dmlc_segment *segment = &outer->segments[i];
        dmlc_axis_add(&merged, segment->size * inner->size, segment->offset, step, segment->outside);
    }
    merged.phase = outer->phase * inner->size;
    *outer = merged;
}

/* Whether `outer` reads the same all along, and `inner` has whole turns each time, so that the two are one axis of more turns: its first
 * turn is read, the others are copies of it. On Zen 4, tiles and broadcast rows with a border took 0.68 to 0.93 of the time of two axes by
 * mean of each kind, 0.04 at best and 1.2 at worst where there are no axes outside them. In a batch, tiles took 0.8 to 0.9 by mean; those
 * of less than LEAST_BYTES are boxes, see box.c, and took up to 7 times as long as one axis. */
static bool axes_turn_on(const dmlc_axis *outer, const dmlc_axis *inner, bool is_outermost)
{
    enum { LEAST_BYTES = 2048 };
    return dmlc_axis_is_plain(outer) && outer->segments[0].step == 0 && !dmlc_axis_is_plain(inner) &&
           inner->size % inner->cycle == 0 && outer->output_step == inner->size * inner->output_step &&
           (is_outermost || outer->size * outer->output_step >= LEAST_BYTES);
}

static void drop_single_elements(dmlc_draft *draft)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < draft->axis_count; ++i) {
        dmlc_axis *axis = &draft->axes[i];
        if (axis->size > 1) {
            if (kept != i)
                draft->axes[kept] = *axis;
            ++kept;
            continue;
        }
        const dmlc_segment only = dmlc_axis_run(axis, 0, 1);
        draft->outside = draft->outside || only.outside;
        draft->input_offset += only.offset;
    }
    draft->axis_count = kept;
}

/* Insertion, which keeps the order of equal steps: ranks are small and most outputs sorted already. */
static void sort_by_output_step(dmlc_draft *draft)
{
    for (int32_t i = 1; i < draft->axis_count; ++i) {
        if (draft->axes[i - 1].output_step >= draft->axes[i].output_step)
            continue;
        const dmlc_axis axis = draft->axes[i];
        int32_t place = i;
        for (; place > 0 && draft->axes[place - 1].output_step < axis.output_step; --place)
            draft->axes[place] = draft->axes[place - 1];
        draft->axes[place] = axis;
    }
}

void dmlc_draft_canonicalize(dmlc_draft *draft)
{
    if (draft->empty)
        return;
    drop_single_elements(draft);
    for (int32_t i = 0; i < draft->axis_count; ++i) {
        dmlc_axis *axis = &draft->axes[i];
        if (axis->output_step < 0) {
            draft->output_offset += (axis->size - 1) * axis->output_step;
            axis_reverse(axis);
        }
    }
    sort_by_output_step(draft);
    /* Whether what follows each other in the output does not in the input. */
    const bool is_gathered =
        draft->axis_count > 0 && dmlc_axis_distance(&draft->axes[draft->axis_count - 1]) != draft->width;
    for (int32_t i = 0; i < draft->axis_count; ++i) {
        dmlc_axis *axis = &draft->axes[i];
        axis_unroll(axis, is_gathered);
        if (dmlc_axis_is_plain(axis)) {
            draft->input_offset += axis->segments[0].offset;
            axis->segments[0].offset = 0;
        }
        /* One outside axis of one segment puts the whole output outside. */
        draft->outside = draft->outside || (axis->segment_count == 1 && axis->segments[0].outside);
    }
    if (draft->axis_count == 0)
        return;
    int32_t last = 0;
    for (int32_t i = 1; i < draft->axis_count; ++i) {
        if (axes_continue(&draft->axes[last], &draft->axes[i]))
            axes_merge(&draft->axes[last], &draft->axes[i]);
        else if (axes_turn_on(&draft->axes[last], &draft->axes[i], last == 0)) {
            const int64_t turns = draft->axes[last].size;
            draft->axes[last] = draft->axes[i];
            draft->axes[last].size *= turns;
        } else if (++last != i)
            draft->axes[last] = draft->axes[i];
    }
    draft->axis_count = last + 1;
}

int64_t dmlc_draft_chunks(const dmlc_draft *draft)
{
    int64_t chunks = draft->empty ? 0 : 1;
    for (int32_t i = 0; i < draft->axis_count; ++i)
        chunks = dmlc_product(chunks, draft->axes[i].size, DMLC_REACH_LIMIT);
    return chunks;
}
