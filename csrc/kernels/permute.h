/* Rows of units by a planned byte permutation, see dmlc_permutation. Returns how many units of each row were done, from
 * the first on; the caller does the rest piece by piece. No byte outside the windows of those units is read; bytes past a
 * block may be written where the next block's follow. */
#ifndef DMLC_KERNELS_PERMUTE_H
#define DMLC_KERNELS_PERMUTE_H

#include "kernels/bytes.h"
#include "kernels/kernels.h"

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

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
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
    return units;
}

/* Rows that are a copy but for their ends, see dmlc_row.head. False where it cannot. */
static bool permute_ends(const dmlc_row *row, char *output, int64_t output_row, const char *input, int64_t input_row,
                         int64_t rows, const dmlc_pattern *pattern)
{
    const dmlc_piece *middle = &row->pieces[row->middle];
    const int64_t tail = row->size * row->chunk - 64, between = tail - 64;
    const char *from = input + middle->input + (64 - middle->output);
    const permute_vectors head_vectors = vectors_of(&row->head, pattern);
    const permute_vectors tail_vectors = vectors_of(&row->tail, pattern);
    const permute_masks head_masks = masks_of(&row->head, 1), tail_masks = masks_of(&row->tail, 1);
    const int64_t head_begin = row->head.begin, tail_begin = row->tail.begin;
    for (int64_t r = 0; r < rows; ++r) {
        _mm512_storeu_si512(output, permuted(head_vectors, head_masks, input + head_begin));
        if (between > 0)
            copy_bytes(output + 64, from + r * input_row, between);
        _mm512_storeu_si512(output + tail, permuted(tail_vectors, tail_masks, input + tail_begin));
        output += output_row;
        input += input_row;
    }
    return true;
}

/* Whether so many units are worth a permutation. */
static inline bool permute_pays(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    (void)units;
    return true;
}

#elif defined(DMLC_HAVE_LOOK_UP)

/* Vectors of 16 bytes instead: as many units as fit into one, each byte from one of at most four vectors of the input. */
enum { MOST_SOURCES = 4 };

typedef struct permute_vectors {
    int64_t units, bytes, sources; /* of a vector */
    int64_t window;                /* what its units reach over in the input */
} permute_vectors;

static inline permute_vectors vectors_of(const dmlc_permutation *permutation)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    const int64_t read = permutation->end - permutation->begin;
    int64_t units = 16 / permutation->unit_bytes;
    if (distance > 0 && units > (16 * MOST_SOURCES - read) / distance + 1)
        units = (16 * MOST_SOURCES - read) / distance + 1;
    if (units > permutation->units)
        units = permutation->units;
    const int64_t window = (units - 1) * distance + read;
    return (permute_vectors){units, units * permutation->unit_bytes, (window + 15) / 16, window};
}

/* Where a vector has few units of several sources, those move as quickly one by one; and compilers reverse elements by
 * vectors twice as long. */
static inline bool permute_pays(const dmlc_permutation *permutation, int64_t units)
{
    if (permutation->unit_bytes > 16 || permutation->end - permutation->begin > 16 * MOST_SOURCES)
        return false;
    const permute_vectors vectors = vectors_of(permutation);
    const bool reversed =
        permutation->unit_step == -permutation->unit_bytes && dmlc_width_place(permutation->unit_bytes) < 4;
    return units >= vectors.units && vectors.units >= 2 * vectors.sources - 1 && !reversed &&
           permutation->unit_step != 0;
}

/* The bytes of vector s, in a window that begins `shift` bytes after the first: index[i] + shift - 16 * s, or elsewhere. */
static inline vector16 table_of(vector16 index, int64_t shift, int64_t source)
{
    return look_up_index(subtract16(index, repeat16((unsigned char)(16 * source - shift))));
}

/* One vector, the window's sources from `from` on. */
static inline vector16 permuted(const vector16 *tables, vector16 filled, const char *from, const int sources)
{
    vector16 bytes = filled;
    for (int i = 0; i < sources; ++i)
        bytes = look_up(bytes, load16(from + 16 * i), tables[i]);
    return bytes;
}

