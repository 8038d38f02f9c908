/* DIAGONAL_MATRIX1 and DIAGONAL_MATRIX: the axes are the batch, the band's rows and columns stand in the program. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

#include <math.h>

static bool is_dense(int64_t columns, int64_t column, int64_t row, int64_t width)
{
    return column == width && row == columns * width;
}

/* Rows [begin, end), how many of them the matrix has. */
static double rows_between(const dmlc_band *band, int64_t begin, int64_t end)
{
    begin = dmlc_clip(begin, 0, band->rows);
    end = dmlc_clip(end, 0, band->rows);
    return begin < end ? (double)(end - begin) : 0;
}

/* Rows that are of the band from end to end, and those that it crosses. */
static double rows_whole(const dmlc_band *band) { return rows_between(band, band->passages[1], band->passages[2]); }

static double rows_crossed(const dmlc_band *band)
{
    return rows_between(band, band->passages[0], band->passages[3]) - rows_whole(band);
}

/* The sum of dmlc_clip(begin + y, 0, columns) over all rows y: elements before a border of the band. */
static double elements_before(const dmlc_band *band, int64_t begin)
{
    const int64_t first = dmlc_clip(-begin, 0, band->rows), last = dmlc_clip(band->columns - begin, 0, band->rows);
    const double some = (double)(last - first), whole = (double)(band->rows - last);
    return some * ((double)begin + ((double)first + (double)last - 1) / 2) + whole * (double)band->columns;
}

static double elements_of(const dmlc_band *band) { return (double)band->rows * (double)band->columns; }

/* How much of a matrix is set. */
static double share_set(const dmlc_band *band)
{
    const double inside = elements_before(band, band->end) - elements_before(band, band->begin);
    const double share = inside > 0 ? inside / elements_of(band) : 0;
    return band->inverted ? 1 - share : share;
}

/* Of a matrix, what the band leaves of the input. */
static double bytes_kept(const dmlc_band *band, int64_t width)
{
    return (1 - band->share_set) * elements_of(band) * (double)width;
}

typedef struct band_costs {
    double rows, filled, windows;
} band_costs;

/* How many times as long rows take whose elements lie apart in the input: 1.4 by mean with AVX2, 1.75 with AVX-512. Without it, 38,000
 * random triangles of such matrices, some of which are copied first, took 1.03 times the time of the better way by mean, 1.4 % of them 1.5
 * times and more; with it 1.01, and 0.3 %. */
static const double GATHERS = 1.4;

/* What the ways cost on the matrices of the last axis of the batch. */
static band_costs costs_of(const dmlc_plan *plan)
{
    const dmlc_band *band = &plan->program.band;
    const dmlc_costs *costs = plan->kernels->abilities->costs;
    const double width = (double)plan->width, rows = (double)band->rows, columns = (double)band->columns;
    const double row = columns * width, bytes = rows * row;
    const double whole = rows_whole(band), crossed = rows_crossed(band);
    /* Of a row that is crossed; a triangle has half of it. */
    const double wide = (double)(band->end - band->begin) * width;
    const double inner = wide < row / 2 ? wide : row / 2;
    const bool values = band->background == DMLC_BACKGROUND_VALUE;
    /* Of nothing but values, a batch counts as one matrix: small ones are copied from the first, see run/band.c. Larger ones are made anew,
     * which is left out. */
    const double matrices = plan->axis_count == 0 || values ? 1 : (double)plan->axes[plan->axis_count - 1].size;
    double moved = bytes * costs->filled_byte, run = costs->band_filled, gathers = 1;
    if (band->background == DMLC_BACKGROUND_INPUT) {
        run = costs->band_copied;
        moved = bytes * costs->copied_byte;
        if (band->columns > 1 && band->input_column != plan->width) {
            gathers = GATHERS;
            const double kept = bytes_kept(band, plan->width);
            moved = kept / width * costs->gather + (bytes - kept) * costs->filled_byte;
        }
    } else if (band->background == DMLC_BACKGROUND_KEEP) {
        moved = (bytes - bytes_kept(band, plan->width)) * costs->filled_byte;
        run = 0;
    }
    /* Rows that lie apart in the output go one by one, crossed or not; those that are set throughout need nothing of the input. */
    const double single = band->dense_output ? crossed : rows;
    const double copied =
        band->dense_output || band->inverted || band->input_column == plan->width ? single : rows - whole;
    band_costs made = {
        .rows = gathers * matrices * (costs->passages + single * costs->band_filled + copied * run + moved),
        .filled = INFINITY,
        .windows = INFINITY,
    };
    if (!band->dense)
        return made;
    if (values) {
        /* A single diagonal is one call, and a store in each row. */
        const bool is_diagonal = band->end - band->begin == 1;
        const double set = is_diagonal ? costs->scatter : costs->band_set + inner * costs->filled_byte;
        const double calls = is_diagonal ? costs->call : 0;
        made.filled = costs->passages + calls + crossed * set + bytes * costs->filled_byte;
    }
    if (row > DMLC_WINDOWS_BYTES)
        return made;
    /* Windows of values are what is written; others are masks, by which each matrix is blended. */
    const double window_byte = values ? costs->band_window_byte : costs->window_byte;
    const double blended = values ? 0 : costs->blended_byte;
    if (bytes <= DMLC_WINDOWS_BYTES) {
        const double table = costs->table + (rows - 1 + columns) * width * costs->filled_byte;
        made.windows = table + rows * costs->window + bytes * (window_byte + matrices * blended);
    } else {
        const double tables = values ? 1 : crossed * row / DMLC_WINDOWS_BYTES;
        const double table = costs->table + row * costs->filled_byte;
        const double window = costs->window + width * costs->filled_byte + row * (window_byte + blended);
        const double rest = moved * (rows - crossed) / rows; /* about as much in each row */
        made.windows = matrices * (costs->passages + rest + tables * table + crossed * window);
    }
    return made;
}

