/* The small language of plans.
 *
 *     plan    = output axes, outer to inner, and what is done along them: a map, a selection or a band
 *     axis    = size, output step, and a cycle of at most three segments that says where it reads
 *     segment = a run of the axis that reads at a constant step, or lies outside the input
 *
 * Every padding mode is such a cycle, so a plan's size depends on the rank alone, never on a size:
 *
 *     CONSTANT    |outside|  forward  |outside|             one turn
 *     EDGE        | first |  forward  | last  |             one turn, the outer segments at step 0
 *     REFLECTION  ..forward|back|forward|back..             turns of 2(n-1): n forward, n-2 back
 *     SYMMETRIC   ..forward |back |forward |back..          turns of 2n: n forward, n back
 *     WRAP        ..forward|forward|forward..               turns of n
 */
#ifndef DMLC_PLAN_H
#define DMLC_PLAN_H

#include "dmlc.h"

#include <stdbool.h>

typedef struct dmlc_segment {
    int64_t size;   /* elements */
    int64_t offset; /* input bytes from the axis' origin to the first element read */
    int64_t step;   /* input bytes from one element to the next */
    bool outside;   /* nothing is read: values[0] stands here */
} dmlc_segment;

enum { DMLC_MAXIMUM_SEGMENTS = 3 };

/* Element o of the axis is element (phase + o) mod cycle of the segments laid end to end. */
typedef struct dmlc_axis {
    int64_t size;
    int64_t output_step; /* bytes */
    int64_t phase;
    int64_t cycle; /* the sum of the segments' sizes */
    int32_t segment_count;
    dmlc_segment segments[DMLC_MAXIMUM_SEGMENTS];
} dmlc_axis;

/* What a row does along its axis, ready for a kernel. Offsets are bytes from the row's start. */
typedef enum dmlc_operation {
    DMLC_COPY,      /* bytes, dense on both sides */
    DMLC_FILL,      /* bytes, dense, with values[0] */
    DMLC_FILL_EACH, /* count chunks at the row's output step, with values[0] */
    DMLC_REPEAT,    /* the chunk at `input`, count times, dense */
    DMLC_GATHER,    /* count chunks from `step` apart to the row's output step apart */
    DMLC_REPLICATE  /* count chunks, each from the output `step` bytes before it */
} dmlc_operation;

/* Equal units that follow each other densely in the output, a block of them as one permutation of bytes:
 *
 *     output block   |unit 0|unit 1|unit 2| ..      unit_bytes each, at most 64 bytes in all
 *     input window   [unit 0] [unit 1] [unit 2] ..  unit_step apart, at most 128 bytes in all, from the lowest up
 *
 * output byte i = byte index[i] of the window, or of values[0] where bit i of `filled` is set. A unit is a chunk of a
 * strided or reversed row, or a whole row that is too short to be worth a kernel's while, such as a pixel. A kernel may
 * leave it aside: the pieces say the same. */
typedef struct dmlc_permutation {
    int64_t units; /* of a block; 0 where there is no permutation */
    int64_t unit_bytes;
    int64_t unit_step;
    int64_t begin, end; /* the input bytes that a unit reads, from its own start */
    uint64_t filled;
    uint8_t index[64];
} dmlc_permutation;

enum { DMLC_BLOCK_BYTES = 64, DMLC_WINDOW_BYTES = 128 };

/* Bits [begin, begin + count) of a block's bytes, as far as they are there. */
static inline uint64_t dmlc_bits(int64_t begin, int64_t count)
{
    const int64_t first = begin > 0 ? begin : 0, end = begin + count < 64 ? begin + count : 64;
    return first < end ? ~UINT64_C(0) >> (64 - (end - first)) << first : 0;
}

typedef struct dmlc_piece {
    dmlc_operation operation;
    int32_t permutation; /* of a GATHER: which of the row's, or -1 */
    int64_t output;
    int64_t input;
    int64_t step;
    int64_t count; /* chunks; bytes for COPY and FILL */
} dmlc_piece;

