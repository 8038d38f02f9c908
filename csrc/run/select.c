/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices stay in cache. */
#include "run/run.h"

#include <string.h>

enum { BLOCK_INDEX_BYTES = 8192, SMALLEST_BLOCK = 16, SHORTEST_PLANE = 1024 };

/* Sequences that are filled before their ones are stored: a first-level cache has them still, or they are so many that a fill
 * need not fetch what it overwrites. Of 20 MB both took less than each sequence by itself, 0.95 and 0.82 of the time. */
enum { SHORT_FILL_BYTES = 16 * 1024 };

/* Indices that are gathered at once, and the runs that they lie in. */
enum { GATHERED = 512, LONGEST_GATHERED_RUN = 32 };

static int64_t size(const dmlc_plan *plan) { return dmlc_leaf_axis(plan)->size; }

/* Whether ones are scattered over planes, whose positions are dense. */
static bool scatters_planes(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    return select->way == DMLC_SELECT_SCATTER && select->depth_step != plan->width &&
           dmlc_leaf_axis(plan)->output_step == plan->width;
}

/* Planes are gone through one by one, and cost as much when short. */
static int64_t grain(const dmlc_plan *plan)
{
    const bool planes = plan->program.select.way == DMLC_SELECT_PLANES || scatters_planes(plan);
    return planes ? SHORTEST_PLANE / plan->width : 1;
}

/* Whether ones are scattered over sequences that are one run. What goes past the cache is written in order instead. */
static bool scatters_sequences(const dmlc_job *job)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    return select->way == DMLC_SELECT_SCATTER && select->depth_step == plan->width && job->stream == NULL &&
           dmlc_leaf_axis(plan)->output_step == select->depth * plan->width;
}

/* Positions [begin, end) of all planes are off: as one run, where they are. */
static void fill_planes(const dmlc_job *job, int64_t begin, int64_t end, char *output)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const int64_t width = plan->width, bytes = (end - begin) * width;
    output += begin * width;
    if (select->depth_step == bytes)
        plan->kernels->fill(output, select->depth * bytes, &job->patterns[0], job->stream);
    else
        for (int64_t k = 0; k < select->depth; ++k)
            plan->kernels->fill(output + k * select->depth_step, bytes, &job->patterns[0], job->stream);
    if (job->stream != NULL)
        plan->kernels->stream_end(job->stream); /* ones go to what was streamed */
}

static int64_t index_bytes(dmlc_index_type type) { return INT64_C(1) << type % DMLC_INDEX_WIDTHS; }

/* Where the index of a position lies that follows others in the output alone, and at which place along each of its axes. */
static int64_t index_offset(const dmlc_select *select, int64_t position, int64_t *at)
{
    int64_t offset = 0;
    for (int32_t i = select->index_axes - 1; i >= 0; --i) {
        const dmlc_index_axis *axis = &select->indices[i];
        at[i] = i > 0 ? position % axis->size : position;
        offset += at[i] * axis->step;
        position /= axis->size;
    }
    return offset;
}

/* Indices of `count` positions, which lie in short runs, one after the other: `bytes` each. */
static void gather_indices(const dmlc_select *select, char *gathered, int64_t bytes, const char *indices,
                           int64_t position, int64_t count)
{
    const int32_t last = select->index_axes - 1;
    const dmlc_index_axis *inner = &select->indices[last];
    int64_t at[DMLC_INDEX_AXES];
    const int64_t first = index_offset(select, position, at);
    const char *run = indices + first - at[last] * inner->step;
    for (int64_t begin = at[last]; count > 0; begin = 0) {
        const int64_t left = inner->size - begin, some = left < count ? left : count;
        const char *from = run + begin * inner->step;
#define GATHER(BYTES)                                                                                                  \
    for (int64_t i = 0; i < some; ++i)                                                                                 \
    memcpy(gathered + i * (BYTES), from + i * inner->step, BYTES)
        switch (bytes) {
        case 1: GATHER(1); break;
        case 2: GATHER(2); break;
        case 4: GATHER(4); break;
        default: GATHER(8); break;
        }
#undef GATHER
        gathered += some * bytes;
        count -= some;
        for (int32_t i = last - 1; i >= 0; --i) {
            run += select->indices[i].step;
            if (i == 0 || ++at[i] < select->indices[i].size)
                break;
            run -= at[i] * select->indices[i].step;
            at[i] = 0;
        }
    }
}