/* Matrices go passage by passage, all of a batch, where they are small, share their windows, or have few rows that the band does
 * not cross. Others go one after the other, in the output's order: those of 5 rows and 12 KB, in 30 MB, took 1.4 times as long
 * together; but in the cache, those with windows took up to 1.6 times as long one by one. */
static bool goes_together(const dmlc_band *band, int64_t width)
{
    enum { SMALL_BYTES = 8 * 1024, FEW = 16 };
    const double rows = (double)band->rows, bytes = rows * (double)band->columns * (double)width;
    return bytes < SMALL_BYTES || band->way == DMLC_BAND_WINDOWS || rows - rows_crossed(band) <= rows / FEW;
}

/* What comes from memory is fetched in the output's order, whose rows need not be long for that: those of 480 to 1,200 bytes, in
 * matrices of 1 to 6 KB, 24 MB in all, took up to 2.2 times as long together, though 0.75 to 0.9 of the time in the cache. Of rows of
 * 20 bytes they took 0.7 in either. Rows of 64 bytes that lie 192 bytes apart in the input, 14 MB of them, took up to 3 times as long. */
static bool goes_together_far(const dmlc_band *band, int64_t width)
{
    enum { LONG_ROW_BYTES = 256, LONG_APART_BYTES = 64 };
    const bool is_apart = band->background == DMLC_BACKGROUND_INPUT && !band->dense;
    const bool is_long =
        band->columns * width >= LONG_ROW_BYTES || (is_apart && dmlc_absolute(band->input_row) >= LONG_APART_BYTES);
    return band->together && (band->way == DMLC_BAND_WINDOWS || !is_long);
}

/* Takes the way that costs least, for all batches. */
static void choose(dmlc_plan *plan)
{
    const band_costs costs = costs_of(plan);
    double least = costs.rows;
    plan->program.band.way = DMLC_BAND_ROWS;
    if (costs.filled < least) {
        least = costs.filled;
        plan->program.band.way = DMLC_BAND_FILLED;
    }
    if (costs.windows < least) {
        least = costs.windows;
        plan->program.band.way = DMLC_BAND_WINDOWS;
    }
    plan->program.band.together = goes_together(&plan->program.band, plan->width);
    plan->program.band.together_far = goes_together_far(&plan->program.band, plan->width);
    for (int32_t i = 0; i + 1 < plan->axis_count; ++i)
        least *= (double)plan->axes[i].size;
    plan->cost = least;
}

/* Whether matrices follow each other densely on both sides, or there is one. */
static bool are_joined(const dmlc_plan *plan)
{
    const dmlc_band *band = &plan->program.band;
    const int64_t matrix = band->rows * band->columns * plan->width;
    const dmlc_axis *batch = &plan->axes[0];
    return plan->axis_count == 0 || (plan->axis_count == 1 && batch->output_step == matrix &&
                                     dmlc_axis_is_plain(batch) && batch->segments[0].step == matrix);
}

/* A band on an input that is not dense, or whose matrices do not follow each other, may cost less as a copy, which knows ways through any
 * layout, and a band in place on what was copied. Where matrices are dense, a copy brings all bytes through the cache once more, see
 * `again`: without that term, matrices of 8 byte elements took up to 1.4 times as long. */
