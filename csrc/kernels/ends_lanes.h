/* The ends of rows in lanes, for kernels that look bytes up in 16 others; ends_blocks.h has those that shuffle across a vector. */
#ifndef DMLC_KERNELS_ENDS_LANES_H
#define DMLC_KERNELS_ENDS_LANES_H

#include "kernels/rows.h"
#include "kernels/shuffles_lanes.h"

#if defined(DMLC_HAVE_LOOK_UP)

/* The lanes of a row's ends, as many as a vector has at a time: those that follow each other, and at last what is left of the
 * head beside what is left of the tail. Each is made of at most two windows. */
enum { END_SOURCES = 2, MOST_END_VECTORS = 2 * DMLC_MOST_END_BYTES / DMLC_LANE_BYTES / LANES + 1 };

typedef struct end_vector {
    lanes index[END_SOURCES], fill;
    int64_t inputs[END_SOURCES][2], outputs[2];
} end_vector;

typedef struct row_ends {
    int32_t head_count, count; /* of those whose lanes follow each other */
    bool head_left, tail_left; /* one more, with a lane of the head first, one of the tail second */
    end_vector vectors[MOST_END_VECTORS];
} row_ends;

static inline int32_t end_sources_of(const dmlc_shuffle_list *list)
{
    int32_t most = 0;
    for (int32_t i = 0; i < list->count; ++i)
        if (list->of.lanes[i].source_count > most)
            most = list->of.lanes[i].source_count;
    return most;
}

/* Two lanes as a vector. All read END_SOURCES windows: what a lane lacks is read at `any` input byte, and no byte is taken. */
static inline end_vector end_vector_of(const shuffle *first, const shuffle *second, vector16 pattern, int64_t any)
{
    static const uint8_t nothing[DMLC_LANE_BYTES] = {ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE,
                                                     ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE,
                                                     ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE};
    const shuffle *const both[2] = {first, second};
    end_vector vector;
    char fill[2][DMLC_LANE_BYTES];
    for (int i = 0; i < 2; ++i) {
        vector.outputs[i] = both[i]->output;
        store16(fill[i], lane_fill(both[i], pattern));
    }
    vector.fill = load_lanes(fill[0], fill[1]);
    for (int s = 0; s < END_SOURCES; ++s) {
        const uint8_t *index[2];
        for (int i = 0; i < 2; ++i) {
            const bool is_there = s < both[i]->source_count;
            vector.inputs[s][i] = is_there ? both[i]->inputs[s] : any;
            index[i] = is_there ? both[i]->index[s] : nothing;
        }
        vector.index[s] = load_lanes((const char *)index[0], (const char *)index[1]);
    }
    return vector;
}

static void row_ends_of(row_ends *ends, const dmlc_ends *program, vector16 pattern)
{
    const shuffle *all = shuffles_of(&program->shuffles);
    const shuffle *left[2] = {NULL, NULL};
    int64_t any = 0;
    for (int32_t i = 0; i < program->shuffles.count; ++i)
        if (all[i].source_count > 0)
            any = all[i].inputs[0];
    ends->count = 0;
    const int32_t begin[] = {0, program->head_count}, end[] = {program->head_count, program->shuffles.count};
    for (int side = 0; side < 2; ++side) {
        int32_t i = begin[side];
        for (; i + LANES <= end[side] && all[i + LANES - 1].output == all[i].output + (LANES - 1) * DMLC_LANE_BYTES;
             i += LANES)
            ends->vectors[ends->count++] = end_vector_of(&all[i], &all[i + LANES - 1], pattern, any);
        if (i < end[side])
            left[side] = &all[i];
        if (side == 0)
            ends->head_count = ends->count;
    }
    ends->head_left = left[0] != NULL;
    ends->tail_left = left[1] != NULL;
    end_vector *both = &ends->vectors[ends->count];
    if (ends->head_left || ends->tail_left)
        *both = end_vector_of(left[0] == NULL ? left[1] : left[0], left[1] == NULL ? left[0] : left[1], pattern, any);
    else
        *both = (end_vector){.outputs = {0}};
}

static ALWAYS_INLINE lanes end_bytes(const end_vector *end, const char *input, const int sources)
{
    lanes bytes = end->fill;
    for (int s = 0; s < sources; ++s)
        bytes = either(bytes, pick(load_lanes(input + end->inputs[s][0], input + end->inputs[s][1]), end->index[s]));
    return bytes;
}

/* Of copies so long, and below LONG_RUN, rows are written in order, the head, the copy and the tail, which took 0.87 to 0.97 of
 * the time; of shorter ones both ends first, else up to 1.05 times as long, and of longer ones the copy first, see ends_by. But
 * where stores wait for lines, a line is not come back to: of 96 to 511 bytes rows in order took 0.92 of the time by mean, 0.58 at
 * best, of 64 to 95 bytes 1.05. Stores of whole lines take 0.92 of the time, where rows are whole lines apart 0.5 to 1.03 on
 * Granite Rapids and 1.0 to 1.09 on Zen 5. */
static inline bool go_in_order(const dmlc_ends *program, const dmlc_block *block)
{
    enum { LEAST = 512, LEAST_WAITING = 96 };
    const int64_t least = block->stores_wait ? LEAST_WAITING : LEAST;
    return program->copy_bytes >= least && program->copy_bytes < LONG_RUN;
}