/* Indices of `count` positions, normalized. Those in runs of a few are gathered first: to call a kernel for each took twice
 * as long. */
static void normalize(const dmlc_plan *plan, unsigned char *normalized, const char *indices, int64_t position,
                      int64_t count)
{
    const dmlc_select *select = &plan->program.select;
    const int32_t last = select->index_axes - 1;
    const int64_t run = select->indices[last].size, step = select->indices[last].step;
    const int place = dmlc_width_place(select->index_width);
    if (last > 0 && run <= LONGEST_GATHERED_RUN && run < count) {
        const int64_t bytes = index_bytes(select->index_type);
        char gathered[GATHERED * sizeof(int64_t)];
        for (int64_t done = 0; done < count; done += GATHERED) {
            const int64_t some = count - done < GATHERED ? count - done : GATHERED;
            gather_indices(select, gathered, bytes, indices, position + done, some);
            plan->kernels->normalize[select->index_type][place](normalized + done * select->index_width, gathered,
                                                                bytes, some, select->depth, select->from_end);
        }
        return;
    }
    for (int64_t done = 0; done < count;) {
        int64_t some = count - done;
        const char *first = indices + position * step;
        if (last > 0) {
            int64_t at[DMLC_INDEX_AXES];
            first = indices + index_offset(select, position, at);
            some = run - at[last] < some ? run - at[last] : some;
        }
        plan->kernels->normalize[select->index_type][place](normalized + done * select->index_width, first, step, some,
                                                            select->depth, select->from_end);
        done += some;
        position += some;
    }
}

/* Positions [begin, end); where they are `filled`, all are off already. */
static void select_positions(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input,
                             bool filled)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = dmlc_leaf_axis(plan);
    const int64_t width = plan->width;
    const dmlc_select_tiles *tiles = select->way == DMLC_SELECT_TILES ? select->tiles : NULL;
    const int64_t inside = tiles != NULL ? tiles->inside : 1;
    int64_t block = BLOCK_INDEX_BYTES / select->index_width / inside;
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
        case DMLC_SELECT_SCATTER:
            if (filled)
                plan->kernels->select_ones(&here);
            else
                plan->kernels->select_scatter(&here);
            break;
        }
    }
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    if (scatters_planes(plan)) {
        fill_planes(job, begin, end, output);
        select_positions(job, begin, end, output, input, true);
        return;
    }
    if (!scatters_sequences(job)) {
        select_positions(job, begin, end, output, input, false);
        return;
    }
    const int64_t sequence = dmlc_leaf_axis(plan)->output_step, count = end - begin;
    const int64_t filled = count * sequence >= DMLC_LONG_FILL_BYTES ? DMLC_LONG_FILL_BYTES : SHORT_FILL_BYTES;
    const int64_t least = (filled - 1) / sequence + 1, parts = count > least ? count / least : 1;
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t first = begin + dmlc_part_begin(count, parts, i);
        const int64_t last = begin + dmlc_part_begin(count, parts, i + 1);
        plan->kernels->fill(output + first * sequence, (last - first) * sequence, &job->patterns[0], NULL);
        select_positions(job, first, last, output, input, true);
    }
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    for (int64_t i = 0; i < block->count; ++i)
        part(job, 0, size(job->plan), block->output + i * block->output_step, block->input + i * block->input_step);
}

const dmlc_leaf dmlc_select_leaf = {size, grain, part, block};