/* One cycle from any phase is at most segments + 1 pieces, and one more replicates it. */
enum { DMLC_MAXIMUM_PIECES = DMLC_MAXIMUM_SEGMENTS + 2 };

/* A padded axis reads forward and back. */
enum { DMLC_MAXIMUM_PERMUTATIONS = 2 };

typedef struct dmlc_row {
    int64_t chunk;       /* bytes that move as one: an element, or a short contiguous run of them */
    int64_t output_step; /* bytes from chunk to chunk */
    int64_t size;        /* chunks */
    int32_t piece_count;
    dmlc_piece pieces[DMLC_MAXIMUM_PIECES];
    int32_t permutation_count;
    dmlc_permutation permutations[DMLC_MAXIMUM_PERMUTATIONS]; /* by the steps of the pieces */
    dmlc_permutation whole;                                   /* units are rows */
    /* A row that is one long copy but for a few bytes at its ends: its first and last 64 bytes as permutations, and which
     * piece is the copy; -1 where it is not such a row. */
    int32_t middle;
    dmlc_permutation head, tail;
} dmlc_row;

/* A box: all that is inside an outer axis, where that is little, as moves of bytes and as permutations of a block of the
 * output each:
 *
 *     output byte (output + i) = values[0] where bit i of `filled` is set, else input byte (input + index[i]),
 *     for each bit i of `written`; bit j of read[0] and read[1]: byte (input + j) or (input + 64 + j) is among them
 *
 * A kernel may leave it aside: the axes say the same. */
typedef struct dmlc_box_part {
    int64_t output, input; /* bytes from the box' start */
    uint64_t read[2], written, filled;
    uint8_t index[DMLC_BLOCK_BYTES];
} dmlc_box_part;

typedef struct dmlc_box_move {
    int64_t output, input; /* bytes from the box' start */
} dmlc_box_move;

enum { DMLC_BOXES_BYTES = 8 * 1024 };

/* Rows, or chunks of a row, that a transpose lists: long enough for a kernel to forget its call, short enough to stay in
 * cache. */
enum { DMLC_MOST_PLACES = 1024 };

/* Moves are of 1, 2, 4, 8 or 16 bytes. */
enum { DMLC_MOVE_WIDTHS = 5 };

typedef struct dmlc_box {
    int32_t axes; /* how many of the innermost it stands for */
    int64_t bytes;
    int64_t together;                          /* of DMLC_BOXES_BYTES, to be gone through before the next */
    bool dense;                                /* in the output */
    bool by_moves;                             /* they are quicker than rows */
    double cost;                               /* of one, see below */
    int32_t move_counts[2 * DMLC_MOVE_WIDTHS]; /* by width: those that copy, then those that fill with values[0] */
    int32_t part_count;                        /* 0 where moves are quicker */
    dmlc_box_part parts[];                     /* and behind them the moves */
} dmlc_box;

static inline dmlc_box_move *dmlc_box_moves(const dmlc_box *box)
{
    return (dmlc_box_move *)(box->parts + box->part_count);
}

/* A transpose: so many of a map's innermost axes lie along its rows, and so many outside them across, see transpose.c.
 *
 *     places[i]    where row i of an element of the outermost axis across lies in the output
 *     sources[i]   where a row of several axes reads chunk i; it stands for so many elements of the outermost of them as
 *                  there is room for. One axis' row has none.
 */
typedef struct dmlc_transpose {
    int32_t along, across;
    int64_t place_count, source_count;
    int64_t *sources; /* in the same memory, behind the places */
    int64_t places[];
} dmlc_transpose;

/* How a selection is written. */
typedef enum dmlc_select_strategy {
    DMLC_SELECT_PLANES,    /* positions are dense: compare a run of indices with one k after the other */
    DMLC_SELECT_SEQUENCES, /* sequences are dense and short: compare an index with all k at once */
    DMLC_SELECT_SCATTER    /* else: fill, then store the ones */
} dmlc_select_strategy;

