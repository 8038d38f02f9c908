/* Compiled once per instruction set, with DMLC_ISA its name: everything here is static but the table at the end. */
#include "kernels/kernels.h"

#include "kernels/bytes.h"
#include "kernels/permute.h"
#include "kernels/stream.h"
#include "kernels/transpose.h"

/* Compilers leave loops of a load and a store as they are, and their counters take as long as what they count. */
#if defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 4")
#else
#define UNROLL
#endif

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
    default:
        if (chunk <= 128)
            copy_short_rows(output, output_step, input, input_step, count, chunk);
        else
            move_any(output, output_step, input, input_step, count, chunk);
        return;
    }
}

static void move_rows(char *output, int64_t output_row, int64_t output_step, const char *input, int64_t input_row,
                      int64_t input_step, int64_t rows, int64_t count, int64_t chunk)
{
#define MOVE_ROWS(SUFFIX)                                                                                              \
    move_rows_##SUFFIX(output, output_row, output_step, input, input_row, input_step, rows, count, chunk)
    switch (chunk) {
    case 1: MOVE_ROWS(1); return;
    case 2: MOVE_ROWS(2); return;
    case 4: MOVE_ROWS(4); return;
    case 8: MOVE_ROWS(8); return;
    case 16: MOVE_ROWS(16); return;
    default:
        for (int64_t row = 0; row < rows; ++row)
            move(output + row * output_row, output_step, input + row * input_row, input_step, count, chunk);
        return;
    }
#undef MOVE_ROWS
}

