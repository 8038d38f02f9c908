/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices and, where the sequences are
 * scattered into, its output stay in cache. */
#include "run/run.h"

enum { BLOCK_INDEX_BYTES = 8192, BLOCK_OUTPUT_BYTES = 256 * 1024, SMALLEST_BLOCK = 16, SHORTEST_PLANE = 1024 };

const dmlc_select_tiles *dmlc_tiles_in_use(const dmlc_job *job)
{
    const dmlc_select_tiles *tiles = job->plan->program.select.tiles;
    const bool taken = tiles != NULL && job->kernels->select_tiles != NULL;
    return taken && (tiles->inside == 1 || job->kernels->permutes_blocks) ? tiles : NULL;
}

int64_t dmlc_select_grain(const dmlc_job *job)
{
    const dmlc_select *select = &job->plan->program.select;
    if (dmlc_tiles_in_use(job) != NULL || select->depth_step == job->plan->width)
        return 1;
    return SHORTEST_PLANE / job->plan->width;
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = &plan->axes[job->outer_axes];
    const int64_t index_step = plan->axes[plan->axis_count - 1].segments[0].step;
    const int64_t width = plan->width;
    const dmlc_select_tiles *tiles = dmlc_tiles_in_use(job);
    const int64_t inside = tiles != NULL ? tiles->inside : 1;
    const int64_t index_width = tiles != NULL ? 1 : select->index_width;
    int64_t block = BLOCK_INDEX_BYTES / index_width / inside;
    if (tiles == NULL && select->strategy == DMLC_SELECT_SCATTER && select->depth_step != axis->size * width &&
        block > BLOCK_OUTPUT_BYTES / width / select->depth)
        block = BLOCK_OUTPUT_BYTES / width / select->depth;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    const int index_place = dmlc_width_place(index_width);
    /* Kernels may load a whole block past the last index. */
    unsigned char normalized[BLOCK_INDEX_BYTES + DMLC_BLOCK_BYTES];
    for (int64_t position = begin; position < end; position += block) {
        const int64_t count = end - position < block ? end - position : block;
        const char *indices = input + position * axis->segments[0].step;
        job->kernels->normalize[select->index_type][index_place](normalized, indices, index_step, count * inside,
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
        if (tiles != NULL) {
            job->kernels->select_tiles(&here);
            continue;
        }
        switch (select->strategy) {
        case DMLC_SELECT_PLANES: job->kernels->select_planes[dmlc_width_place(width)](&here); break;
        case DMLC_SELECT_SEQUENCES: job->kernels->select_sequences(&here); break;
        case DMLC_SELECT_SCATTER: job->kernels->select_scatter(&here); break;
        }
    }
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        part(job, 0, job->leaf_size, output + i * output_step, input + i * input_step);
}

const dmlc_leaf dmlc_select_leaf = {part, block};
