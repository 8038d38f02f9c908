/* Shuffles of a lane, for kernels that look bytes up in 16 others, see dmlc_lane_shuffle; shuffles_blocks.h has the others. */
#ifndef DMLC_KERNELS_SHUFFLES_LANES_H
#define DMLC_KERNELS_SHUFFLES_LANES_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"

#if defined(DMLC_HAVE_LOOK_UP)

typedef dmlc_lane_shuffle shuffle;
static inline const shuffle *shuffles_of(const dmlc_shuffle_list *list) { return list->of.lanes; }

static inline vector16 lane_fill(const shuffle *one, vector16 pattern) { return and16(pattern, load16(one->filled)); }

/* In all boxes, with the indices in registers. */
static ALWAYS_INLINE void run_lanes(const shuffle *one, const dmlc_block boxes, vector16 fill, const int sources)
{
    vector16 index[DMLC_LANE_SOURCES];
    int64_t inputs[DMLC_LANE_SOURCES];
    for (int s = 0; s < sources; ++s) {
        index[s] = load16(one->index[s]);
        inputs[s] = one->inputs[s];
    }
    char *output = boxes.output + one->output;
    UNROLL
    for (int64_t i = 0; i < boxes.count; ++i) {
        const char *from = boxes.input + i * boxes.input_step;
        vector16 bytes = fill;
        for (int s = 0; s < sources; ++s)
            bytes = look_up(bytes, load16(from + inputs[s]), index[s]);
        store16(output + i * boxes.output_step, bytes);
    }
}

static ALWAYS_INLINE void run_shuffle(const shuffle *one, const dmlc_block boxes)
{
    const vector16 fill = lane_fill(one, load16(boxes.pattern->bytes));
    switch (one->source_count) {
    case 0: run_lanes(one, boxes, fill, 0); break;
    case 1: run_lanes(one, boxes, fill, 1); break;
    case 2: run_lanes(one, boxes, fill, 2); break;
    case 3: run_lanes(one, boxes, fill, 3); break;
    default: run_lanes(one, boxes, fill, 4); break;
    }
}

#if defined(__AVX2__)

/* Two that follow each other in the output, as the lanes of a vector: boxes of 240 bytes took 0.85 to 0.9 of the time in the caches. An
 * index that looks up nothing stands for a source that only the other has. */
static ALWAYS_INLINE void run_two_lanes(const shuffle *two, const dmlc_block *boxes, const int sources)
{
    const int64_t output_step = boxes->output_step, input_step = boxes->input_step, count = boxes->count;
    const vector16 pattern = load16(boxes->pattern->bytes);
    const lanes fill = join_lanes(lane_fill(&two[0], pattern), lane_fill(&two[1], pattern));
    lanes index[DMLC_LANE_SOURCES];
    const char *first[DMLC_LANE_SOURCES], *second[DMLC_LANE_SOURCES];
    for (int s = 0; s < sources; ++s) {
        index[s] = join_lanes(load16(two[0].index[s]), load16(two[1].index[s]));
        first[s] = boxes->input + two[0].inputs[s < two[0].source_count ? s : 0];
        second[s] = boxes->input + two[1].inputs[s < two[1].source_count ? s : 0];
    }
    char *output = boxes->output + two[0].output;
    UNROLL
    for (int64_t i = 0; i < count; ++i) {
        lanes bytes = fill;
        for (int s = 0; s < sources; ++s)
            bytes = either(bytes, pick(load_lanes(first[s] + i * input_step, second[s] + i * input_step), index[s]));
        store_side_by_side(output + i * output_step, bytes);
    }
}

static inline bool has_few_sources(const shuffle *one) { return one->source_count == 1 || one->source_count == 2; }

static APART void run_as_one(const shuffle *two, const dmlc_block *boxes)
{
    if (two[0].source_count == 1 && two[1].source_count == 1)
        run_two_lanes(two, boxes, 1);
    else
        run_two_lanes(two, boxes, 2);
}

static bool go_as_one(const shuffle *two)
{
    return two[1].output == two[0].output + DMLC_LANE_BYTES && has_few_sources(&two[0]) && has_few_sources(&two[1]);
}

static APART void run_in_twos(const shuffle *all, int32_t shuffle_count, const dmlc_block *boxes)
{
    for (int32_t s = 0; s < shuffle_count; ++s)
        if (s + 1 < shuffle_count && go_as_one(&all[s]))
            run_as_one(&all[s++], boxes);
        else
            run_shuffle(&all[s], *boxes);
}

#endif

/* Five boxes took 1.15 times as long in twos, since there is more to set up. */
static ALWAYS_INLINE void run_shuffles(const shuffle *all, int32_t shuffle_count, const dmlc_block *boxes)
{
#if defined(__AVX2__)
    enum { FEWEST_BOXES = 8 };
    if (boxes->count >= FEWEST_BOXES) {
        run_in_twos(all, shuffle_count, boxes);
        return;
    }
#endif
    const dmlc_block here = *boxes;
    for (int32_t s = 0; s < shuffle_count; ++s)
        run_shuffle(&all[s], here);
}

/* Shuffles of one row, at `output` what belongs `begin` bytes after the row's start. */
static inline void shuffle_row(const shuffle *all, int32_t shuffle_count, int64_t begin, char *output,
                               const char *input, const dmlc_pattern *pattern)
{
    const vector16 elements = load16(pattern->bytes);
    for (int32_t i = 0; i < shuffle_count; ++i) {
        const shuffle *one = &all[i];
        vector16 bytes = lane_fill(one, elements);
        for (int32_t s = 0; s < one->source_count; ++s)
            bytes = look_up(bytes, load16(input + one->inputs[s]), load16(one->index[s]));
        store16(output + (one->output - begin), bytes);
    }
}

#endif

#endif
