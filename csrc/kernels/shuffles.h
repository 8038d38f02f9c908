/* Shuffles, and boxes by them, see dmlc_shuffle and dmlc_lane_shuffle: each table has one kind. ends.h uses them too. */
#ifndef DMLC_KERNELS_SHUFFLES_H
#define DMLC_KERNELS_SHUFFLES_H

#include "kernels/boxes.h"
#include "kernels/lanes.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

typedef dmlc_shuffle shuffle;
static inline const shuffle *shuffles_of(const dmlc_shuffle_list *list) { return list->of.blocks; }

/* What is loaded and stored without masks the processor fetches ahead, see permutations.h. */
static inline bool is_whole(uint64_t mask) { return mask == ~UINT64_C(0); }

static inline bool is_one_source(const shuffle *one) { return is_whole(one->read[0]) && one->read[1] == 0; }
static inline bool is_two_sources(const shuffle *one) { return is_whole(one->read[0]) && is_whole(one->read[1]); }

/* A shuffle in `count` boxes. Where a run moves much, whole vectors are loaded and stored without masks, so that the processor
 * fetches ahead. In the cache it only fetches what nobody asked for: every other column of 1000 rows of 384 bytes took 1.5 times
 * as long without masks. */
static inline void run_shuffle(const shuffle *one, char *output, int64_t output_step, const char *input,
                               int64_t input_step, int64_t count, const dmlc_pattern *pattern, bool far)
{
    const __m512i fill = _mm512_loadu_si512(pattern->bytes), index = _mm512_loadu_si512(one->index);
    const __mmask64 low = one->read[0], high = one->read[1], filled = one->filled, written = one->written;
    const char *first = input + one->inputs[0], *second = input + one->inputs[1];
    char *to = output + one->output;
#define EACH_BOX(STORE, BYTES)                                                                                         \
    for (int64_t i = 0; i < count; ++i)                                                                                \
    STORE(to + i * output_step, _mm512_mask_mov_epi8(BYTES, filled, fill))
#define STORE_WRITTEN(TO, BYTES) _mm512_mask_storeu_epi8(TO, written, BYTES)
    if (far && is_whole(written) && is_one_source(one))
        EACH_BOX(_mm512_storeu_si512, _mm512_permutexvar_epi8(index, _mm512_loadu_si512(first + i * input_step)));
    else if (far && is_whole(written) && is_two_sources(one))
        EACH_BOX(_mm512_storeu_si512, _mm512_permutex2var_epi8(_mm512_loadu_si512(first + i * input_step), index,
                                                               _mm512_loadu_si512(second + i * input_step)));
    else if (high == 0)
        EACH_BOX(STORE_WRITTEN, _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(low, first + i * input_step)));
    else
        EACH_BOX(STORE_WRITTEN, _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(low, first + i * input_step), index,
                                                         _mm512_maskz_loadu_epi8(high, second + i * input_step)));
#undef STORE_WRITTEN
#undef EACH_BOX
}

/* Shuffles of one row, at `output` what belongs `begin` bytes after the row's start. */
static inline void shuffle_row(const shuffle *all, int32_t shuffle_count, int64_t begin, char *output,
                               const char *input, const dmlc_pattern *pattern)
{
    const __m512i fill = _mm512_loadu_si512(pattern->bytes);
    for (int32_t i = 0; i < shuffle_count; ++i) {
        const shuffle *one = &all[i];
        const __m512i bytes = _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(one->read[0], input + one->inputs[0]),
                                                       _mm512_loadu_si512(one->index),
                                                       _mm512_maskz_loadu_epi8(one->read[1], input + one->inputs[1]));
        _mm512_mask_storeu_epi8(output + (one->output - begin), one->written,
                                _mm512_mask_mov_epi8(bytes, one->filled, fill));
    }
}

#elif defined(DMLC_HAVE_LOOK_UP)

typedef dmlc_lane_shuffle shuffle;
static inline const shuffle *shuffles_of(const dmlc_shuffle_list *list) { return list->of.lanes; }

static inline vector16 lane_fill(const shuffle *one, vector16 pattern) { return and16(pattern, load16(one->filled)); }

/* In `count` boxes, with the indices in registers. */
static inline void run_lanes(const shuffle *one, char *output, int64_t output_step, const char *input,
                             int64_t input_step, int64_t count, vector16 fill, const int sources)
{
    vector16 index[DMLC_LANE_SOURCES];
    int64_t inputs[DMLC_LANE_SOURCES];
    for (int s = 0; s < sources; ++s) {
        index[s] = load16(one->index[s]);
        inputs[s] = one->inputs[s];
    }
    output += one->output;
    UNROLL
    for (int64_t i = 0; i < count; ++i) {
        const char *from = input + i * input_step;
        vector16 bytes = fill;
        for (int s = 0; s < sources; ++s)
            bytes = look_up(bytes, load16(from + inputs[s]), index[s]);
        store16(output + i * output_step, bytes);
    }
}

static inline void run_shuffle(const shuffle *one, char *output, int64_t output_step, const char *input,
                               int64_t input_step, int64_t count, const dmlc_pattern *pattern, bool far)
{
    (void)far;
    const vector16 fill = lane_fill(one, load16(pattern->bytes));
    switch (one->source_count) {
    case 0: run_lanes(one, output, output_step, input, input_step, count, fill, 0); break;
    case 1: run_lanes(one, output, output_step, input, input_step, count, fill, 1); break;
    case 2: run_lanes(one, output, output_step, input, input_step, count, fill, 2); break;
    case 3: run_lanes(one, output, output_step, input, input_step, count, fill, 3); break;
    default: run_lanes(one, output, output_step, input, input_step, count, fill, 4); break;
    }
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

#if defined(DMLC_HAVE_LOOK_UP)

/* Shuffle by shuffle: box by box took 1.15 to 1.2 times as long, whichever there are more of; with lanes in memory, 1.3 to 2.3. */
static APART void shuffle_boxes(const void *program, const dmlc_block *block)
{
    const dmlc_shuffle_list *list = &((const dmlc_shuffles *)program)->shuffles;
    const shuffle *all = shuffles_of(list);
    /* Locals, since a store through a char pointer might change the block, for all that the compiler knows. */
    const dmlc_block here = *block;
    const int32_t count = list->count;
    for (int32_t i = 0; i < count; ++i)
        run_shuffle(&all[i], here.output, here.output_step, here.input, here.input_step, here.count, here.pattern,
                    here.far);
}

static void shuffles(const dmlc_shuffles *program, const dmlc_block *block)
{
    /* A single shuffle comes back to no line. */
    if (program->shuffles.count == 1 && block->stream == NULL)
        shuffle_boxes(program, block);
    else
        boxes(&program->box, block, shuffle_boxes, program);
}

#endif

#endif
