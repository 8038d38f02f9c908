/* The kernels: rows and blocks of rows, by the width of what is moved. No error, thread or data type is known here.
 *
 * kernels.c is compiled once per instruction set. Each makes a table, and those of AVX2 and AVX-512 one more, of the same kernels with the
 * costs on Intel's processors, see abilities.h. A pointer may have any alignment. The input and the output of a call share no memory,
 * except where a contract says so.
 */
#ifndef DMLC_KERNELS_H
#define DMLC_KERNELS_H

#include "kernels/abilities.h"
#include "language/plan.h"

#include <stddef.h>
#include <string.h>

enum { DMLC_PATTERN_BYTES = 64 };

/* Whether a table's shuffles are of whole vectors, see dmlc_shuffle; else of lanes. */
static inline bool dmlc_has_wide_shuffles(const dmlc_abilities *abilities)
{
    return abilities->block_bytes == DMLC_BLOCK_BYTES;
}

/* Runs that no second-level cache holds, of one byte over and over: the C library's memset does not fetch what it overwrites,
 * which took 0.75 of the time from 2 to 20 MB, and 1.5 times as long in the cache. */
enum { DMLC_LONG_FILL_BYTES = 960 * 1024 };

/* One element, repeated. Every fill copies from here: a run of whole elements may begin at any multiple of the width,
 * so one kernel fills for all widths. */
typedef struct dmlc_pattern {
    unsigned char bytes[DMLC_PATTERN_BYTES];
    int64_t width;
} dmlc_pattern;

/* The bytes of a pattern: an element of 1, 2, 4, 8, 16 or 32 bytes over and over. Sizes are constants, so that nothing is called and it
 * is made in registers: stored element by element, it is read before the stores have ended, and 700 times a byte took twice as long. */
static inline void dmlc_repeat_element(unsigned char *pattern, const void *element, int64_t width)
{
#define REPEAT(WIDTH)                                                                                                  \
    for (int64_t at = 0; at < DMLC_PATTERN_BYTES; at += (WIDTH))                                                       \
    memcpy(pattern + at, element, WIDTH)
    switch (width) {
    case 1: memset(pattern, *(const unsigned char *)element, DMLC_PATTERN_BYTES); break;
    case 2: REPEAT(2); break;
    case 4: REPEAT(4); break;
    case 8: REPEAT(8); break;
    case 16: REPEAT(16); break;
    default: REPEAT(32); break;
    }
#undef REPEAT
}

enum { DMLC_PAGE_BYTES = 4096, DMLC_STAGE_MARGIN = 64, DMLC_STAGE_BYTES = 2 * DMLC_PAGE_BYTES - DMLC_STAGE_MARGIN };

enum { DMLC_LINE_BYTES = 64 };

typedef struct dmlc_stage {
    _Alignas(DMLC_PAGE_BYTES) char margin[DMLC_STAGE_MARGIN];
    char bytes[DMLC_STAGE_BYTES];
} dmlc_stage;

/* What a task writes past the cache, see stream.h: bytes [begin, end) of the output from `line` on, where a cache line begins, are made in
 * `stage`, one of the two, and not yet sent. The other stage may have what stands before them: bytes [before_begin, before_end) from
 * whole_lines(before_end) bytes before `line` on; before_end is 0 where it has nothing. Bytes that are written one after the other, without
 * a gap, are a run: the last began at `run`, `step` bytes after the one before. Where a kernel is given no stream, it writes as usual. */
typedef struct dmlc_stream {
    char *line, *run, *stage;
    int64_t begin, end, step;
    int64_t before_begin, before_end;
    dmlc_stage stages[2];
} dmlc_stream;

_Static_assert(
    offsetof(dmlc_stream, stages) == DMLC_PAGE_BYTES &&
        offsetof(dmlc_stream, before_end) + sizeof(int64_t) <= DMLC_STAGE_MARGIN,
    "a load waits for a store before it to the same place in another page: no stage lies where the rest does");

