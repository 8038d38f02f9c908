/* SLICE1, SLICE, and every strided copy: one plain segment an axis. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

bool dmlc_slice_view(int32_t rank, const int64_t *output_sizes, const int64_t *input_strides, const int64_t *offsets,
                     const int64_t *steps, int64_t *start, int64_t *view_strides)
{
    *start = 0;
    for (int32_t i = 0; i < rank; ++i) {
        /* An axis that reads nothing has no start, one that reads a single element has no step. */
        int64_t offset;
        if (!dmlc_multiply(output_sizes[i] > 0 ? offsets[i] : 0, input_strides[i], &offset) ||
            !dmlc_multiply(output_sizes[i] > 1 ? steps[i] : 0, input_strides[i], &view_strides[i]))
            return false;
        if (!dmlc_multiply(1, *start + offset, start))
            return false;
    }
    return true;
}

dmlc_status dmlc_make_slice(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                            const int64_t *output_sizes, const int64_t *input_strides, const int64_t *output_strides,
                            const int64_t *offsets, const int64_t *steps)
{
    if (!dmlc_width_is_valid(width) || rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    int64_t start;
    int64_t input_steps[DMLC_MAXIMUM_RANK];
    if (!dmlc_slice_view(rank, output_sizes, input_strides, offsets, steps, &start, input_steps))
        return DMLC_OVERFLOW;
    if (!dmlc_reach_fits(rank, output_sizes, input_steps) || !dmlc_output_fits(rank, output_sizes, output_strides))
        return DMLC_OVERFLOW;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    for (int32_t i = 0; i < rank; ++i) {
        dmlc_axis *axis = dmlc_draft_add_axis(&draft, output_sizes[i], output_strides[i]);
        dmlc_axis_add(axis, output_sizes[i], 0, input_steps[i], false);
    }
    draft.input_offset = start;
    return dmlc_plan_map(plan, &draft);
}

dmlc_status dmlc_make_copy(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                           const int64_t *sizes, const int64_t *input_strides, const int64_t *output_strides)
{
    static const int64_t offsets[DMLC_MAXIMUM_RANK];
    int64_t steps[DMLC_MAXIMUM_RANK];
    for (int32_t i = 0; i < rank && i < DMLC_MAXIMUM_RANK; ++i)
        steps[i] = 1;
    return dmlc_make_slice(plan, kernels, width, rank, sizes, input_strides, output_strides, offsets, steps);
}

dmlc_status dmlc_plan_slice(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *output_sizes,
                            const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets,
                            const int64_t *steps)
{
    return dmlc_make_slice(plan, dmlc_kernels_in_use(), width, rank, output_sizes, input_strides, output_strides,
                           offsets, steps);
}