/* See transpose_scalar. */
static void transpose_by_size(char *output, int64_t output_step, const int64_t *places, int64_t rows, const char *input,
                              int64_t input_step, const int64_t *sources, int64_t columns, int64_t chunk)
{
#define TRANSPOSE(SUFFIX)                                                                                              \
    transpose_##SUFFIX(output, output_step, places, rows, input, input_step, sources, columns, chunk)
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

static void transpose_chunks(char *output, int64_t output_step, const int64_t *places, int64_t rows, const char *input,
                             int64_t input_step, const int64_t *sources, int64_t columns, int64_t chunk)
{
#ifdef DMLC_HAVE_LINES
    const int64_t line = 64 / chunk;
    if ((chunk == 4 || chunk == 8) && output_step == chunk && input_step == chunk && rows >= line && columns >= line) {
        /* A last tile that overlaps the one before it pays from half a line on; less goes by itself, on either side. */
        const int64_t some_rows = rows % line < line / 2 ? rows / line * line : rows;
        const int64_t some_columns = columns % line < line / 2 ? columns / line * line : columns;
        turn_all_lines(output, places, some_rows, input, sources, some_columns, chunk);
        transpose_by_size(output + some_columns * chunk, chunk, places, some_rows, input, chunk, sources + some_columns,
                          columns - some_columns, chunk);
        transpose_by_size(output, chunk, places + some_rows, rows - some_rows, input + some_rows * chunk, chunk,
                          sources, columns, chunk);
        return;
    }
#endif
    transpose_by_size(output, output_step, places, rows, input, input_step, sources, columns, chunk);
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
static inline void fill_strided(char *output, int64_t step, int64_t count, const dmlc_pattern *pattern,
                                dmlc_stream *stream)
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
    case DMLC_REPEAT: repeat(to, input + piece->input, piece->count, row->chunk); return;
    case DMLC_GATHER: {
        const char *from = input + piece->input;
        if (stream != NULL && row->output_step == row->chunk && row->chunk <= STAGE_BYTES && piece->count > 1) {
            char stage[STAGE_BYTES];
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
        const int64_t done = piece->permutation >= 0 ? permute(&row->permutations[piece->permutation], to, 0, from, 0,
                                                               1, piece->count, pattern)
                                                     : 0;
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
    if (stream != NULL && count > 1 && !one_copy && row->output_step == row->chunk && output_step == row_bytes &&
        row_bytes <= STAGE_BYTES / 2) {
        char stage[STAGE_BYTES];
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
    if (row->piece_count == 1 && first->operation == DMLC_GATHER && first->permutation >= 0 && stream == NULL &&
        permute_pays(&row->permutations[first->permutation], first->count)) {
        const dmlc_permutation *permutation = &row->permutations[first->permutation];
        const int64_t chunks = first->count;
        const char *from = input + first->input;
        const int64_t done = permute(permutation, output, output_step, from, input_step, count, chunks, pattern);
        for (int64_t r = 0; r < count && done < chunks; ++r)
            move(output + r * output_step + done * row->chunk, row->chunk, from + r * input_step + done * first->step,
                 first->step, chunks - done, row->chunk);
        return;
    }
    if (one_copy) {
        const int64_t bytes = first->count;
        input += first->input;
        if (bytes >= 2 && bytes <= 128 && stream == NULL) {
            copy_short_rows(output, output_step, input, input_step, count, bytes);
            return;
        }
        for (int64_t r = 0; r < count; ++r)
            copy_run(output + r * output_step, input + r * input_step, bytes, stream);
        return;
    }
    if (row->piece_count == 1 && first->operation == DMLC_GATHER && stream == NULL) {
        move_rows(output, output_step, row->output_step, input + first->input, input_step, first->step, count,
                  first->count, row->chunk);
        return;
    }
    for (int64_t r = 0; r < count; ++r)
        for (int32_t i = 0; i < row->piece_count; ++i)
            run_piece(&row->pieces[i], row, output + r * output_step, input + r * input_step, pattern, stream);
}

/* Where elements are that lie evenly apart. */
static void spread(int64_t *places, int64_t count, int64_t step)
{
    for (int64_t i = 0; i < count; ++i)
        places[i] = i * step;
}

/* The chunks of a piece that gathers, of all rows. */
static void transpose_piece(const dmlc_piece *piece, const dmlc_row *row, char *output, int64_t output_row,
                            const int64_t *places, const char *input, int64_t input_row, const int64_t *sources,
                            int64_t rows)
{
    enum { TOGETHER = DMLC_MOST_PLACES };
    const int64_t chunk = row->chunk, columns = piece->count;
    int64_t even_places[TOGETHER], even_sources[TOGETHER];
    output += piece->output;
    input += piece->input;
    if (places == NULL && sources == NULL && row->output_step == chunk && input_row == chunk &&
        output_row == columns * chunk && columns >= 2 && columns <= 4 && chunk <= 8) {
        const int64_t done = interleave(output, input, piece->step, rows, columns, chunk);
        output += done * output_row;
        input += done * input_row;
        rows -= done;
    }
    if (places == NULL)
        spread(even_places, rows < TOGETHER ? rows : TOGETHER, output_row);
    if (sources == NULL)
        spread(even_sources, columns < TOGETHER ? columns : TOGETHER, piece->step);
    for (int64_t column = 0; column < columns; column += TOGETHER)
        for (int64_t r = 0; r < rows; r += TOGETHER)
            transpose_chunks(output + r * output_row + column * row->output_step, row->output_step,
                             places == NULL ? even_places : places, rows - r < TOGETHER ? rows - r : TOGETHER,
                             input + r * input_row + column * piece->step, input_row,
                             sources == NULL ? even_sources : sources,
                             columns - column < TOGETHER ? columns - column : TOGETHER, chunk);
}

static void transpose(const dmlc_row *row, char *output, int64_t output_step, const int64_t *places, const char *input,
                      int64_t input_step, const int64_t *sources, int64_t count, const dmlc_pattern *pattern,
                      dmlc_stream *stream)
{
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        if (piece->operation == DMLC_GATHER) {
            transpose_piece(piece, row, output, output_step, places, input, input_step, sources, count);
            continue;
        }
        for (int64_t r = 0; r < count; ++r)
            run_piece(piece, row, output + (places == NULL ? r * output_step : places[r]), input + r * input_step,
                      pattern, stream);
    }
}

/* `move_count` moves of one width in each box. The longer loop is the inner one. */
static void move_in_boxes(const dmlc_box_move *moves, int32_t move_count, int64_t width, char *output,
                          int64_t output_step, const char *input, int64_t input_step, int64_t count)
{
    if (count >= move_count) {
        for (int32_t i = 0; i < move_count; ++i)
            move(output + moves[i].output, output_step, input + moves[i].input, input_step, count, width);
        return;
    }
    /* A single box may have any step: none is added behind the last. */
    for (int64_t box = 0; box < count; ++box) {
        char *to = output + box * output_step;
        const char *from = input + box * input_step;
        switch (width) {
        case 1: move_each_1(moves, move_count, to, from, 1); break;
        case 2: move_each_2(moves, move_count, to, from, 2); break;
        case 4: move_each_4(moves, move_count, to, from, 4); break;
        case 8: move_each_8(moves, move_count, to, from, 8); break;
        default: move_each_16(moves, move_count, to, from, 16); break;
        }
    }
}

static void boxes_by_moves(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
    const dmlc_box_move *moves = dmlc_box_moves(box);
    for (int32_t place = 0; place < DMLC_MOVE_WIDTHS; moves += box->move_counts[place++])
        move_in_boxes(moves, box->move_counts[place], INT64_C(1) << place, output, output_step, input, input_step,
                      count);
    for (int32_t kind = DMLC_MOVE_WIDTHS; kind < 2 * DMLC_MOVE_WIDTHS; moves += box->move_counts[kind++])
        move_in_boxes(moves, box->move_counts[kind], INT64_C(1) << (kind - DMLC_MOVE_WIDTHS), output, output_step,
                      (const char *)pattern->bytes, 0, count);
}

#if defined(__AVX512VBMI__)
static void boxes_by_parts(const dmlc_box *box, char *output, int64_t output_step, const char *input,
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
            const char *window = from + i * input_step;
            const __m512i bytes = high == 0 ? _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(low, window))
                                            : _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(low, window), index,
                                                                       _mm512_maskz_loadu_epi8(high, window + 64));
            _mm512_mask_storeu_epi8(to + i * output_step, written, _mm512_mask_mov_epi8(bytes, filled, fill));
        }
    }
}
#endif

