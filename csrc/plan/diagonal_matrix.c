/* DIAGONAL_MATRIX1 and DIAGONAL_MATRIX: the axes are the batch, the band's rows and columns stand in the program. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

dmlc_status dmlc_make_diagonal_matrix(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                                      const int64_t *sizes, const int64_t *input_strides, const int64_t *output_strides,
                                      int64_t begin, int64_t end, dmlc_band_background background)
{
    const int64_t farthest = INT64_C(1) << 62;
    if (!dmlc_width_is_valid(width) || rank < 2 || rank > DMLC_MAXIMUM_RANK || background < DMLC_BACKGROUND_VALUE ||
        background > DMLC_BACKGROUND_KEEP)
        return DMLC_INVALID_ARGUMENT;
    if (begin < -farthest || begin > farthest || end < -farthest || end > farthest)
        return DMLC_INVALID_ARGUMENT;
    static const int64_t no_strides[DMLC_MAXIMUM_RANK];
    if (background != DMLC_BACKGROUND_INPUT)
        input_strides = no_strides;
    if (!dmlc_reach_fits(rank, sizes, output_strides) || !dmlc_reach_fits(rank, sizes, input_strides))
        return DMLC_OVERFLOW;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    const int32_t batch = rank - 2;
    for (int32_t i = 0; i < batch; ++i)
        dmlc_axis_add(dmlc_draft_add_axis(&draft, sizes[i], output_strides[i]), sizes[i], 0, input_strides[i], false);
    dmlc_band band = {
        .begin = begin < end ? begin : end,
        .end = begin < end ? end : begin,
        .inverted = begin > end,
        .background = background,
        .rows = sizes[batch],
        .columns = sizes[batch + 1],
        .output_row = output_strides[batch],
        .output_column = output_strides[batch + 1],
        .input_row = input_strides[batch],
        .input_column = input_strides[batch + 1],
    };
    if (band.rows > 1 && band.columns > 1 && absolute(band.output_row) < absolute(band.output_column)) {
        /* Columns lie apart in memory: fill the transposed matrix, whose x - y is this one's y - x. */
        band = (dmlc_band){
            .begin = 1 - band.end,
            .end = 1 - band.begin,
            .inverted = band.inverted,
            .background = band.background,
            .rows = band.columns,
            .columns = band.rows,
            .output_row = band.output_column,
            .output_column = band.output_row,
            .input_row = band.input_column,
            .input_column = band.input_row,
        };
    }
    /* Diagonals beyond the matrix are all the same, and sums with those near it need no care. */
    band.begin = clamp(band.begin, -band.rows, band.columns);
    band.end = clamp(band.end, -band.rows, band.columns);
    draft.empty = draft.empty || band.rows == 0 || band.columns == 0;
    dmlc_draft_canonicalize(&draft);
    const dmlc_status status = dmlc_plan_allocate(plan, DMLC_BAND, &draft);
    if (status != DMLC_OK)
        return status;
    (*plan)->program.band = band;
    const int64_t matrix =
        band.columns > 0 && band.rows > INT64_MAX / 2 / band.columns ? INT64_MAX / 2 : band.rows * band.columns;
    /* Without an input, half of the bytes are not there to read. */
    const int64_t batch_bytes = background == DMLC_BACKGROUND_VALUE ? (*plan)->bytes / 2 : (*plan)->bytes;
    (*plan)->bytes = matrix > 0 && batch_bytes > INT64_MAX / 2 / matrix ? INT64_MAX / 2 : batch_bytes * matrix;
    return DMLC_OK;
}

dmlc_status dmlc_plan_diagonal_matrix(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes,
                                      const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                      int64_t end, dmlc_band_background background)
{
    return dmlc_make_diagonal_matrix(plan, dmlc_kernels_in_use(), width, rank, sizes, input_strides, output_strides,
                                     begin, end, background);
}
