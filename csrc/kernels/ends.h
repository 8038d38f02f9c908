/* Rows that are one long copy but for their ends, which are shuffles, see dmlc_ends. */
#ifndef DMLC_KERNELS_ENDS_H
#define DMLC_KERNELS_ENDS_H

#include "kernels/rows.h"
#include "kernels/shuffles.h"

#if defined(DMLC_HAVE_LOOK_UP)

static inline int64_t at_most(int64_t bytes, int64_t most) { return bytes < most ? bytes : most; }

/* Past the cache a row is written in order: head, copy, tail. Ends have masks, as to fetch ahead from one on is to fetch the wrong
 * lines: without, it took up to 1.9 times as long. The ends are at most DMLC_MOST_END_BYTES long; at_most says it to
 * compilers that would warn. */
static void stream_ends(const dmlc_ends *ends, const dmlc_block *block)
{
    const shuffle *all = shuffles_of(&ends->shuffles);
    const int64_t copy_end = ends->copy_output + ends->copy_bytes;
    const int64_t head_bytes = at_most(ends->copy_output, DMLC_MOST_END_BYTES);
    const int64_t tail_bytes = at_most(ends->bytes - copy_end, DMLC_MOST_END_BYTES);
    for (int64_t r = 0; r < block->count; ++r) {
        char *output = block->output + r * block->output_step;
        const char *input = block->input + r * block->input_step;
        char head[DMLC_MOST_END_BYTES + DMLC_BLOCK_BYTES], tail[2 * DMLC_BLOCK_BYTES + DMLC_MOST_END_BYTES];
        for (int32_t i = 0; i < ends->head_count; ++i)
            run_shuffle(&all[i], head, 0, input, 0, 1, block->pattern, false);
        stream_copy(block->stream, output, head, head_bytes);
        stream_copy(block->stream, output + ends->copy_output, input + ends->copy_input, ends->copy_bytes);
        /* The tail's shuffles begin somewhat before the copy's end. */
        const int64_t begin = copy_end - DMLC_BLOCK_BYTES;
        for (int32_t i = ends->head_count; i < ends->shuffles.count; ++i) {
            shuffle one = all[i];
            one.output -= begin;
            run_shuffle(&one, tail, 0, input, 0, 1, block->pattern, false);
        }
        stream_copy(block->stream, output + copy_end, tail + DMLC_BLOCK_BYTES, tail_bytes);
    }
}

#if defined(__AVX512VBMI__)
typedef struct end_vectors {
    __m512i index;
    __mmask64 low, high, filled;
} end_vectors;

static inline end_vectors end_vectors_of(const shuffle *end)
{
    return (end_vectors){_mm512_loadu_si512(end->index), end->read[0], end->read[1], end->filled};
}

/* From one source that is read whole, as borders are that a vector holds, or from what is read of two. */
static ALWAYS_INLINE void store_end(end_vectors end, __m512i fill, char *output, const char *input, const bool whole)
{
    __m512i bytes;
    if (whole)
        bytes = _mm512_permutexvar_epi8(end.index, _mm512_loadu_si512(input));
    else
        bytes = _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(end.low, input), end.index,
                                         _mm512_maskz_loadu_epi8(end.high, input + 64));
    _mm512_storeu_si512(output, _mm512_mask_mov_epi8(bytes, end.filled, fill));
}

/* A block on either side, the windows of each side by side: all that a row takes fits into registers. With windows apart it
 * does not, and took 1.3 times as long. */
static ALWAYS_INLINE void single_ends_by(const dmlc_ends *program, const dmlc_block *block, const bool whole)
{
    const shuffle *head = &program->shuffles.of.blocks[0], *tail = &program->shuffles.of.blocks[1];
    const end_vectors head_vectors = end_vectors_of(head), tail_vectors = end_vectors_of(tail);
    const __m512i fill = _mm512_loadu_si512(block->pattern->bytes);
    const int64_t output_step = block->output_step, input_step = block->input_step, count = block->count;
    const int64_t tail_output = tail->output, tail_input = tail->inputs[0] - head->inputs[0];
    const int64_t copy_input = program->copy_input - head->inputs[0], bytes = program->copy_bytes;
    char *first_output = block->output;
    const char *first_input = block->input + head->inputs[0];
    /* A single row may have any step: none is added behind the last. */
    for (int64_t r = 0; r < count; ++r) {
        char *output = first_output + r * output_step;
        const char *input = first_input + r * input_step;
        store_end(head_vectors, fill, output, input, whole);
        copy_bytes(output + DMLC_BLOCK_BYTES, input + copy_input, bytes);
        store_end(tail_vectors, fill, output + tail_output, input + tail_input, whole);
    }
}

static APART void whole_ends(const dmlc_ends *program, const dmlc_block *block)
{
    single_ends_by(program, block, true);
}

static APART void masked_ends(const dmlc_ends *program, const dmlc_block *block)
{
    single_ends_by(program, block, false);
}

/* Rows are gone through some at a time: a block of all of them, then the next, so that what a block needs is loaded once. In the
 * cache, as many as stay in its first level; the copies last took 0.9 of the time of the other order. What is not in the cache is
 * written nearly in order, so that memory is gone through line after line, which took 0.35 to 0.9 of the time. Short rows go a KB
 * at a time: one by one they took up to 1.9 times as long where the cache held them after all. */
