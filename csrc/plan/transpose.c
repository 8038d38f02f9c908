/* Transposes: where the input lies closer together along other axes than along the row, those are walked right outside it,
 * so that a kernel goes through both in tiles.
 *
 *     output  ..[b]..[a]..[c][d]       d is the row, and with it c, which continues it: c * d columns
 *     input   ..[d]..[c]..[b][a]       a lies closest together, b continues it: b * a rows
 *
 *     tile    row (b, a), column (c, d): from a + b + c + d in the input to a + b + c + d in the output; rows follow each
 *             other in the input and are listed for the output, columns the other way round
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* So many rows, and so many bytes of a row, are enough to use up the cache lines that a tile touches. */
enum { ENOUGH_ROWS = 256, ENOUGH_ROW_BYTES = 256 };

/* No row of more chunks gives way to the axis outside it: its output would no longer be written in order, which took up to
 * four times as long. */
enum { LONGEST_NARROW = 4 };

static void take(dmlc_transposition *found, int32_t axis) { found->axes[found->along + found->across++] = axis; }

static bool is_taken(const dmlc_transposition *found, int32_t axis)
{
    for (int32_t i = 0; i < found->along + found->across; ++i)
        if (found->axes[i] == axis)
            return true;
    return false;
}

/* What a chunk takes: in tiles, where both sides are dense, the less the wider they are. */
static double cost_of_chunk(int64_t chunk, int64_t columns, int64_t rows, bool tiles)
{
    const double alone = (double)dmlc_chunk_moves(chunk) * DMLC_SCATTER_COST;
    if (!tiles)
        return alone;
    const int64_t shorter = columns < rows ? columns : rows;
    double cost = chunk == 1 ? 0.07 : chunk == 2 ? 0.1 : chunk == 4 ? 0.18 : chunk == 8 ? 0.3 : alone;
    if (shorter < 16 && shorter * chunk < 64)
        cost *= 2;
    if (shorter < 4)
        cost *= 2;
    return cost < alone ? cost : alone;
}

/* With that axis as the row, and those that continue it where it is to be long; none lie across where no other axis is
 * closer together. */
static dmlc_transposition find_with_row(const dmlc_plan *plan, int32_t row, bool is_long)
{
    const dmlc_axis *axes = plan->axes;
    const int64_t chunk = plan->program.row.chunk;
    dmlc_transposition found = {.along = 1, .axes = {row}};
    int32_t grain = row;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        if (dmlc_axis_distance(&axes[i]) < dmlc_axis_distance(&axes[grain]))
            grain = i;
    if (grain == row || dmlc_axis_distance(&axes[row]) <= chunk)
        return found;
    int64_t columns = axes[row].size, rows = axes[grain].size;
    for (int32_t i = row - 1; is_long && i >= 0 && i != grain && columns * axes[row].output_step < ENOUGH_ROW_BYTES;
         --i) {
        if (!dmlc_axis_is_plain(&axes[i + 1]) || !dmlc_axis_is_plain(&axes[i]) ||
            axes[i].output_step != columns * axes[row].output_step)
            break;
        found.axes[found.along++] = i;
        columns *= axes[i].size;
    }
    take(&found, grain);
    int32_t outermost = grain;
    while (dmlc_axis_is_plain(&axes[outermost]) && rows < ENOUGH_ROWS) {
        const int64_t step = axes[outermost].size * axes[outermost].segments[0].step;
        int32_t next = plan->axis_count - 1;
        while (next >= 0 &&
               (is_taken(&found, next) || !dmlc_axis_is_plain(&axes[next]) || axes[next].segments[0].step != step))
            --next;
        if (next < 0)
            break;
        take(&found, next);
        rows *= axes[next].size;
        outermost = next;
    }
    const double elements = dmlc_map_elements(plan), all_rows = elements / (double)columns;
    const bool tiles = axes[row].output_step == chunk && dmlc_axis_distance(&axes[grain]) == chunk;
    /* Pixels of a few planes are wide as they are. */
    const bool pixels = columns <= 4 && found.along + found.across == 2 && axes[grain].output_step == columns * chunk;
    found.cost = elements * cost_of_chunk(chunk, pixels ? rows : columns, rows, tiles) + all_rows * DMLC_PLACE_COST +
                 all_rows / (double)rows * DMLC_TRANSPOSE_COST;
    return found;
}

static dmlc_transposition cheaper(dmlc_transposition one, dmlc_transposition other)
{
    return one.across == 0 || (other.across > 0 && other.cost < one.cost) ? other : one;
}

dmlc_transposition dmlc_find_transposition(const dmlc_plan *plan)
{
    const int32_t last = plan->axis_count - 1;
    const dmlc_transposition found = cheaper(find_with_row(plan, last, true), find_with_row(plan, last, false));
    /* Rows of a few chunks may do better across. */
    if (plan->axes[last].size > LONGEST_NARROW || plan->axes[last].size >= plan->axes[last - 1].size)
        return found;
    return cheaper(found, find_with_row(plan, last - 1, false));
}

/* Where the elements of some axes lie, the innermost axis first, as many of the outermost as there is room for. Returns how
 * many elements those are. */
static int64_t list_elements(int64_t *list, const dmlc_axis *axes, int32_t count, bool in_output)
{
    int64_t listed = 1;
    list[0] = 0;
    for (int32_t i = count - 1; i >= 0; --i) {
        const int64_t step = in_output ? axes[i].output_step : axes[i].segments[0].step, inner = listed;
        for (int64_t at = 1; at < axes[i].size && listed + inner <= DMLC_MOST_PLACES; ++at)
            for (int64_t j = 0; j < inner; ++j)
                list[listed++] = list[j] + at * step;
    }
    return listed;
}

dmlc_status dmlc_plan_transpose(dmlc_plan *plan, const dmlc_transposition *found)
{
    const int32_t along = found->along, across = found->across, outer = plan->axis_count - along - across;
    dmlc_axis ordered[DMLC_MAXIMUM_RANK];
    int32_t count = 0;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        if (!is_taken(found, i))
            ordered[count++] = plan->axes[i];
    for (int32_t i = along + across - 1; i >= 0; --i)
        ordered[count++] = plan->axes[found->axes[i]];
    memcpy(plan->axes, ordered, (size_t)count * sizeof(*ordered));

    int64_t places[DMLC_MOST_PLACES], sources[DMLC_MOST_PLACES];
    const dmlc_axis *row_axes = &plan->axes[plan->axis_count - along], *row_axis = row_axes + along - 1;
    const int64_t place_count = list_elements(places, &plan->axes[outer + 1], across - 1, true);
    const int64_t source_count = along > 1 ? list_elements(sources, row_axes, along, false) : 0;
    const size_t place_bytes = (size_t)place_count * sizeof(*places),
                 source_bytes = (size_t)source_count * sizeof(*sources);
    dmlc_transpose *made = malloc(sizeof(*made) + place_bytes + source_bytes);
    if (made == NULL)
        return DMLC_OUT_OF_MEMORY;
    made->along = along;
    made->across = across;
    made->place_count = place_count;
    made->source_count = source_count;
    made->sources = made->places + place_count;
    memcpy(made->places, places, place_bytes);
    memcpy(made->sources, sources, source_bytes);
    plan->transpose = made;

    dmlc_row *row = &plan->program.row;
    dmlc_row_build(row, row_axis, 0, row_axis->size);
    row->middle = -1;
    if (along > 1) {
        row->size = source_count;
        row->piece_count = 1;
        row->pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .permutation = -1, .count = source_count};
    }
    return DMLC_OK;
}