/* A run at `output` of which nothing is made yet; nothing else is either. */
static inline void dmlc_stream_begin_run(dmlc_stream *stream, char *output, int64_t step)
{
    stream->run = output;
    stream->step = step;
    stream->begin = stream->end = (int64_t)((uintptr_t)output % DMLC_LINE_BYTES);
    stream->line = output - stream->begin;
}

static inline void dmlc_stream_begin(dmlc_stream *stream, char *output)
{
    stream->stage = stream->stages[0].bytes;
    stream->before_end = 0;
    dmlc_stream_begin_run(stream, output, 0);
}

/* Rows of a band, see dmlc_band, of each matrix of a batch: pointers at column 0 of row `first` of the first matrix. */
typedef struct dmlc_band_rows {
    const dmlc_band *band;
    int64_t first, count;
    int64_t batch, output_batch, input_batch; /* matrices, bytes from one to the next */
    char *output;
    const char *input;
    int64_t width;
    const dmlc_pattern *background;
    const dmlc_pattern *value;
    dmlc_stream *stream;
    bool far; /* the matrices lie far from the cache */
} dmlc_band_rows;

/* A block of units, each of the positions `inside` it, one or more:
 *
 *     element k of position j of unit i  =  output + i * unit_step + k * depth_step + j * width
 *
 * With more than one position, units are dense, of at most DMLC_UNIT_BYTES: depth_step is inside * width, unit_step depth * depth_step. */
typedef struct dmlc_select_block {
    char *output;
    int64_t unit_step, depth_step;
    int64_t inside;
    int64_t count, depth;
    int64_t first; /* the index of what stands at `output`; 0 but for ones and planes */
    int64_t width;
    const void *indices; /* normalized, see below */
    const dmlc_select_tiles *tiles;
    const dmlc_pattern *off;
    const dmlc_pattern *on;
    dmlc_stream *stream;
} dmlc_select_block;

/* Widths and types as places in the tables. */
enum { DMLC_WIDTHS = 5, DMLC_ANY_CHUNK = DMLC_WIDTHS, DMLC_INDEX_TYPES = 8, DMLC_INDEX_WIDTHS = 4 };

/* 1, 2, 4, 8, 16 -> 0 .. 4; any other size -> DMLC_ANY_CHUNK. */
static inline int dmlc_width_place(int64_t width)
{
    switch (width) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    case 16: return 4;
    default: return DMLC_ANY_CHUNK;
    }
}

/* Pixels of 3, 6 and 12 bytes take two moves each where no wider one will do, see WIDER in transpose_template.inc. Transposes of 6 and
 * 12 bytes took up to 1.25 times as long by two. */
static inline bool dmlc_has_wider_move(int64_t chunk) { return chunk == 3 || chunk == 6 || chunk == 12; }

/* Whether chunks of a size have a loop of their own, see chunks.inc. */
static inline bool dmlc_has_moves(int64_t chunk)
{
    return dmlc_width_place(chunk) != DMLC_ANY_CHUNK || dmlc_has_wider_move(chunk) || chunk == 32;
}

/* Whether a chunk over and over, so many bytes in all, is made a vector that is stored. */
static inline bool dmlc_repeats_by_vectors(int64_t chunk, int64_t bytes)
{
    enum { VECTOR = 32 };
    return bytes >= VECTOR && VECTOR % chunk == 0;
}

/* How many chunks apart those of 1, 2 and 4 bytes are at most that a kernel of even steps goes through, see steps.h. 0 for others: those of
 * 8 bytes have such loops, too, which gain past the first-level cache alone, and are planned as if they had none. */
static inline int64_t dmlc_most_even_steps(int64_t chunk) { return chunk < 4 ? 4 : chunk == 4 ? 3 : 0; }

/* Whether a transpose first brings together chunks that lie a few apart from row to row, along the rows of the input, and turns them then,
 * see transpose_in_buffer: those of 1 to 4 bytes whose steps are vectors. Where they go chunk by chunk into the buffer, five apart, a
 * transpose took 1.2 to 1.8 times as long as without it, chunks of 8 bytes up to 1.9 times, and rows of 6 to 10 chunks 1.2 to 1.8 times. */
