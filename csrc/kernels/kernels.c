/* Compiled once per instruction set, with DMLC_ISA its name: everything here is static but the table at the end. */
#include "kernels/kernels.h"

#include "kernels/bytes.h"
#include "kernels/permute.h"
#include "kernels/stream.h"
#include "kernels/transpose.h"

#define MOVE_AS(TYPE, output, input)                                                                                   \
    do {                                                                                                               \
        TYPE moved;                                                                                                    \
        memcpy(&moved, input, sizeof(moved));                                                                          \
        memcpy(output, &moved, sizeof(moved));                                                                         \
    } while (0)

#define NAME(base) base##_1
#define CHUNK 1
#define LOAD_STORE(output, input) MOVE_AS(uint8_t, output, input)
#ifdef DMLC_HAVE_TILES
#define TURN turn_1
#define TURN_SIZE 16
#endif
#include "kernels/move_template.inc"

#define NAME(base) base##_2
#define CHUNK 2
#define LOAD_STORE(output, input) MOVE_AS(uint16_t, output, input)
#ifdef DMLC_HAVE_TILES
#define TURN turn_2
#define TURN_SIZE 8
#endif
#include "kernels/move_template.inc"

#define NAME(base) base##_4
#define CHUNK 4
#define LOAD_STORE(output, input) MOVE_AS(uint32_t, output, input)
#ifdef DMLC_HAVE_TILES
#define TURN turn_4
#define TURN_SIZE 4
#endif
#include "kernels/move_template.inc"

#define NAME(base) base##_8
#define CHUNK 8
#define LOAD_STORE(output, input) MOVE_AS(uint64_t, output, input)
#ifdef DMLC_HAVE_TILES
#define TURN turn_8
#define TURN_SIZE 2
#endif
#include "kernels/move_template.inc"

#define NAME(base) base##_16
#define CHUNK 16
#define LOAD_STORE(output, input) store16(output, load16(input))
#include "kernels/move_template.inc"

#define NAME(base) base##_any
#define CHUNK chunk
#define LOAD_STORE(output, input) copy_bytes(output, input, chunk)
#include "kernels/move_template.inc"

static void move(char *output, int64_t output_step, const char *input, int64_t input_step, int64_t count, int64_t chunk)
{
    switch (chunk) {
    case 1: move_1(output, output_step, input, input_step, count, 1); return;
    case 2: move_2(output, output_step, input, input_step, count, 2); return;
    case 4: move_4(output, output_step, input, input_step, count, 4); return;
    case 8: move_8(output, output_step, input, input_step, count, 8); return;
    case 16: move_16(output, output_step, input, input_step, count, 16); return;
    default: move_any(output, output_step, input, input_step, count, chunk); return;
    }
}

static void transpose_by_size(char *output, int64_t output_row, int64_t output_step, const char *input,
                              int64_t input_row, int64_t input_step, int64_t rows, int64_t count, int64_t chunk)
{
    if (output_step == chunk && input_row == chunk && output_row == count * chunk && count >= 2 && count <= 4 &&
        chunk <= 8) {
        const int64_t done = interleave(output, input, input_step, rows, count, chunk);
        output += done * output_row;
        input += done * input_row;
        rows -= done;
    }
#define TRANSPOSE(SUFFIX)                                                                                              \
    transpose_##SUFFIX(output, output_row, output_step, input, input_row, input_step, rows, count, chunk)
    switch (chunk) {
    case 1: TRANSPOSE(1); return;
    case 2: TRANSPOSE(2); return;
    case 4: TRANSPOSE(4); return;
    case 8: TRANSPOSE(8); return;
    case 16: TRANSPOSE(16); return;
    default: TRANSPOSE(any); return;
    }
#undef TRANSPOSE
}

