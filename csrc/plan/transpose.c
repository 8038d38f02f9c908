/* Transposes: where the input lies closer together along other axes than along the row, those are walked right outside it,
 * so that a kernel goes through both in tiles.
 *
 *     output  ..[b]..[a]..[c][d]       d is the row, and with it c, which continues it: c * d columns
 *     input   ..[d]..[c]..[b][a]       a lies closest together, b continues it: b * a rows
 *
 *     tile    row (b, a), column (c, d): from a + b + c + d in the input to a + b + c + d in the output; rows follow each
 *             other in the input and are listed for the output, columns the other way round
 */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

/* So many rows, and so many bytes of a row, are enough to use up the cache lines that a tile touches. */
enum { ENOUGH_ROWS = 256, ENOUGH_ROW_BYTES = 256 };

/* Lines that a first-level cache keeps beside others, and lines that a second-level one keeps. */
enum { MOST_LINES = 640, MOST_FARTHER_LINES = 16 * 1024 };

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

/* What a chunk takes by itself: where both axes are even, by moves. */
static double cost_alone(const dmlc_costs *costs, int64_t chunk, int64_t rows, bool even)
{
    const double vectors = (double)dmlc_chunk_vectors(chunk);
    if (!dmlc_has_moves(chunk))
        return 3 * vectors * costs->scatter;
    const bool is_pixel = dmlc_width_place(chunk) == DMLC_ANY_CHUNK && chunk < 16;
    const double gather = (is_pixel || chunk < 8 ? 1.25 : 2) * costs->gather;
    return (is_pixel ? 1.5 : vectors) * (!even ? costs->scatter : rows <= DMLC_FEW_CHUNKS ? costs->few : gather);
}

/* What a chunk takes: in tiles, where both sides are dense, the less the wider they are. */
static double cost_of_chunk(const dmlc_costs *costs, int64_t chunk, int64_t columns, int64_t rows, bool tiles,
                            bool even)
{
    if (!tiles)
        return cost_alone(costs, chunk, rows, even);
    const int64_t shorter = dmlc_minimum(columns, rows);
    double cost = chunk == 3 ? costs->tile_pixel : costs->tile_chunk[dmlc_width_place(chunk)];
    if (shorter * chunk < 12)
        cost *= 3;
    else if (shorter < 16 && shorter * chunk < 64)
        cost *= shorter * chunk < 32 ? 2 : 1.5;
    if (shorter < 4)
        cost *= 3;
    else if (columns > 4 && columns < 8) /* those that are left go one by one */
        cost *= chunk == 4 ? 2.5 : 1.5;
    else if (shorter > 4 && shorter < 8 && chunk < 4)
        cost *= 1.25;
    return cost < costs->scatter ? cost : costs->scatter;
}

/* How much of an axis is one element over and over, as edges are: no tile goes through that. */
static double share_repeated(const dmlc_axis *axis)
{
    int64_t repeated = 0;
    for (int32_t i = 0; i < axis->segment_count; ++i)
        if (!axis->segments[i].outside && axis->segments[i].step == 0)
            repeated += axis->segments[i].size;
    return (double)repeated / (double)axis->cycle;
}

enum { LEAST_PLANE_BYTES = 32 };

static bool are_plain(const dmlc_axis *row, const dmlc_axis *across, int64_t chunk)
{
    return dmlc_axis_is_plain(row) && dmlc_axis_is_plain(across) && row->output_step == chunk && row->size > 1 &&
           across->size > 1;
}

bool dmlc_are_planes(const dmlc_axis *row, const dmlc_axis *across, int64_t chunk)
{
    if (!are_plain(row, across, chunk))
        return false;
    return row->size >= LEAST_PLANE_BYTES / chunk &&
           dmlc_are_pixels(across->segments[0].step, row->segments[0].step, across->size, chunk);
}

/* What the row's pieces cost in each row, beside the longest: a chunk or two are moved down each column, where no places are listed. For
 * twice as much or a quarter, 300 random pads of transposed arrays took as long by mean, but some up to 2.2 times as long. */
