/* ONE_HOT: the axes are the positions of the indices; each has a sequence of `depth` elements in the output. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

#include <math.h>
#include <string.h>

/* What the ways are weighed by: `count` positions of the last axis, as often as all other axes say. */
typedef struct layout {
    const dmlc_abilities *abilities;
    const dmlc_select *select;
    const dmlc_axis *positions; /* the last axis */
    int64_t width, count;
    double times;
    bool dense_sequences, dense_positions;
    const dmlc_axis *units; /* outside the positions, or NULL */
} layout;

enum { MOST_INSIDE = 32 };

/* Where the last axis lies inside the depth, the one before it, outside, if both are dense; else NULL. */
static const dmlc_axis *units_of(const dmlc_plan *plan)
{
    if (plan->axis_count < 2)
        return NULL;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *positions = &plan->axes[plan->axis_count - 1], *units = positions - 1;
    const int64_t width = plan->width, inside = positions->size;
    const bool are_dense = inside <= MOST_INSIDE && positions->output_step == width &&
                           select->depth_step == inside * width && select->depth <= DMLC_UNIT_BYTES / width / inside &&
                           units->output_step == select->depth * select->depth_step;
    return are_dense && select->index_axes == 1 ? units : NULL;
}

static layout layout_of(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *positions = &plan->axes[plan->axis_count - 1];
    const int64_t width = plan->width;
    layout made = {
        .abilities = plan->kernels->abilities,
        .select = select,
        .positions = positions,
        .width = width,
        .count = positions->size,
        .times = 1,
        .dense_sequences = (select->depth_step == width || select->depth == 1) &&
                           select->depth <= DMLC_SEQUENCE_BYTES / width &&
                           positions->output_step == select->depth * width,
        .dense_positions = positions->output_step == width && (select->depth_step != width || select->depth == 1),
        .units = units_of(plan),
    };
    for (int32_t i = 0; i + 1 < plan->axis_count; ++i)
        made.times *= (double)plan->axes[i].size;
    return made;
}

/* Bytes of the sequences of one last axis. */
static double bytes_of(const layout *l) { return (double)l->select->depth * (double)l->count * (double)l->width; }

static double cost_of_planes(const layout *l)
{
    const dmlc_costs *costs = l->abilities->costs;
    if (!l->dense_positions || !dmlc_index_fits(l->select->depth, dmlc_plane_index_width(l->width)))
        return INFINITY;
    return l->times * (costs->call + (double)l->select->depth * costs->plane + bytes_of(l) * costs->compared_byte);
}

static double cost_of_sequences(const layout *l)
{
    const dmlc_costs *costs = l->abilities->costs;
    if (!l->dense_sequences)
        return INFINITY;
    const double bytes = (double)(l->select->depth * l->width);
    const double ready = costs->table + 2 * bytes * costs->filled_byte;
    return l->times * (costs->call + ready + (double)l->count * costs->window + bytes_of(l) * costs->window_byte);
}

static double cost_of_scatter(const layout *l)
{
    const dmlc_costs *costs = l->abilities->costs;
    const dmlc_select *select = l->select;
    const bool sequences_follow =
        select->depth_step == l->width && l->positions->output_step == select->depth * l->width;
    double runs = (double)l->count, bytes = bytes_of(l) * costs->filled_byte, one = costs->one;
    if (l->units != NULL)
        return l->times / (double)l->units->size * (costs->call + costs->filled_run) +
               l->times * (bytes + (double)l->count * costs->near_one);
    if (sequences_follow || (l->dense_positions && select->depth_step == l->count * l->width))
        runs = 1;
    else if (l->dense_positions)
        runs = (double)select->depth;
    else if (select->depth_step != l->width)
        bytes = (double)select->depth * (double)l->count * costs->scatter;
    if (sequences_follow)
        one = costs->near_one;
    return l->times * (costs->call + runs * costs->filled_run + bytes + (double)l->count * one);
}