static void boxes_in_cache(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
#if defined(__AVX512VBMI__)
    if (box->part_count > 0) {
        boxes_by_parts(box, output, output_step, input, input_step, count, pattern);
        return;
    }
#endif
    boxes_by_moves(box, output, output_step, input, input_step, count, pattern);
}

/* A few boxes at a time, so that their lines stay in cache. */
static void boxes(const dmlc_box *box, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    enum { MOST_SCATTERED = 32 };
    char stage[DMLC_BOXES_BYTES];
    const bool staged = stream != NULL && box->dense && output_step == box->bytes;
    int64_t most = box->together;
    if (output_step != box->bytes && most > MOST_SCATTERED)
        most = MOST_SCATTERED;
    for (int64_t i = 0; i < count; i += most) {
        const int64_t some = count - i < most ? count - i : most;
        char *to = output + i * output_step;
        boxes_in_cache(box, staged ? stage : to, staged ? box->bytes : output_step, input + i * input_step, input_step,
                       some, pattern);
        if (staged)
            stream_copy(stream, to, stage, some * box->bytes);
    }
}

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

static bool band_is_dense(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t width = rows->width, row_bytes = band->columns * width;
    const bool reads = band->background == DMLC_BACKGROUND_INPUT;
    return band->output_column == width && band->output_row == row_bytes &&
           (!reads || (band->input_column == width && band->input_row == row_bytes));
}

/* A band that leaves most of each row to a background of a value. */
static bool band_is_narrow(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    return band->background == DMLC_BACKGROUND_VALUE && band->end - band->begin <= band->columns / 4 + 1;
}

/* Matrices up to this size are gone through once. */
enum { SMALL_MATRIX_BYTES = 4096 };

#if defined(__AVX512VBMI__)
enum { MASKED_BYTES = SMALL_MATRIX_BYTES, WIDEST_MASKED_ROW = 256, WIDEST_MASKED_NARROW = 32 };

