/* Blocks of a permutation put together, see permutations.h: for kernels that pick words from two lanes. */
#ifndef DMLC_KERNELS_PERMUTATION_GROUPS_H
#define DMLC_KERNELS_PERMUTATION_GROUPS_H

#include "kernels/permutation_blocks.h"
#include "kernels/tiles.h"

/* Blocks put together to whole vectors of two lanes, so that nothing is written twice:
 *
 *     PAIRS     two blocks of 16 bytes are a vector
 *     TWELVES   eight of 12 bytes, each from one lane, are three
 *     PIXELS    the same, of 12 bytes that follow each other in the input: pixels of 3 or 6 bytes
 *     SIXES     four of six words each, picked as words, are three
 *
 * A row begins with a group of blocks whose loads reach towards the units that follow; those of all other groups reach towards
 * those before, and the last group ends with the row. A row of PIXELS begins and ends with a block by itself. SIXES took 0.7 to
 * 0.95 of the time of blocks. */
typedef enum group_kind { NO_GROUP, PAIRS, TWELVES, PIXELS, SIXES } group_kind;

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

/* How units are grouped, if they are. A block of TWELVES leaves out the units beyond its 12 bytes; where units go back, its window
 * begins so much later. */
static inline grouping grouping_of(const dmlc_permutation *permutation)
{
    grouping made = {.block = *permutation};
    dmlc_permutation *block = &made.block;
    const int64_t bytes = block->units * block->unit_bytes, step = block->unit_step;
    int64_t blocks = 0, loaded = loaded_bytes(sources_of(block));
    if (block->words && bytes == 24) {
        made.kind = SIXES;
        blocks = 4;
    } else if (!block->words && bytes == 16) {
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
        const bool is_filled = (permutation->filled & dmlc_bits(0, 12)) != 0;
        if (dmlc_window_of(block) == 12 && (block->units * step == 12 || block->units * step == -12) && !is_filled)
            made.kind = PIXELS;
    }
    made.together = blocks * block->units;
    made.beyond = loaded - dmlc_window_of(block);
    return made;
}

static inline bool grouping_fits(const grouping *groups, int64_t units)
{
    const int64_t step = groups->block.unit_step, distance = dmlc_absolute(step);
    if (groups->kind == PIXELS)
        return units >= groups->together + 2 * groups->block.units;
    return groups->kind != NO_GROUP && groups->beyond >= 0 && units >= groups->together &&
           (units - groups->together) * distance >= groups->beyond && groups->together * distance >= groups->beyond;
}

/* Where the six words of each of four groups go, so that they are three vectors: the other two are another group's. `places` says
 * where they are. */
static inline void spread_sixes(lanes *words, lanes places)
{
    static const int32_t which[4][8] = {
        {0, 1, 2, 3, 4, 5, 0, 0}, {2, 3, 4, 5, 0, 0, 0, 1}, {4, 5, 0, 0, 0, 1, 2, 3}, {0, 0, 0, 1, 2, 3, 4, 5}};
    for (int i = 0; i < 4; ++i)
        words[i] = pick_words(places, load_side_by_side((const char *)which[i]));
}

static ALWAYS_INLINE void store_sixes(char *to, const lanes *six)
{
    store_side_by_side(to, FIRST_WORDS(6, six[0], six[1]));
    store_side_by_side(to + 32, FIRST_WORDS(4, six[1], six[2]));
    store_side_by_side(to + 64, FIRST_WORDS(2, six[2], six[3]));
}

/* Of two blocks of 12 bytes, three in either lane; with the second block's first. */
#define WORD_OF_LANES(i) ((i) < 3 ? (i) : (i) + 1)
#define WORD_OF_SWAPPED(i) (((i) < 3 ? (i) : (i) + 1) ^ 4)
static inline lanes words_of_lanes(bool swapped) { return swapped ? WORDS(WORD_OF_SWAPPED) : WORDS(WORD_OF_LANES); }
#undef WORD_OF_SWAPPED
#undef WORD_OF_LANES

/* What is looked up, for windows that begin `shift` bytes after what is loaded. */
static inline group_tables group_tables_of(const grouping *groups, int64_t shift, const dmlc_pattern *pattern,
                                           int sources)
{
    const permute_tables one = tables_of(&groups->block, shift, pattern, sources);
    group_tables tables = {.fill = repeat_lane(one.fill)};
    for (int s = 0; s < sources; ++s)
        tables.bytes[s] = repeat_lane(one.bytes[s]);
    spread_sixes(tables.words, groups->kind == SIXES ? one.words : words_of_lanes(false));
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
        six[i] = pick_words(kind == SIXES ? load_side_by_side(from + i * advance)
                                          : two_blocks(tables, from + 2 * i * advance, advance, 1),
                            tables->words[i]);
    store_sixes(to, six);
}

