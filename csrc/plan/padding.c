/* PADDING and PADDING1: a window of the array that goes on without end by the mode, one cycle of segments an axis. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

/* How `size` elements from element `start` on read the input's n elements, `step` bytes apart:
 * element o is element (phase + o) mod cycle. */
static void describe(dmlc_axis *axis, dmlc_padding_mode mode, int64_t n, int64_t step, int64_t start, int64_t size)
{
    const int64_t last = (n - 1) * step;
    /* Of the window, so many elements lie before the input, and so many up to its end. */
    const int64_t before = dmlc_clip(-start, 0, size), first = dmlc_clip(start, 0, n);
    const int64_t inside = dmlc_clip(n - first, 0, size - before), after = size - before - inside;
    switch (mode) {
    case DMLC_PADDING_CONSTANT:
        dmlc_axis_add(axis, before, 0, 0, true);
        dmlc_axis_add(axis, inside, first * step, step, false);
        dmlc_axis_add(axis, after, 0, 0, true);
        return;
    case DMLC_PADDING_EDGE:
        dmlc_axis_add(axis, before, 0, 0, false);
        dmlc_axis_add(axis, inside, first * step, step, false);
        dmlc_axis_add(axis, after, last, 0, false);
        return;
    case DMLC_PADDING_REFLECTION:
        /* The period of a single element would be 0; it repeats itself. */
        dmlc_axis_add(axis, n, 0, step, false);
        dmlc_axis_add(axis, n > 2 ? n - 2 : 0, last - step, -step, false);
        break;
    case DMLC_PADDING_SYMMETRIC:
        dmlc_axis_add(axis, n, 0, step, false);
        dmlc_axis_add(axis, n, last, -step, false);
        break;
    case DMLC_PADDING_WRAP: dmlc_axis_add(axis, n, 0, step, false); break;
    }
    const int64_t place = start >= 0 && start < axis->cycle ? start : start % axis->cycle;
    axis->phase = place < 0 ? place + axis->cycle : place;
}

dmlc_status dmlc_make_window(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                             const int64_t *input_sizes, const int64_t *input_strides, const int64_t *output_sizes,
                             const int64_t *output_strides, const int64_t *start, dmlc_padding_mode mode)
{
    if (!dmlc_width_is_valid(width) || rank < 0 || rank > DMLC_MAXIMUM_RANK || mode < DMLC_PADDING_CONSTANT ||
        mode > DMLC_PADDING_WRAP)
        return DMLC_INVALID_ARGUMENT;
    for (int32_t i = 0; i < rank; ++i) {
        if (input_sizes[i] < 0 || output_sizes[i] < 0)
            return DMLC_INVALID_ARGUMENT;
        if (input_sizes[i] == 0 && output_sizes[i] > 0 && mode != DMLC_PADDING_CONSTANT)
            return DMLC_INVALID_ARGUMENT;
        if (start[i] <= -DMLC_REACH_LIMIT || start[i] >= DMLC_REACH_LIMIT)
            return DMLC_OVERFLOW;
    }
    if (!dmlc_reach_fits(rank, input_sizes, input_strides) || !dmlc_output_fits(rank, output_sizes, output_strides))
        return DMLC_OVERFLOW;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    for (int32_t i = 0; i < rank; ++i) {
        dmlc_axis *axis = dmlc_draft_add_axis(&draft, output_sizes[i], output_strides[i]);
        if (output_sizes[i] > 0)
            describe(axis, mode, input_sizes[i], input_strides[i], start[i], output_sizes[i]);
    }
    return dmlc_plan_map(plan, &draft);
}

dmlc_status dmlc_padding_window(int32_t rank, const int64_t *input_sizes, const int64_t *start, const int64_t *end,
                                int64_t *output_sizes, int64_t *window_start)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    for (int32_t i = 0; i < rank; ++i) {
        if (input_sizes[i] < 0 || start[i] < 0 || end[i] < 0)
            return DMLC_INVALID_ARGUMENT;
        if (start[i] > INT64_MAX - input_sizes[i] || end[i] > INT64_MAX - input_sizes[i] - start[i])
            return DMLC_OVERFLOW;
        output_sizes[i] = input_sizes[i] + start[i] + end[i];
        window_start[i] = -start[i];
    }
    return DMLC_OK;
}

dmlc_status dmlc_make_padding(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                              const int64_t *input_sizes, const int64_t *input_strides, const int64_t *output_strides,
                              const int64_t *start, const int64_t *end, dmlc_padding_mode mode)
{
    int64_t output_sizes[DMLC_MAXIMUM_RANK], window_start[DMLC_MAXIMUM_RANK];
    const dmlc_status status = dmlc_padding_window(rank, input_sizes, start, end, output_sizes, window_start);
    return status != DMLC_OK ? status
                             : dmlc_make_window(plan, kernels, width, rank, input_sizes, input_strides, output_sizes,
                                                output_strides, window_start, mode);
}

dmlc_status dmlc_plan_padding(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes,
                              const int64_t *input_strides, const int64_t *output_strides, const int64_t *start,
                              const int64_t *end, dmlc_padding_mode mode)
{
    return dmlc_make_padding(plan, dmlc_kernels_in_use(), width, rank, input_sizes, input_strides, output_strides,
                             start, end, mode);
}

dmlc_status dmlc_plan_window(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes,
                             const int64_t *input_strides, const int64_t *output_sizes, const int64_t *output_strides,
                             const int64_t *start, dmlc_padding_mode mode)
{
    return dmlc_make_window(plan, dmlc_kernels_in_use(), width, rank, input_sizes, input_strides, output_sizes,
                            output_strides, start, mode);
}
