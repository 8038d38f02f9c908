/* Units by a planned byte permutation, see dmlc_permutation: `units` in each of `rows` rows, the rows output_row and input_row
 * apart; they are some of a `whole` block, which says what to fill with and what a run knows of memory. No byte is read outside
 * the span of a row's units. A block may be written with bytes behind it, where the next block's follow. `whole` is handed on as it is: to
 * make a dmlc_block of the rows alone took 1.02 to 1.04 times as long in runs of up to 44 KB.
 *
 * permute_staged makes rows of at most LONGEST_STAGED bytes in the block's stream. Units that go back are read from a row's lower end on if
 * `upward`, else from its upper end, as far as permutes_up and permutes_down say: rows of 1.2 KB took 0.3 of the time upward past the
 * cache, but 1.0 to 1.1 elsewhere. */
#ifndef DMLC_KERNELS_PERMUTATIONS_H
#define DMLC_KERNELS_PERMUTATIONS_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/stream.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* Where a block's sources are loaded from: one vector or two from the window's lower end on, or up to its upper end where the
 * next units stand below it, so that what is loaded besides is theirs. */
typedef struct permute_sources {
    int64_t first;  /* from the window's lower end */
    int64_t beyond; /* bytes of the next units that whole loads read */
    bool two;
    __m512i index;
} permute_sources;

static inline permute_sources sources_of(const dmlc_permutation *permutation)
{
    const int64_t window = dmlc_window_of(permutation), beyond = (window > 64 ? 128 : 64) - window;
    const int64_t first = permutation->unit_step < 0 ? -beyond : 0;
    return (permute_sources){
        .first = first,
        .beyond = beyond,
        .two = window > 64,
        .index = _mm512_add_epi8(_mm512_loadu_si512(permutation->index), _mm512_set1_epi8((char)-first)),
    };
}

/* What `units` of a block read and write. */
typedef struct permute_masks {
    __mmask64 first, second, written;
} permute_masks;

/* The window's first units: from its low end, or of a reversed one from its high end. */
static inline permute_masks masks_of(const dmlc_permutation *permutation, const permute_sources *sources, int64_t units)
{
    const int64_t step = permutation->unit_step, distance = dmlc_absolute(step);
    const int64_t bytes = (units - 1) * distance + permutation->end - permutation->begin;
    const int64_t begin = step < 0 ? (permutation->units - units) * distance : 0;
    return (permute_masks){dmlc_bits(begin - sources->first, bytes), dmlc_bits(begin - sources->first - 64, bytes),
                           dmlc_bits(0, units * permutation->unit_bytes)};
}

/* How many of a row's blocks are stored whole and stay within the row, and are loaded so if not by masks. A last block that was left out
 * for what whole loads read besides, though masks load it, took images at half their size 1.08 times as long. */
static inline int64_t whole_blocks_of(const dmlc_permutation *permutation, const permute_sources *sources,
                                      int64_t units, bool masked)
{
    const int64_t block = permutation->units, step = permutation->unit_step, distance = dmlc_absolute(step);
    const int64_t unspent = 64 - block * permutation->unit_bytes, beyond = masked ? 0 : sources->beyond;
    if (units < block || (beyond > 0 && distance == 0))
        return 0;
    const int64_t loaded_after = beyond == 0 ? 0 : (beyond - 1) / distance + 1;
    const int64_t stored_after = unspent == 0 ? 0 : (unspent - 1) / permutation->unit_bytes + 1;
    const int64_t left = units - block - dmlc_maximum(loaded_after, stored_after);
    return left < 0 ? 0 : left / block + 1;
}

/* The processor fetches ahead what is loaded without masks. With masks, whether bits are clear in them or not, it does not:
 * every other byte of 50 MB took 1.7 times as long. Where a run moves less, what is fetched ahead would have come soon enough,
 * and to fetch it took 1.05 to 1.1 times as long, of reversed rows 1.3 times; so loads then have masks.
 *
 * Of rows that are gone through backward, or that have others between them, the processor fetches the wrong lines. These are
 * loaded with masks too, and the next row is fetched here. Rows of 0.7 to 6 KB, reversed, took 0.4 of the time in 33 to 57 MB,
 * 0.75 to 0.9 in 10 MB, every other row 0.65 to 0.75 in 30 to 40 MB. Of longer rows the processor fetches the right lines
 * often enough, and of those of 5 to 8 KB in 5 to 10 MB: fetched here, these took 1.07 to 1.14 times as long, and in 20 MB 0.8 to 0.9
 * of the time. */