/* Sets bits [begin, end). */
static void set_bits(uint64_t *masks, int64_t begin, int64_t end)
{
    for (; begin < end; begin = begin / 64 * 64 + 64)
        masks[begin / 64] |= dmlc_bits(begin % 64, end - begin);
}

/* At most MASKED_BYTES of each matrix: where the value goes is the same in all, a bit for a byte of it. */
static void band_block_by_masks(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    const int64_t row_bytes = band->columns * rows->width, bytes = rows->count * row_bytes;
    const uint64_t inverted = band->inverted ? ~UINT64_C(0) : 0;
    uint64_t masks[MASKED_BYTES / 64 + 1] = {0};
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t from = clamp(band->begin + rows->first + i, band->columns);
        const int64_t to = clamp(band->end + rows->first + i, band->columns);
        set_bits(masks, i * row_bytes + from * rows->width, i * row_bytes + to * rows->width);
    }
    const __m512i value = _mm512_loadu_si512(rows->value->bytes);
    const __m512i background = _mm512_loadu_si512(rows->background->bytes);
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        char *output = rows->output + matrix * rows->output_batch;
        const char *input = rows->input + matrix * rows->input_batch;
        for (int64_t at = 0; at < bytes; at += 64) {
            const __mmask64 there = dmlc_bits(0, bytes - at);
            const __mmask64 set = masks[at / 64] ^ inverted;
            if (band->background == DMLC_BACKGROUND_KEEP)
                _mm512_mask_storeu_epi8(output + at, set & there, value);
            else if (band->background == DMLC_BACKGROUND_VALUE)
                _mm512_mask_storeu_epi8(output + at, there, _mm512_mask_mov_epi8(background, set, value));
            else if (bytes - at >= 64)
                _mm512_storeu_si512(output + at, _mm512_mask_mov_epi8(_mm512_loadu_si512(input + at), set, value));
            else
                _mm512_mask_storeu_epi8(output + at, there,
                                        _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(there, input + at), set, value));
        }
    }
}

/* Dense matrices of short rows; false where rows pay for themselves. A block begins with an element, as the pattern does.
 * One matrix with a narrow band is filled and its band set in the time that its masks take. */