static void transpose(char *output, int64_t output_row, int64_t output_step, const char *input, int64_t input_row,
                      int64_t input_step, int64_t rows, int64_t count, int64_t chunk)
{
#ifdef DMLC_HAVE_LINES
    const int64_t line = 64 / chunk;
    if ((chunk == 4 || chunk == 8) && output_step == chunk && input_row == chunk && rows >= line && count >= line) {
        /* What no whole tile covers is left over to the right and below. */
        const int64_t whole_rows = rows / line * line, whole_count = count / line * line;
        turn_all_lines(output, output_row, input, input_step, whole_rows, whole_count, chunk);
        transpose_by_size(output + whole_count * chunk, output_row, output_step, input + whole_count * input_step,
                          input_row, input_step, whole_rows, count - whole_count, chunk);
        transpose_by_size(output + whole_rows * output_row, output_row, output_step, input + whole_rows * chunk,
                          input_row, input_step, rows - whole_rows, count, chunk);
        return;
    }
#endif
    transpose_by_size(output, output_row, output_step, input, input_row, input_step, rows, count, chunk);
}

/* The chunk at `input`, `count` times. */
static void repeat(char *output, const char *input, int64_t count, int64_t chunk)
{
    if (chunk * count < DMLC_PATTERN_BYTES || DMLC_PATTERN_BYTES % chunk != 0) {
        move(output, chunk, input, 0, count, chunk);
        return;
    }
    unsigned char pattern[DMLC_PATTERN_BYTES];
    move((char *)pattern, chunk, input, 0, DMLC_PATTERN_BYTES / chunk, chunk);
    fill_bytes(output, chunk * count, pattern);
}

static inline void copy_run(char *output, const char *input, int64_t bytes, dmlc_stream *stream)
{
    if (stream != NULL)
        stream_copy(stream, output, input, bytes);
    else
        copy_bytes(output, input, bytes);
}

static inline void fill(char *output, int64_t bytes, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    if (stream != NULL)
        stream_fill(stream, output, bytes, pattern->bytes);
    else
        fill_bytes(output, bytes, pattern->bytes);
}

/* `count` elements `step` bytes apart. */
static inline void fill_strided(char *output, int64_t step, int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    if (step == pattern->width)
        fill(output, count * step, pattern, stream);
    else
        move(output, step, (const char *)pattern->bytes, 0, count, pattern->width);
}

/* As much as fits into a first-level cache, twice. */
enum { REPLICATED_BYTES = 16 * 1024 };

/* What is not made of long runs is made in the cache first and goes past it from there: without this, pixels reversed
 * into 192 MiB took 1.2 times as long. */
enum { STAGE_BYTES = 8 * 1024 };

static void run_piece(const dmlc_piece *piece, const dmlc_row *row, char *output, const char *input,
                             const dmlc_pattern *pattern, dmlc_stream *stream)
{
    char *to = output + piece->output;
    switch (piece->operation) {
    case DMLC_COPY: copy_run(to, input + piece->input, piece->count, stream); return;
    case DMLC_FILL: fill(to, piece->count, pattern, stream); return;
    case DMLC_FILL_EACH:
        for (int64_t i = 0; i < piece->count; ++i)
            fill_bytes(to + i * row->output_step, row->chunk, pattern->bytes);
        return;
    case DMLC_REPEAT:
        repeat(to, input + piece->input, piece->count, row->chunk);
        return;
    case DMLC_GATHER: {
        const char *from = input + piece->input;
        if (stream != NULL && row->output_step == row->chunk && row->chunk <= STAGE_BYTES && piece->count > 1) {
            char stage[STAGE_BYTES + 64];
            dmlc_piece part = *piece;
            part.output = 0;
            const int64_t most = STAGE_BYTES / row->chunk;
            for (int64_t i = 0; i < piece->count; i += part.count) {
                part.count = piece->count - i < most ? piece->count - i : most;
                part.input = piece->input + i * piece->step;
                run_piece(&part, row, stage, input, pattern, NULL);
                stream_copy(stream, to + i * row->chunk, stage, part.count * row->chunk);
            }
            return;
        }
        const int64_t done =
            piece->permutation < 0
                ? 0
                : permute(&row->permutations[piece->permutation], to, 0, from, 0, 1, piece->count, pattern);
        move(to + done * row->output_step, row->output_step, from + done * piece->step, piece->step,
             piece->count - done, row->chunk);
        return;
    }
    case DMLC_REPLICATE:
        if (row->output_step == row->chunk) {
            /* Each copy doubles what there is to copy from, so that short cycles are long runs soon; but what is copied
             * again and again stays in cache. */
            int64_t bytes = piece->count * row->chunk;
            int64_t there = piece->step;
            while (bytes > 0) {
                const int64_t more = bytes < there ? bytes : there;
                if (stream != NULL)
                    stream_flush(stream);
                copy_run(to, to - there, more, there >= REPLICATED_BYTES ? stream : NULL);
                to += more;
                bytes -= more;
                if (there < REPLICATED_BYTES)
                    there += more;
            }
            return;
        }
        if (stream != NULL)
            stream_flush(stream);
        move(to, row->output_step, to - piece->step, row->output_step, piece->count, row->chunk);
        return;
    }
}