static double cost_of_pieces(const dmlc_costs *costs, const dmlc_axis *row, int64_t chunk, bool has_places)
{
    enum { PIECES_OF_TURNS = 4 };
    double cost = -costs->piece;
    for (int32_t i = 0; i < row->segment_count; ++i) {
        const int64_t size = row->segments[i].size;
        const bool is_narrow = size <= DMLC_MOST_NARROW && !has_places && dmlc_has_moves(chunk);
        cost += is_narrow ? (double)size / DMLC_MOST_NARROW * costs->piece : costs->piece;
    }
    /* Turns after the first are copied, twice as many at a time. */
    if (row->size > row->cycle)
        cost += PIECES_OF_TURNS * costs->piece;
    return cost < 0 ? 0 : cost;
}

/* Whether two axes are dense pixels of a few chunks on either side and planes on the other, which kernels go through in one
 * pass, see pixels.h. */
static bool is_pixels(const dmlc_axis *row, const dmlc_axis *across, int64_t chunk)
{
    const bool to_pixels = are_plain(row, across, chunk) && row->size <= DMLC_MOST_PLANES &&
                           across->size >= LEAST_PLANE_BYTES / chunk && across->segments[0].step == chunk &&
                           across->output_step == row->size * chunk;
    return to_pixels || dmlc_are_planes(row, across, chunk);
}

/* Pixels of a few planes with a border: the elements of the axis across that are read forward, in runs which a kernel of pixels is worth
 * calling for; none where they are no such pixels. And how many runs are read in all. With the price of tiles, images of bytes whose border
 * is filled seemed to take three times as long as they did. */
typedef struct border_of_pixels {
    int64_t inside, runs;
} border_of_pixels;

static border_of_pixels border_around(const dmlc_axis *row, const dmlc_axis *across, int64_t chunk)
{
    border_of_pixels border = {0, 0};
    if (!dmlc_axis_is_plain(row) || row->output_step != chunk || row->size > DMLC_MOST_PLANES ||
        across->output_step != row->size * chunk || across->cycle < across->size || dmlc_width_place(chunk) > 3)
        return border;
    for (int32_t i = 0; i < across->segment_count; ++i) {
        const dmlc_segment *segment = &across->segments[i];
        border.runs += !segment->outside;
        if (!segment->outside && segment->step == chunk && segment->size >= LEAST_PLANE_BYTES / chunk)
            border.inside += segment->size;
    }
    return border;
}

/* What a call takes that makes planes pixels, or pixels planes, in calls. At a whole one, 32,000 random batches of images of up to 500
 * pixels took 1.03 times as long to pixels by mean with AVX2, 2.6 at worst, and 1.01 with AVX-512, 1.8 at worst; and crops of 100 to 1,000
 * pixels a row took up to twice as long to planes. Pixels that go back take a whole one: at less, rows of 100 to 300 took up to 1.7 times
 * as long with AVX-512. */
static const double PIXELS_CALL = 0.4;

/* With that axis as the row, and those that continue it where it is to be long; none where no other axis is closer
 * together. */