static bool band_by_masks(const dmlc_band_rows *rows)
{
    const int64_t row_bytes = rows->band->columns * rows->width;
    const int64_t widest = rows->batch >= 4       ? MASKED_BYTES
                           : band_is_narrow(rows) ? WIDEST_MASKED_NARROW
                                                  : WIDEST_MASKED_ROW;
    if (!band_is_dense(rows) || row_bytes > widest)
        return false;
    dmlc_band_rows block = *rows;
    for (int64_t begin = 0; begin < rows->count; begin += block.count) {
        block.count = rows->count - begin < MASKED_BYTES / row_bytes ? rows->count - begin : MASKED_BYTES / row_bytes;
        block.first = rows->first + begin;
        block.output = rows->output + begin * row_bytes;
        block.input = rows->input + begin * rows->band->input_row;
        band_block_by_masks(&block);
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
    if (band_is_narrow(rows) && band->output_column == rows->width && band->output_row == columns * rows->width &&
        rows->stream == NULL) {
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

/* Rows that the band crosses. */
static void band_across(const dmlc_band_rows *rows)
{
    if (rows->stream == NULL && band_by_masks(rows))
        return;
    dmlc_band_rows one = *rows;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        band_matrix(&one);
        one.output += rows->output_batch;
        one.input += rows->input_batch;
    }
}

/* Dense rows that are of the band, or of the rest, from end to end. */
static void band_throughout(const dmlc_band_rows *rows, bool in_band)
{
    const dmlc_band *band = rows->band;
    const int64_t bytes = rows->count * band->columns * rows->width;
    if (in_band == band->inverted && band->background == DMLC_BACKGROUND_KEEP)
        return;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        char *output = rows->output + matrix * rows->output_batch;
        if (in_band != band->inverted)
            fill(output, bytes, rows->value, rows->stream);
        else if (band->background == DMLC_BACKGROUND_VALUE)
            fill(output, bytes, rows->background, rows->stream);
        else
            copy_run(output, rows->input + matrix * rows->input_batch, bytes, rows->stream);
    }
}

/* Rows as the band passes them; a tall matrix has few that it crosses:
 *
 *     . . .
 *     # . .   1 - end             the first row that it reaches
 *     # # .
 *     # # #   columns - end       the first that it reaches the end of
 *     . # #   1 - begin           the first whose start it has left
 *     . . #
 *     . . .   columns - begin     the first that it has left
 */
static void band_by_passages(const dmlc_band_rows *rows)
{
    const dmlc_band *band = rows->band;
    if (!band_is_dense(rows) || (rows->batch > 1 && rows->count * band->columns * rows->width <= SMALL_MATRIX_BYTES)) {
        band_across(rows);
        return;
    }
    const int64_t full = band->columns - band->end, left = 1 - band->begin;
    const int64_t bounds[] = {1 - band->end, full, full > left ? full : left, band->columns - band->begin, INT64_MAX};
    dmlc_band_rows some = *rows;
    int64_t row = 0;
    for (int i = 0; i < 5 && row < rows->count; ++i) {
        const int64_t end = clamp(bounds[i] - rows->first, rows->count);
        if (end <= row)
            continue;
        some.first = rows->first + row;
        some.count = end - row;
        some.output = rows->output + row * band->output_row;
        some.input = rows->input + row * band->input_row;
        if (i % 2 == 0)
            band_throughout(&some, i == 2);
        else
            band_across(&some);
        row = end;
    }
}

static void band(const dmlc_band_rows *rows)
{
    if (rows->stream == NULL) {
        band_by_passages(rows);
        return;
    }
    /* What goes past the cache is written in the output's order. */
    dmlc_band_rows one = *rows;
    one.batch = 1;
    for (int64_t matrix = 0; matrix < rows->batch; ++matrix) {
        band_by_passages(&one);
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

/* Planes that follow each other: all are filled as one run. */
static void select_scatter_planes(const dmlc_select_block *block)
{
    const int64_t width = block->width, bytes = block->depth * block->depth_step;
    char stage[STAGE_BYTES];
    const bool staged = block->stream != NULL && bytes <= STAGE_BYTES;
    char *output = staged ? stage : block->output;
    fill_bytes(output, bytes, block->off->bytes);
    for (int64_t i = 0; i < block->count; ++i) {
        uint64_t index;
        memcpy(&index, (const char *)block->indices + i * (int64_t)sizeof(index), sizeof(index));
        if (index < (uint64_t)block->depth)
            copy_bytes(output + (int64_t)index * block->depth_step + i * width, (const char *)block->on->bytes, width);
    }
    if (staged)
        stream_copy(block->stream, block->output, stage, bytes);
}

static void select_scatter(const dmlc_select_block *block)
{
    const int64_t width = block->width, depth = block->depth;
    const bool dense_positions = block->position_step == width && block->depth_step != width;
    if (dense_positions && block->depth_step == block->count * width) {
        select_scatter_planes(block);
        return;
    }
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

#if defined(__AVX512VBMI__)
/* Spreads the indices of a block's positions over its bytes and compares all of them with their k at once. */
static inline __m512i selected_tile(__m512i place, __m512i k, const char *indices, __m512i off, __m512i on)
{
    const __m512i spread = _mm512_permutexvar_epi8(place, _mm512_loadu_si512(indices));
    return _mm512_mask_mov_epi8(off, _mm512_cmpeq_epi8_mask(spread, k), on);
}

static inline void store_tile(char *output, __m512i bytes, int64_t left, dmlc_stream *stream)
{
    if (stream != NULL) {
        char line[64];
        _mm512_storeu_si512(line, bytes);
        stream_copy(stream, output, line, left < 64 ? left : 64);
    } else if (left >= 64) {
        _mm512_storeu_si512(output, bytes);
    } else {
        _mm512_mask_storeu_epi8(output, (UINT64_C(1) << left) - 1, bytes);
    }
}

/* `left` bytes from a position's start on. */
static void select_tiles_of(const dmlc_select_block *block, char *output, const char *indices, int64_t left)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const __m512i off = _mm512_loadu_si512(block->off->bytes), on = _mm512_loadu_si512(block->on->bytes);
    dmlc_stream *stream = block->stream;
    if (tiles->count == 1) {
        const __m512i place = _mm512_loadu_si512(tiles->tiles->place), k = _mm512_loadu_si512(tiles->tiles->k);
        const int64_t positions = tiles->units * tiles->inside;
        for (; left > 0; indices += positions, output += 64, left -= 64)
            store_tile(output, selected_tile(place, k, indices, off, on), left, stream);
        return;
    }
    for (; left > 0; indices += tiles->units * tiles->inside) {
        for (int32_t i = 0; i < tiles->count && left > 0; ++i, output += 64, left -= 64) {
            const dmlc_select_tile *tile = &tiles->tiles[i];
            const __m512i place = _mm512_loadu_si512(tile->place), k = _mm512_loadu_si512(tile->k);
            store_tile(output, selected_tile(place, k, indices + tile->position, off, on), left, stream);
        }
    }
}

#elif defined(DMLC_HAVE_LOOK_UP)
/* The same by vectors of 16 bytes, each from the indices of its first byte's position on. */
static inline void select_tile(const dmlc_select_tile *tile, char *output, const char *indices, vector16 off,
                               vector16 on, int64_t left)
{
    for (int64_t i = 0; i < 64 && i < left; i += 16) {
        const unsigned char first = tile->place[i];
        const vector16 place = subtract16(load16(tile->place + i), repeat16(first));
        const vector16 spread = look_up(repeat16(0), load16(indices + tile->position + first), place);
        store16(output + i, select16(equal16(spread, load16(tile->k + i)), on, off));
    }
}

static void select_tiles_of(const dmlc_select_block *block, char *output, const char *indices, int64_t left)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const vector16 off = load16(block->off->bytes), on = load16(block->on->bytes);
    for (; left > 0; indices += tiles->units * tiles->inside) {
        for (int32_t i = 0; i < tiles->count && left > 0; ++i, output += 64, left -= 64) {
            if (left >= 64 && block->stream == NULL) {
                select_tile(&tiles->tiles[i], output, indices, off, on, 64);
                continue;
            }
            char line[64];
            select_tile(&tiles->tiles[i], line, indices, off, on, left);
            copy_run(output, line, left < 64 ? left : 64, block->stream);
        }
    }
}
#endif

#if defined(__AVX512VBMI__) || defined(DMLC_HAVE_LOOK_UP)
static void select_tiles(const dmlc_select_block *block)
{
    const dmlc_select_tiles *tiles = block->tiles;
    const int64_t bytes = tiles->unit_bytes;
    /* Units until one begins with a cache line, where one does: stores across lines take twice as long. */
    int64_t head = 0;
    while (head < tiles->units && (uintptr_t)(block->output + head * bytes) % 64 != 0)
        ++head;
    if (head == tiles->units || head > block->count)
        head = 0;
    select_tiles_of(block, block->output, block->indices, head * bytes);
    select_tiles_of(block, block->output + head * bytes, (const char *)block->indices + head * tiles->inside,
                    (block->count - head) * bytes);
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
    /* Looked up, as a choice between two vectors is a jump that cannot be foretold. */
    unsigned char values[2][16];
    memcpy(values[0], block->off->bytes, 16);
    memcpy(values[1], block->on->bytes, 16);
    const char *indices = block->indices;
    const int64_t count = block->count, depth = block->depth;
    for (int64_t k = 0; k < depth; ++k) {
        char *plane = block->output + k * block->depth_step;
        for (int64_t i = 0; i < count; ++i) {
            int64_t index;
            memcpy(&index, indices + i * (int64_t)sizeof(index), sizeof(index));
            store16(plane + i * 16, load16(values[index == k]));
        }
    }
}

/* normalized = index, depth + index where it is negative and counts from the end, all ones where that is not in
 * [0, depth); computed modulo 2^w in unsigned integers of the wider one's width w, of which the vectors hold most.
 * No two indices meet: depth < 2^w, and what is still negative after depth was added is 2^(w-1) + depth at the least.
 * A negative index that does not count from the end is put outside by `outside`, all ones then. */
#define NORMALIZE_TO(TYPE, WIDTH, NORMALIZED, WIDER)                                                                   \
    static void normalize_##TYPE##_##WIDTH(void *normalized, const char *indices, int64_t step, int64_t count,         \
                                           int64_t depth, bool from_end)                                               \
    {                                                                                                                  \
        char *to = normalized;                                                                                         \
        const TYPE##_t zero = 0;                                                                                       \
        const WIDER end = (WIDER)depth, outside = from_end ? 0 : (WIDER) - 1;                                          \
        if (step == (int64_t)sizeof(TYPE##_t)) {                                                                       \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, (int64_t)sizeof(TYPE##_t)) /* a constant step is vectors */    \
        } else {                                                                                                       \
            NORMALIZE_LOOP(TYPE##_t, NORMALIZED, WIDER, step)                                                          \
        }                                                                                                              \
    }

#define NORMALIZE_LOOP(INDEX, NORMALIZED, WIDER, STEP)                                                                 \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
        INDEX index;                                                                                                   \
        memcpy(&index, indices + i * STEP, sizeof(index));                                                             \
        const WIDER place = index < zero ? (WIDER)((WIDER)((WIDER)index + end) | outside) : (WIDER)index;              \
        const NORMALIZED kept = place < end ? (NORMALIZED)place : (NORMALIZED) - 1;                                    \
        memcpy(to + i * (int64_t)sizeof(kept), &kept, sizeof(kept));                                                   \
    }

#define NORMALIZE(TYPE, WIDER_1, WIDER_2, WIDER_4, WIDER_8)                                                            \
    NORMALIZE_TO(TYPE, 1, uint8_t, WIDER_1)                                                                            \
    NORMALIZE_TO(TYPE, 2, uint16_t, WIDER_2)                                                                           \
    NORMALIZE_TO(TYPE, 4, uint32_t, WIDER_4)                                                                           \
    NORMALIZE_TO(TYPE, 8, uint64_t, WIDER_8)

/* In the order of dmlc_index_type, each with the wider type of itself and 1, 2, 4 and 8 bytes. */
#define FOR_EACH_INDEX_TYPE(DO)                                                                                        \
    DO(int8, uint8_t, uint16_t, uint32_t, uint64_t)                                                                    \
    DO(int16, uint16_t, uint16_t, uint32_t, uint64_t)                                                                  \
    DO(int32, uint32_t, uint32_t, uint32_t, uint64_t)                                                                  \
    DO(int64, uint64_t, uint64_t, uint64_t, uint64_t)                                                                  \
    DO(uint8, uint8_t, uint16_t, uint32_t, uint64_t)                                                                   \
    DO(uint16, uint16_t, uint16_t, uint32_t, uint64_t)                                                                 \
    DO(uint32, uint32_t, uint32_t, uint32_t, uint64_t)                                                                 \
    DO(uint64, uint64_t, uint64_t, uint64_t, uint64_t)

FOR_EACH_INDEX_TYPE(NORMALIZE)

#define TABLE_ROW(TYPE, WIDER_1, WIDER_2, WIDER_4, WIDER_8)                                                            \
    {normalize_##TYPE##_1, normalize_##TYPE##_2, normalize_##TYPE##_4, normalize_##TYPE##_8},

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
    .transpose = transpose,
#if defined(__AVX512VBMI__)
    .permutes_blocks = true,
#endif
    .boxes = boxes,
    .stream_end = stream_end,
    .band = band,
    .normalize = {FOR_EACH_INDEX_TYPE(TABLE_ROW)},
    .select_sequences = select_sequences,
#if defined(__AVX512VBMI__) || defined(DMLC_HAVE_LOOK_UP)
    .select_tiles = select_tiles,
#endif
    .select_scatter = select_scatter,
    .select_planes = {select_planes_1, select_planes_2, select_planes_4, select_planes_8, select_planes_16},
};
