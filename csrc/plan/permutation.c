/* Byte permutations, planned once: building the index for each row cost three times what running it does. */
#include "plan/planner.h"

#include <string.h>

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

/* How many units fit into a block and its input into a window; at least one where a unit fits by itself. */
static int64_t block_units(const dmlc_abilities *abilities, int64_t unit_bytes, int64_t unit_step, int64_t read)
{
    if (unit_bytes > abilities->block_bytes || read > abilities->window_bytes)
        return 0;
    const int64_t step = absolute(unit_step);
    const int64_t by_output = abilities->block_bytes / unit_bytes;
    const int64_t by_input = step == 0 ? by_output : (abilities->window_bytes - read) / step + 1;
    return by_output < by_input ? by_output : by_input;
}

/* What the units of a block reach over. */
static int64_t window_of(const dmlc_permutation *permutation)
{
    return (permutation->units - 1) * absolute(permutation->unit_step) + permutation->end - permutation->begin;
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

double dmlc_sources_cost(const dmlc_permutation *permutation, const dmlc_abilities *abilities)
{
    const int64_t sources = (window_of(permutation) + abilities->block_bytes - 1) / abilities->block_bytes;
    return (double)(sources - 1) * abilities->costs.source;
}

void dmlc_permute_chunks(dmlc_permutation *permutation, const dmlc_abilities *abilities, int64_t chunk, int64_t step)
{
    permutation->unit_bytes = chunk;
    permutation->unit_step = step;
    permutation->begin = 0;
    permutation->end = chunk;
    permutation->units = block_units(abilities, chunk, step, chunk);
    int64_t source[DMLC_BLOCK_BYTES];
    for (int64_t i = 0; i < chunk && permutation->units > 0; ++i)
        source[i] = i;
    if (permutation->units > 0)
        repeat_unit(permutation, source, 0);
}

void dmlc_permute_row(dmlc_permutation *permutation, const dmlc_abilities *abilities, const dmlc_runs *row,
                      int64_t row_bytes, int64_t unit_step)
{
    permutation->unit_bytes = row_bytes;
    permutation->unit_step = unit_step;
    permutation->begin = row->first;
    permutation->end = row->end;
    permutation->units =
        row->first < row->end ? block_units(abilities, row_bytes, unit_step, row->end - row->first) : 0;
    if (permutation->units == 0)
        return;
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
