/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices and, where the sequences are
 * scattered into, its output stay in cache. */
#include "run/run.h"

enum { BLOCK_INDEX_BYTES = 8192, BLOCK_OUTPUT_BYTES = 256 * 1024, SMALLEST_BLOCK = 16 };

/* Whether `depth` indices and the mark of none fit into an unsigned integer of so many bytes. */
static bool fits(int64_t depth, int64_t bytes)
{
    return bytes >= 8 || (uint64_t)depth < UINT64_C(1) << (8 * bytes);
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = &plan->axes[job->outer_axes];
    const int64_t index_step = axis->segments[0].step;
    const int64_t width = plan->width;
    const bool planes = axis->output_step == width && select->depth_step != width && fits(select->depth, width);
    const int64_t index_width = planes && width < 8 ? width : 8;
    int64_t block = BLOCK_INDEX_BYTES / index_width;
    if (!planes && block > BLOCK_OUTPUT_BYTES / width / select->depth)
        block = BLOCK_OUTPUT_BYTES / width / select->depth;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    const int index_place = dmlc_width_place(index_width);
    uint64_t normalized[BLOCK_INDEX_BYTES / sizeof(uint64_t)];
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
            .off = &job->patterns[0],
            .on = &job->patterns[1],
        };
        if (planes)
            job->kernels->select_planes[dmlc_width_place(width)](&here);
        else
            job->kernels->select_scatter(&here);
    }
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        part(job, 0, job->leaf_size, output + i * output_step, input + i * input_step);
}

const dmlc_leaf dmlc_select_leaf = {part, block};