/* Dense sequences as blocks of the output, which repeat after a few: 10 elements of 4 bytes are 5 blocks in 8 positions.
 *
 *     output byte i = index[position + place[i]] == k[i] ? values[1] : values[0], byte by byte
 *
 * Where a few positions lie inside the depth, all sequences of as many are a unit; else a unit is one sequence. */
typedef struct dmlc_select_tile {
    int64_t position;
    uint8_t place[DMLC_BLOCK_BYTES], k[DMLC_BLOCK_BYTES];
} dmlc_select_tile;

typedef struct dmlc_select_tiles {
    int64_t inside;     /* positions of a unit */
    int64_t unit_bytes; /* of the output */
    int64_t units;      /* of all tiles */
    int32_t count;
    dmlc_select_tile tiles[];
} dmlc_select_tiles;

typedef struct dmlc_select {
    dmlc_select_strategy strategy;
    int64_t index_width;      /* bytes of a normalized index */
    dmlc_select_tiles *tiles; /* or NULL; a kernel may leave them aside */
    dmlc_index_type index_type;
    bool from_end;
    int64_t depth;
    int64_t depth_step; /* output bytes from k to k + 1 */
} dmlc_select;

/* Columns [begin + y, end + y) of row y, cut to [0, columns): the band. */
typedef struct dmlc_band {
    int64_t begin, end;
    bool inverted; /* all but the band is set */
    dmlc_band_background background;
    int64_t rows, columns;
    int64_t output_row, output_column; /* steps in bytes */
    int64_t input_row, input_column;
} dmlc_band;

typedef enum dmlc_kind { DMLC_MAP, DMLC_SELECT, DMLC_BAND } dmlc_kind;

struct dmlc_plan {
    dmlc_kind kind;
    int64_t width;
    int64_t bytes;         /* moved by a run */
    double cost;           /* of a map's moves, see below */
    int64_t output_offset; /* from the operands' pointers to where all steps are taken from */
    int64_t input_offset;
    bool empty;   /* no element to write */
    bool outside; /* a map that reads nothing at all */
    union {
        dmlc_row row;       /* DMLC_MAP: the last axis */
        dmlc_select select; /* DMLC_SELECT: positions are the axes */
        dmlc_band band;     /* DMLC_BAND: batches are the axes */
    } program;
    dmlc_box *box;             /* of a map, or NULL */
    dmlc_transpose *transpose; /* of a map, or NULL */
    int32_t dense_from;        /* of a map: axes[dense_from] and all inside it are one contiguous run of the output */
    int32_t axis_count;
    dmlc_axis axes[];
};

/* A plan in the making. Steps are bytes. */
typedef struct dmlc_draft {
    int64_t width;
    int64_t output_offset;
    int64_t input_offset;
    bool empty;
    bool outside;
    int32_t axis_count;
    dmlc_axis axes[DMLC_MAXIMUM_RANK];
} dmlc_draft;

/* layout.c: what all operators share. */

bool dmlc_width_is_valid(int64_t width);

/* a * b, or false where it leaves (-2^62, 2^62). */
bool dmlc_multiply(int64_t a, int64_t b, int64_t *product);

/* Whether (size - 1) * |step|, summed over the axes, stays below 2^62, and so every offset and every sum of two. */
bool dmlc_reach_fits(int32_t rank, const int64_t *sizes, const int64_t *strides);

void dmlc_draft_begin(dmlc_draft *draft, int64_t width);

/* Adds an axis of no segments, to be described with dmlc_axis_add. */
dmlc_axis *dmlc_draft_add_axis(dmlc_draft *draft, int64_t size, int64_t output_step);

