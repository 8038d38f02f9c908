/* Units by a planned byte permutation, see dmlc_permutation: `units` in each of `rows` rows, the rows output_row and input_row
 * apart. No byte is read outside the span of a row's units; bytes past a block may be written where the next block's
 * follow. */
#ifndef DMLC_KERNELS_PERMUTATIONS_H
#define DMLC_KERNELS_PERMUTATIONS_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"

#if defined(__AVX512VBMI__)

#include <immintrin.h>

/* What `units` of a block read and write. */
typedef struct permute_masks {
    __mmask64 low, high, written;
} permute_masks;

/* The window's first units: from its low end, or of a reversed one from its high end. */
static inline permute_masks masks_of(const dmlc_permutation *permutation, int64_t units)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    const int64_t read = permutation->end - permutation->begin;
    const int64_t begin = step < 0 ? (permutation->units - units) * distance : 0;
    const int64_t end = step < 0 ? (permutation->units - 1) * distance + read : (units - 1) * distance + read;
    return (permute_masks){dmlc_bits(begin, end - begin), dmlc_bits(begin - 64, end - begin),
                           dmlc_bits(0, units * permutation->unit_bytes)};
}

typedef struct permute_vectors {
    __m512i index, fill;
    __mmask64 filled;
} permute_vectors;

static inline permute_vectors vectors_of(const dmlc_permutation *permutation, const dmlc_pattern *pattern)
{
    return (permute_vectors){_mm512_loadu_si512(permutation->index), _mm512_loadu_si512(pattern->bytes),
                             permutation->filled};
}

static inline __m512i permuted(permute_vectors vectors, permute_masks masks, const char *window)
{
    const __m512i first = _mm512_maskz_loadu_epi8(masks.low, window);
    const __m512i second = _mm512_maskz_loadu_epi8(masks.high, window + 64);
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(first, vectors.index, second), vectors.filled, vectors.fill);
}

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    const int64_t block = permutation->units, advance = block * permutation->unit_step;
    const int64_t unit_bytes = permutation->unit_bytes, block_bytes = block * unit_bytes;
    const permute_vectors vectors = vectors_of(permutation, pattern);
    const permute_masks whole = masks_of(permutation, block);
    const permute_masks rest = masks_of(permutation, units % block == 0 ? block : units % block);
    input += permutation->begin + (permutation->unit_step < 0 ? (block - 1) * permutation->unit_step : 0);
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row;
        int64_t left = units;
        if (whole.high == 0) {
            for (; left >= block && left * unit_bytes >= 64; left -= block) {
                const __m512i bytes = _mm512_permutexvar_epi8(vectors.index, _mm512_maskz_loadu_epi8(whole.low, from));
                _mm512_storeu_si512(to, _mm512_mask_mov_epi8(bytes, vectors.filled, vectors.fill));
                to += block_bytes;
                from += advance;
            }
        } else {
            for (; left >= block && left * unit_bytes >= 64; left -= block) {
                _mm512_storeu_si512(to, permuted(vectors, whole, from));
                to += block_bytes;
                from += advance;
            }
        }
        for (; left >= block; left -= block) {
            _mm512_mask_storeu_epi8(to, whole.written, permuted(vectors, whole, from));
            to += block_bytes;
            from += advance;
        }
        if (left > 0)
            _mm512_mask_storeu_epi8(to, rest.written, permuted(vectors, rest, from));
    }
}

/* Whether so many units can go by blocks. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    return units > 0;
}

#elif defined(DMLC_HAVE_LOOK_UP)

/* Each byte of a vector is looked up in one of at most four vectors of the input. Words of 4 bytes are looked up in one
 * vector of two lanes, see lanes.h, and come from BY_WORDS sources. */
enum { MOST_SOURCES = 4, BY_WORDS = 0 };

/* What the units of a block reach over in the input. */
static inline int64_t window_of(const dmlc_permutation *permutation)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    return (permutation->units - 1) * distance + permutation->end - permutation->begin;
}

/* The bytes that are loaded for a block, and stored. */
static ALWAYS_INLINE int64_t loaded_bytes(const int sources) { return sources == BY_WORDS ? 16 * LANES : 16 * sources; }
static ALWAYS_INLINE int64_t stored_bytes(const int sources) { return sources == BY_WORDS ? 16 * LANES : 16; }

static inline int sources_of(const dmlc_permutation *permutation)
{
    return permutation->words ? BY_WORDS : (int)((window_of(permutation) + 15) / 16);
}

/* Loads that begin or end with a block's own units stay between the first unit of a row and the last one. */
static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    return units >= permutation->units && (units - permutation->units) * distance >=
                                              2 * (loaded_bytes(sources_of(permutation)) - window_of(permutation));
}