static inline void permute_rows(const dmlc_permutation *permutation, char *output, int64_t output_row,
                                const char *input, int64_t input_row, int64_t rows, int64_t units,
                                const dmlc_pattern *pattern, permute_vectors vectors, const int sources)
{
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    /* The permutation's own block begins with its lowest unit; the first of a reversed one are its highest. */
    const int64_t lowest = step < 0 ? (permutation->units - vectors.units) * distance : 0;
    unsigned char index[16], filled[16];
    for (int i = 0; i < 16; ++i) {
        const bool fill = i >= vectors.bytes || permutation->filled >> i & 1;
        filled[i] = fill ? 0xFF : 0;
        index[i] = fill ? ELSEWHERE : (unsigned char)(permutation->index[i] - lowest);
    }
    /* Loads reach beyond the window, towards the units that follow; those of the last vectors towards those before. */
    const int64_t beyond = 16 * sources - vectors.window;
    const int64_t shift = step < 0 ? beyond : 0, last_shift = beyond - shift;
    vector16 tables[MOST_SOURCES], last_tables[MOST_SOURCES];
    for (int i = 0; i < sources; ++i) {
        tables[i] = table_of(load16(index), shift, i);
        last_tables[i] = table_of(load16(index), last_shift, i);
    }
    const vector16 fill = and16(load16(pattern->bytes), load16(filled));
    const int64_t low = permutation->begin + (step < 0 ? (vectors.units - 1) * step : 0);
    const int64_t last = units - vectors.units;
    /* From here on a whole vector, loaded or stored, would go beyond the row. */
    const int64_t stored_end = units - 15 / permutation->unit_bytes, loaded_end = last - (beyond - 1) / distance;
    const int64_t whole_end = stored_end < loaded_end ? stored_end : loaded_end;
    for (int64_t r = 0; r < rows; ++r) {
        char *to = output + r * output_row;
        const char *from = input + r * input_row + low;
        int64_t unit = 0;
        char *next = to;
        for (const char *window = from - shift; unit < whole_end; unit += vectors.units) {
            store16(next, permuted(tables, fill, window, sources));
            next += vectors.bytes;
            window += vectors.units * step;
        }
        for (bool done = false; !done; unit += vectors.units) {
            char bytes[32];
            done = unit >= last;
            if (done)
                unit = last;
            if ((last - unit) * distance >= beyond)
                store16(bytes, permuted(tables, fill, from + unit * step - shift, sources));
            else
                store16(bytes, permuted(last_tables, fill, from + unit * step - last_shift, sources));
            copy_below_32(to + unit * permutation->unit_bytes, bytes, vectors.bytes);
        }
    }
}

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
                       int64_t input_row, int64_t rows, int64_t units, const dmlc_pattern *pattern)
{
    if (!permute_pays(permutation, units))
        return 0;
    const permute_vectors vectors = vectors_of(permutation);
    const int64_t step = permutation->unit_step, distance = step < 0 ? -step : step;
    /* Loads that begin or end with a vector's own units stay between the first unit of a row and the last one. */
    if ((units - vectors.units) * distance < 2 * (16 * vectors.sources - vectors.window))
        return 0;
#define PERMUTE(SOURCES)                                                                                               \
    permute_rows(permutation, output, output_row, input, input_row, rows, units, pattern, vectors, SOURCES)
    switch (vectors.sources) {
    case 1: PERMUTE(1); break;
    case 2: PERMUTE(2); break;
    case 3: PERMUTE(3); break;
    default: PERMUTE(4); break;
    }
#undef PERMUTE
    return units;
}

#else

static inline bool permute_pays(const dmlc_permutation *permutation, int64_t units)
{
    (void)permutation;
    (void)units;
    return false;
}

static int64_t permute(const dmlc_permutation *permutation, char *output, int64_t output_row, const char *input,
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
    return 0;
}

#endif

#if !defined(__AVX512VBMI__)

static bool permute_ends(const dmlc_row *row, char *output, int64_t output_row, const char *input, int64_t input_row,
                         int64_t rows, const dmlc_pattern *pattern)
{
    (void)row;
    (void)output;
    (void)output_row;
    (void)input;
    (void)input_row;
    (void)rows;
    (void)pattern;
    return false;
}

#endif

#endif