/* Whether the groups of every row, but for the first and the last ones, are to begin where stores are aligned: in long rows that
 * lie alike. Swapped channels of 4 bytes took 0.85 of the time, of 1 byte 0.94. */
static inline bool aligns_groups(const grouping *groups, int64_t output_row, int64_t rows, int64_t units)
{
    enum { LEAST_GROUPS = 16 };
    return units >= LEAST_GROUPS * groups->together && (rows == 1 || output_row % (16 * LANES) == 0);
}

/* Where the second group of every row begins, in units: at most a group behind the first one, which it may overlap. */
static inline int64_t second_group(const grouping *groups, const char *output, int64_t output_row, int64_t rows,
                                   int64_t units)
{
    const int64_t step = groups->block.unit_step, distance = dmlc_absolute(step), together = groups->together;
    if (!aligns_groups(groups, output_row, rows, units))
        return together;
    int64_t least = 1;
    while (least < together && least * distance < groups->beyond)
        ++least;
    return first_aligned(output, groups->block.unit_bytes, least, together, 16 * LANES);
}

/* Where the first group of every row of PIXELS begins, behind blocks that end where it begins or inside it. */
static inline int64_t first_pixel_group(const grouping *groups, const char *output, int64_t output_row, int64_t rows,
                                        int64_t units)
{
    const int64_t least = groups->block.units;
    if (!aligns_groups(groups, output_row, rows, units))
        return least;
    return first_aligned(output, groups->block.unit_bytes, least, least + groups->together, 16 * LANES);
}

static ALWAYS_INLINE void permute_groups(const grouping *groups, char *output, int64_t output_row, const char *input,
                                         int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern,
                                         dmlc_stream *stream, const group_kind kind, const int sources)
{
    const dmlc_permutation *block = &groups->block;
    const int64_t step = block->unit_step, unit_bytes = block->unit_bytes, together = groups->together;
    const int64_t shift = step < 0 ? groups->beyond : 0, later_shift = groups->beyond - shift;
    const int64_t advance = block->units * step, low = block->begin + (step < 0 ? (block->units - 1) * step : 0);
    const group_tables first = group_tables_of(groups, shift, pattern, sources);
    const group_tables later = group_tables_of(groups, later_shift, pattern, sources);
    const int64_t last = units - together, second = second_group(groups, output, output_row, rows, units);
    const int64_t later_groups = last > second ? (last - second - 1) / together + 1 : 0;
    /* What is read goes up, whichever way the units do. */
    const int64_t direction = step < 0 ? -1 : 1;
    const int64_t first_later = second + (step < 0 ? (later_groups - 1) * together : 0);
    const int64_t output_advance = direction * together * unit_bytes, input_advance = direction * together * step;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = stream_stage(stream, output + r * output_row, units * unit_bytes);
        const char *from = input + r * input_row + low;
        if (step > 0)
            permute_group(to, &first, from - shift, advance, kind, sources);
        else if (last > 0)
            permute_group(to + last * unit_bytes, &later, from - later_shift + last * step, advance, kind, sources);
        char *next = to + first_later * unit_bytes;
        const char *window = from - later_shift + first_later * step;
        for (int64_t i = 0; i < later_groups; ++i) {
            permute_group(next, &later, window, advance, kind, sources);
            next += output_advance;
            window += input_advance;
        }
        if (step <= 0)
            permute_group(to, &first, from - shift, advance, kind, sources);
        else if (last > 0)
            permute_group(to + last * unit_bytes, &later, from - later_shift + last * step, advance, kind, sources);
    }
}

/* One group of PIXELS. */
static ALWAYS_INLINE void permute_pixel_group(char *to, lanes index, const lanes *words, const char *from,
                                              int64_t advance)
{
    lanes six[4];
    UNROLL_ALL
    for (int i = 0; i < 4; ++i)
        six[i] = pick_words(pick(load_side_by_side(from + 2 * i * advance), index), words[i]);
    store_sixes(to, six);
}

/* One block of them, and nothing behind it. */
static ALWAYS_INLINE void permute_pixel_block(char *to, vector16 index, const char *from)
{
    const vector16 none = from_halves(0, 0);
    store12(to, look_up(none, load16(from), index));
}

/* Rows of PIXELS. Between the first block and the last one, the bytes around two blocks may be loaded: four before the one that
 * lies lower, and four behind the other. */
