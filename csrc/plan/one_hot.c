/* ONE_HOT: the axes are the positions of the indices; each has a sequence of `depth` elements in the output. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"

/* Whether the indices below `depth`, and the mark of none, fit into an unsigned integer of so many bytes. */
static bool fits(int64_t depth, int64_t bytes) { return bytes >= 8 || (uint64_t)depth < UINT64_C(1) << (8 * bytes); }

/* Whether sequences of at most so many bytes are dense, one after the other. */
static bool sequences_fit(const dmlc_select *select, const dmlc_axis *positions, int64_t width, int64_t most)
{
    return (select->depth_step == width || select->depth == 1) && select->depth <= most / width &&
           positions->output_step == select->depth * width;
}

/* Planes that follow each other are filled together where each is so short that to begin it costs more than the ones that
 * are stored then: a plane costs about as much as four of those. */
static bool planes_are_short(const dmlc_select *select, const dmlc_axis *positions, int64_t width)
{
    enum { SHORT_PLANE_BYTES = 1024, MOST_FILLED_BYTES = 512 * 1024 };
    return positions->size <= SHORT_PLANE_BYTES / width && positions->size / 4 < select->depth &&
           select->depth_step == positions->size * width && select->depth <= MOST_FILLED_BYTES / select->depth_step;
}

static void choose_strategy(dmlc_select *select, const dmlc_axis *positions, int64_t width)
{
    select->strategy = DMLC_SELECT_SCATTER;
    select->index_width = 8;
    if (sequences_fit(select, positions, width, DMLC_BLOCK_BYTES)) {
        select->strategy = DMLC_SELECT_SEQUENCES;
        select->index_width = 1;
    } else if (positions->output_step == width && select->depth_step != width && fits(select->depth, width) &&
               !planes_are_short(select, positions, width)) {
        select->strategy = DMLC_SELECT_PLANES;
        select->index_width = width < 8 ? width : 8;
    }
}

/* Tiles are made byte by byte, hence only where each is used a few times. */
enum { MOST_TILED_BYTES = 256, FEWEST_USES = 4 };

/* The same where positions lie inside the depth, whose tiles are more. */
enum { MOST_INSIDE = 32, MOST_UNIT_BYTES = 4096, MOST_INSIDE_TILES = 192, FEWEST_INSIDE_USES = 16 };

/* Where the last axis lies inside the depth and the one before it outside, both as dense as can be. */
static bool positions_are_inside(const dmlc_select *select, const dmlc_axis *axes, int32_t axis_count, int64_t width)
{
    if (axis_count < 2)
        return false;
    const dmlc_axis *inner = &axes[axis_count - 1], *outer = inner - 1;
    return inner->size <= MOST_INSIDE && inner->output_step == width && select->depth_step == inner->size * width &&
           select->depth <= MOST_UNIT_BYTES / width / inner->size &&
           outer->output_step == select->depth * select->depth_step &&
           outer->segments[0].step == inner->size * inner->segments[0].step;
}

/* False where a block reads indices that are too far apart. */
static bool describe_tiles(dmlc_select_tiles *tiles, int64_t depth, int64_t width)
{
    int64_t unit = 0, k = 0, i = 0, byte = 0; /* the unit, the element, the position inside, its byte */
    for (int32_t t = 0; t < tiles->count; ++t) {
        dmlc_select_tile *tile = &tiles->tiles[t];
        tile->position = unit * tiles->inside;
        for (int64_t j = 0; j < DMLC_BLOCK_BYTES; ++j) {
            const int64_t place = unit * tiles->inside + i - tile->position;
            if (place >= DMLC_BLOCK_BYTES)
                return false;
            tile->place[j] = (uint8_t)place;
            tile->k[j] = (uint8_t)k;
            if (++byte < width)
                continue;
            byte = 0;
            if (++i < tiles->inside)
                continue;
            i = 0;
            if (++k < depth)
                continue;
            k = 0;
            ++unit;
        }
    }
    return true;
}

static dmlc_status make_tiles(dmlc_plan *plan)
{
    dmlc_select *select = &plan->program.select;
    const dmlc_axis *axes = plan->axes;
    const int32_t axis_count = plan->axis_count;
    const int64_t width = plan->width, block_bytes = plan->kernels->abilities->block_bytes;
    const dmlc_axis *positions = &axes[axis_count - 1];
    int64_t inside = 1, fewest = FEWEST_USES, most = INT32_MAX;
    if (block_bytes == 0 || !fits(select->depth, 1))
        return DMLC_OK;
    if (!sequences_fit(select, positions, width, MOST_TILED_BYTES)) {
        if (block_bytes < DMLC_BLOCK_BYTES || !positions_are_inside(select, axes, axis_count, width))
            return DMLC_OK;
        inside = positions->size;
        --positions;
        fewest = FEWEST_INSIDE_USES;
        most = MOST_INSIDE_TILES;
    }
    const int64_t bytes = select->depth * width * inside;
    int64_t together = DMLC_BLOCK_BYTES; /* units after which a block begins with a unit again */
    for (int64_t divisor = bytes; divisor % 2 == 0 && together > 1; divisor /= 2)
        together /= 2;
    const int64_t count = together * bytes / DMLC_BLOCK_BYTES;
    if (positions->size < fewest * together || count > most)
        return DMLC_OK;
    dmlc_select_tiles *tiles = dmlc_plan_memory(plan, sizeof(*tiles) + (size_t)count * sizeof(*tiles->tiles));
    if (tiles == NULL)
        return DMLC_OUT_OF_MEMORY;
    *tiles = (dmlc_select_tiles){.inside = inside, .unit_bytes = bytes, .units = together, .count = (int32_t)count};
    if (describe_tiles(tiles, select->depth, width)) {
        select->tiles = tiles;
        plan->leaf_axes = inside > 1 ? 2 : 1;
    }
    return DMLC_OK;
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
    if (!dmlc_reach_fits(rank, output_sizes, output_strides) || !dmlc_reach_fits(rank, output_sizes, read_strides))
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
    dmlc_plan *made = NULL;
    const dmlc_status status = dmlc_plan_allocate(&made, DMLC_SELECT, &draft);
    if (status != DMLC_OK)
        return status;
    made->bytes = made->bytes > INT64_MAX / 2 / (depth + 1) ? INT64_MAX / 2 : made->bytes / 2 * (depth + 1);
    dmlc_select *select = &made->program.select;
    *select = (dmlc_select){
        .index_type = index_type,
        .from_end = from_end != 0,
        .depth = depth,
        .depth_step = output_strides[axis],
    };
    choose_strategy(select, &made->axes[draft.axis_count - 1], width);
    made->leaf_axes = 1;
    return dmlc_plan_finish(plan, made, made->empty ? DMLC_OK : make_tiles(made));
}

dmlc_status dmlc_plan_one_hot(dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end,
                              int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                              const int64_t *output_strides, int32_t axis)
{
    return dmlc_make_one_hot(plan, dmlc_kernels_in_use(), width, index_type, from_end, rank, output_sizes,
                             indices_strides, output_strides, axis);
}