enum { LONGEST_FETCHED_ROW = 8 * 1024, LONGEST_FETCHED_NEAR_ROW = 4 * 1024 };

static inline bool fetches_rows(const dmlc_permutation *permutation, int64_t input_row, int64_t rows, int64_t units,
                                const dmlc_block *whole)
{
    const int64_t step = permutation->unit_step, bytes = dmlc_absolute(step) * units;
    const int64_t longest = whole->writes_in_order ? LONGEST_FETCHED_ROW : LONGEST_FETCHED_NEAR_ROW;
    return whole->far && rows > 1 && bytes <= longest && (step < 0 || input_row < 0 || input_row > bytes + bytes / 2);
}

static ALWAYS_INLINE __m512i load_source(const char *from, __mmask64 mask, const bool masked)
{
    return masked ? _mm512_maskz_loadu_epi8(mask, from) : _mm512_loadu_si512(from);
}

/* A block of output, from what is loaded in the order of its addresses. */
static ALWAYS_INLINE __m512i permuted(const char *from, permute_masks masks, __m512i index, __mmask64 filled,
                                      __m512i fill, const bool two, const bool masked)
{
    const __m512i low = load_source(from, masks.first, masked);
    if (!two)
        return _mm512_mask_mov_epi8(_mm512_permutexvar_epi8(index, low), filled, fill);
    const __m512i high = load_source(from + 64, masks.second, masked);
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(low, index, high), filled, fill);
}

static ALWAYS_INLINE void permute_by(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                     const char *input, int64_t input_row, int64_t rows, int64_t units,
                                     const dmlc_pattern *pattern, dmlc_stream *stream, bool upward,
                                     const permute_sources *sources, const bool two, const bool masked, bool fetched,
                                     const bool stores_wait)
{
    const int64_t block = permutation->units, step = permutation->unit_step, advance = block * step;
    const int64_t block_bytes = block * permutation->unit_bytes;
    const int64_t whole_blocks = whole_blocks_of(permutation, sources, units, masked);
    const permute_masks all = masks_of(permutation, sources, block);
    const permute_masks rest = masks_of(permutation, sources, units % block == 0 ? block : units % block);
    const int64_t window = permutation->begin + (step < 0 ? (block - 1) * step : 0);
    const int64_t lowest = permutation->begin + (step < 0 ? (units - 1) * step : 0);
    const int64_t row_bytes = (units - 1) * dmlc_absolute(step) + permutation->end - permutation->begin;
    const __m512i index = sources->index, fill = _mm512_loadu_si512(pattern->bytes);
    const __mmask64 filled = permutation->filled;
    const bool up = stream != NULL && upward && units * permutation->unit_bytes >= LEAST_READ_UP;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = stream_stage(stream, output + r * output_row, units * permutation->unit_bytes);
        const char *from = input + r * input_row + window + sources->first;
        if (masked && fetched && r < rows - 1)
            fetch(input + (r + 1) * input_row + lowest, row_bytes);
        /* Stores of whole cache lines took 0.96 to 1.16 of the time, in flipped rows of 0.6 to 8 KB. To ask for the line that a
         * block ends in took short rows 0.85 of the time by mean, 0.58 at best, and long ones 0.98, on Granite Rapids. */
        for (int64_t i = 0; i < whole_blocks && !up; ++i) {
            if (stores_wait)
                fetch_to_write(to + 63);
            _mm512_storeu_si512(to, permuted(from, all, index, filled, fill, two, masked));
            to += block_bytes;
            from += advance;
        }
        char *above = to + (up ? whole_blocks * block_bytes : 0);
        to = above;
        from += up ? whole_blocks * advance : 0;
        const char *below = from;
        int64_t left = units - whole_blocks * block;
        for (; left >= block; left -= block) {
            _mm512_mask_storeu_epi8(to, all.written, permuted(from, all, index, filled, fill, two, true));
            to += block_bytes;
            from += advance;
        }
        if (left > 0)
            _mm512_mask_storeu_epi8(to, rest.written, permuted(from, rest, index, filled, fill, two, true));
        /* With masks, as a whole vector would be written over the block above it. What is read in this order a processor fetches ahead, or
         * not, by where this loop lies: every third byte of 38 MB took 4 to 11 ms. To ask for lines 3 KB ahead made that 4.5, but short
         * rows took up to twice as long. */
        for (int64_t i = 0; i < whole_blocks && up; ++i) {
            above -= block_bytes;
            below -= advance;
            from = below;
            _mm512_mask_storeu_epi8(above, all.written, permuted(from, all, index, filled, fill, two, masked));
        }
    }
}

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_block *whole)
{
    const permute_sources sources = sources_of(permutation);
    const bool fetched = fetches_rows(permutation, input_row, rows, units, whole);
    const bool masked = !whole->far || fetched;
#define PERMUTE_BY(TWO, MASKED, WAIT)                                                                                  \
    permute_by(permutation, output, output_row, input, input_row, rows, units, whole->pattern, NULL, false, &sources,  \
               TWO, MASKED, fetched, WAIT)
#define PERMUTE(TWO, MASKED) whole->stores_wait ? PERMUTE_BY(TWO, MASKED, true) : PERMUTE_BY(TWO, MASKED, false)
    if (masked && sources.two)
        PERMUTE(true, true);
    else if (masked)
        PERMUTE(false, true);
    else if (sources.two)
        PERMUTE(true, false);
    else
        PERMUTE(false, false);
#undef PERMUTE
#undef PERMUTE_BY
}