static int64_t rows_together(const dmlc_ends *program, const dmlc_block *block)
{
    enum { NEAR_BYTES = 16 * 1024, SHORT_ROW = 512 };
    if (!block->in_memory)
        return 1 + NEAR_BYTES / program->bytes;
    return program->bytes < SHORT_ROW ? 1 + 2 * SHORT_ROW / program->bytes : 1;
}

static APART void many_ends(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *all = program->shuffles.of.blocks;
    const int32_t shuffle_count = program->shuffles.count;
    const int64_t output_step = block->output_step, input_step = block->input_step;
    const int64_t copy_output = program->copy_output, copy_input = program->copy_input, bytes = program->copy_bytes;
    const int64_t together = rows_together(program, block);
    for (int64_t r = 0; r < block->count; r += together) {
        const int64_t some = block->count - r < together ? block->count - r : together;
        char *output = block->output + r * output_step;
        const char *input = block->input + r * input_step;
        if (bytes > 0 && block->far)
            copy_rows(output + copy_output, output_step, input + copy_input, input_step, some, bytes);
        for (int32_t i = 0; i < shuffle_count; ++i)
            run_shuffle(&all[i], output, output_step, input, input_step, some, block->pattern, false);
        if (bytes > 0 && !block->far)
            copy_rows(output + copy_output, output_step, input + copy_input, input_step, some, bytes);
    }
}

static bool is_single_window(const shuffle *end) { return end->inputs[1] == end->inputs[0] + DMLC_BLOCK_BYTES; }

static void ends_in_cache(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *head = &program->shuffles.of.blocks[0], *tail = &program->shuffles.of.blocks[1];
    const bool are_single = program->shuffles.count == 2 && is_single_window(head) && is_single_window(tail);
    if (are_single && is_one_source(head) && is_one_source(tail))
        whole_ends(program, block);
    else if (are_single)
        masked_ends(program, block);
    else
        many_ends(program, block);
}
#else
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
 * the time; of shorter ones both ends first, else up to 1.05 times as long. But where stores wait for lines, a line is not come
 * back to: of 96 to 511 bytes rows in order took 0.92 of the time by mean, 0.58 at best, of 64 to 95 bytes 1.05. Stores of whole
 * lines take 0.92 of the time, where rows are whole lines apart 0.5 to 1.03 on Granite Rapids and 1.0 to 1.09 on Zen 5. */
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
    /* Copies, since any store might change `ends`, for all that the compiler knows. These stay in registers, which took 0.8 to 1.0
     * of the time. */
    const bool head_left = ends.head_left, tail_left = ends.tail_left, left = head_left || tail_left;
    const end_vector both = *last;
    for (int64_t r = 0; r < count; ++r) {
        char *output = first_output + r * output_step;
        const char *input = first_input + r * input_step;
        for (const end_vector *end = ends.vectors; end < before; ++end)
            store_side_by_side(output + end->outputs[0], end_bytes(end, input, sources));
        const lanes rest = left ? end_bytes(&both, input, sources) : both.fill;
        if (!in_order) {
            if (left)
                store_lanes(output + both.outputs[0], output + both.outputs[1], rest);
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

/* Those of one row. */
static inline void run_shuffles(const shuffle *all, int32_t shuffle_count, char *output, const char *input,
                                vector16 pattern)
{
    for (int32_t i = 0; i < shuffle_count; ++i) {
        const shuffle *one = &all[i];
        vector16 bytes = lane_fill(one, pattern);
        for (int32_t s = 0; s < one->source_count; ++s)
            bytes = look_up(bytes, load16(input + one->inputs[s]), load16(one->index[s]));
        store16(output + one->output, bytes);
    }
}

/* A few rows, or ends of many windows, lane by lane. */
static APART void ends_lane_by_lane(const dmlc_ends *program, const dmlc_block *block)
{
    const shuffle *all = shuffles_of(&program->shuffles);
    const vector16 pattern = load16(block->pattern->bytes);
    for (int64_t r = 0; r < block->count; ++r) {
        char *output = block->output + r * block->output_step;
        const char *input = block->input + r * block->input_step;
        run_shuffles(all, program->shuffles.count, output, input, pattern);
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

/* Dense rows that are short are made in the cache, some at a time, and go past it from there: one by one, those of 144 bytes took
 * three times as long, but those of 600 bytes 0.8 of the time. */
enum { LONGEST_STAGED = 512 };

static void staged_ends(const dmlc_ends *program, const dmlc_block *block)
{
    char stage[STAGE_BYTES];
    dmlc_block staged;
    for (int64_t r = 0; r < block->count; r += staged.count) {
        staged = stage_begin(block, r, program->bytes, stage);
        ends_in_cache(program, &staged);
        stage_end(block, &staged, r);
    }
}

static void ends(const dmlc_ends *program, const dmlc_block *block)
{
    if (block->stream == NULL)
        ends_in_cache(program, block);
    else if (block->output_step == program->bytes && program->bytes <= LONGEST_STAGED)
        staged_ends(program, block);
    else
        stream_ends(program, block);
}

#endif

#endif