static void rows(const dmlc_row *row, char *output, int64_t output_step, const char *input, int64_t input_step,
                 int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    const dmlc_piece *first = &row->pieces[0];
    const int64_t row_bytes = row->size * row->chunk;
    const bool one_copy = row->piece_count == 1 && first->operation == DMLC_COPY;
    if (stream != NULL && count > 1 && !one_copy && !row->transposed && row->output_step == row->chunk &&
        output_step == row_bytes && row_bytes <= STAGE_BYTES / 2) {
        char stage[STAGE_BYTES + 64];
        const int64_t most = STAGE_BYTES / row_bytes;
        for (int64_t r = 0; r < count; r += most) {
            const int64_t some = count - r < most ? count - r : most;
            rows(row, stage, row_bytes, input + r * input_step, input_step, some, pattern, NULL);
            stream_copy(stream, output + r * row_bytes, stage, some * row_bytes);
        }
        return;
    }
    if (row->whole.units > 0 && input_step == row->whole.unit_step && count > 1) {
        const int64_t done = permute(&row->whole, output, 0, input, 0, 1, count, pattern);
        output += done * output_step;
        input += done * input_step;
        count -= done;
    }
    if (row->middle >= 0 && count > 1 && stream == NULL &&
        permute_ends(row, output, output_step, input, input_step, count, pattern))
        return;
    if (row->piece_count == 1 && first->operation == DMLC_GATHER && first->permutation >= 0 && stream == NULL) {
        const dmlc_permutation *permutation = &row->permutations[first->permutation];
        const int64_t chunks = first->count;
        const char *from = input + first->input;
        const int64_t done = permute(permutation, output, output_step, from, input_step, count, chunks, pattern);
        for (int64_t r = 0; r < count && done < chunks; ++r)
            move(output + r * output_step + done * row->chunk, row->chunk,
                 from + r * input_step + done * first->step, first->step, chunks - done, row->chunk);
        return;
    }
    if (row->transposed && count > 1) {
        for (int32_t i = 0; i < row->piece_count; ++i) {
            const dmlc_piece *piece = &row->pieces[i];
            if (piece->operation == DMLC_GATHER)
                transpose(output + piece->output, output_step, row->output_step, input + piece->input, input_step,
                          piece->step, count, piece->count, row->chunk);
            else
                for (int64_t r = 0; r < count; ++r)
                    run_piece(piece, row, output + r * output_step, input + r * input_step, pattern, stream);
        }
        return;
    }
    if (one_copy) {
        const int64_t bytes = first->count;
        input += first->input;
        for (int64_t r = 0; r < count; ++r)
            copy_run(output + r * output_step, input + r * input_step, bytes, stream);
        return;
    }
    for (int64_t r = 0; r < count; ++r)
        for (int32_t i = 0; i < row->piece_count; ++i)
            run_piece(&row->pieces[i], row, output + r * output_step, input + r * input_step, pattern, stream);
}

#if defined(__AVX512VBMI__)

