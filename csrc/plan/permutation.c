/* Byte permutations, planned once: building the index for each row cost three times what running it does. */
#include "plan.h"

/* Fewer units a block than this move as quickly one by one. */
enum { FEWEST_UNITS = 4 };

/* Rows up to this many bytes go by the block. */
enum { LONGEST_UNIT = 32 };

static int64_t absolute(int64_t value) { return value < 0 ? -value : value; }

/* How many units fit into a block and its input into a window. */
static int64_t block_units(int64_t unit_bytes, int64_t unit_step, int64_t read)
{
    const int64_t step = absolute(unit_step);
    const int64_t by_output = DMLC_BLOCK_BYTES / unit_bytes;
    if (read > DMLC_WINDOW_BYTES || step > DMLC_WINDOW_BYTES)
        return 0;
    const int64_t by_input = step == 0 ? by_output : (DMLC_WINDOW_BYTES - read) / step + 1;
    return by_output < by_input ? by_output : by_input;
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

void dmlc_permute_chunks(dmlc_permutation *permutation, int64_t chunk, int64_t step, int64_t count)
{
    permutation->units = chunk <= LONGEST_UNIT ? block_units(chunk, step, chunk) : 0;
    if (permutation->units < FEWEST_UNITS && !(chunk == 16 && permutation->units > 1))
        permutation->units = 0;
    if (permutation->units == 0 || count < permutation->units) {
        permutation->units = 0;
        return;
    }
    int64_t source[LONGEST_UNIT];
    for (int64_t i = 0; i < chunk; ++i)
        source[i] = i;
    permutation->unit_bytes = chunk;
    permutation->unit_step = step;
    permutation->begin = 0;
    permutation->end = chunk;
    repeat_unit(permutation, source, 0);
}

void dmlc_permute_rows(dmlc_permutation *permutation, const dmlc_row *row, int64_t width, int64_t unit_step)
{
    permutation->units = 0;
    const int64_t bytes = row->size * row->chunk;
    if (row->size > LONGEST_UNIT || bytes > LONGEST_UNIT)
        return;
    int64_t source[LONGEST_UNIT];
    uint64_t filled = 0;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        const bool counts_bytes = piece->operation == DMLC_COPY || piece->operation == DMLC_FILL;
        const int64_t count = counts_bytes ? piece->count : piece->count * row->chunk;
        for (int64_t byte = 0; byte < count; ++byte) {
            const int64_t to = piece->output + byte;
            switch (piece->operation) {
            case DMLC_FILL:
            case DMLC_FILL_EACH: filled |= UINT64_C(1) << to; continue;
            case DMLC_COPY: source[to] = piece->input + byte; break;
            case DMLC_REPEAT: source[to] = piece->input + byte % row->chunk; break;
            case DMLC_GATHER: source[to] = piece->input + byte / row->chunk * piece->step + byte % row->chunk; break;
            case DMLC_REPLICATE:
                if (filled >> (to - piece->step) & 1) {
                    filled |= UINT64_C(1) << to;
                    continue;
                }
                source[to] = source[to - piece->step];
                break;
            }
            begin = source[to] < begin ? source[to] : begin;
            end = source[to] >= end ? source[to] + 1 : end;
        }
    }
    if (begin > end || end - begin > DMLC_WINDOW_BYTES || bytes % width != 0)
        return;
    permutation->units = block_units(bytes, unit_step, end - begin);
    if (permutation->units < 2) {
        permutation->units = 0;
        return;
    }
    permutation->unit_bytes = bytes;
    permutation->unit_step = unit_step;
    permutation->begin = begin;
    permutation->end = end;
    repeat_unit(permutation, source, filled);
}