static ALWAYS_INLINE void ends_by(const dmlc_ends *program, const dmlc_block *block, const int sources,
                                  const bool in_order)
{
    char *first_output = block->output;
    const char *first_input = block->input;
    const int64_t output_step = block->output_step, input_step = block->input_step, count = block->count;
    const int64_t copy_output = program->copy_output, copy_input = program->copy_input, bytes = program->copy_bytes;
    row_ends ends;
    row_ends_of(&ends, program, load16(block->pattern->bytes));
    const end_vector *last = &ends.vectors[ends.count];
    const end_vector *before = in_order ? &ends.vectors[ends.head_count] : last;
    /* What an end reads may be at the row's other end, which the copy fetches: 1000 rows of 8 KB with a border of their other side took
     * 0.8 to 0.9 of the time on Zen 3, other borders 0.97 to 1.03. */
    const bool copy_first = bytes >= LONG_RUN;
    /* Copies, since any store might change `ends`, for all that the compiler knows. These stay in registers, which took 0.8 to 1.0
     * of the time. */
    const bool head_left = ends.head_left, tail_left = ends.tail_left, left = head_left || tail_left;
    const end_vector both = *last;
    for (int64_t r = 0; r < count; ++r) {
        char *output = first_output + r * output_step;
        const char *input = first_input + r * input_step;
        if (copy_first)
            copy_long(output + copy_output, input + copy_input, bytes, false);
        for (const end_vector *end = ends.vectors; end < before; ++end)
            store_side_by_side(output + end->outputs[0], end_bytes(end, input, sources));
        const lanes rest = left ? end_bytes(&both, input, sources) : both.fill;
        if (!in_order) {
            if (left)
                store_lanes(output + both.outputs[0], output + both.outputs[1], rest);
            if (!copy_first)
                copy_bytes(output + copy_output, input + copy_input, bytes);
            continue;
        }
        if (head_left)
            store16(output + both.outputs[0], first_lane(rest));
        copy_lines(output + copy_output, input + copy_input, bytes, true);
        for (const end_vector *end = before; end < last; ++end)
            store_side_by_side(output + end->outputs[0], end_bytes(end, input, sources));
        if (tail_left)
            store16(output + both.outputs[1], second_lane(rest));
    }
}

/* A lane over and over, `bytes` of them. */
static ALWAYS_INLINE void store_lane(char *output, int64_t bytes, lanes lane)
{
    int64_t at = 0;
    for (; at + LANES * DMLC_LANE_BYTES <= bytes; at += LANES * DMLC_LANE_BYTES)
        store_side_by_side(output + at, lane);
    if (at < bytes)
        store_lanes(output + at, output + at, lane);
}

static ALWAYS_INLINE void repeat_ends(const dmlc_ends *program, const dmlc_block *block, const bool in_order)
{
    const shuffle *head = shuffles_of(&program->shuffles), *tail = head + program->head_count;
    const lanes head_index = repeat_lane(load16(head->index[0])), tail_index = repeat_lane(load16(tail->index[0]));
    const int64_t head_bytes = program->head_count * DMLC_LANE_BYTES;
    const int64_t tail_bytes = (program->shuffles.count - program->head_count) * DMLC_LANE_BYTES;
    const int64_t head_input = head->inputs[0], tail_input = tail->inputs[0], tail_output = tail->output;
    const int64_t output_step = block->output_step, input_step = block->input_step, count = block->count;
    const int64_t copy_output = program->copy_output, copy_input = program->copy_input, bytes = program->copy_bytes;
    char *first_output = block->output;
    const char *first_input = block->input;
    for (int64_t r = 0; r < count; ++r) {
        char *output = first_output + r * output_step;
        const char *input = first_input + r * input_step;
        store_lane(output, head_bytes, pick(repeat_lane(load16(input + head_input)), head_index));
        if (in_order)
            copy_lines(output + copy_output, input + copy_input, bytes, true);
        store_lane(output + tail_output, tail_bytes, pick(repeat_lane(load16(input + tail_input)), tail_index));
        if (!in_order)
            copy_bytes(output + copy_output, input + copy_input, bytes);
    }
}

static APART void repeated_ends_in_order(const dmlc_ends *program, const dmlc_block *block)
{
    repeat_ends(program, block, true);
}

static APART void repeated_ends_first(const dmlc_ends *program, const dmlc_block *block)
{
    repeat_ends(program, block, false);
}

/* A few rows, or ends of many windows, lane by lane. */
static APART void ends_lane_by_lane(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *all = shuffles_of(&program->shuffles);
    for (int64_t r = 0; r < block->count; ++r) {
        char *output = block->output + r * block->output_step;
        const char *input = block->input + r * block->input_step;
        shuffle_row(all, program->shuffles.count, 0, output, input, block->pattern);
        copy_bytes(output + program->copy_output, input + program->copy_input, program->copy_bytes);
    }
}

static ALWAYS_INLINE void ends_by_sources(const dmlc_ends *program, const dmlc_block *block, const bool in_order)
{
    enum { FEW_ROWS = 4 };
    const int32_t sources = block->count < FEW_ROWS ? END_SOURCES + 1 : end_sources_of(&program->shuffles);
    switch (sources) {
    case 0: ends_by(program, block, 0, in_order); break;
    case 1: ends_by(program, block, 1, in_order); break;
    case 2: ends_by(program, block, 2, in_order); break;
    default: ends_lane_by_lane(program, block); break;
    }
}

static APART void ends_in_order(const dmlc_ends *program, const dmlc_block *block)
{
    ends_by_sources(program, block, true);
}

static APART void ends_first(const dmlc_ends *program, const dmlc_block *block)
{
    ends_by_sources(program, block, false);
}

static void ends_in_cache(const dmlc_ends *program, const dmlc_block *block)
{
    const bool in_order = go_in_order(program, block);
    if (program->repeated && in_order)
        repeated_ends_in_order(program, block);
    else if (program->repeated)
        repeated_ends_first(program, block);
    else if (in_order)
        ends_in_order(program, block);
    else
        ends_first(program, block);
}

#endif

#endif
