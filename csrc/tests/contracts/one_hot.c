/* Indices, and the selections that are made from them. */
#include "contracts/contract.h"

#include <string.h>

static void store_integer(char *to, uint64_t value, int64_t width)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    const void *from[] = {&one, &two, &four, &value};
    memcpy(to, from[dmlc_width_place(width)], (size_t)width);
}

static void normalize(const dmlc_kernels *kernels)
{
    const int64_t type = draw(DMLC_INDEX_TYPES), bytes = INT64_C(1) << type % 4, width = INT64_C(1) << draw(4);
    const bool is_signed = type < 4, from_end = draw(2) == 0;
    const uint64_t none = ~UINT64_C(0) >> (64 - 8 * width), largest = ~UINT64_C(0) >> (64 - 8 * bytes);
    const int64_t limits[] = {3, 100, 255, 65535, UINT32_MAX, INT64_MAX};
    const int64_t limit = limits[draw(6)],
                  depth = draw_between(1, (uint64_t)limit < none ? limit : (int64_t)(none / 2));
    const int64_t count = draw_size(MOST_BYTES / 64),
                  step = draw(2) == 0 ? bytes : (draw(2) * 2 - 1) * (bytes + draw(40));
    const int64_t lowest = step < 0 ? (count - 1) * step : 0;
    memory m = prepare(count * width, (count - 1) * (step < 0 ? -step : step) + bytes, 1);
    char *indices = m.input - lowest;
    for (int64_t i = 0; i < count; ++i) {
        /* Around both ends of [-depth, depth), the extremes of the type, or anything. */
        const uint64_t around[] = {0, (uint64_t)depth, -(uint64_t)depth, largest / 2, draw_bits()};
        const uint64_t index = (around[draw(5)] + (uint64_t)draw_between(-2, 2)) & largest;
        store_integer(indices + i * step, index, bytes);
        const bool negative = is_signed && index > largest / 2;
        const uint64_t below = largest - index + 1; /* how far */
        uint64_t normal = negative ? (uint64_t)depth - below : index;
        if (negative ? !from_end || below > (uint64_t)depth : index >= (uint64_t)depth)
            normal = none;
        store_integer(m.expected + i * width, normal, width);
    }
    kernels->normalize[type][dmlc_width_place(width)](m.output, indices, step, count, depth, from_end);
    for (int64_t i = 0; i < count && width == 1; ++i)
        if ((uint8_t)m.output[i] >= depth)
            m.output[i] = (char)none; /* as a byte, any that is not below depth will do */
}

/* Normalized indices, so many of a width, and what they are beyond `first`; one in four of none. */
static void draw_indices(char *indices, int64_t *values, int64_t count, int64_t first, int64_t depth, int64_t width)
{
    for (int64_t i = 0; i < count; ++i) {
        values[i] = draw(4) == 0 ? -1 : draw(depth);
        int64_t stored = first + values[i];
        if (values[i] < 0)
            stored = width == 1 ? draw_between(first + depth, UINT8_MAX) : first > 0 && draw(2) == 0 ? first - 1 : -1;
        store_integer(indices + i * width, (uint64_t)stored, width);
    }
}

enum { MOST_POSITIONS = 2048 };

/* By a kernel that takes so wide indices and reads so far past them. */
static void select_by(const dmlc_kernels *kernels, void (*kernel)(const dmlc_select_block *block),
                      dmlc_select_block block, int64_t index_width, int64_t beyond)
{
    static int64_t values[MOST_BYTES];
    const int64_t inside = block.inside, width = block.width;
    const int64_t bytes = (block.count - 1) * block.unit_step + (block.depth - 1) * block.depth_step + inside * width;
    memory m = prepare(bytes, block.count * inside * index_width + beyond, width);
    m.input -= (uintptr_t)m.input % (uintptr_t)index_width; /* as those of a run are */
    draw_indices(m.input, values, block.count * inside, block.first, block.depth, index_width);
    for (int64_t i = 0; i < block.count; ++i)
        for (int64_t k = 0; k < block.depth; ++k)
            for (int64_t j = 0; j < inside; ++j) {
                const bool is_on = values[i * inside + j] == k;
                if (is_on || kernel != kernels->select_ones)
                    memcpy(m.expected + i * block.unit_step + k * block.depth_step + j * width, m.patterns[is_on].bytes,
                           (size_t)width);
            }
    block.output = m.output;
    block.indices = m.input;
    block.off = &m.patterns[0];
    block.on = &m.patterns[1];
    block.stream = draw_stream(&m);
    kernel(&block);
    end_stream(kernels, block.stream);
}