static void boxes_in_cache(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
    const __m512i fill = _mm512_loadu_si512(pattern->bytes);
    for (int32_t p = 0; p < box->part_count; ++p) {
        const dmlc_box_part *part = &box->parts[p];
        const __m512i index = _mm512_loadu_si512(part->index);
        const __mmask64 low = part->read[0], high = part->read[1], filled = part->filled, written = part->written;
        char *to = output + part->output;
        const char *from = input + part->input;
        for (int64_t i = 0; i < count; ++i) {
            const __m512i bytes =
                high == 0 ? _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(low, from))
                          : _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(low, from), index,
                                                     _mm512_maskz_loadu_epi8(high, from + 64));
            _mm512_mask_storeu_epi8(to, written, _mm512_mask_mov_epi8(bytes, filled, fill));
            to += output_step;
            from += input_step;
        }
    }
}

/* A few boxes at a time, part by part, so that a part's vectors are loaded once for them and their lines stay in cache. */
static void boxes(const dmlc_box *box, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    char stage[STAGE_BYTES];
    const bool staged = stream != NULL && output_step == box->bytes;
    const int64_t most = STAGE_BYTES / box->bytes;
    for (int64_t i = 0; i < count; i += most) {
        const int64_t some = count - i < most ? count - i : most;
        char *to = output + i * output_step;
        boxes_in_cache(box, staged ? stage : to, output_step, input + i * input_step, input_step, some, pattern);
        if (staged)
            stream_copy(stream, to, stage, some * box->bytes);
    }
}

#endif

static int64_t clamp(int64_t value, int64_t last) { return value < 0 ? 0 : value > last ? last : value; }

/* Columns [from, to) of a row that the band leaves to the background. */
static inline void band_background(const dmlc_band_rows *rows, char *output, const char *input, int64_t from,
                                   int64_t to)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width;
    if (from == to || band->background == DMLC_BACKGROUND_KEEP)
        return;
    output += from * band->output_column;
    if (band->background == DMLC_BACKGROUND_VALUE) {
        fill_strided(output, band->output_column, to - from, rows->background, rows->stream);
        return;
    }
    input += from * band->input_column;
    if (band->output_column == width && band->input_column == width)
        copy_run(output, input, (to - from) * width, rows->stream);
    else
        move(output, band->output_column, input, band->input_column, to - from, width);
}

static inline void band_value(const dmlc_band_rows *rows, char *output, int64_t from, int64_t to)
{
    const int64_t column = rows->band->output_column;
    if (from < to)
        fill_strided(output + from * column, column, to - from, rows->value, rows->stream);
}

/* A narrow band on a dense background of a value: fill rows as one run, then set the band, while they are in cache. */
static void band_on_fill(const dmlc_band_rows *rows)
{
    enum { BLOCK_BYTES = 8 * 1024 };
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns, width = rows->width, row_bytes = columns * width;
    const dmlc_pattern *outer = band->inverted ? rows->value : rows->background;
    const dmlc_pattern *inner = band->inverted ? rows->background : rows->value;
    const int64_t block = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    for (int64_t begin = 0; begin < rows->count; begin += block) {
        const int64_t end = begin + block < rows->count ? begin + block : rows->count;
        char *output = rows->output + begin * row_bytes;
        fill(output, (end - begin) * row_bytes, outer, NULL);
        for (int64_t i = begin; i < end; ++i) {
            const int64_t from = clamp(band->begin + rows->first + i, columns);
            const int64_t to = clamp(band->end + rows->first + i, columns);
            fill_bytes(output + (i - begin) * row_bytes + from * width, (to - from) * width, inner->bytes);
        }
    }
}

#if defined(__AVX512VBMI__)
enum { MASKED_BYTES = 4096 };

