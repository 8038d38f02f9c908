/* Byte permutations, planned once: building the index for each row cost three times what running it does. */
#include "plan/planner.h"

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
    const int64_t bytes = permutation->unit_bytes;
    const int64_t step = permutation->unit_step;
    const int64_t lowest = permutation->begin + (step < 0 ? (permutation->units - 1) * step : 0);
    permutation->filled = 0;
    for (int64_t i = 0; i < DMLC_BLOCK_BYTES; ++i) {
        const int64_t unit = i / bytes, byte = i % bytes;
        permutation->index[i] = 0;
        if (unit >= permutation->units)
            continue;
        if (filled >> byte & 1)
            permutation->filled |= UINT64_C(1) << i;
        else
            permutation->index[i] = (uint8_t)(unit * step + source[byte] - lowest);
    }
}

double dmlc_permutation_cost(const dmlc_permutation *permutation, const dmlc_abilities *abilities)
{
    const int64_t sources = (window_of(permutation) + abilities->block_bytes - 1) / abilities->block_bytes;
    return abilities->costs.permutation + (double)(sources - 1) * abilities->costs.source;
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

bool dmlc_row_source(const dmlc_row *row, int64_t byte, int64_t *source)
{
    for (int32_t i = row->piece_count - 1; i >= 0; --i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (byte < piece->output)
            continue;
        if (piece->operation == DMLC_REPLICATE) {
            byte %= piece->step; /* the first turn stands at the row's start */
            continue;
        }
        const int64_t into = byte - piece->output;
        switch (piece->operation) {
        case DMLC_FILL:
        case DMLC_FILL_EACH: return false;
        case DMLC_COPY: *source = piece->input + into; return true;
        case DMLC_REPEAT: *source = piece->input + into % row->chunk; return true;
        default: *source = piece->input + into / row->chunk * piece->step + into % row->chunk; return true;
        }
    }
    return false;
}

void dmlc_permute_row(dmlc_permutation *permutation, const dmlc_abilities *abilities, const dmlc_row *row,
                      int64_t unit_step)
{
    const int64_t bytes = row->size * row->chunk;
    int64_t source[DMLC_BLOCK_BYTES];
    uint64_t filled = 0;
    permutation->unit_bytes = bytes;
    permutation->unit_step = unit_step;
    permutation->begin = INT64_MAX;
    permutation->end = INT64_MIN;
    permutation->units = 0;
    for (int64_t i = 0; i < bytes; ++i) {
        if (!dmlc_row_source(row, i, &source[i])) {
            filled |= UINT64_C(1) << i;
            continue;
        }
        permutation->begin = source[i] < permutation->begin ? source[i] : permutation->begin;
        permutation->end = source[i] >= permutation->end ? source[i] + 1 : permutation->end;
    }
    if (permutation->begin >= permutation->end)
        return;
    permutation->units = block_units(abilities, bytes, unit_step, permutation->end - permutation->begin);
    if (permutation->units > 0)
        repeat_unit(permutation, source, filled);
}