/* Appends a segment, or lengthens the last one where it continues it; empty ones vanish. */
void dmlc_axis_add(dmlc_axis *axis, int64_t size, int64_t offset, int64_t step, bool outside);

/* A single segment read at one step, nothing of it outside. */
bool dmlc_axis_is_plain(const dmlc_axis *axis);

/* The least distance in the input between two elements that follow each other; INT64_MAX where there are none. */
int64_t dmlc_axis_distance(const dmlc_axis *axis);

/* The run that begins at `position`, stays in one segment and ends at `end` at the latest. */
dmlc_segment dmlc_axis_run(const dmlc_axis *axis, int64_t position, int64_t end);

/* Canonical form: size-1 axes dropped, output steps positive and descending, axes that continue each other merged. */
void dmlc_draft_canonicalize(dmlc_draft *draft);

/* permutation.c: the one for so many chunks `step` apart; none where it would not pay. */
void dmlc_permute_chunks(dmlc_permutation *permutation, int64_t chunk, int64_t step, int64_t count);

/* The one for whole rows of a built row, `unit_step` apart; none where rows are long or the input is too far apart. */
void dmlc_permute_rows(dmlc_permutation *permutation, const dmlc_row *row, int64_t width, int64_t unit_step);

/* The head, the middle and the tail of a built row, see dmlc_row. */
void dmlc_permute_ends(dmlc_row *row);

/* The costs, in nanoseconds on one machine, by which ways to go through a map are compared, and work is shared. */
#define DMLC_BYTE_COST 0.01     /* moved in a long run */
#define DMLC_CALL_COST 10       /* of a kernel */
#define DMLC_MOVE_COST 0.5      /* of at most 16 bytes, listed */
#define DMLC_GATHER_COST 0.35   /* of at most 16 bytes of a chunk, evenly apart */
#define DMLC_PERMUTATION_COST 2 /* of a block */
#define DMLC_PART_COST 1.5      /* of a box */
#define DMLC_TRANSPOSE_COST 40  /* of a call */
#define DMLC_PLACE_COST 1.5     /* of a row of a transpose */
#define DMLC_SCATTER_COST 0.45  /* of at most 16 bytes of a chunk of it, alone */

/* By how many moves a chunk goes. */
static inline int64_t dmlc_chunk_moves(int64_t chunk) { return (chunk + 15) / 16; }

/* Chunks of a map, all its axes taken together. */
double dmlc_map_elements(const dmlc_plan *plan);

/* box.c: gives a map its box where that costs less than what it costs so far. */
dmlc_status dmlc_plan_box(dmlc_plan *plan, double cost_of_rows);

/* transpose.c: the axes along the row, from the innermost out, and then those across it; none where it is no transpose. */
typedef struct dmlc_transposition {
    double cost;
    int32_t along, across;
    int32_t axes[DMLC_MAXIMUM_RANK];
} dmlc_transposition;

dmlc_transposition dmlc_find_transposition(const dmlc_plan *plan);
dmlc_status dmlc_plan_transpose(dmlc_plan *plan, const dmlc_transposition *found);

/* Elements [begin, end) of a row axis as pieces. */
void dmlc_row_build(dmlc_row *row, const dmlc_axis *axis, int64_t begin, int64_t end);

/* Allocates a plan with the draft's axes; the program is the caller's to fill. */
dmlc_status dmlc_plan_allocate(dmlc_plan **plan, dmlc_kind kind, const dmlc_draft *draft);

/* Hands a plan over, or frees it where the last step of its making failed. */
dmlc_status dmlc_plan_finish(dmlc_plan **plan, dmlc_plan *made, dmlc_status status);

/* map.c: canonicalizes, allocates, and chooses how the axes are gone through. */
dmlc_status dmlc_plan_map(dmlc_plan **plan, dmlc_draft *draft);

/* The number of elements of the axes, and of the plan's output in bytes. */
int64_t dmlc_draft_elements(const dmlc_draft *draft);

#endif
