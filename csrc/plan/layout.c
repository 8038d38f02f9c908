/* Canonical layouts: the fewest axes that say the same, outermost first. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

static const int64_t LARGEST_REACH = INT64_C(1) << 62;

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

bool dmlc_width_is_valid(int64_t width) { return width == 1 || width == 2 || width == 4 || width == 8 || width == 16; }

bool dmlc_multiply(int64_t a, int64_t b, int64_t *product)
{
    if (a <= -LARGEST_REACH || a >= LARGEST_REACH || b <= -LARGEST_REACH || b >= LARGEST_REACH)
        return false;
    if (a != 0 && absolute(b) >= LARGEST_REACH / absolute(a))
        return false;
    *product = a * b;
    return true;
}

bool dmlc_reach_fits(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t reach = 0;
    for (int32_t i = 0; i < rank; ++i) {
        if (sizes[i] < 0 || sizes[i] >= LARGEST_REACH || strides[i] <= -LARGEST_REACH || strides[i] >= LARGEST_REACH)
            return false;
        if (sizes[i] < 2 || strides[i] == 0)
            continue;
        const int64_t stride = absolute(strides[i]);
        if (sizes[i] - 1 > (LARGEST_REACH - 1 - reach) / stride)
            return false;
        reach += (sizes[i] - 1) * stride;
    }
    return true;
}

void dmlc_draft_begin(dmlc_draft *draft, int64_t width)
{
    draft->width = width;
    draft->output_offset = 0;
    draft->input_offset = 0;
    draft->empty = false;
    draft->outside = false;
    draft->axis_count = 0;
}

dmlc_axis *dmlc_draft_add_axis(dmlc_draft *draft, int64_t size, int64_t output_step)
{
    dmlc_axis *axis = &draft->axes[draft->axis_count++];
    axis->size = size;
    axis->output_step = output_step;
    axis->phase = 0;
    axis->cycle = 0;
    axis->segment_count = 0;
    draft->empty = draft->empty || size == 0;
    return axis;
}

void dmlc_axis_add(dmlc_axis *axis, int64_t size, int64_t offset, int64_t step, bool outside)
{
    if (size == 0)
        return;
    if (outside)
        offset = step = 0;
    axis->cycle += size;
    if (axis->segment_count > 0) {
        dmlc_segment *last = &axis->segments[axis->segment_count - 1];
        if (last->outside && outside) {
            last->size += size;
            return;
        }
        if (!last->outside && !outside) {
            /* A segment of one element has no step of its own and takes its neighbour's. */
            const int64_t between = offset - (last->offset + (last->size - 1) * last->step);
            if ((last->size == 1 || between == last->step) && (size == 1 || between == step)) {
                last->size += size;
                last->step = between;
                return;
            }
        }
    }
    axis->segments[axis->segment_count++] = (dmlc_segment){size, offset, step, outside};
}

bool dmlc_axis_is_plain(const dmlc_axis *axis)
{
    return axis->segment_count == 1 && !axis->segments[0].outside && axis->cycle == axis->size;
}

dmlc_segment dmlc_axis_run(const dmlc_axis *axis, int64_t position, int64_t end)
{
    int64_t at = axis->phase + position;
    if (at >= axis->cycle)
        at %= axis->cycle;
    const dmlc_segment *segment = axis->segments;
    while (at >= segment->size)
        at -= (segment++)->size;
    dmlc_segment run = *segment;
    run.offset += at * run.step;
    run.size -= at;
    if (run.size > end - position)
        run.size = end - position;
    return run;
}

/* Lays a cycle out flat where three segments suffice, which most paddings are; and ends a cycle whose every turn reads
 * the same element, which a broadcast axis is. */
static void axis_unroll(dmlc_axis *axis)
{
    if (axis->segment_count == 1 && (axis->segments[0].outside || axis->segments[0].step == 0)) {
        axis->segments[0].size = axis->cycle = axis->size;
        axis->phase = 0;
        return;
    }
    if (axis->cycle == axis->size && axis->phase == 0)
        return;
    dmlc_axis flat = {.size = axis->size, .output_step = axis->output_step};
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
    const int64_t last = (axis->phase + axis->size - 1) % axis->cycle;
    dmlc_axis reversed = {.size = axis->size, .output_step = -axis->output_step};
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
    dmlc_axis merged = {.size = outer->size * inner->size, .output_step = inner->output_step};
    for (int32_t i = 0; i < outer->segment_count; ++i) {
        const dmlc_segment *segment = &outer->segments[i];
        dmlc_axis_add(&merged, segment->size * inner->size, segment->offset, step, segment->outside);
    }
    merged.phase = outer->phase * inner->size;
    *outer = merged;
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
        axis_unroll(axis);
        if (dmlc_axis_is_plain(axis)) {
            draft->input_offset += axis->segments[0].offset;
            axis->segments[0].offset = 0;
        }
        /* One outside axis of one segment puts the whole output outside. */
        draft->outside = draft->outside || (axis->segment_count == 1 && axis->segments[0].outside);
    }
    sort_by_output_step(draft);
    if (draft->axis_count == 0)
        return;
    int32_t last = 0;
    for (int32_t i = 1; i < draft->axis_count; ++i) {
        if (axes_continue(&draft->axes[last], &draft->axes[i]))
            axes_merge(&draft->axes[last], &draft->axes[i]);
        else if (++last != i)
            draft->axes[last] = draft->axes[i];
    }
    draft->axis_count = last + 1;
}

