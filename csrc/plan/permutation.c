/* Byte permutations, planned once: building the index for each row cost three times what running it does. And only for the
 * way that is taken: what a permutation costs, its units say. */
#include "plan/planner.h"

#include <string.h>

enum { WORD_BYTES = 4 };

/* How many units fit into a block and its input into a window; at least one where a unit fits by itself. */
static int64_t units_within(int64_t block_bytes, int64_t window_bytes, const dmlc_permutation *permutation)
{
    const int64_t step = dmlc_absolute(permutation->unit_step), read = permutation->end - permutation->begin;
    if (permutation->unit_bytes > block_bytes || read > window_bytes)
        return 0;
    const int64_t by_output = block_bytes / permutation->unit_bytes;
    const int64_t by_input = step == 0 ? by_output : (window_bytes - read) / step + 1;
    return dmlc_minimum(by_output, by_input);
}

/* By words, where the units are made of them, if a block then has more units than by bytes. */
static void choose_block(dmlc_permutation *permutation, const dmlc_abilities *abilities, bool are_words)
{
    permutation->units = units_within(abilities->block_bytes, abilities->window_bytes, permutation);
    permutation->words = false;
    if (!are_words || permutation->unit_step % WORD_BYTES != 0)
        return;
    const int64_t units = units_within(abilities->words_bytes, abilities->words_bytes, permutation);
    permutation->words = units > permutation->units;
    if (permutation->words)
        permutation->units = units;
}

/* Repeats one unit's sources, the input byte of each of its output bytes, over the block. */
static void repeat_unit(dmlc_permutation *permutation, const int64_t *source, uint64_t filled)
{
    const int64_t bytes = permutation->unit_bytes, step = permutation->unit_step;
    const int64_t lowest = permutation->begin + (step < 0 ? (permutation->units - 1) * step : 0);
    permutation->filled = 0;
    memset(permutation->index, 0, sizeof(permutation->index));
    for (int64_t unit = 0; unit < permutation->units; ++unit) {
        const int64_t at = unit * bytes, from = unit * step - lowest;
        permutation->filled |= filled << at;
        for (int64_t byte = 0; byte < bytes; ++byte)
            permutation->index[at + byte] = filled >> byte & 1 ? 0 : (uint8_t)(from + source[byte]);
    }
}

/* Vectors that a block's window is. */
static int64_t sources_of(const dmlc_permutation *permutation, const dmlc_abilities *abilities)
{
    return (dmlc_window_of(permutation) + abilities->block_bytes - 1) / abilities->block_bytes;
}

double dmlc_sources_cost(const dmlc_permutation *permutation, const dmlc_abilities *abilities)
{
    return permutation->words ? 0 : (double)(sources_of(permutation, abilities) - 1) * abilities->costs->window_source;
}

bool dmlc_permutes(const dmlc_permutation *permutation, const dmlc_abilities *abilities, int64_t units)
{
    const int64_t vectors = sources_of(permutation, abilities) * abilities->block_bytes;
    const int64_t loaded = dmlc_has_wide_shuffles(abilities) ? dmlc_window_of(permutation)
                           : permutation->words              ? abilities->words_bytes
                                                             : vectors;
    return dmlc_permutation_fits(permutation, units, loaded);
}

void dmlc_permute_chunks(dmlc_permutation *permutation, const dmlc_abilities *abilities, int64_t chunk, int64_t step)
{
    permutation->unit_bytes = chunk;
    permutation->unit_step = step;
    permutation->begin = 0;
    permutation->end = chunk;
    choose_block(permutation, abilities, chunk % WORD_BYTES == 0);
}

void dmlc_index_chunks(dmlc_permutation *permutation)
{
    int64_t source[DMLC_BLOCK_BYTES];
    for (int64_t i = 0; i < permutation->unit_bytes; ++i)
        source[i] = i;
    repeat_unit(permutation, source, 0);
}

void dmlc_permute_row(dmlc_permutation *permutation, const dmlc_abilities *abilities, const dmlc_runs *row,
                      int64_t row_bytes, int64_t unit_step)
{
    permutation->unit_bytes = row_bytes;
    permutation->unit_step = unit_step;
    permutation->begin = row->first;
    permutation->end = row->end;
    permutation->units = 0;
    if (row->first >= row->end)
        return;
    bool are_words = true;
    for (int32_t i = 0; i < row->count; ++i) {
        const dmlc_run_of_bytes *run = &row->list[i];
        are_words = are_words && !run->outside && run->bytes % WORD_BYTES == 0 && run->input % WORD_BYTES == 0;
    }
    choose_block(permutation, abilities, are_words);
}

void dmlc_index_row(dmlc_permutation *permutation, const dmlc_runs *row)
{
    int64_t source[DMLC_BLOCK_BYTES];
    uint64_t filled = 0;
    for (int32_t i = 0; i < row->count; ++i) {
        const dmlc_run_of_bytes *run = &row->list[i];
        if (run->outside)
            filled |= dmlc_bits(run->output, run->bytes);
        for (int64_t byte = 0; byte < run->bytes; ++byte)
            source[run->output + byte] = run->input + byte;
    }
    repeat_unit(permutation, source, filled);
}