static APART void permute_staged(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                 const char *input, int64_t input_row, int64_t rows, int64_t units,
                                 const dmlc_block *whole, bool upward)
{
    const permute_sources sources = sources_of(permutation);
#define PERMUTE(TWO)                                                                                                   \
    permute_by(permutation, output, output_row, input, input_row, rows, units, whole->pattern, whole->stream, upward,  \
               &sources, TWO, false, false, false)
    if (sources.two)
        PERMUTE(true);
    else
        PERMUTE(false);
#undef PERMUTE
}

/* Whether so many units can go by blocks. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    return units > 0;
}

#elif defined(DMLC_HAVE_LOOK_UP)

#include "kernels/permutation_blocks.h"
#if defined(DMLC_HAVE_WORDS)
#include "kernels/permutation_groups.h"
#endif

static ALWAYS_INLINE void permute_rows(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                       const char *input, int64_t input_row, int64_t rows, int64_t units,
                                       const dmlc_block *whole, dmlc_stream *stream, bool upward)
{
#if defined(DMLC_HAVE_WORDS)
    if (permute_by_groups(permutation, output, output_row, input, input_row, rows, units, whole, stream))
        return;
#endif
#define PERMUTE(SOURCES)                                                                                               \
    permute_from(permutation, output, output_row, input, input_row, rows, units, whole->pattern, stream, upward,       \
                 SOURCES)
    switch (sources_of(permutation)) {
#if defined(DMLC_HAVE_WORDS)
    case BY_WORDS: PERMUTE(BY_WORDS); break;
#endif
    case 1: PERMUTE(1); break;
    case 2: PERMUTE(2); break;
    case 3: PERMUTE(3); break;
    default: PERMUTE(4); break;
    }
#undef PERMUTE
}

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_block *whole)
{
    permute_rows(permutation, output, output_row, input, input_row, rows, units, whole, NULL, false);
}

static APART void permute_staged(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                 const char *input, int64_t input_row, int64_t rows, int64_t units,
                                 const dmlc_block *whole, bool upward)
{
    permute_rows(permutation, output, output_row, input, input_row, rows, units, whole, whole->stream, upward);
}

/* Groups always go up, blocks where blocks_go_up. */
static inline bool permutes_by_groups(const dmlc_permutation *permutation)
{
#if defined(DMLC_HAVE_WORDS)
    return grouping_of(permutation).kind != NO_GROUP;
#else
    (void)permutation;
    return false;
#endif
}

static inline bool permutes_up(const dmlc_permutation *permutation)
{
    return permutes_by_groups(permutation) ? permutation->unit_step < 0 : blocks_go_up(permutation);
}

static inline bool permutes_down(const dmlc_permutation *permutation)
{
    return permutation->unit_step < 0 && !permutes_by_groups(permutation);
}

#else

/* No plan for such a table has permutations. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    (void)units;
    return false;
}

static APART void permute_staged(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                 const char *input, int64_t input_row, int64_t rows, int64_t units,
                                 const dmlc_block *whole, bool upward)
{
    (void)permutation;
    (void)output;
    (void)output_row;
    (void)input;
    (void)input_row;
    (void)rows;
    (void)units;
    (void)whole;
    (void)upward;
}

static void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                    int64_t input_row, int64_t rows, int64_t units, const dmlc_block *whole)
{
    permute_staged(permutation, output, output_row, input, input_row, rows, units, whole, false);
}

#endif

#if defined(__AVX512VBMI__) || !defined(DMLC_HAVE_LOOK_UP)
static inline bool permutes_up(const dmlc_permutation *permutation) { return permutation->unit_step < 0; }
static inline bool permutes_down(const dmlc_permutation *permutation) { return permutation->unit_step < 0; }
#endif

#endif
