/* Shuffles of a whole vector, for kernels that shuffle bytes across one, see dmlc_shuffle; shuffles_lanes.h has the others. */
#ifndef DMLC_KERNELS_SHUFFLES_BLOCKS_H
#define DMLC_KERNELS_SHUFFLES_BLOCKS_H

#include "kernels/bytes.h"
#include "kernels/kernels.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

typedef dmlc_shuffle shuffle;
static inline const shuffle *shuffles_of(const dmlc_shuffle_list *list) { return list->of.blocks; }

/* What is loaded and stored without masks the processor fetches ahead, see permutations.h. */
static inline bool is_whole(uint64_t mask) { return mask == ~UINT64_C(0); }

static inline bool is_one_source(const shuffle *one) { return is_whole(one->read[0]) && one->read[1] == 0; }
static inline bool is_two_sources(const shuffle *one) { return is_whole(one->read[0]) && is_whole(one->read[1]); }

/* A shuffle in all boxes, which are a copy in registers: a store through a char pointer might change what a pointer leads to, for all
 * that the compiler knows. Where a run moves much, whole vectors are loaded and stored without masks, so that the processor fetches
 * ahead. In the cache it only fetches what nobody asked for: every other column of 1000 rows of 384 bytes took 1.5 times as long
 * without masks. */