/* A batch of small dense matrices: where the value goes is the same in each, a bit for a byte of it. */
static bool band_by_masks(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, columns = band->columns, row_bytes = columns * width;
    const int64_t bytes = rows->count * row_bytes;
    const bool reads = band->background == DMLC_BACKGROUND_INPUT;
    if (rows->batch < 4 || bytes > MASKED_BYTES || band->background == DMLC_BACKGROUND_VALUE ||
        band->output_column != width || band->output_row != row_bytes ||
        (reads && (band->input_column != width || band->input_row != row_bytes)))
        return false;
    uint64_t masks[MASKED_BYTES / 64 + 1] = {0};
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t from = clamp(band->begin + rows->first + i, columns) * width;
        const int64_t to = clamp(band->end + rows->first + i, columns) * width;
        for (int64_t byte = 0; byte < row_bytes; ++byte) {
            const int64_t at = i * row_bytes + byte;
            const bool in_band = byte >= from && byte < to;
            masks[at / 64] |= (uint64_t)(in_band != band->inverted) << (at % 64);
        }
    }
    const __m512i value = _mm512_loadu_si512(rows->value->bytes);
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        char *output = rows->output + matrix * rows->output_batch;
        const char *input = rows->input + matrix * rows->input_batch;
        for (int64_t at = 0; at < bytes; at += 64) {
            const __mmask64 there = bytes - at >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (bytes - at)) - 1;
            const __mmask64 set = masks[at / 64];
            if (!reads)
                _mm512_mask_storeu_epi8(output + at, set, value);
            else if (bytes - at >= 64)
                _mm512_storeu_si512(output + at, _mm512_mask_mov_epi8(_mm512_loadu_si512(input + at), set, value));
            else
                _mm512_mask_storeu_epi8(
                    output + at, there,
                    _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(there, input + at), set, value));
        }
    }
    return true;
}
#else
static bool band_by_masks(const dmlc_band_rows *rows)
{
    (void)rows;
    return false;
}
#endif

static void band_matrix(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t columns = band->columns;
    if (band->background == DMLC_BACKGROUND_VALUE && band->output_column == rows->width &&
        band->output_row == columns * rows->width && band->end - band->begin <= columns / 4 + 1 && rows->stream == NULL) {
        band_on_fill(rows);
        return;
    }
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t y = rows->first + i;
        char *output = rows->output + i * band->output_row;
        const char *input = rows->input + i * band->input_row;
        const int64_t from = clamp(band->begin + y, columns);
        const int64_t to = clamp(band->end + y, columns);
        if (band->inverted) {
            band_value(rows, output, 0, from);
            band_background(rows, output, input, from, to);
            band_value(rows, output, to, columns);
        } else {
            band_background(rows, output, input, 0, from);
            band_value(rows, output, from, to);
            band_background(rows, output, input, to, columns);
        }
    }
}

static void band(const dmlc_band_rows *rows)
{
    if (band_by_masks(rows))
        return;
    dmlc_band_rows one = *rows;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        band_matrix(&one);
        one.output += rows->output_batch;
        one.input += rows->input_batch;
    }
}

/* One dense sequence past the cache, in order: a line is not come back to. */
static inline void stream_sequence(const dmlc_select_block *block, char *output, int64_t index)
{
    const int64_t width = block->width;
    fill(output, index * width, block->off, block->stream);
    if (index == block->depth)
        return;
    copy_run(output + index * width, (const char *)block->on->bytes, width, block->stream);
    fill(output + (index + 1) * width, (block->depth - index - 1) * width, block->off, block->stream);
}

static void select_scatter(const dmlc_select_block *block)
{
    const int64_t width = block->width, depth = block->depth;
    const bool dense_positions = block->position_step == width && block->depth_step != width;
    const bool streamed = block->stream != NULL && block->depth_step == width;
    if (dense_positions)
        for (int64_t k = 0; k < depth; ++k)
            fill(block->output + k * block->depth_step, block->count * width, block->off, NULL);
    for (int64_t i = 0; i < block->count; ++i) {
        char *output = block->output + i * block->position_step;
        uint64_t index;
        memcpy(&index, (const char *)block->indices + i * (int64_t)sizeof(index), sizeof(index));
        if (streamed) {
            stream_sequence(block, output, index < (uint64_t)depth ? (int64_t)index : depth);
            continue;
        }
        if (!dense_positions)
            fill_strided(output, block->depth_step, depth, block->off, NULL);
        if (index < (uint64_t)depth)
            copy_bytes(output + (int64_t)index * block->depth_step, (const char *)block->on->bytes, width);
    }
}