/* Dense units of several positions. */
static dmlc_select_block draw_units(void)
{
    dmlc_select_block block = {.width = draw_width()};
    block.inside = draw_between(2, 32);
    block.depth = draw_size(DMLC_UNIT_BYTES / block.width / block.inside);
    block.depth_step = block.inside * block.width;
    block.unit_step = block.depth * block.depth_step;
    block.count = draw_size(least(MOST_BYTES / 4 / block.unit_step, MOST_POSITIONS / block.inside));
    return block;
}

/* Sequences or planes, or units. */
static dmlc_select_block draw_selection(void)
{
    if (draw(3) == 0)
        return draw_units();
    dmlc_select_block block = {.width = draw_width(), .inside = 1};
    const int64_t width = block.width, apart = draw(2) * draw(3) * width;
    block.depth = draw_size(MOST_BYTES / 4 / width);
    block.count = draw_size(least(MOST_BYTES / 4 / width / block.depth, MOST_POSITIONS));
    const bool planes = draw(2) == 0;
    block.unit_step = planes ? width : block.depth * width + apart;
    block.depth_step = planes ? block.count * width + apart : width;
    if (draw(2) == 0)
        block.count = (block.count + 1) / 2;
    return block;
}

static void select_scatter(const dmlc_kernels *kernels)
{
    select_by(kernels, kernels->select_scatter, draw_selection(), 8, 0);
}

static void select_ones(const dmlc_kernels *kernels)
{
    dmlc_select_block block = draw_selection();
    block.first = draw(2) * draw(300);
    select_by(kernels, kernels->select_ones, block, 8, 0);
}

static void select_sequences(const dmlc_kernels *kernels)
{
    dmlc_select_block block = {.width = draw_width(), .inside = 1};
    block.depth = draw_between(1, DMLC_SEQUENCE_BYTES / block.width);
    block.depth_step = block.width;
    block.unit_step = block.depth * block.width;
    block.count = draw_size(least(MOST_BYTES / block.unit_step, MOST_POSITIONS));
    select_by(kernels, kernels->select_sequences, block, 4, 0);
}

static void select_planes(const dmlc_kernels *kernels)
{
    dmlc_select_block block = {.width = draw_width(), .inside = 1};
    const int64_t width = block.width;
    block.count = draw_size(least(MOST_BYTES / 64, MOST_POSITIONS));
    block.unit_step = width;
    block.depth_step = block.count * width + draw(2) * draw(40);
    const int64_t most = MOST_BYTES / block.depth_step;
    /* One index at least is of none. */
    const int64_t indices = width == 1 ? UINT8_MAX : width == 2 ? UINT16_MAX : INT32_MAX;
    block.depth = draw_size(least(indices, most > 0 ? most : 1));
    block.first = draw(2) * draw(least(indices - block.depth + 1, 300));
    select_by(kernels, kernels->select_planes[dmlc_width_place(width)], block, width < 8 ? width : 8, 64);
}

static void select_tiles(const dmlc_kernels *kernels)
{
    const int64_t width = draw(2) == 0 ? 1 : draw_width(), depth = draw_size(draw(2) == 0 ? 3 : 300 / width);
    const int64_t inside = draw(3) == 0 ? 1 : draw_size(32);
    const int64_t unit_bytes = depth * inside * width;
    const int64_t sizes[] = {1000, depth, inside}, output[] = {unit_bytes, inside * width, width};
    const int64_t indices[] = {inside, 0, 1};
    dmlc_plan *plan = NULL;
    if (kernels->select_tiles == NULL ||
        dmlc_make_one_hot(&plan, kernels, width, DMLC_INDEX_UINT8, 0, 3, sizes, indices, output, 1) != DMLC_OK)
        return;
    const dmlc_select *select = &plan->program.select;
    if (select->tiles != NULL) {
        /* As many as there is room for are moved to where a vector begins. */
        const int64_t unit = depth * select->inside * width, most = (MOST_BYTES - DMLC_TILE_BYTES) / unit;
        const dmlc_select_block block = {
            .unit_step = unit,
            .depth_step = select->depth_step,
            .inside = select->inside,
            .count = most < 2       ? 1
                     : draw(2) == 0 ? most
                                    : draw_size(most),
            .depth = depth,
            .width = width,
            .tiles = select->tiles,
        };
        select_by(kernels, kernels->select_tiles, block, 1, 64);
    }
    dmlc_plan_free(plan);
}

const contract one_hot_contracts[] = {
    {"normalize", normalize},
    {"select_scatter", select_scatter},
    {"select_ones", select_ones},
    {"select_sequences", select_sequences},
    {"select_tiles", select_tiles},
    {"select_planes", select_planes},
    {NULL, NULL},
};