/* Which of the row's permutations serves `count` chunks `step` apart, made if it is new; -1 for none. */
static int32_t row_permutation(dmlc_row *row, int64_t step, int64_t count)
{
    for (int32_t i = 0; i < row->permutation_count; ++i)
        if (row->permutations[i].unit_step == step)
            return i;
    if (row->permutation_count == DMLC_MAXIMUM_PERMUTATIONS)
        return -1;
    dmlc_permutation *made = &row->permutations[row->permutation_count];
    dmlc_permute_chunks(made, row->chunk, step, count);
    return made->units > 0 ? row->permutation_count++ : -1;
}

static void row_add(dmlc_row *row, const dmlc_segment *run, int64_t output)
{
    const bool dense = row->output_step == row->chunk;
    dmlc_piece piece = {
        .permutation = -1, .output = output, .input = run->offset, .step = run->step, .count = run->size};
    if (run->outside) {
        piece.operation = dense ? DMLC_FILL : DMLC_FILL_EACH;
    } else if (dense && (run->size == 1 || run->step == row->chunk)) {
        piece.operation = DMLC_COPY;
    } else {
        /* A chunk that does not divide a block, a pixel of three bytes, repeats as a permutation. */
        piece.operation = dense && run->step == 0 && DMLC_BLOCK_BYTES % row->chunk == 0 ? DMLC_REPEAT : DMLC_GATHER;
        if (dense && piece.operation == DMLC_GATHER)
            piece.permutation = row_permutation(row, run->step, run->size);
    }
    if (piece.operation == DMLC_COPY || piece.operation == DMLC_FILL)
        piece.count *= row->chunk;
    row->pieces[row->piece_count++] = piece;
}

void dmlc_row_build(dmlc_row *row, const dmlc_axis *axis, int64_t begin, int64_t end)
{
    row->output_step = axis->output_step;
    row->size = end - begin;
    row->piece_count = 0;
    row->permutation_count = 0;
    row->whole.units = 0;
    row->middle = -1;
    /* From the second turn on, a row repeats what it has written already. */
    const int64_t first_turn = end - begin > axis->cycle ? begin + axis->cycle : end;
    for (int64_t position = begin; position < first_turn;) {
        const dmlc_segment run = dmlc_axis_run(axis, position, first_turn);
        row_add(row, &run, (position - begin) * axis->output_step);
        position += run.size;
    }
    if (first_turn < end) {
        row->pieces[row->piece_count++] = (dmlc_piece){
            .operation = DMLC_REPLICATE,
            .permutation = -1,
            .output = axis->cycle * axis->output_step,
            .step = axis->cycle * axis->output_step,
            .count = end - first_turn,
        };
    }
}

int64_t dmlc_draft_elements(const dmlc_draft *draft)
{
    int64_t elements = draft->empty ? 0 : 1;
    for (int32_t i = 0; i < draft->axis_count && elements > 0; ++i) {
        const int64_t size = draft->axes[i].size;
        if (size > 0 && elements > LARGEST_REACH / size)
            return LARGEST_REACH;
        elements *= size;
    }
    return elements;
}

dmlc_status dmlc_plan_allocate(dmlc_plan **plan, dmlc_kind kind, const dmlc_draft *draft)
{
    const size_t axes = (size_t)draft->axis_count * sizeof(dmlc_axis);
    dmlc_plan *made = malloc(sizeof(dmlc_plan) + axes);
    if (made == NULL)
        return DMLC_OUT_OF_MEMORY;
    const int64_t elements = dmlc_draft_elements(draft);
    made->kind = kind;
    made->width = draft->width;
    made->bytes = elements > LARGEST_REACH / 2 / draft->width ? LARGEST_REACH : 2 * elements * draft->width;
    made->cost = 0;
    made->output_offset = draft->output_offset;
    made->input_offset = draft->input_offset;
    made->empty = draft->empty;
    made->outside = draft->outside;
    made->box = NULL;
    made->transpose = NULL;
    made->dense_from = draft->axis_count;
    made->axis_count = draft->axis_count;
    if (axes > 0)
        memcpy(made->axes, draft->axes, axes);
    *plan = made;
    return DMLC_OK;
}

void dmlc_plan_free(dmlc_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->kind == DMLC_SELECT)
        free(plan->program.select.tiles);
    free(plan->box);
    free(plan->transpose);
    free(plan);
}

dmlc_status dmlc_plan_finish(dmlc_plan **plan, dmlc_plan *made, dmlc_status status)
{
    if (status == DMLC_OK)
        *plan = made;
    else
        dmlc_plan_free(made);
    return status;
}

int64_t dmlc_plan_bytes(const dmlc_plan *plan) { return plan->bytes; }

int64_t dmlc_axis_distance(const dmlc_axis *axis)
{
    int64_t distance = INT64_MAX;
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        const int64_t step = absolute(segment->step);
        if (!segment->outside && segment->size > 1 && step != 0 && step < distance)
            distance = step;
    }
    return distance;
}

const char *dmlc_status_message(dmlc_status status)
{
    static const char *const messages[] = {
        [DMLC_OK] = "success",
        [DMLC_INVALID_ARGUMENT] = "an argument breaks its rule",
        [DMLC_OVERFLOW] = "a size or an offset does not fit into 64 bits",
        [DMLC_OUT_OF_MEMORY] = "out of memory",
    };
    const size_t index = (size_t)status;
    return index < sizeof(messages) / sizeof(messages[0]) ? messages[index] : "unknown status";
}