#if defined(__AVX512VBMI__)
/* Spreads each index over the bytes of its sequence and compares all of them with their k at once. */
static void select_sequences(const dmlc_select_block *block)
{
    const int64_t bytes = block->depth * block->width, together = DMLC_BLOCK_BYTES / bytes;
    unsigned char place[DMLC_BLOCK_BYTES], k[DMLC_BLOCK_BYTES];
    for (int64_t i = 0; i < DMLC_BLOCK_BYTES; ++i) {
        place[i] = (unsigned char)(i / bytes);
        k[i] = (unsigned char)(i % bytes / block->width);
    }
    const __m512i places = _mm512_loadu_si512(place), ks = _mm512_loadu_si512(k);
    const __m512i off = _mm512_loadu_si512(block->off->bytes), on = _mm512_loadu_si512(block->on->bytes);
    const char *indices = block->indices;
    char *output = block->output;
    int64_t left = block->count * bytes;
    for (; left > 0; left -= together * bytes) {
        const __m512i spread = _mm512_permutexvar_epi8(places, _mm512_loadu_si512(indices));
        const __m512i selected = _mm512_mask_mov_epi8(off, _mm512_cmpeq_epi8_mask(spread, ks), on);
        if (left >= DMLC_BLOCK_BYTES)
            _mm512_storeu_si512(output, selected);
        else
            _mm512_mask_storeu_epi8(output, (UINT64_C(1) << left) - 1, selected);
        indices += together;
        output += together * bytes;
    }
}
#else
/* Copies ready-made sequences, one for each index and one for none. */
static void select_sequences(const dmlc_select_block *block)
{
    const int64_t depth = block->depth, width = block->width, bytes = depth * width;
    unsigned char ready[(DMLC_BLOCK_BYTES + 1) * DMLC_BLOCK_BYTES];
    for (int64_t i = 0; i <= depth; ++i) {
        memcpy(ready + i * DMLC_BLOCK_BYTES, block->off->bytes, DMLC_BLOCK_BYTES);
        if (i < depth)
            memcpy(ready + i * DMLC_BLOCK_BYTES + i * width, block->on->bytes, (size_t)width);
    }
    const unsigned char *indices = block->indices;
    char *output = block->output;
    const int64_t count = block->count, whole = DMLC_BLOCK_BYTES / bytes;
    int64_t i = 0;
    /* Each store is a whole vector; what it writes past its sequence, the next ones write again. */
#define COPY_SEQUENCES(SIZE)                                                                                           \
    for (; i + whole < count; ++i) {                                                                                   \
        const int64_t index = indices[i] < depth ? indices[i] : depth;                                                 \
        for (int64_t at = 0; at < SIZE; at += 16)                                                                      \
            store16(output + i * bytes + at, load16(ready + index * DMLC_BLOCK_BYTES + at));                           \
    }
    if (bytes <= 16) {
        COPY_SEQUENCES(16)
    } else if (bytes <= 32) {
        COPY_SEQUENCES(32)
    } else {
        COPY_SEQUENCES(64)
    }
#undef COPY_SEQUENCES
    for (; i < count; ++i) {
        const int64_t index = indices[i] < depth ? indices[i] : depth;
        copy_bytes(output + i * bytes, (const char *)ready + index * DMLC_BLOCK_BYTES, bytes);
    }
}
#endif

#define NAME select_planes_1
#define ELEMENT uint8_t
#define INDEX uint8_t
#include "kernels/select_template.inc"

#define NAME select_planes_2
#define ELEMENT uint16_t
#define INDEX uint16_t
#include "kernels/select_template.inc"

#define NAME select_planes_4
#define ELEMENT uint32_t
#define INDEX uint32_t
#include "kernels/select_template.inc"

#define NAME select_planes_8
#define ELEMENT uint64_t
#define INDEX uint64_t
#include "kernels/select_template.inc"

