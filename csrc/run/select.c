/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices and, where the sequences are
 * scattered into, its output stay in cache. */
#include "run/run.h"

enum { BLOCK_INDEX_BYTES = 8192, BLOCK_OUTPUT_BYTES = 256 * 1024, SMALLEST_BLOCK = 16, SHORTEST_PLANE = 1024 };

static int64_t size(const dmlc_plan *plan) { return dmlc_leaf_axis(plan)->size; }

/* Planes are gone through one by one, and cost as much when short. */
static int64_t grain(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    const bool planes =
        select->way == DMLC_SELECT_PLANES || (select->way == DMLC_SELECT_SCATTER && select->depth_step != plan->width);
    return planes ? SHORTEST_PLANE / plan->width : 1;
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = dmlc_leaf_axis(plan);
    const int64_t index_step = plan->axes[plan->axis_count - 1].segments[0].step;
    const int64_t width = plan->width;
    const dmlc_select_tiles *tiles = select->way == DMLC_SELECT_TILES ? select->tiles : NULL;
    const int64_t inside = tiles != NULL ? tiles->inside : 1;
    int64_t block = BLOCK_INDEX_BYTES / select->index_width / inside;
    if (select->way == DMLC_SELECT_SCATTER && select->depth_step != axis->size * width &&
        block > BLOCK_OUTPUT_BYTES / width / select->depth)
        block = BLOCK_OUTPUT_BYTES / width / select->depth;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    const int index_place = dmlc_width_place(select->index_width);
    /* Kernels may load a whole block past the last index. */
    unsigned char normalized[BLOCK_INDEX_BYTES + DMLC_TILE_BYTES];
    for (int64_t position = begin; position < end; position += block) {
        const int64_t count = end - position < block ? end - position : block;
        const char *indices = input + position * axis->segments[0].step;
        plan->kernels->normalize[select->index_type][index_place](normalized, indices, index_step, count * inside,
                                                                  select->depth, select->from_end);
        const dmlc_select_block here = {
            .output = output + position * axis->output_step,
            .position_step = axis->output_step,
            .depth_step = select->depth_step,
            .count = count,
            .depth = select->depth,
            .width = width,
            .indices = normalized,
            .tiles = tiles,
            .off = &job->patterns[0],
            .on = &job->patterns[1],
            .stream = job->stream,
        };
        switch (select->way) {
        case DMLC_SELECT_PLANES: plan->kernels->select_planes[dmlc_width_place(width)](&here); break;
        case DMLC_SELECT_SEQUENCES: plan->kernels->select_sequences(&here); break;
        case DMLC_SELECT_TILES: plan->kernels->select_tiles(&here); break;
        case DMLC_SELECT_SCATTER: plan->kernels->select_scatter(&here); break;
        }
    }
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    for (int64_t i = 0; i < block->count; ++i)
        part(job, 0, size(job->plan), block->output + i * block->output_step, block->input + i * block->input_step);
}

const dmlc_leaf dmlc_select_leaf = {size, grain, part, block};