/* Dense units, see dmlc_select_tiles. */
typedef struct tiling {
    int64_t inside, units, count;
    int64_t lane; /* bytes of a tile that have a position: of all or of a lane */
} tiling;

enum { MOST_INSIDE_TILES = 192, MOST_TILED_BYTES = 256 };

/* An element of the tiles: of position `first` + `inner`, and it stands for k. */
typedef struct tile_element {
    int64_t first, k, inner;
} tile_element;

/* Goes on over elements that follow each other in position or stand for the next k at the same one, `most` of them; returns how
 * many. */
static int64_t pass_elements(tile_element *at, const tiling *t, int64_t depth, int64_t most)
{
    const int64_t left = t->inside > 1 ? t->inside - at->inner : depth - at->k, count = dmlc_minimum(left, most);
    if (t->inside > 1) {
        at->inner += count;
        at->k += at->inner == t->inside;
        at->inner = count < left ? at->inner : 0;
    } else {
        at->k += count;
    }
    if (at->k == depth) {
        at->k = 0;
        at->first += t->inside;
    }
    return count;
}

/* Whether a look-up reaches all positions of each lane. */
static bool positions_are_near(const layout *l, const tiling *t)
{
    const int64_t depth = l->select->depth, elements = t->lane / l->width;
    tile_element at = {0};
    for (int64_t lane = 0; lane < t->count * l->abilities->select_bytes / t->lane; ++lane) {
        int64_t lowest = INT64_MAX, highest = 0;
        for (int64_t left = elements; left > 0;) {
            const int64_t from = at.first + at.inner, passed = pass_elements(&at, t, depth, left);
            const int64_t to = t->inside > 1 ? from + passed - 1 : from;
            lowest = dmlc_minimum(from, lowest);
            highest = dmlc_maximum(to, highest);
            left -= passed;
        }
        if (highest - lowest >= l->abilities->select_reach)
            return false;
    }
    return true;
}

/* How sequences are tiled, where their positions are near; count is 0 where they cannot be. */
static tiling tiling_of(const layout *l)
{
    const int64_t bytes = l->abilities->select_bytes, depth = l->select->depth, width = l->width;
    tiling made = {.inside = 1, .lane = bytes};
    if (bytes == 0 || !dmlc_index_fits(depth, 1))
        return made;
    if (!l->dense_sequences || depth * width > MOST_TILED_BYTES) {
        if (l->units == NULL)
            return made;
        made.inside = l->count;
    }
    const int64_t unit = depth * width * made.inside;
    made.units = bytes; /* until a tile begins with a unit again */
    for (int64_t divisor = unit; divisor % 2 == 0 && made.units > 1; divisor /= 2)
        made.units /= 2;
    const int64_t count = made.units * unit / bytes;
    made.count = made.inside > 1 && count > MOST_INSIDE_TILES ? 0 : count;
    return made;
}

/* Tiles are made byte by byte, for as many runs at least. */
enum { TILE_USES = 32 };

static double cost_of_tiles(const layout *l, const tiling *t)
{
    const dmlc_costs *costs = l->abilities->costs;
    if (t->count == 0)
        return INFINITY;
    const double tiles = l->times * bytes_of(l) / (double)l->abilities->select_bytes;
    const double calls = t->inside > 1 ? l->times / (double)l->units->size : l->times;
    const double tile = t->count <= DMLC_FEW_TILES ? costs->select_tile : costs->loaded_tile;
    return calls * costs->call + tiles * tile + (double)t->count * costs->made_tile / TILE_USES;
}

/* Units are a leaf of two axes, whose indices are one run or gathered. */
static void take_units(dmlc_plan *plan, const dmlc_axis *units)
{
    dmlc_select *select = &plan->program.select;
    const dmlc_axis *inner = units + 1;
    plan->leaf_axes = 2;
    select->inside = inner->size;
    if (units->segments[0].step == inner->size * inner->segments[0].step)
        return;
    select->index_axes = 2;
    select->indices[0] = (dmlc_index_axis){units->size, units->segments[0].step};
    select->indices[1] = (dmlc_index_axis){inner->size, inner->segments[0].step};
}