static ALWAYS_INLINE void permute_pixels(const grouping *groups, char *output, int64_t output_row, const char *input,
                                         int64_t input_row, int64_t rows, int64_t units, const dmlc_block *whole,
                                         dmlc_stream *stream, const bool back)
{
    enum { BLOCK = 12, GROUP = 8 * BLOCK, LINE = 64 };
    const dmlc_permutation *block = &groups->block;
    const int64_t unit_bytes = block->unit_bytes, bytes = units * unit_bytes;
    const int64_t shift = back ? groups->beyond : 0, last_shift = groups->beyond - shift;
    const vector16 first = tables_of(block, shift, whole->pattern, 1).bytes[0];
    const vector16 last = tables_of(block, last_shift, whole->pattern, 1).bytes[0];
    const lanes index = FIRST_WORDS(4, repeat_lane(back ? first : last), repeat_lane(back ? last : first));
    lanes words[4];
    spread_sixes(words, words_of_lanes(back));
    const bool stores_wait = whole->stores_wait;
    const int64_t advance = back ? -BLOCK : BLOCK, direction = back ? -1 : 1;
    const int64_t low = block->begin + (back ? (block->units - 1) * block->unit_step : 0);
    const int64_t before = groups->beyond - (back ? advance : 0);
    const int64_t first_group = first_pixel_group(groups, output, output_row, rows, units) * unit_bytes;
    const int64_t last_block = bytes - BLOCK, last_group = last_block - GROUP;
    const int64_t other_groups = (last_group - first_group + GROUP - 1) / GROUP;
    /* What is read goes up, whichever way the units do. */
    const int64_t first_other = first_group + (back ? (other_groups - 1) * GROUP : 0);
    for (int64_t r = 0; r < rows; ++r) {
        char *to = stream_stage(stream, output + r * output_row, bytes);
        const char *from = input + r * input_row + low;
#define PIXELS_BEFORE                                                                                                  \
    for (int64_t at = 0; at < first_group; at += BLOCK)                                                                \
    permute_pixel_block(to + at, first, from + direction * at - shift)
#define PIXELS_BEHIND                                                                                                  \
    do {                                                                                                               \
        permute_pixel_group(to + last_group, index, words, from + direction * last_group - before, advance);           \
        permute_pixel_block(to + last_block, last, from + direction * last_block - last_shift);                        \
    } while (0)
        if (back)
            PIXELS_BEHIND;
        else
            PIXELS_BEFORE;
        char *next = to + first_other;
        const char *window = from + direction * first_other - before;
        for (int64_t i = 0; i < other_groups; ++i) {
            if (stores_wait) {
                fetch_to_write(next);
                fetch_to_write(next + LINE);
                fetch_to_write(next + GROUP - 1);
            }
            permute_pixel_group(next, index, words, window, advance);
            next += direction * GROUP;
            window += GROUP;
        }
        if (back)
            PIXELS_BEFORE;
        else
            PIXELS_BEHIND;
#undef PIXELS_BEHIND
#undef PIXELS_BEFORE
    }
}

/* Tables for groups take longer to make than those for blocks. From so many bytes on, groups took 0.65 to 1.0 of the time. */
enum { LEAST_GROUPED_BYTES = 1024 };

static ALWAYS_INLINE bool permute_by_groups(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                            const char *input, int64_t input_row, int64_t rows, int64_t units,
                                            const dmlc_block *whole, dmlc_stream *stream)
{
    const grouping groups = grouping_of(permutation);
    if (rows * units * permutation->unit_bytes < LEAST_GROUPED_BYTES || !grouping_fits(&groups, units))
        return false;
#define GROUPS(KIND, SOURCES)                                                                                          \
    permute_groups(&groups, output, output_row, input, input_row, rows, units, whole->pattern, stream, KIND, SOURCES)
#define PIXEL_ROWS(BACK) permute_pixels(&groups, output, output_row, input, input_row, rows, units, whole, stream, BACK)
    if (groups.kind == TWELVES)
        GROUPS(TWELVES, 1);
    else if (groups.kind == SIXES)
        GROUPS(SIXES, BY_WORDS);
    else if (groups.kind == PIXELS && permutation->unit_step < 0)
        PIXEL_ROWS(true);
    else if (groups.kind == PIXELS)
        PIXEL_ROWS(false);
    else
        switch (sources_of(permutation)) {
        case 1: GROUPS(PAIRS, 1); break;
        case 2: GROUPS(PAIRS, 2); break;
        case 3: GROUPS(PAIRS, 3); break;
        default: GROUPS(PAIRS, 4); break;
        }
#undef PIXEL_ROWS
#undef GROUPS
    return true;
}

#endif