static void find_with_row(dmlc_transposition *found, const dmlc_sketch *sketch, int32_t row, bool is_long)
{
    const dmlc_plan *plan = sketch->plan;
    const dmlc_costs *costs = sketch->costs;
    const dmlc_axis *axes = plan->axes;
    const int64_t chunk = plan->chunk;
    const int32_t nearest = sketch->nearest;
    found->cost = INFINITY;
    found->along = 1;
    found->across = 0;
    found->axes[0] = row;
    /* Beyond a line, nothing that is read is there for the next row. */
    if (sketch->distances[row] == sketch->distances[nearest] || sketch->distances[row] <= chunk ||
        (chunk < DMLC_LINE_BYTES / 2 && sketch->distances[nearest] >= DMLC_LINE_BYTES))
        return;
    int64_t columns = axes[row].size, rows = axes[nearest].size;
    for (int32_t i = row - 1; is_long && i >= 0 && i != nearest && columns * axes[row].output_step < ENOUGH_ROW_BYTES;
         --i) {
        if (!dmlc_axis_is_plain(&axes[i + 1]) || !dmlc_axis_is_plain(&axes[i]) ||
            axes[i].output_step != columns * axes[row].output_step)
            break;
        found->axes[found->along++] = i;
        columns *= axes[i].size;
    }
    take(found, nearest);
    int32_t outermost = nearest;
    while (dmlc_axis_is_plain(&axes[outermost]) && rows < ENOUGH_ROWS) {
        const int64_t step = axes[outermost].size * axes[outermost].segments[0].step;
        int32_t next = plan->axis_count - 1;
        while (next >= 0 &&
               (is_taken(found, next) || !dmlc_axis_is_plain(&axes[next]) || axes[next].segments[0].step != step))
            --next;
        if (next < 0)
            break;
        take(found, next);
        rows *= axes[next].size;
        outermost = next;
    }
    /* Only the axes outside all that are taken stay dense: of the others all elements are gone through. */
    double elements = sketch->elements;
    int32_t outer = 0;
    for (; outer < row && !is_taken(found, outer); ++outer)
        elements *= sketch->made[outer] / (double)axes[outer].size;
    const double all_rows = elements / (double)columns, rest = dmlc_rest_cost(sketch, outer, elements);
    const bool tiles = axes[row].output_step == chunk && sketch->distances[nearest] == chunk &&
                       (dmlc_width_place(chunk) <= 3 || (chunk == 3 && costs->tile_pixel > 0));
    const bool in_buffer =
        sketch->abilities->even_steps &&
        dmlc_turns_in_buffer(chunk, axes[row].output_step, sketch->distances[nearest], rows, columns);
    double to_buffer = 0;
    if (in_buffer) {
        to_buffer = (double)(sketch->distances[nearest] / chunk) * costs->even_chunk[dmlc_width_place(chunk)];
        /* Listed columns are moved there by half a call each. Without it, 250 random copies of 2 KB to 1 MB whose columns are two axes took
         * 1.4 to 1.5 times as long by mean, up to four times; for a whole call, matrices with four long columns went by moves, up to 2.6
         * times as long. */
        if (found->along > 1)
            to_buffer += costs->call / 2 / (double)dmlc_rows_in_buffer(chunk, rows, columns);
    }
    if (found->along + found->across == 2 && dmlc_width_place(chunk) <= 3 &&
        costs->pixel_chunk[dmlc_width_place(chunk)] > 0 && is_pixels(&axes[row], &axes[nearest], chunk)) {
        /* Back to front they go twice. */
        const bool back = dmlc_are_planes(&axes[row], &axes[nearest], chunk) && axes[row].segments[0].step < 0;
        const double call = back ? 1 : PIXELS_CALL;
        found->cost = rest + elements * costs->pixel_chunk[dmlc_width_place(chunk)] * (back ? 2 : 1) +
                      elements / (double)(rows * columns) * call * costs->transpose;
        return;
    }
    const border_of_pixels border = border_around(&axes[row], &axes[nearest], chunk);
    if (found->along + found->across == 2 && 2 * border.inside > axes[nearest].size &&
        costs->pixel_chunk[dmlc_width_place(chunk)] > 0) {
        const double share = (double)border.inside / (double)axes[nearest].size;
        const double read = dmlc_elements_inside(&axes[nearest]) / (double)axes[nearest].size;
        found->cost = rest + elements * share * costs->pixel_chunk[dmlc_width_place(chunk)] +
                      elements * (read - share) * costs->scatter +
                      elements / (double)(rows * columns) * (double)border.runs * costs->transpose;
        return;
    }
    /* Rows of a single axis lie evenly apart, and tiles of them need no list. */
    const bool is_plain = dmlc_axis_is_plain(&axes[row]);
    const bool even_axes = found->along == 1 && found->across == 1 && is_plain && axes[row].segments[0].step != 0 &&
                           dmlc_axis_is_plain(&axes[nearest]);
    const bool even_tiles =
        tiles && found->across == 1 && is_plain && dmlc_width_place(chunk) <= 3 && sketch->abilities->block_bytes > 0;
    const bool few = !tiles && even_axes && rows <= DMLC_FEW_CHUNKS;
    const double place = few                   ? 0.15 * costs->place * (double)columns / (double)rows
                         : even_tiles          ? costs->place / 4
                         : !tiles && even_axes ? costs->piece
                                               : costs->place;
    /* What is outside is filled row by row, and each run across is a call. */
    const double pieces = cost_of_pieces(costs, &axes[row], chunk, found->across > 1);
    const int64_t together = rows > axes[nearest].segment_count ? rows / axes[nearest].segment_count : 1;
    /* Pixels of a few planes are wide as they are. Others may go as if they were, but for the last, which is a call of its own. */
    const int64_t pixel = found->along + found->across == 2 ? axes[nearest].output_step : 0;
    const bool nearly_wide =
        tiles && dmlc_are_nearly_wide(pixel, together, columns, chunk, sketch->abilities->tile_bytes);
    const int64_t wide = nearly_wide ? DMLC_WIDE_PIXEL : columns <= 4 && pixel == columns * chunk ? together : columns;
    const double wider = nearly_wide ? (double)wide / (double)columns : 1;
    const double call = (nearly_wide ? 2 : 1) * (even_axes ? 0.75 : 1) * costs->transpose;
    const double inside = elements * dmlc_elements_inside(&axes[nearest]) / (double)axes[nearest].size;
    const double repeated = elements * share_repeated(&axes[nearest]);
    /* Outside the row, what is outside is one fill. */
    const double fill = nearest < row ? (double)chunk * costs->filled_byte : costs->scatter;
    found->cost = rest + (elements - inside) * fill +
                  repeated * cost_of_chunk(costs, chunk, columns, together, false, false) +
                  (inside - repeated) *
                      (wider * cost_of_chunk(costs, chunk, wide, together, tiles || in_buffer, even_axes) + to_buffer) +
                  inside / (double)columns * (place + pieces) + all_rows / (double)together * call;
    /* Where the output lies apart, the lines of all rows of an element of the outermost axis, and those that they read, are to be
     * there for the next one; of a single axis, for its next run. */
    const double share = axes[row].output_step < DMLC_LINE_BYTES ? (double)axes[row].output_step / DMLC_LINE_BYTES : 1;
    const double lines = (double)columns * (1 + share * (double)rows / (double)axes[outermost].size);
    const bool comes_back = found->across > 1 || axes[nearest].segment_count > 1;
    if (comes_back && axes[row].output_step != chunk && lines > MOST_LINES)
        found->cost += elements * costs->far;
    /* An axis inside the row that is walked outside of it comes back to every line of the output. */
    const double touched = (double)columns * (double)rows * share;
    if (row < plan->axis_count - 1 && !is_taken(found, plan->axis_count - 1) && touched > MOST_LINES)
        found->cost += elements * (touched > MOST_FARTHER_LINES ? costs->far + costs->farther : costs->far);
}