static dmlc_status make_tiles(dmlc_plan *plan, const tiling *t)
{
    dmlc_select *select = &plan->program.select;
    const int64_t width = plan->width, bytes = plan->kernels->abilities->select_bytes;
    dmlc_select_tiles *tiles = dmlc_plan_memory(plan, sizeof(*tiles) + (size_t)t->count * sizeof(*tiles->tiles));
    if (tiles == NULL)
        return DMLC_OUT_OF_MEMORY;
    *tiles = (dmlc_select_tiles){
        .by_lanes = t->lane < bytes,
        .units = t->units,
        .count = (int32_t)t->count,
    };
    tile_element at = {0};
    for (int64_t i = 0; i < t->count; ++i) {
        dmlc_select_tile *tile = &tiles->tiles[i];
        int64_t positions[DMLC_TILE_BYTES];
        uint8_t k[DMLC_TILE_BYTES];
        for (int64_t j = 0; j < bytes / width; ++j) {
            positions[j] = at.first + at.inner;
            k[j] = (uint8_t)at.k;
            int64_t *first = &tile->positions[j * width / t->lane];
            *first = j * width % t->lane == 0 || positions[j] < *first ? positions[j] : *first;
            pass_elements(&at, t, select->depth, 1);
        }
        const int shift = dmlc_width_place(width);
        for (int64_t j = 0; j < bytes; ++j) {
            tile->k[j] = k[j >> shift];
            tile->place[j] = (uint8_t)(positions[j >> shift] - tile->positions[j / t->lane]);
        }
    }
    select->tiles = tiles;
    return DMLC_OK;
}

/* The cheapest way; of equal ones DMLC_SELECT_SCATTER. */
static dmlc_select_way cheapest(const double *costs)
{
    dmlc_select_way found = DMLC_SELECT_SCATTER;
    for (int way = 0; way < 4; ++way)
        if (costs[way] < costs[found])
            found = (dmlc_select_way)way;
    return found;
}

/* The way that costs least. */
static dmlc_status choose(dmlc_plan *plan)
{
    dmlc_select *select = &plan->program.select;
    select->way = DMLC_SELECT_SCATTER;
    if (plan->empty)
        return DMLC_OK;
    const layout l = layout_of(plan);
    tiling t = tiling_of(&l);
    double costs[] = {
        [DMLC_SELECT_PLANES] = cost_of_planes(&l),
        [DMLC_SELECT_SEQUENCES] = cost_of_sequences(&l),
        [DMLC_SELECT_TILES] = cost_of_tiles(&l, &t),
        [DMLC_SELECT_SCATTER] = cost_of_scatter(&l),
    };
    select->way = cheapest(costs);
    /* Whether positions are near takes longer to find than what tiles would cost, so it is asked only where tiles would win. */
    if (select->way == DMLC_SELECT_TILES && !positions_are_near(&l, &t)) {
        t.lane = l.abilities->select_reach;
        if (!positions_are_near(&l, &t)) {
            costs[DMLC_SELECT_TILES] = INFINITY;
            select->way = cheapest(costs);
        }
    }
    if (l.units != NULL && (select->way == DMLC_SELECT_SCATTER || (select->way == DMLC_SELECT_TILES && t.inside > 1)))
        take_units(plan, l.units);
    switch (select->way) {
    case DMLC_SELECT_PLANES: select->index_width = dmlc_plane_index_width(plan->width); return DMLC_OK;
    case DMLC_SELECT_SEQUENCES: select->index_width = 4; return DMLC_OK;
    case DMLC_SELECT_TILES: select->index_width = 1; return make_tiles(plan, &t);
    default: select->index_width = 8; return DMLC_OK;
    }
}