static void select_planes_16(const dmlc_select_block *block)
{
    const vector16 off = load16(block->off->bytes), on = load16(block->on->bytes);
    const char *indices = block->indices;
    const int64_t count = block->count, depth = block->depth;
    for (int64_t k = 0; k < depth; ++k) {
        char *plane = block->output + k * block->depth_step;
        for (int64_t i = 0; i < count; ++i) {
            int64_t index;
            memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
            store16(plane + i * 16, index == k ? on : off);
        }
    }
}

#define NORMALIZE_TO(TYPE, WIDTH, NORMALIZED)                                                                           \
    static void normalize_##TYPE##_##WIDTH(void *normalized, const char *indices, int64_t step, int64_t count,         \
                                           int64_t depth, bool from_end)                                               \
    {                                                                                                                  \
        NORMALIZE_BODY(TYPE##_t, NORMALIZED)                                                                           \
    }

/* normalized = index, depth + index where it is negative and counts from the end, all ones where that is not in
 * [0, depth). 64 bits hold every index but the upper half of UINT64, which turns negative and so is outside; the
 * indices of an unsigned type never count from the end. */
#define NORMALIZE_BODY(INDEX, NORMALIZED)                                                                              \
    char *to = normalized;                                                                                             \
    const int64_t wrap = from_end && (INDEX)-1 < (INDEX)1 ? depth : 0;                                                 \
    if (step == (int64_t)sizeof(INDEX)) {                                                                              \
        NORMALIZE_LOOP(INDEX, NORMALIZED, (int64_t)sizeof(INDEX)) /* a constant step is whole vectors */               \
    } else {                                                                                                           \
        NORMALIZE_LOOP(INDEX, NORMALIZED, step)                                                                        \
    }

#define NORMALIZE_LOOP(INDEX, NORMALIZED, STEP)                                                                        \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
        INDEX index;                                                                                                   \
        memcpy(&index, indices + i * STEP, sizeof(index));                                                             \
        int64_t place = (int64_t)index;                                                                                \
        place += place < 0 ? wrap : 0;                                                                                 \
        const NORMALIZED kept = place >= 0 && place < depth ? (NORMALIZED)place : (NORMALIZED)-1;                      \
        memcpy(to + i * (int64_t)sizeof(kept), &kept, sizeof(kept));                                                   \
    }

#define NORMALIZE(TYPE)                                                                                                \
    NORMALIZE_TO(TYPE, 1, uint8_t)                                                                                     \
    NORMALIZE_TO(TYPE, 2, uint16_t)                                                                                    \
    NORMALIZE_TO(TYPE, 4, uint32_t)                                                                                    \
    NORMALIZE_TO(TYPE, 8, uint64_t)

/* In the order of dmlc_index_type. */
#define FOR_EACH_INDEX_TYPE(DO)                                                                                        \
    DO(int8)                                                                                                           \
    DO(int16)                                                                                                          \
    DO(int32)                                                                                                          \
    DO(int64)                                                                                                          \
    DO(uint8)                                                                                                          \
    DO(uint16)                                                                                                         \
    DO(uint32)                                                                                                         \
    DO(uint64)

FOR_EACH_INDEX_TYPE(NORMALIZE)

#define TABLE_ROW(TYPE) {normalize_##TYPE##_1, normalize_##TYPE##_2, normalize_##TYPE##_4, normalize_##TYPE##_8},

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* dmlc_kernels_<isa> */
extern const dmlc_kernels JOIN(dmlc_kernels_, DMLC_ISA);

const dmlc_kernels JOIN(dmlc_kernels_, DMLC_ISA) = {
    .isa = TEXT(DMLC_ISA),
    .fill = fill,
    .rows = rows,
#if defined(__AVX512VBMI__)
    .boxes = boxes,
#endif
    .stream_end = stream_end,
    .band = band,
    .normalize = {FOR_EACH_INDEX_TYPE(TABLE_ROW)},
    .select_sequences = select_sequences,
    .select_scatter = select_scatter,
    .select_planes = {select_planes_1, select_planes_2, select_planes_4, select_planes_8, select_planes_16},
};