typedef struct permute_tables {
    vector16 bytes[MOST_SOURCES], fill;
    lanes words;
} permute_tables;

/* For a window that begins `shift` bytes after what is loaded: byte i is byte index[i] + shift - 16 * s of vector s, or
 * of another one. */
static APART permute_tables tables_of(const dmlc_permutation *permutation, int64_t shift, const dmlc_pattern *pattern,
                                      int sources)
{
    const int64_t block_bytes = permutation->units * permutation->unit_bytes;
    permute_tables tables = {.fill = repeat16(0)};
#if defined(DMLC_HAVE_WORDS)
    if (sources == BY_WORDS) {
        int32_t index[4 * LANES];
        for (int i = 0; i < 4 * LANES; ++i)
            index[i] = 4 * i < block_bytes ? (int32_t)(permutation->index[4 * i] + shift) / 4 : 0;
        tables.words = load_side_by_side((const char *)index);
        return tables;
    }
#endif
    unsigned char index[16], filled[16];
    for (int i = 0; i < 16; ++i) {
        const bool fill = i >= block_bytes || permutation->filled >> i & 1;
        filled[i] = fill ? 0xFF : 0;
        index[i] = fill ? ELSEWHERE : permutation->index[i];
    }
    tables.fill = and16(load16(pattern->bytes), load16(filled));
    for (int s = 0; s < sources; ++s)
        tables.bytes[s] = look_up_index(subtract16(load16(index), repeat16((unsigned char)(16 * s - shift))));
    return tables;
}

/* One block. */
static ALWAYS_INLINE void permute_block(char *to, const permute_tables *tables, const char *from, const int sources)
{
#if defined(DMLC_HAVE_WORDS)
    if (sources == BY_WORDS) {
        store_side_by_side(to, pick_words(load_side_by_side(from), tables->words));
        return;
    }
#endif
    vector16 bytes = tables->fill;
    for (int s = 0; s < sources; ++s)
        bytes = look_up(bytes, load16(from + 16 * s), tables->bytes[s]);
    store16(to, bytes);
}

static ALWAYS_INLINE void permute_from(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                       const char *input, int64_t input_row, int64_t rows, int64_t units,
                                       const dmlc_pattern *pattern, const int sources)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    const int64_t block = permutation->units, block_bytes = block * permutation->unit_bytes;
    /* Loads reach beyond the window, towards the units that follow; those of the last blocks towards those before. */
    const int64_t beyond = loaded_bytes(sources) - window_of(permutation);
    const int64_t shift = step < 0 ? beyond : 0, last_shift = beyond - shift;
    const permute_tables tables = tables_of(permutation, shift, pattern, sources);
    const permute_tables last_tables = tables_of(permutation, last_shift, pattern, sources);
    const int64_t low = permutation->begin + (step < 0 ? (block - 1) * step : 0);
    const int64_t last = units - block;
    /* From here on a whole vector, loaded or stored, would go beyond the row. */
    const int64_t stored_end = units - (stored_bytes(sources) - 1) / permutation->unit_bytes;
    const int64_t loaded_end = beyond == 0 ? units : last - (beyond - 1) / distance;
    const int64_t whole_end = stored_end < loaded_end ? stored_end : loaded_end;
    const int64_t whole_blocks = whole_end > 0 ? (whole_end - 1) / block + 1 : 0;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row + low;
        char *next = to;
        const char *window = from - shift;
        UNROLL
        for (int64_t i = 0; i < whole_blocks; ++i) {
            permute_block(next, &tables, window, sources);
            next += block_bytes;
            window += block * step;
        }
        int64_t unit = whole_blocks * block;
        for (bool done = false; !done; unit += block) {
            char bytes[32];
            done = unit >= last;
            if (done)
                unit = last;
            if ((last - unit) * distance >= beyond)
                permute_block(bytes, &tables, from + unit * step - shift, sources);
            else
                permute_block(bytes, &last_tables, from + unit * step - last_shift, sources);
            copy_short(to + unit * permutation->unit_bytes, bytes, block_bytes);
        }
    }
}

#if defined(DMLC_HAVE_WORDS)

/* Blocks put together to whole vectors of two lanes, so that nothing is written twice:
 *
 *     PAIRS     two blocks of 16 bytes are a vector
 *     TWELVES   eight of 12 bytes, each from one lane, are three
 *     PIXELS    the same, of 12 bytes that follow each other in the input: pixels of 3 or 6 bytes
 *
 * A row begins with a group of blocks whose loads reach towards the units that follow; those of all other groups reach towards
 * those before, and the last group ends with the row. Groups of four blocks of 24 bytes, by words, took 0.98 to 1.02 of the
 * time of blocks. */
