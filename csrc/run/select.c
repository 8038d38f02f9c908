/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices and, where the sequences are
 * scattered into, its output stay in cache. */
#include "run/run.h"

enum { BLOCK_INDEX_BYTES = 8192, BLOCK_OUTPUT_BYTES = 256 * 1024, SMALLEST_BLOCK = 16 };

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = &plan->axes[job->outer_axes];
    const int64_t index_step = axis->segments[0].step;
    const int64_t width = plan->width;
    const bool tiled = select->tiles != NULL && job->kernels->select_tiles != NULL;
    const int64_t index_width = tiled ? 1 : select->index_width;
    int64_t block = BLOCK_INDEX_BYTES / index_width;
    if (!tiled && select->strategy == DMLC_SELECT_SCATTER && block > BLOCK_OUTPUT_BYTES / width / select->depth)
        block = BLOCK_OUTPUT_BYTES / width / select->depth;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    const int index_place = dmlc_width_place(index_width);
    /* Kernels may load a whole block past the last index. */
    unsigned char normalized[BLOCK_INDEX_BYTES + DMLC_BLOCK_BYTES];
    for (int64_t position = begin; position < end; position += block) {
        const int64_t count = end - position < block ? end - position : block;
        job->kernels->normalize[select->index_type][index_place](normalized, input + position * index_step, index_step,
                                                                 count, select->depth, select->from_end);
        const dmlc_select_block here = {
            .output = output + position * axis->output_step,
            .position_step = axis->output_step,
            .depth_step = select->depth_step,
            .count = count,
            .depth = select->depth,
            .width = width,
            .indices = normalized,
            .tiles = select->tiles,
            .off = &job->patterns[0],
            .on = &job->patterns[1],
            .stream = job->stream,
        };
        if (tiled) {
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