static inline bool dmlc_turns_in_buffer(int64_t chunk, int64_t output_step, int64_t input_step, int64_t rows,
                                        int64_t columns)
{
    enum { LEAST_ROWS = 16, LEAST_COLUMNS = 4 };
    return dmlc_width_place(chunk) <= 2 && output_step == chunk && input_step >= 2 * chunk &&
           input_step <= dmlc_most_even_steps(chunk) * chunk && input_step % chunk == 0 && rows >= LEAST_ROWS &&
           columns >= LEAST_COLUMNS;
}

/* A transpose moves pieces of so many chunks at most down each column. */
enum { DMLC_MOST_NARROW = 2 };

/* How many of so many rows it turns at a time: as many as the buffer holds of a strip of columns. */
enum { DMLC_BUFFER_BYTES = 8192, DMLC_STRIP_BYTES = 256 };

static inline int64_t dmlc_rows_in_buffer(int64_t chunk, int64_t rows, int64_t columns)
{
    const int64_t strip = dmlc_minimum(columns, DMLC_STRIP_BYTES / chunk);
    const int64_t fitting = DMLC_BUFFER_BYTES / chunk / strip;
    return dmlc_minimum(rows, fitting);
}

/* Whether rows that lie so far apart, of chunks that do, are the planes of dense pixels, see pixels.h: the pixels may go either way, and so
 * may the planes. */
static inline bool dmlc_are_pixels(int64_t input_row, int64_t step, int64_t rows, int64_t chunk)
{
    const int64_t pixel = rows * chunk;
    return rows >= 2 && rows <= DMLC_MOST_PLANES && (step == pixel || step == -pixel) &&
           (input_row == chunk || input_row == -chunk);
}

/* Rows of so many bytes and more have whole lines enough to go past the cache one by one. */
enum { DMLC_LEAST_STAGED_ROW = 512 };

/* Whether a transpose may go past the cache by a stage, see staged_transposes.h: long rows, or many columns of short ones that follow
 * each other. Fewer columns, or shorter ones, took up to 1.6 and 1.9 times as long, and short rows of bytes as long as by tiles. */
static inline bool dmlc_may_be_staged(int64_t chunk, int64_t input_step, int64_t output_row, int64_t rows,
                                      int64_t columns)
{
    enum { LEAST_COLUMNS = 17, LEAST_COLUMN = 512 };
    if (dmlc_width_place(chunk) == DMLC_ANY_CHUNK || input_step != chunk)
        return false;
    if (columns >= DMLC_LEAST_STAGED_ROW / chunk)
        return rows >= DMLC_LINE_BYTES / chunk;
    return chunk > 1 && output_row == columns * chunk && columns >= LEAST_COLUMNS && rows >= LEAST_COLUMN / chunk;
}

/* Whether planes of pixels go past the cache by a stage of their own, row by row. */
static inline bool dmlc_are_long_planes(int64_t chunk, int64_t columns)
{
    return dmlc_width_place(chunk) <= 3 && columns >= DMLC_LEAST_STAGED_ROW / chunk;
}

/* From so many bytes on the C library's memcpy is the fastest for a long run, wherever it begins. Processors of one instruction set differ
 * in this number, so it is found out before any run, see dispatch.c. */
extern int64_t dmlc_least_string_bytes;

/* From so many bytes on rows of one length are copied by stores of whole lines where a store has 64 bytes. Found out before any run. */
extern int64_t dmlc_least_aligned_row_bytes;

/* Whether a vector's store that ends in a line which is not in the first-level cache holds up those behind it, so that to ask for
 * that line first pays where stores go from row to row. Found out before any run, too. */
extern bool dmlc_stores_wait;

