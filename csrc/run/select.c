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

/* Where the index of a position lies that follows others in the output alone, and how many lie along with it. */
static int64_t index_offset(const dmlc_select *select, int64_t position, int64_t *together)
{
    int64_t offset = 0;
    for (int32_t i = select->index_axes - 1; i >= 0; --i) {
        const dmlc_index_axis *axis = &select->indices[i];
        const int64_t at = i > 0 ? position % axis->size : position;
        if (i == select->index_axes - 1)
            *together = axis->size - at;
        offset += at * axis->step;
        position /= axis->size;
    }
    return offset;
}

/* Indices of `count` positions, normalized. */
static void normalize(const dmlc_plan *plan, unsigned char *normalized, const char *indices, int64_t position,
                      int64_t count)
{
    const dmlc_select *select = &plan->program.select;
    const int64_t step = select->indices[select->index_axes - 1].step;
    const int place = dmlc_width_place(select->index_width);
    for (int64_t done = 0; done < count;) {
        int64_t some = count - done;
        const char *first = indices + position * step;
        if (select->index_axes > 1) {
            int64_t together;
            first = indices + index_offset(select, position, &together);
            some = together < some ? together : some;
        }
        plan->kernels->normalize[select->index_type][place](normalized + done * select->index_width, first, step, some,
                                                            select->depth, select->from_end);
        done += some;
        position += some;
    }
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = dmlc_leaf_axis(plan);
    const int64_t width = plan->width;
    const dmlc_select_tiles *tiles = select->way == DMLC_SELECT_TILES ? select->tiles : NULL;
    const int64_t inside = tiles != NULL ? tiles->inside : 1;
    int64_t block = BLOCK_INDEX_BYTES / select->index_width / inside;
    if (select->way == DMLC_SELECT_SCATTER && select->depth_step != axis->size * width &&
        block > BLOCK_OUTPUT_BYTES / width / select->depth)
        block = BLOCK_OUTPUT_BYTES / width / select->depth;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    /* Kernels may load a whole block past the last index. */
    unsigned char normalized[BLOCK_INDEX_BYTES + DMLC_TILE_BYTES];
    for (int64_t position = begin; position < end; position += block) {
        const int64_t count = end - position < block ? end - position : block;
        if (inside > 1)
            normalize(plan, normalized, input + position * axis->segments[0].step, 0, count * inside);
        else
            normalize(plan, normalized, input, position, count);
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