static dmlc_status try_copy(dmlc_plan **plan, int32_t rank, const int64_t *sizes, const int64_t *input_strides,
                            const int64_t *output_strides, int64_t begin, int64_t end)
{
    const dmlc_kernels *kernels = (*plan)->kernels;
    const dmlc_costs *costs = kernels->abilities->costs;
    const int64_t width = (*plan)->width, bytes = (*plan)->bytes;
    const double again = (*plan)->program.band.dense ? (double)bytes * costs->byte : 0;
    const double cost = (*plan)->cost - again;
    /* A copy takes at least a call and the time of its bytes, whatever its cost says: where the band leaves little of much, copies took up
     * to twice as long. Besides, to plan one takes longer than most bands. So none is planned where even `least` is too much. */
    const double least = costs->call + (double)bytes * costs->byte;
    if (costs->call + least >= cost)
        return DMLC_OK;
    dmlc_plan *copy = NULL, *band = NULL;
    dmlc_status status = dmlc_make_diagonal_matrix(&band, kernels, width, rank, sizes, input_strides, output_strides,
                                                   begin, end, DMLC_BACKGROUND_KEEP);
    if (status != DMLC_OK)
        return status;
    band->bytes = bytes;
    band->cost += costs->call; /* a second run has to begin, too */
    if (band->cost + least < cost)
        status = dmlc_make_copy(&copy, kernels, width, rank, sizes, input_strides, output_strides);
    band->before = copy;
    const bool is_better = copy != NULL && copy->cost + band->cost < cost;
    dmlc_plan_free(is_better ? *plan : band);
    if (is_better)
        *plan = band;
    return status;
}

/* A matrix of one row or one column is a single axis: it reads where the band leaves the input, and is outside where the band sets.
 * As a map it can be transposed with the batch too. */
static void add_band_axis(dmlc_draft *draft, const dmlc_band *band)
{
    const bool row = band->rows == 1;
    const int64_t size = row ? band->columns : band->rows, step = row ? band->input_column : band->input_row;
    const int64_t from = dmlc_clip(row ? band->begin : 1 - band->end, 0, size);
    const int64_t to = dmlc_clip(row ? band->end : 1 - band->begin, from, size);
    dmlc_axis *axis = dmlc_draft_add_axis(draft, size, row ? band->output_column : band->output_row);
    dmlc_axis_add(axis, from, 0, step, band->inverted);
    dmlc_axis_add(axis, to - from, from * step, step, !band->inverted);
    dmlc_axis_add(axis, size - to, to * step, step, band->inverted);
    draft->outside_value = 1;
}

/* The map of such an axis, where that costs less. */
static dmlc_status try_axis(dmlc_plan **plan, dmlc_draft *draft)
{
    dmlc_plan *map = NULL;
    const dmlc_status status = dmlc_plan_map(&map, draft);
    const double cost = (*plan)->cost + ((*plan)->before != NULL ? (*plan)->before->cost : 0);
    const bool is_better = status == DMLC_OK && map->cost < cost;
    dmlc_plan_free(is_better ? *plan : map);
    if (is_better)
        *plan = map;
    return status;
}

/* The band of a matrix of such sizes and strides, its rows first. */
static void describe(dmlc_band *band, int64_t width, const int64_t *sizes, const int64_t *input, const int64_t *output,
                     int64_t begin, int64_t end, dmlc_band_background background)
{
    /* Where columns lie apart in memory, it is that of the transposed matrix, whose x - y is this one's y - x. */
    const bool turned = sizes[0] > 1 && sizes[1] > 1 && dmlc_absolute(output[0]) < dmlc_absolute(output[1]);
    const int32_t y = turned, x = !turned;
    const int64_t rows = sizes[y], columns = sizes[x], low = dmlc_minimum(begin, end), high = dmlc_maximum(begin, end);
    /* Diagonals beyond the matrix are all the same, and sums with those near it need no care. */
    const int64_t first = dmlc_clip(turned ? 1 - high : low, -rows, columns);
    const int64_t last = dmlc_clip(turned ? 1 - low : high, -rows, columns);
    band->begin = first;
    band->end = last;
    band->inverted = begin > end;
    band->background = background;
    band->dense_output = is_dense(columns, output[x], output[y], width);
    band->dense =
        band->dense_output && (background != DMLC_BACKGROUND_INPUT || is_dense(columns, input[x], input[y], width));
    band->passages[0] = 1 - last;
    band->passages[1] = columns - last;
    band->passages[2] = 1 - first;
    band->passages[3] = columns - first;
    band->rows = rows;
    band->columns = columns;
    band->output_row = output[y];
    band->output_column = output[x];
    band->input_row = input[y];
    band->input_column = input[x];
    band->share_set = share_set(band);
}

