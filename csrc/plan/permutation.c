/* Byte permutations, planned once: building the index for each row cost three times what running it does. */
#include "plan.h"

/* Fewer units a block than this move as quickly one by one, unless they fill it. */
enum { FEWEST_UNITS = 5 };

/* Chunks up to this many bytes go by the block; from 16 bytes on only those that lie side by side. */
enum { LONGEST_CHUNK = 32, SHORTEST_SIDE_BY_SIDE = 16 };

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
    permutation->units = chunk <= LONGEST_CHUNK ? block_units(chunk, step, chunk) : 0;
    const bool few = permutation->units < FEWEST_UNITS && permutation->units * chunk < DMLC_BLOCK_BYTES;
    if (few || (chunk >= SHORTEST_SIDE_BY_SIDE && absolute(step) != chunk))
        permutation->units = 0;
    if (permutation->units == 0 || count < permutation->units) {
        permutation->units = 0;
        return;
    }
    int64_t source[LONGEST_CHUNK];
    for (int64_t i = 0; i < chunk; ++i)
        source[i] = i;
    permutation->unit_bytes = chunk;
    permutation->unit_step = step;
    permutation->begin = 0;
    permutation->end = chunk;
    repeat_unit(permutation, source, 0);
}

/* The input byte that output byte `byte` of a dense row is read from; false where it is filled. */
static bool byte_source(const dmlc_row *row, int64_t byte, int64_t *source)
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

/* Output bytes [from, from + bytes) of a row as a unit: where its bytes come from and how far they reach. False where
 * nothing is read or it reaches beyond a window. */
static bool describe_unit(dmlc_permutation *permutation, const dmlc_row *row, int64_t from, int64_t bytes,
                          int64_t *source, uint64_t *filled)
{
    permutation->unit_bytes = bytes;
    permutation->begin = INT64_MAX;
    permutation->end = INT64_MIN;
    *filled = 0;
    for (int64_t i = 0; i < bytes; ++i) {
        if (!byte_source(row, from + i, &source[i])) {
            *filled |= UINT64_C(1) << i;
            continue;
        }
        permutation->begin = source[i] < permutation->begin ? source[i] : permutation->begin;
        permutation->end = source[i] >= permutation->end ? source[i] + 1 : permutation->end;
    }
    return permutation->begin < permutation->end && permutation->end - permutation->begin <= DMLC_WINDOW_BYTES;
}

void dmlc_permute_rows(dmlc_permutation *permutation, const dmlc_row *row, int64_t width, int64_t unit_step)
{
    permutation->units = 0;
    const int64_t bytes = row->size * row->chunk;
    const bool one_copy = row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY;
    int64_t source[DMLC_BLOCK_BYTES];
    uint64_t filled;
    if (row->size > DMLC_BLOCK_BYTES || bytes > DMLC_BLOCK_BYTES || bytes % width != 0)
        return;
    if (!describe_unit(permutation, row, 0, bytes, source, &filled))
        return;
    permutation->unit_step = unit_step;
    const int64_t read = permutation->end - permutation->begin;
    const int64_t units = block_units(bytes, unit_step, read);
    /* A row that does not fit beside another is a block of its own. */
    permutation->units = units > 0 ? units : 1;
    if (permutation->units == 1 && one_copy) {
        permutation->units = 0;
        return;
    }
    repeat_unit(permutation, source, filled);
}

void dmlc_permute_ends(dmlc_row *row)
{
    const int64_t bytes = row->size * row->chunk;
    row->middle = -1;
    if (bytes <= DMLC_BLOCK_BYTES || row->piece_count < 2)
        return;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation == DMLC_COPY && piece->output <= DMLC_BLOCK_BYTES &&
            piece->output + piece->count >= bytes - DMLC_BLOCK_BYTES)
            row->middle = i;
    }
    if (row->middle < 0)
        return;
    dmlc_permutation *ends[2] = {&row->head, &row->tail};
    for (int i = 0; i < 2; ++i) {
        int64_t source[DMLC_BLOCK_BYTES];
        uint64_t filled;
        ends[i]->units = 1;
        ends[i]->unit_step = 0;
        if (!describe_unit(ends[i], row, i == 0 ? 0 : bytes - DMLC_BLOCK_BYTES, DMLC_BLOCK_BYTES, source, &filled)) {
            row->middle = -1;
            return;
        }
        repeat_unit(ends[i], source, filled);
    }
}
