/* Selections: one-hot, a block of positions at a time, so that a block's normalized indices stay in cache. */
#include "run/past_cache.h"

#include <string.h>

enum { LONGEST_BLOCK_BYTES = 16384, BLOCK_BYTES = 8192, FAR_BLOCK_BYTES = 2048, SMALLEST_BLOCK = 16 };

/* Sequences that are filled before their ones are stored: a first-level cache has them still, or they are so many that a fill
 * need not fetch what it overwrites. Of 20 MB both took less than each sequence by itself, 0.95 and 0.82 of the time. */
enum { SHORT_FILL_BYTES = 16 * 1024 };

/* Indices that are gathered at once, and the runs that they lie in. */
enum { GATHERED = 512, LONGEST_GATHERED_RUN = 32 };

/* Planes that go past the cache are compared, since a store of a one would fetch what was just sent. */
static dmlc_select_way way_of(const dmlc_job *job)
{
    const bool compares = job->stream != NULL && dmlc_may_compare_planes(job->plan);
    return compares ? DMLC_SELECT_PLANES : job->plan->program.select.way;
}

/* A task has at least so many bytes of each plane, since a short plane costs as much as a long one; more of planes that are filled first,
 * each by a call. Where tasks take planes, it has at least so many bytes of each position, so that to look at every index costs little
 * beside the fills. */
enum { SHORTEST_PLANE = 1024, SHORTEST_FILLED_PLANE = 4096, LEAST_OF_A_POSITION = 128 };

static int64_t planes_of_a_task(const dmlc_plan *plan) { return LEAST_OF_A_POSITION / plan->width; }

/* Whether tasks take planes, and look at every index, instead of positions, which lie in as many runs as there are planes. Of
 * 918 planes of 523 positions, 4 bytes each, tasks of positions took 19 to 110 us on two threads and those of planes 9.5 to
 * 19, one thread 15; of 135 planes of 13,368 positions of 16 bytes 280 and 142. */
static bool shares_planes(const dmlc_plan *plan)
{
    return dmlc_scatters_planes(plan) && plan->program.select.depth > planes_of_a_task(plan);
}

static int64_t size(const dmlc_plan *plan)
{
    return shares_planes(plan) ? plan->program.select.depth : dmlc_leaf_axis(plan)->size;
}

static int64_t grain(const dmlc_plan *plan)
{
    if (shares_planes(plan))
        return planes_of_a_task(plan);
    if (dmlc_scatters_planes(plan))
        return SHORTEST_FILLED_PLANE / plan->width;
    return plan->program.select.way == DMLC_SELECT_PLANES ? SHORTEST_PLANE / plan->width : 1;
}

/* Whether ones are scattered over units that are one run. What goes past the cache is written in order instead. */
static bool scatters_dense_units(const dmlc_job *job)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    return select->way == DMLC_SELECT_SCATTER && select->depth_step == select->inside * plan->width &&
           dmlc_leaf_axis(plan)->output_step == select->depth * select->depth_step && job->stream == NULL;
}

/* What of a selection is written: units [begin, end) of so many elements of the depth from `first` on, of which all are
 * off already where they are `filled`. */
typedef struct extent {
    int64_t begin, end;
    int64_t first, depth;
    bool filled;
} extent;