typedef enum group_kind { NO_GROUP, PAIRS, TWELVES, PIXELS } group_kind;

typedef struct group_tables {
    lanes bytes[MOST_SOURCES], words[4], fill;
} group_tables;

/* How groups go through a row, in units but for the bytes. */
typedef struct grouping {
    group_kind kind;
    dmlc_permutation block; /* as large as the kind's blocks */
    int64_t together;
    int64_t beyond; /* the bytes that a block loads besides its window */
} grouping;

/* TWELVES have fewer units in a block than as many bytes as fit. */
static inline grouping grouping_of(const dmlc_permutation *permutation)
{
    grouping made = {.block = *permutation};
    dmlc_permutation *block = &made.block;
    const int64_t bytes = block->units * block->unit_bytes, step = block->unit_step;
    int64_t blocks = 0, loaded = loaded_bytes(sources_of(block));
    if (!block->words && bytes == 16) {
        made.kind = PAIRS;
        blocks = 2;
    } else if (!block->words && bytes >= 12 && 12 % block->unit_bytes == 0) {
        made.kind = TWELVES;
        blocks = 8;
        loaded = 16;
        const int64_t left_out = block->units - 12 / block->unit_bytes;
        block->units -= left_out;
        for (int i = 0; i < 12 && step < 0; ++i)
            block->index[i] = (uint8_t)(block->index[i] + left_out * step);
        if (window_of(block) == 12 && (block->units * step == 12 || block->units * step == -12))
            made.kind = PIXELS;
    }
    made.together = blocks * block->units;
    made.beyond = loaded - window_of(block);
    return made;
}

static inline bool grouping_fits(const grouping *groups, int64_t units)
{
    const int64_t step = groups->block.unit_step, distance = step < 0 ? -step : step;
    return groups->kind != NO_GROUP && groups->beyond >= 0 && units >= groups->together &&
           (units - groups->together) * distance >= groups->beyond && groups->together * distance >= groups->beyond;
}

/* What is looked up, for windows that begin `shift` bytes after what is loaded. */
static inline group_tables group_tables_of(const grouping *groups, int64_t shift, const dmlc_pattern *pattern,
                                           int sources)
{
    const permute_tables one = tables_of(&groups->block, shift, pattern, sources);
    group_tables tables = {.fill = repeat_lane(one.fill)};
    for (int s = 0; s < sources; ++s)
        tables.bytes[s] = repeat_lane(one.bytes[s]);
    /* Where the six words of two blocks are, three in either lane, and where they go. */
    static const int32_t places[4][8] = {
        {0, 1, 2, 4, 5, 6, 0, 0}, {2, 4, 5, 6, 0, 0, 0, 1}, {5, 6, 0, 0, 0, 1, 2, 4}, {0, 0, 0, 1, 2, 4, 5, 6}};
    for (int i = 0; i < 4; ++i)
        tables.words[i] = load_side_by_side((const char *)places[i]);
    return tables;
}

/* For vectors of two blocks and four bytes on either side: what is looked up of the second block, four bytes further on, or of
 * the first one where they go back. */
static inline group_tables pixel_tables_of(const group_tables *shifted, const group_tables *unshifted, bool back)
{
    group_tables tables = *shifted;
    tables.bytes[0] = FIRST_WORDS(4, shifted->bytes[0], unshifted->bytes[0]);
#define OTHER_LANE(i) 4
    for (int i = 0; i < 4 && back; ++i)
        tables.words[i] = differ(tables.words[i], WORDS(OTHER_LANE));
#undef OTHER_LANE
    return tables;
}

/* A lane of either of two blocks. */
static ALWAYS_INLINE lanes two_blocks(const group_tables *tables, const char *from, int64_t advance, const int sources)
{
    lanes bytes = tables->fill;
    for (int s = 0; s < sources; ++s)
        bytes = either(bytes, pick(load_lanes(from + 16 * s, from + advance + 16 * s), tables->bytes[s]));
    return bytes;
}

/* One group. */
static ALWAYS_INLINE void permute_group(char *to, const group_tables *tables, const char *from, int64_t advance,
                                        const group_kind kind, const int sources)
{
    if (kind == PAIRS) {
        store_side_by_side(to, two_blocks(tables, from, advance, sources));
        return;
    }
    lanes six[4];
    UNROLL_ALL
    for (int i = 0; i < 4; ++i)
        six[i] = pick_words(
            kind == TWELVES ? two_blocks(tables, from + 2 * i * advance, advance, 1)
                            : either(tables->fill, pick(load_side_by_side(from + 2 * i * advance), tables->bytes[0])),
            tables->words[i]);
    store_side_by_side(to, FIRST_WORDS(6, six[0], six[1]));
    store_side_by_side(to + 32, FIRST_WORDS(4, six[1], six[2]));
    store_side_by_side(to + 64, FIRST_WORDS(2, six[2], six[3]));
}