static double cost(dmlc_sketch *sketch, double best)
{
    (void)best;
    const dmlc_axis *axes = sketch->plan->axes;
    const int32_t last = sketch->plan->axis_count - 1;
    dmlc_transposition *found = &sketch->transposition, other;
    /* No tile is as quick as a row that is filled with one chunk: transposes took 1.1 to 2.5 times as long. */
    if (last == 0 || dmlc_row_repeats_by_vectors(&sketch->row))
        return (double)INFINITY;
    find_with_row(found, sketch, last, true);
    if (found->along > 1) {
        find_with_row(&other, sketch, last, false);
        *found = other.cost < found->cost ? other : *found;
    }
    /* Rows of a few chunks may do better across. */
    if (axes[last].size <= LONGEST_NARROW && axes[last].size < axes[last - 1].size) {
        find_with_row(&other, sketch, last - 1, false);
        *found = other.cost < found->cost ? other : *found;
    }
    return found->cost;
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

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    const dmlc_transposition *found = &sketch->transposition;
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
    int64_t *list = dmlc_plan_memory(plan, (size_t)(place_count + source_count) * sizeof(*list));
    if (list == NULL)
        return DMLC_OUT_OF_MEMORY;
    memcpy(list, places, (size_t)place_count * sizeof(*list));
    memcpy(list + place_count, sources, (size_t)source_count * sizeof(*list));
    dmlc_transpose *made = &plan->program.transpose;
    *made = (dmlc_transpose){
        .row = dmlc_row_of(row_axis, plan->chunk, 0, row_axis->size),
        .along = along,
        .across = across,
        .place_count = place_count,
        .source_count = source_count,
        .places = list,
        .sources = list + place_count,
    };
    if (along > 1) {
        made->row.size = source_count;
        made->row.piece_count = 1;
        made->row.pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .count = source_count};
    }
    plan->way = DMLC_TRANSPOSE;
    plan->leaf_axes = along + across;
    return DMLC_OK;
}

const dmlc_map_way dmlc_transpose_way = {cost, make, NULL};