/* Fills planes with the value off: all at once where they are one run. */
static void fill_planes(const dmlc_job *job, const extent *here, char *output)
{
    const dmlc_plan *plan = job->plan;
    const int64_t width = plan->width, bytes = (here->end - here->begin) * width;
    const int64_t step = plan->program.select.depth_step;
    output += here->first * step + here->begin * width;
    if (step == bytes)
        plan->kernels->fill(output, here->depth * bytes, &job->patterns[0], NULL);
    else
        for (int64_t k = 0; k < here->depth; ++k)
            plan->kernels->fill(output + k * step, bytes, &job->patterns[0], NULL);
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
        const int64_t left = inner->size - begin, some = dmlc_minimum(left, count);
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

/* Indices of `count` positions, normalized to so many bytes. Those in runs of a few are gathered first: to call a kernel for each took
 * twice as long. */
static void normalize(const dmlc_plan *plan, unsigned char *normalized, int64_t width, const char *indices,
                      int64_t position, int64_t count)
{
    const dmlc_select *select = &plan->program.select;
    const int32_t last = select->index_axes - 1;
    const int64_t run = select->indices[last].size, step = select->indices[last].step;
    const int place = dmlc_width_place(width);
    if (last > 0 && run <= LONGEST_GATHERED_RUN && run < count) {
        const int64_t bytes = index_bytes(select->index_type);
        char gathered[GATHERED * sizeof(int64_t)];
        for (int64_t done = 0; done < count; done += GATHERED) {
            const int64_t some = dmlc_minimum(count - done, GATHERED);
            gather_indices(select, gathered, bytes, indices, position + done, some);
            plan->kernels->normalize[select->index_type][place](normalized + done * width, gathered, bytes, some,
                                                                select->depth, select->from_end);
        }
        return;
    }
    for (int64_t done = 0; done < count;) {
        int64_t some = count - done;
        const char *first = indices + position * step;
        if (last > 0) {
            int64_t at[DMLC_INDEX_AXES];
            first = indices + index_offset(select, position, at);
            some = dmlc_minimum(run - at[last], some);
        }
        plan->kernels->normalize[select->index_type][place](normalized + done * width, first, step, some, select->depth,
                                                            select->from_end);
        done += some;
        position += some;
    }
}

/* Bytes of normalized indices that a block has. Indices that are a third of what is moved, or more, and lie far are fewer at a time, so
 * that the processor still reads ahead when it comes to the next: two to four classes by int64, 16 to 24 MB in all, took 0.5 to 0.9 of
 * the time. Planes that go past the cache took 1.3 to 2 times as long so, from 28 MB on: they are written in longer runs, where indices
 * are less in twice as long ones, which took 0.8 to 1.0 of the time and 1.07 where they are more. Sequences took as long by mean either
 * way. */
static int64_t block_bytes(const dmlc_job *job, dmlc_select_way way)
{
    const dmlc_select *select = &job->plan->program.select;
    const bool reads_much = 2 * index_bytes(select->index_type) >= select->depth * job->plan->width;
    if (job->stream != NULL && way == DMLC_SELECT_PLANES)
        return reads_much ? BLOCK_BYTES : LONGEST_BLOCK_BYTES;
    return job->far && reads_much ? FAR_BLOCK_BYTES : BLOCK_BYTES;
}

static void select_units(const dmlc_job *job, const extent *all, char *output, const char *input)
{
    const dmlc_plan *plan = job->plan;
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *axis = dmlc_leaf_axis(plan);
    const int64_t width = plan->width;
    const dmlc_select_way way = way_of(job);
    const int64_t index_width = way == select->way ? select->index_width : dmlc_plane_index_width(width);
    const int64_t inside = select->inside;
    int64_t block = block_bytes(job, way) / index_width / inside;
    if (block < SMALLEST_BLOCK)
        block = SMALLEST_BLOCK;
    /* Kernels may load a whole block past the last index. Half a page from where the output lies in one: a load waits for a store before
     * it to the same place in another page, so that planes took 1.3 to 1.9 times as long in one process of ten. */
    enum { NORMALIZED_BYTES = LONGEST_BLOCK_BYTES + DMLC_TILE_BYTES };
    unsigned char room[NORMALIZED_BYTES + DMLC_PAGE_BYTES];
    const uintptr_t half_a_page_on = (uintptr_t)output + DMLC_PAGE_BYTES / 2;
    unsigned char *normalized = room + (half_a_page_on - (uintptr_t)room) % DMLC_PAGE_BYTES;
    for (int64_t unit = all->begin; unit < all->end; unit += block) {
        const int64_t count = dmlc_minimum(all->end - unit, block);
        normalize(plan, normalized, index_width, input, unit * inside, count * inside);
        const dmlc_select_block here = {
            .output = output + unit * axis->output_step + all->first * select->depth_step,
            .unit_step = axis->output_step,
            .depth_step = select->depth_step,
            .inside = inside,
            .count = count,
            .depth = all->depth,
            .first = all->first,
            .width = width,
            .indices = normalized,
            .tiles = select->tiles,
            .off = &job->patterns[0],
            .on = &job->patterns[1],
            .stream = job->stream,
        };
        switch (way) {
        case DMLC_SELECT_PLANES: plan->kernels->select_planes[dmlc_width_place(width)](&here); break;
        case DMLC_SELECT_SEQUENCES: plan->kernels->select_sequences(&here); break;
        case DMLC_SELECT_TILES: plan->kernels->select_tiles(&here); break;
        case DMLC_SELECT_SCATTER:
            if (all->filled)
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
    extent here = {.begin = begin, .end = end, .depth = plan->program.select.depth};
    if (dmlc_scatters_planes(plan)) {
        if (shares_planes(plan))
            here = (extent){.end = dmlc_leaf_axis(plan)->size, .first = begin, .depth = end - begin};
        here.filled = way_of(job) == DMLC_SELECT_SCATTER;
        if (here.filled)
            fill_planes(job, &here, output);
        select_units(job, &here, output, input);
        return;
    }
    if (!scatters_dense_units(job)) {
        select_units(job, &here, output, input);
        return;
    }
    const int64_t unit = dmlc_leaf_axis(plan)->output_step, count = end - begin;
    const int64_t filled = count * unit >= DMLC_LONG_FILL_BYTES ? DMLC_LONG_FILL_BYTES : SHORT_FILL_BYTES;
    const int64_t least = (filled - 1) / unit + 1, most = dmlc_minimum(count / least, INT32_MAX);
    const int64_t parts = dmlc_maximum(most, 1);
    here.filled = true;
    for (int64_t i = 0; i < parts; ++i) {
        here.begin = begin + dmlc_part_begin(count, parts, i);
        here.end = begin + dmlc_part_begin(count, parts, i + 1);
        plan->kernels->fill(output + here.begin * unit, (here.end - here.begin) * unit, &job->patterns[0], NULL);
        select_units(job, &here, output, input);
    }
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    for (int64_t i = 0; i < block->count; ++i)
        part(job, 0, size(job->plan), block->output + i * block->output_step, block->input + i * block->input_step);
}

/* Whether a selection is written in long runs: planes, or sequences, which follow each other. */
static bool selects_long_runs(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    const dmlc_axis *positions = dmlc_leaf_axis(plan);
    if (dmlc_scatters_planes(plan) && !dmlc_may_compare_planes(plan))
        return false;
    return select->depth_step == plan->width || positions->size * positions->output_step >= DMLC_LONG_RUN_BYTES;
}

static bool selects_planes(const dmlc_plan *plan)
{
    return plan->program.select.way == DMLC_SELECT_PLANES || dmlc_scatters_planes(plan);
}

/* Of the lines that values alone write, a sequence has the value of its index in one, and shares the lines at its ends with others. Planes
 * count as zeros, however many stand between; a unit of several positions counts as one sequence: with two lines for each of them, units of
 * 28 MB in all took 1.0 to 1.7 times as long. */
static double share_set(const dmlc_select *select, bool are_planes)
{
    enum { TWO_LINES = 128 };
    const int64_t bytes = select->depth * select->depth_step;
    return are_planes ? 0 : bytes > TWO_LINES ? (double)TWO_LINES / (double)bytes : 1;
}

static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    enum { MANY_PLANES = 8 };
    const dmlc_select *select = &plan->program.select;
    const bool are_planes = selects_planes(plan);
    if (!selects_long_runs(plan))
        return dmlc_past_cache_late(threads);
    if (are_planes ? select->depth < MANY_PLANES : select->way == DMLC_SELECT_TILES)
        return dmlc_past_cache_early(threads);
    return dmlc_values_past_cache_from(patterns, share_set(select, are_planes), are_planes, threads);
}

const dmlc_leaf dmlc_select_leaf = {
    .size = size,
    .grain = grain,
    .part = part,
    .block = block,
    .past_cache_from = past_cache_from,
};