static ALWAYS_INLINE void permute_groups(const grouping *groups, char *output, int64_t output_row, const char *input,
                                         int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern,
                                         const group_kind kind, const int sources)
{
    const dmlc_permutation *block = &groups->block;
    const int64_t step = block->unit_step, unit_bytes = block->unit_bytes, together = groups->together;
    const int64_t shift = step < 0 ? groups->beyond : 0, later_shift = groups->beyond - shift;
    const int64_t advance = block->units * step, low = block->begin + (step < 0 ? (block->units - 1) * step : 0);
    const group_tables first = group_tables_of(groups, shift, pattern, sources);
    const group_tables later = group_tables_of(groups, later_shift, pattern, sources);
    /* Where both sides have units, the bytes around two blocks of PIXELS may be loaded. */
    const group_tables pixels = pixel_tables_of(shift > 0 ? &first : &later, shift > 0 ? &later : &first, step < 0);
    const int64_t before = (step < 0 ? -advance : 0) + groups->beyond, distance = step < 0 ? -step : step;
    const int64_t last = units - together, later_groups = last > 0 ? (last - 1) / together : 0;
    const int64_t pixels_end = kind == PIXELS ? last - (groups->beyond - 1) / distance : 0;
    const int64_t pixel_groups = pixels_end > together ? (pixels_end - 1) / together : 0;
    const group_kind alone = kind == PIXELS ? TWELVES : kind;
    /* What is read goes up, whichever way the units do. */
    const int64_t direction = step < 0 ? -1 : 1, first_pixels = step < 0 ? pixel_groups : 1;
    const int64_t first_later = step < 0 ? later_groups : pixel_groups + 1;
    const int64_t output_advance = direction * together * unit_bytes, input_advance = direction * together * step;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row + low;
        permute_group(to, &first, from - shift, advance, alone, sources);
        char *next = to + first_pixels * together * unit_bytes;
        const char *window = from + first_pixels * together * step - before;
        for (int64_t i = 0; i < pixel_groups; ++i) {
            permute_group(next, &pixels, window, advance, PIXELS, sources);
            next += output_advance;
            window += input_advance;
        }
        from -= later_shift;
        next = to + first_later * together * unit_bytes;
        window = from + first_later * together * step;
        for (int64_t i = pixel_groups; i < later_groups; ++i) {
            permute_group(next, &later, window, advance, alone, sources);
            next += output_advance;
            window += input_advance;
        }
        if (last > 0)
            permute_group(to + last * unit_bytes, &later, from + last * step, advance, alone, sources);
    }
}

/* Tables for groups take longer to make than those for blocks. From so many bytes on, groups took 0.93 to 1.0 of the time; below,
 * 1.05 to 1.6 times as long. */
enum { LEAST_GROUPED_BYTES = 8 * 1024 };

static bool permute_by_groups(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                              int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    const grouping groups = grouping_of(permutation);
    if (rows * units * permutation->unit_bytes < LEAST_GROUPED_BYTES || !grouping_fits(&groups, units))
        return false;
#define GROUPS(KIND, SOURCES)                                                                                          \
    permute_groups(&groups, output, output_row, input, input_row, rows, units, pattern, KIND, SOURCES)
    if (groups.kind == TWELVES)
        GROUPS(TWELVES, 1);
    else if (groups.kind == PIXELS)
        GROUPS(PIXELS, 1);
    else
        switch (sources_of(permutation)) {
        case 1: GROUPS(PAIRS, 1); break;
        case 2: GROUPS(PAIRS, 2); break;
        case 3: GROUPS(PAIRS, 3); break;
        default: GROUPS(PAIRS, 4); break;
        }
#undef GROUPS
    return true;
}

#endif

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
#if defined(DMLC_HAVE_WORDS)
    if (permute_by_groups(permutation, output, output_row, input, input_row, rows, units, pattern))
        return;
#endif
#define PERMUTE(SOURCES) permute_from(permutation, output, output_row, input, input_row, rows, units, pattern, SOURCES)
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

#else

static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    (void)units;
    return false;
}

static APART void permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                          int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    (void)permutation;
    (void)output;
    (void)output_row;
    (void)input;
    (void)input_row;
    (void)rows;
    (void)units;
    (void)pattern;
}

#endif

#endif
