/* Blocks of a permutation, one after the other, see permutations.h: for kernels that look bytes up. */
#ifndef DMLC_KERNELS_PERMUTATION_BLOCKS_H
#define DMLC_KERNELS_PERMUTATION_BLOCKS_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/stream.h"

/* Each byte of a vector is looked up in one of at most four vectors of the input. Words of 4 bytes are looked up in one
 * vector of two lanes, see lanes.h, and come from BY_WORDS sources. */
enum { MOST_SOURCES = 4, BY_WORDS = 0 };

/* The bytes that are loaded for a block, and stored. */
static ALWAYS_INLINE int64_t loaded_bytes(const int sources) { return sources == BY_WORDS ? 16 * LANES : 16 * sources; }
static ALWAYS_INLINE int64_t stored_bytes(const int sources) { return sources == BY_WORDS ? 16 * LANES : 16; }

static inline int sources_of(const dmlc_permutation *permutation)
{
    return permutation->words ? BY_WORDS : (int)((dmlc_window_of(permutation) + 15) / 16);
}

static inline bool permute_fits(const dmlc_permutation *permutation, int64_t units)
{
    return dmlc_permutation_fits(permutation, units, loaded_bytes(sources_of(permutation)));
}

/* Whether the blocks of units that go back can be made from a row's lower end on: words have no tables for it, but where a block is
 * all that is stored. */
static inline bool blocks_go_up(const dmlc_permutation *permutation)
{
    const int sources = sources_of(permutation);
    return permutation->unit_step < 0 &&
           (sources != BY_WORDS || permutation->units * permutation->unit_bytes == stored_bytes(sources));
}

typedef struct permute_tables {
    vector16 bytes[MOST_SOURCES], fill;
    lanes words;
} permute_tables;

/* Byte i is 0xFF where bit i is set, else 0. */
static inline vector16 where_bits(uint64_t bits)
{
#define EIGHTH(i) ((i) / 8)
#define BIT(i) (1 << (i) % 8)
    const vector16 none = from_halves(0, 0), each = LANE(BIT);
    return equal16(and16(look_up(none, from_halves(bits, 0), LANE(EIGHTH)), each), each);
#undef BIT
#undef EIGHTH
}

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
    const vector16 filled = where_bits(permutation->filled | ~dmlc_bits(0, block_bytes));
    const vector16 index = select16(filled, repeat16(ELSEWHERE), load16(permutation->index));
    tables.fill = and16(load16(pattern->bytes), filled);
    for (int s = 0; s < sources; ++s)
        tables.bytes[s] = look_up_index(subtract16(index, repeat16((unsigned char)(16 * s - shift))));
    return tables;
}

/* The same, with what is stored besides a block before it instead of behind it. */
static inline permute_tables tables_up(const permute_tables *tables, int64_t block_bytes, int sources)
{
    permute_tables up = *tables;
    if (sources == BY_WORDS || block_bytes == 16)
        return up;
    const vector16 none = from_halves(0, 0);
#define BYTE(i) (i)
    const vector16 before = subtract16(LANE(BYTE), repeat16((unsigned char)(16 - block_bytes)));
#undef BYTE
    up.fill = look_up(none, tables->fill, before);
    for (int s = 0; s < sources; ++s)
        up.bytes[s] = look_up(none, tables->bytes[s], before);
    return up;
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
                                       const dmlc_pattern *pattern, dmlc_stream *stream, bool upward, const int sources)
{
    const int64_t step = permutation->unit_step, distance = dmlc_absolute(step);
    const int64_t block = permutation->units, block_bytes = block * permutation->unit_bytes;
    /* Loads reach beyond the window, towards the units that follow; those of the last blocks towards those before. */
    const int64_t beyond = loaded_bytes(sources) - dmlc_window_of(permutation);
    const int64_t shift = step < 0 ? beyond : 0, last_shift = beyond - shift;
    const permute_tables tables = tables_of(permutation, shift, pattern, sources);
    const permute_tables last_tables = tables_of(permutation, last_shift, pattern, sources);
    const int64_t low = permutation->begin + (step < 0 ? (block - 1) * step : 0);
    const int64_t last = units - block;
    /* From here on a whole vector, loaded or stored, would go beyond the row. */
    const int64_t stored_end = units - (stored_bytes(sources) - 1) / permutation->unit_bytes;
    const int64_t loaded_end = beyond == 0 ? units : last - (beyond - 1) / distance;
    const int64_t whole_end = dmlc_minimum(stored_end, loaded_end);
    const int64_t whole_blocks = whole_end > 0 ? (whole_end - 1) / block + 1 : 0;
    const bool up =
        stream != NULL && upward && blocks_go_up(permutation) && units * permutation->unit_bytes >= LEAST_READ_UP;
    const int64_t before = stored_bytes(sources) - block_bytes;
    const permute_tables up_tables = up ? tables_up(&tables, block_bytes, sources) : tables;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = stream_stage(stream, output + r * output_row, units * permutation->unit_bytes);
        const char *from = input + r * input_row + low;
        char *next = to;
        const char *window = from - shift;
        if (up) {
            /* What is stored before a block is not to reach beyond the row. */
            int64_t left = whole_blocks;
            next += (whole_blocks - 1) * block_bytes;
            window += (whole_blocks - 1) * block * step;
            for (; (left - 1) * block_bytes >= before; --left) {
                permute_block(next - before, &up_tables, window, sources);
                next -= block_bytes;
                window -= block * step;
            }
            for (; left > 0; --left) {
                char bytes[32];
                permute_block(bytes, &tables, window, sources);
                copy_short(next, bytes, dmlc_minimum(block_bytes, stored_bytes(sources)));
                next -= block_bytes;
                window -= block * step;
            }
        } else {
            UNROLL
            for (int64_t i = 0; i < whole_blocks; ++i) {
                permute_block(next, &tables, window, sources);
                next += block_bytes;
                window += block * step;
            }
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
            copy_short(to + unit * permutation->unit_bytes, bytes, dmlc_minimum(block_bytes, stored_bytes(sources)));
        }
    }
}

#endif