/* What a map's kernel goes through: `count` rows or boxes, so many bytes apart. */
typedef struct dmlc_block {
    char *output;
    int64_t output_step;
    const char *input;
    int64_t input_step;
    int64_t count;
    const dmlc_pattern *pattern; /* values[0] */
    dmlc_stream *stream;
    bool far;             /* what is read is worth fetching ahead: the run moves much */
    bool writes_in_order; /* pays: it moves so much that the last-level cache may not hold it */
    bool in_memory;       /* some of what the run moves is not in the cache */
    bool stores_wait;     /* lines are worth fetching before they are written: the first-level cache is too small */
    bool reads_down;      /* what is read next to a row lies below it: of a run that moves much */
} dmlc_block;

struct dmlc_kernels {
    const dmlc_abilities *abilities;

    /* output[0, bytes) = the pattern; bytes is a multiple of its width. */
    void (*fill)(char *output, int64_t bytes, const dmlc_pattern *pattern, dmlc_stream *stream);

    /* output[0, bytes) = input[0, bytes). */
    void (*copy)(char *output, const char *input, int64_t bytes);

    /* `row` is the program's or a part of it, or a single piece that fills or replicates, of one row: then its size may be 0, and no input
     * is read. `permutations` are those of its gathers, or NULL. */
    void (*rows)(const dmlc_row *row, const dmlc_row_permutations *permutations, const dmlc_block *block);

    /* Rows whose input lies closer together from row to row than along the row. Where there are `places`, at most
     * DMLC_MOST_PLACES, row i is at output + places[i]; where there are `sources`, as many at most, the row is one piece
     * that gathers, chunk i of row r from input + r * input_step + sources[i]. Where there are sources and no places, and the row
     * is dense, a chunk may be longer than DMLC_LONGEST_CHUNK, and is best a run that goes on in the next row. */
    void (*transpose)(const dmlc_row *row, const int64_t *places, const int64_t *sources, const dmlc_block *block);

    /* Rows that follow each other in the output. */
    void (*filled_rows)(const dmlc_filled_rows *filled_rows, const dmlc_block *block);

    void (*moves)(const dmlc_moves *moves, const dmlc_block *block);

    /* Writes what is pending, and makes what was streamed visible to other threads. */
    void (*stream_end)(dmlc_stream *stream);

    void (*band)(const dmlc_band_rows *rows);

    /* normalized[i] = j, where j = the index at indices + i * step (counted from the end if negative and from_end),
     * or the largest unsigned value of its width where j is not in [0, depth); as a byte, any that is not below depth.
     * By index type and the normalized width; depth is at most that largest value. */
    void (*normalize[DMLC_INDEX_TYPES][DMLC_INDEX_WIDTHS])(void *normalized, const char *indices, int64_t step,
                                                           int64_t count, int64_t depth, bool from_end);

    /* Off everywhere, then on where the indices are. Indices are normalized to 8 bytes. */
    void (*select_scatter)(const dmlc_select_block *block);

    /* On where the indices are that lie in [first, first + depth), nothing elsewhere. Indices are normalized to 8 bytes. */
    void (*select_ones)(const dmlc_select_block *block);

    /* Dense sequences of at most DMLC_SEQUENCE_BYTES, one after the other. Indices are normalized to 4 bytes. */
    void (*select_sequences)(const dmlc_select_block *block);

    /* Plane by plane of equal k: on where the index equals k, else off. By element width; indices are normalized to
     * the element's width, 8 bytes for 16, and 64 bytes may be read past them. unit_step is the width. */
    void (*select_planes[DMLC_WIDTHS])(const dmlc_select_block *block);

    /* From here on NULL in tables whose abilities have 0 as block_bytes and select_bytes: no plan for them goes these ways. */

    /* So many rows, whatever the block's count is, each of so many units that follow each other in the output. */
    void (*short_rows)(const dmlc_permutation *permutation, int64_t rows, int64_t units, const dmlc_block *block);

    void (*ends)(const dmlc_ends *ends, const dmlc_block *block);

    void (*shuffles)(const dmlc_shuffles *shuffles, const dmlc_block *block);

    /* Dense units by their tiles. Indices are normalized to 1 byte, 64 bytes may be read past them. */
    void (*select_tiles)(const dmlc_select_block *block);
};

#endif