/* Makes one of the last axes whose positions follow each other in the output, however their indices lie. Its step in the
 * indices is that of the innermost. */
static int32_t merge_positions(dmlc_draft *draft, dmlc_index_axis *indices)
{
    int32_t count = 0, last = draft->axis_count - 1;
    dmlc_axis merged = draft->axes[last];
    for (;;) {
        const dmlc_axis *axis = &draft->axes[last - count];
        if (count > 0 && (axis->output_step != merged.size * merged.output_step || count == DMLC_INDEX_AXES))
            break;
        merged.size = count > 0 ? merged.size * axis->size : axis->size;
        memmove(indices + 1, indices, (size_t)count * sizeof(*indices));
        indices[0] = (dmlc_index_axis){axis->size, axis->segments[0].step};
        if (++count > last)
            break;
    }
    if (count > 1) {
        merged.cycle = merged.segments[0].size = merged.size;
        draft->axis_count -= count - 1;
        draft->axes[draft->axis_count - 1] = merged;
    }
    return count;
}

dmlc_status dmlc_make_one_hot(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, dmlc_index_type index_type,
                              int32_t from_end, int32_t rank, const int64_t *output_sizes,
                              const int64_t *indices_strides, const int64_t *output_strides, int32_t axis)
{
    if (!dmlc_width_is_valid(width) || rank < 1 || rank > DMLC_MAXIMUM_RANK || axis < 0 || axis >= rank ||
        index_type < DMLC_INDEX_INT8 || index_type > DMLC_INDEX_UINT64)
        return DMLC_INVALID_ARGUMENT;
    int64_t read_strides[DMLC_MAXIMUM_RANK];
    for (int32_t i = 0; i < rank; ++i)
        read_strides[i] = i == axis ? 0 : indices_strides[i];
    if (!dmlc_output_fits(rank, output_sizes, output_strides) || !dmlc_reach_fits(rank, output_sizes, read_strides))
        return DMLC_OVERFLOW;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, kernels, width);
    for (int32_t i = 0; i < rank; ++i) {
        if (i == axis)
            continue;
        dmlc_axis *position = dmlc_draft_add_axis(&draft, output_sizes[i], output_strides[i]);
        dmlc_axis_add(position, output_sizes[i], 0, indices_strides[i], false);
    }
    const int64_t depth = output_sizes[axis];
    draft.empty = draft.empty || depth == 0;
    dmlc_draft_canonicalize(&draft);
    if (draft.axis_count == 0)
        dmlc_axis_add(dmlc_draft_add_axis(&draft, 1, 0), 1, 0, 0, false);
    dmlc_index_axis indices[DMLC_INDEX_AXES] = {{1, 0}};
    const int32_t index_axes = draft.empty ? 1 : merge_positions(&draft, indices);
    dmlc_plan *made = NULL;
    const dmlc_status status = dmlc_plan_allocate(&made, DMLC_SELECT, &draft);
    if (status != DMLC_OK)
        return status;
    made->bytes = dmlc_product(made->bytes / 2, depth + 1, INT64_MAX / 2);
    dmlc_select *select = &made->program.select;
    *select = (dmlc_select){
        .index_type = index_type,
        .from_end = from_end != 0,
        .depth = depth,
        .depth_step = output_strides[axis],
        .inside = 1,
        .index_axes = index_axes,
    };
    memcpy(select->indices, indices, sizeof(indices));
    made->leaf_axes = 1;
    return dmlc_plan_finish(plan, made, choose(made));
}

dmlc_status dmlc_plan_one_hot(dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end,
                              int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                              const int64_t *output_strides, int32_t axis)
{
    return dmlc_make_one_hot(plan, dmlc_kernels_in_use(), width, index_type, from_end, rank, output_sizes,
                             indices_strides, output_strides, axis);
}