static ALWAYS_INLINE void run_shuffle(const shuffle *one, const dmlc_block boxes, bool fetched)
{
    const __m512i fill = _mm512_loadu_si512(boxes.pattern->bytes), index = _mm512_loadu_si512(one->index);
    const __mmask64 low = one->read[0], high = one->read[1], filled = one->filled, written = one->written;
    const int64_t output_step = boxes.output_step, input_step = boxes.input_step, count = boxes.count;
    const char *first = boxes.input + one->inputs[0], *second = boxes.input + one->inputs[1];
    char *to = boxes.output + one->output;
#define EACH_BOX(STORE, BYTES)                                                                                         \
    for (int64_t i = 0; i < count; ++i)                                                                                \
    STORE(to + i * output_step, _mm512_mask_mov_epi8(BYTES, filled, fill))
#define STORE_WRITTEN(TO, BYTES) _mm512_mask_storeu_epi8(TO, written, BYTES)
    if (fetched && is_whole(written) && is_one_source(one))
        EACH_BOX(_mm512_storeu_si512, _mm512_permutexvar_epi8(index, _mm512_loadu_si512(first + i * input_step)));
    else if (fetched && is_whole(written) && is_two_sources(one))
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

/* What is not in the cache is written in its order, in which stores are fetched ahead: by a few shuffles side by side with all that they
 * need in registers, or by more of them box by box. Of 5 to 16 MB that other work had put out of the cache, boxes took 1.3 to 2.3 times as
 * long shuffle by shuffle. In the cache, a few take as long side by side, but more took 1.2 to 1.8 times as long box by box, so that those
 * begin later. Loads between the stores take that time, presumably since they wait for stores that lie as far from the start of a page. */
enum { FEW_SHUFFLES = 4 };

static inline bool is_simple(const shuffle *one) { return one->read[1] == 0 && one->filled == 0; }

/* Of one source and without fills where it is `simple`. */
static ALWAYS_INLINE __m512i shuffled(__m512i index, __mmask64 low, const char *first, __mmask64 high,
                                      const char *second, __mmask64 filled, __m512i fill, const bool simple)
{
    const __m512i bytes = _mm512_maskz_loadu_epi8(low, first);
    if (simple)
        return _mm512_permutexvar_epi8(index, bytes);
    const __m512i both = _mm512_permutex2var_epi8(bytes, index, _mm512_maskz_loadu_epi8(high, second));
    return _mm512_mask_mov_epi8(both, filled, fill);
}

static ALWAYS_INLINE void store_written(char *to, __mmask64 written, __m512i bytes, bool whole)
{
    if (whole)
        _mm512_storeu_si512(to, bytes);
    else
        _mm512_mask_storeu_epi8(to, written, bytes);
}

static ALWAYS_INLINE void run_few_by(const shuffle *few, const dmlc_block *boxes, const int shuffle_count,
                                     const bool simple, const bool whole)
{
    const __m512i fill = _mm512_loadu_si512(boxes->pattern->bytes);
    const int64_t output_step = boxes->output_step, input_step = boxes->input_step, count = boxes->count;
    __m512i index[FEW_SHUFFLES];
    __mmask64 low[FEW_SHUFFLES], high[FEW_SHUFFLES], filled[FEW_SHUFFLES], written[FEW_SHUFFLES];
    const char *first[FEW_SHUFFLES], *second[FEW_SHUFFLES];
    char *to[FEW_SHUFFLES];
    for (int s = 0; s < shuffle_count; ++s) {
        index[s] = _mm512_loadu_si512(few[s].index);
        low[s] = few[s].read[0];
        high[s] = few[s].read[1];
        filled[s] = few[s].filled;
        written[s] = few[s].written;
        first[s] = boxes->input + few[s].inputs[0];
        second[s] = boxes->input + few[s].inputs[1];
        to[s] = boxes->output + few[s].output;
    }
    for (int64_t i = 0; i < count; ++i)
        for (int s = 0; s < shuffle_count; ++s)
            store_written(to[s] + i * output_step, written[s],
                          shuffled(index[s], low[s], first[s] + i * input_step, high[s], second[s] + i * input_step,
                                   filled[s], fill, simple),
                          whole);
}

static ALWAYS_INLINE void run_few_of(const shuffle *few, const dmlc_block *boxes, const int shuffle_count)
{
    bool simple = true, whole = true;
    for (int s = 0; s < shuffle_count; ++s) {
        simple = simple && is_simple(&few[s]);
        whole = whole && is_whole(few[s].written);
    }
    if (simple && whole)
        run_few_by(few, boxes, shuffle_count, true, true);
    else if (simple)
        run_few_by(few, boxes, shuffle_count, true, false);
    else
        run_few_by(few, boxes, shuffle_count, false, false);
}

static APART void run_few(const shuffle *few, int32_t shuffle_count, const dmlc_block *boxes)
{
    switch (shuffle_count) {
    case 2: run_few_of(few, boxes, 2); break;
    case 3: run_few_of(few, boxes, 3); break;
    default: run_few_of(few, boxes, FEW_SHUFFLES); break;
    }
}

/* What is loaded for a shuffle between two stores is as little as it takes: all that is in a shuffle took up to 1.2 times as long. */
typedef enum source_kind { ONE_WHOLE_SOURCE, TWO_WHOLE_SOURCES, ANY_SOURCES } source_kind;

typedef struct brief_shuffle {
    int32_t output, first, second;
    source_kind kind;
} brief_shuffle;

static inline brief_shuffle brief_of(const shuffle *one)
{
    const int64_t first = one->inputs[0], second = one->read[1] == 0 ? first : one->inputs[1];
    const bool is_near = first == (int32_t)first && second == (int32_t)second;
    const bool plain = is_near && is_whole(one->written) && one->filled == 0;
    return (brief_shuffle){
        .output = (int32_t)one->output,
        .first = (int32_t)first,
        .second = (int32_t)second,
        .kind = plain && is_one_source(one)    ? ONE_WHOLE_SOURCE
                : plain && is_two_sources(one) ? TWO_WHOLE_SOURCES
                                               : ANY_SOURCES,
    };
}

/* At `to` what belongs to the shuffle's output. */
static ALWAYS_INLINE void run_any_sources(const shuffle *one, char *to, const char *input, __m512i fill)
{
    const __m512i bytes = shuffled(_mm512_loadu_si512(one->index), one->read[0], input + one->inputs[0], one->read[1],
                                   input + one->inputs[1], one->filled, fill, false);
    _mm512_mask_storeu_epi8(to, one->written, bytes);
}

static APART void run_box_by_box(const shuffle *all, int32_t shuffle_count, const dmlc_block *boxes)
{
    const __m512i fill = _mm512_loadu_si512(boxes->pattern->bytes);
    const int64_t output_step = boxes->output_step, input_step = boxes->input_step, count = boxes->count;
    char *output = boxes->output;
    const char *input = boxes->input;
    brief_shuffle brief[DMLC_MOST_SHUFFLES];
    for (int32_t s = 0; s < shuffle_count; ++s)
        brief[s] = brief_of(&all[s]);
    for (int64_t i = 0; i < count; ++i) {
        char *to = output + i * output_step;
        const char *from = input + i * input_step;
        for (int32_t s = 0; s < shuffle_count; ++s) {
            const brief_shuffle *one = &brief[s];
            if (one->kind == ANY_SOURCES) {
                run_any_sources(&all[s], to + all[s].output, from, fill);
                continue;
            }
            const __m512i index = _mm512_loadu_si512(all[s].index), first = _mm512_loadu_si512(from + one->first);
            if (one->kind == ONE_WHOLE_SOURCE)
                _mm512_storeu_si512(to + one->output, _mm512_permutexvar_epi8(index, first));
            else
                _mm512_storeu_si512(to + one->output,
                                    _mm512_permutex2var_epi8(first, index, _mm512_loadu_si512(from + one->second)));
        }
    }
}

static ALWAYS_INLINE void run_one_by_one(const shuffle *all, int32_t shuffle_count, const dmlc_block boxes)
{
    for (int32_t s = 0; s < shuffle_count; ++s)
        run_shuffle(&all[s], boxes, boxes.far);
}

static void run_shuffles(const shuffle *all, int32_t shuffle_count, const dmlc_block *boxes)
{
    if (boxes->far && shuffle_count > 1 && shuffle_count <= FEW_SHUFFLES)
        run_few(all, shuffle_count, boxes);
    else if (boxes->writes_in_order && shuffle_count > 1)
        run_box_by_box(all, shuffle_count, boxes);
    else
        run_one_by_one(all, shuffle_count, *boxes);
}

/* Shuffles of one row, at `output` what belongs `begin` bytes after the row's start. */
static inline void shuffle_row(const shuffle *all, int32_t shuffle_count, int64_t begin, char *output,
                               const char *input, const dmlc_pattern *pattern)
{
    const __m512i fill = _mm512_loadu_si512(pattern->bytes);
    for (int32_t i = 0; i < shuffle_count; ++i)
        run_any_sources(&all[i], output + (all[i].output - begin), input, fill);
}

#endif

#endif