/* Whether nothing is left of the input. */
static bool sets_all(const dmlc_band *band)
{
    const int64_t last = band->rows - 1;
    if (band->inverted)
        return band->begin >= band->end || band->begin >= band->columns || band->end + last <= 0;
    return band->begin + last <= 0 && band->end >= band->columns;
}

/* Then it is a map that reads nothing, whatever the strides. */
static dmlc_status plan_all_set(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                                const int64_t *sizes, const int64_t *output_strides)
{
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    for (int32_t i = 0; i < rank; ++i)
        dmlc_axis_add(dmlc_draft_add_axis(&draft, sizes[i], output_strides[i]), sizes[i], 0, 0, false);
    draft.outside = true;
    draft.outside_value = 1;
    return dmlc_plan_map(plan, &draft);
}

dmlc_status dmlc_make_diagonal_matrix(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                                      const int64_t *sizes, const int64_t *input_strides, const int64_t *output_strides,
                                      int64_t begin, int64_t end, dmlc_band_background background)
{
    if (!dmlc_width_is_valid(width) || rank < 2 || rank > DMLC_MAXIMUM_RANK || background < DMLC_BACKGROUND_VALUE ||
        background > DMLC_BACKGROUND_KEEP)
        return DMLC_INVALID_ARGUMENT;
    if (begin < -DMLC_REACH_LIMIT || begin > DMLC_REACH_LIMIT || end < -DMLC_REACH_LIMIT || end > DMLC_REACH_LIMIT)
        return DMLC_INVALID_ARGUMENT;
    static const int64_t no_strides[DMLC_MAXIMUM_RANK];
    if (background != DMLC_BACKGROUND_INPUT)
        input_strides = no_strides;
    if (!dmlc_output_fits(rank, sizes, output_strides) || !dmlc_reach_fits(rank, sizes, input_strides))
        return DMLC_OVERFLOW;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    const int32_t batch = rank - 2;
    for (int32_t i = 0; i < batch; ++i)
        dmlc_axis_add(dmlc_draft_add_axis(&draft, sizes[i], output_strides[i]), sizes[i], 0, input_strides[i], false);
    draft.empty = draft.empty || sizes[batch] == 0 || sizes[batch + 1] == 0;
    dmlc_draft_canonicalize(&draft);
    dmlc_plan *made = NULL;
    dmlc_status status = dmlc_plan_allocate(&made, DMLC_BAND, &draft);
    if (status != DMLC_OK)
        return status;
    const dmlc_band *band = &made->program.band;
    describe(&made->program.band, width, &sizes[batch], &input_strides[batch], &output_strides[batch], begin, end,
             background);
    if (!draft.empty && background == DMLC_BACKGROUND_INPUT && sets_all(band)) {
        dmlc_plan_free(made);
        return plan_all_set(plan, kernels, width, rank, sizes, output_strides);
    }
    if (!draft.empty)
        choose(made);
    /* Without an input, half of the bytes are not there to read. */
    const int64_t batch_bytes = background == DMLC_BACKGROUND_INPUT ? made->bytes : made->bytes / 2;
    made->bytes = dmlc_product(batch_bytes, dmlc_product(band->rows, band->columns, INT64_MAX / 2), INT64_MAX / 2);
    if (draft.empty || background != DMLC_BACKGROUND_INPUT)
        return dmlc_plan_finish(plan, made, status);
    const bool single = band->rows == 1 && band->columns == 1;
    const bool is_axis = single || (!band->dense && (band->rows == 1 || band->columns == 1));
    if (is_axis)
        add_band_axis(&draft, band);
    if (single) {
        dmlc_plan_free(made);
        return dmlc_plan_map(plan, &draft);
    }
    if (!band->dense || !are_joined(made))
        status = try_copy(&made, rank, sizes, input_strides, output_strides, begin, end);
    if (status == DMLC_OK && is_axis)
        status = try_axis(&made, &draft);
    return dmlc_plan_finish(plan, made, status);
}

dmlc_status dmlc_plan_diagonal_matrix(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes,
                                      const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                      int64_t end, dmlc_band_background background)
{
    return dmlc_make_diagonal_matrix(plan, dmlc_kernels_in_use(), width, rank, sizes, input_strides, output_strides,
                                     begin, end, background);
}
