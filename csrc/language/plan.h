/* The language of plans: what a plan is. plan/planner.h says how one is made, run/ carries it out.
 *
 *     plan    = output axes, outer to inner, and one way to go through the innermost of them
 *     axis    = size, output step, and a cycle of at most three segments that says where it reads
 *     segment = a run of the axis that reads at a constant step, or lies outside the input
 *     way     = rows | permuted rows | short rows | filled rows | ends | moves | shuffles | transpose | packed | grown | one-hot's | bands
 *
 * Every padding mode is such a cycle, so the memory that axes take depends on the rank alone, not on any size:
 *
 *     CONSTANT    |outside|  forward  |outside|             one turn
 *     EDGE        | first |  forward  | last  |             one turn, the outer segments at step 0
 *     REFLECTION  ..forward|back|forward|back..             turns of 2(n-1): n forward, n-2 back
 *     SYMMETRIC   ..forward |back |forward |back..          turns of 2n: n forward, n back
 *     WRAP        ..forward|forward|forward..               turns of n
 *
 * The words, here and in every room below the planner:
 *
 *     chunk    bytes that move as one: an element, or a short contiguous run of them
 *     row      the last axis, chunk by chunk
 *     piece    a stretch of a row that one operation writes
 *     unit     what a permutation repeats: a chunk, or a whole short row; of one-hot, all k of one position or of a few
 *     block    the output bytes that one vector holds
 *     window   the input that a block is made from; of one-hot and bands, the part of a ready-made row that is copied
 *     box      what is inside an outer axis, where that is at most a few KB
 *     move     a few bytes of a box, copied as one; a shuffle makes a block of it
 *     lane     16 bytes of a vector: to look a byte up reaches no further
 *     tile     rows and columns that a kernel turns, or elements that it compares, in registers
 *     pattern  one element over and over, 64 bytes of it: what fills are copied from
 *     stage    some KB in the cache, where is made what then goes on from there: past it, or to a leaf
 *     core     of a leaf's output, where each element that it reads stands once; it grows by copies of it
 *     leaf     the innermost axes, which the way goes through by itself; the walk goes through the others
 *     task     what one thread takes at a time
 */
#ifndef DMLC_LANGUAGE_PLAN_H
#define DMLC_LANGUAGE_PLAN_H

#include "language/axis.h"

/* Equal units that follow each other densely in the output, a block of them as one permutation of bytes:
 *
 *     output block   |unit 0|unit 1|unit 2| ..      unit_bytes each
 *     input window   [unit 0] [unit 1] [unit 2] ..  unit_step apart, from the lowest up
 *
 * output byte i = byte index[i] of the window, or of values[0] where bit i of `filled` is set. How large a block and a
 * window may be, the abilities of the plan's kernels say. With `words`, four bytes that begin at a multiple of four stay
 * together, none is filled, and block and window may be larger. */
typedef struct dmlc_permutation {
    int64_t units; /* of a block; 0 where there is no permutation */
    int64_t unit_bytes;
    int64_t unit_step;
    int64_t begin, end; /* the input bytes that a unit reads, from its own start */
    bool words;
    uint64_t filled;
    uint8_t index[64];
} dmlc_permutation;

enum { DMLC_BLOCK_BYTES = 64 }; /* at most */

/* The bytes of a block's window. */
static inline int64_t dmlc_window_of(const dmlc_permutation *permutation)
{
    return (permutation->units - 1) * dmlc_absolute(permutation->unit_step) + permutation->end - permutation->begin;
}

/* Whether so many units are enough to go by blocks, for each of which `loaded` bytes are loaded, its window or more. A load begins at the
 * window's lower end or ends at its upper one: then one of the two always stays within what the units read. */
static inline bool dmlc_permutation_fits(const dmlc_permutation *permutation, int64_t units, int64_t loaded)
{
    const int64_t others = units - permutation->units, beyond = loaded - dmlc_window_of(permutation);
    return others >= 0 && others * dmlc_absolute(permutation->unit_step) >= 2 * beyond;
}

/* Bits [begin, begin + count) of a block's bytes, as far as they are there. */
static inline uint64_t dmlc_bits(int64_t begin, int64_t count)
{
    const int64_t first = dmlc_maximum(begin, 0), end = dmlc_minimum(begin + count, 64);
    return first < end ? ~UINT64_C(0) >> (64 - (end - first)) << first : 0;
}

/* One for each step of a row's gathers: a padded row reads forward and back. */
enum { DMLC_ROW_PERMUTATIONS = 2 };

/* The permutations of a row's gathers, found by their steps; a gather whose step has none moves chunk by chunk. */
typedef struct dmlc_row_permutations {
    int32_t count;
    dmlc_permutation list[DMLC_ROW_PERMUTATIONS];
} dmlc_row_permutations;

typedef struct dmlc_rows {
    dmlc_row row;
    dmlc_row_permutations permutations; /* of DMLC_PERMUTED_ROWS alone */
} dmlc_rows;

/* Dense rows of at most a block, as units: a permutation for each step of the axis outside them. A leaf is one of them, or all `units` of
 * that axis where it is a step alone. */
typedef struct dmlc_short_rows {
    int64_t units;
    int32_t count;
    dmlc_permutation permutations[DMLC_MAXIMUM_SEGMENTS];
} dmlc_short_rows;

/* Dense rows that follow each other, each of one copy and filled for the rest: all are filled, then copied to.
 *
 *     |........filled........|.....copy.....|....filled....| */
enum { DMLC_MOST_FILLED_BYTES = 256 };

typedef struct dmlc_filled_rows {
    int64_t bytes;                               /* of the row, DMLC_MOST_FILLED_BYTES at most */
    int64_t copy_output, copy_input, copy_bytes; /* from the row's start */
} dmlc_filled_rows;

/* A block of the output of a box or of a row's end, for kernels that permute across whole vectors and write by masks, from two
 * windows of 64 bytes:
 *
 *     output byte (output + i) = values[0] where bit i of `filled` is set, else byte index[i] of the first window, or
 *     index[i] - 64 of the second, for each bit i of `written`; bit j of read[s]: byte (inputs[s] + j) is loaded, what index[]
 *     needs and the rest of a window that lies within what the box or the row reads anyway
 */
typedef struct dmlc_shuffle {
    int64_t output, inputs[2]; /* bytes from the box' or the row's start */
    uint64_t read[2], written, filled;
    uint8_t index[DMLC_BLOCK_BYTES];
} dmlc_shuffle;

/* The same for kernels that look bytes up in 16 others: a block of 16 from at most so many windows of 16.
 *
 *     output byte (output + i) = values[0] where filled[i] is 0xFF, else byte index[s][i] of the window at input + inputs[s]
 *     for the one s whose index is below 16; the others have DMLC_ELSEWHERE there
 *
 * All 16 bytes are written, and belong to the output: the last shuffle overlaps the one before it, and both write the same there. */
enum { DMLC_LANE_BYTES = 16, DMLC_LANE_SOURCES = 4, DMLC_ELSEWHERE = 0x80 };

typedef struct dmlc_lane_shuffle {
    int64_t output;
    int64_t inputs[DMLC_LANE_SOURCES];
    int32_t source_count;
    bool fills;
    uint8_t index[DMLC_LANE_SOURCES][DMLC_LANE_BYTES];
    uint8_t filled[DMLC_LANE_BYTES];
} dmlc_lane_shuffle;

/* Shuffles of one of the two kinds, in the plan's memory. There are at most as many wide ones as full blocks make up the largest box. */
enum { DMLC_BOX_BYTES = 4096, DMLC_MOST_SHUFFLES = DMLC_BOX_BYTES / DMLC_BLOCK_BYTES };

typedef struct dmlc_shuffle_list {
    bool wide;
    int32_t count; /* DMLC_MOST_SHUFFLES at most where they are wide */
    union {
        const dmlc_shuffle *blocks;
        const dmlc_lane_shuffle *lanes;
    } of;
} dmlc_shuffle_list;

/* Dense rows that are one long copy but for a few bytes at their ends, which are shuffles:
 *
 *     |head|........................copy........................|tail| */
enum { DMLC_MOST_END_BYTES = 256 };

typedef struct dmlc_ends {
    int64_t bytes;                               /* of the row */
    int64_t copy_output, copy_input, copy_bytes; /* from the row's start */
    int32_t head_count;                          /* of the shuffles, which stand before the copy */
    bool repeated;                               /* each end is a lane of one source over and over, see plan/ends.c */
    dmlc_shuffle_list shuffles;
} dmlc_ends;

/* Moves are of 1, 2, 4, 8, 16 or 32 bytes. */
enum { DMLC_MOVE_WIDTHS = 6, DMLC_MOST_MOVE_BYTES = 32 };

typedef struct dmlc_move {
    int64_t output, input; /* bytes from the box' start */
} dmlc_move;

/* How boxes lie, whichever way they go. */
enum { DMLC_BOXES_BYTES = 16 * 1024 };

typedef struct dmlc_box {
    int64_t bytes; /* DMLC_BOX_BYTES at most */
    /* How many boxes one shuffle, or one kind of moves, goes through before the next does: of DMLC_BOXES_BYTES at most, and fewer
     * where what is moved is far away. */
    int64_t together, together_far;
    bool dense; /* in the output */
    /* Of dense boxes at least as far apart in the input as they are long, where to read them in their order pays; `apart` is 0 for others.
     * Where their input comes from memory, so few go together that it is read in its order, DMLC_BOX_BYTES of them at most, and of the next
     * ones input bytes [fetched_begin, fetched_end) are fetched. Boxes that go down are then gone through from the last one, but for those
     * that go past the cache. */
    int64_t apart, together_in_memory, fetched_begin, fetched_end;
} dmlc_box;

/* Whether boxes so far apart read so few bytes, from the first to the last, that what lies between is not fetched with them. */
static inline bool dmlc_reads_with_gaps(int64_t apart, int64_t read) { return 4 * read < 3 * apart; }

typedef struct dmlc_moves {
    dmlc_box box;
    bool filled; /* dense boxes are filled from end to end before what is copied; no moves fill */
    int32_t counts[2 * DMLC_MOVE_WIDTHS]; /* by width: those that copy, then those that fill with values[0] */
    const dmlc_move *list;                /* the plan's memory */
} dmlc_moves;

typedef struct dmlc_shuffles {
    dmlc_box box;
    dmlc_shuffle_list shuffles;
} dmlc_shuffles;

/* Rows, or chunks of a row, that a transpose lists: so many that a call costs little beside them, and few enough to stay
 * in cache. */
enum { DMLC_MOST_PLACES = 1024 };

/* A transpose: so many of a map's innermost axes lie along its rows, and so many outside them across, see
 * plan/transpose.c.
 *
 *     places[i]    where row i of an element of the outermost axis across lies in the output
 *     sources[i]   where a row of several axes reads chunk i; it stands for so many elements of the outermost of them as
 *                  there is room for. One axis' row has none.
 */
typedef struct dmlc_transpose {
    dmlc_row row;
    int32_t along, across;
    int64_t place_count, source_count;
    const int64_t *places, *sources; /* the plan's memory */
} dmlc_transpose;

/* What a leaf reads is packed first, dense in a stage, and its output made from there: each by a plan, which has a leaf's axes alone. */
enum { DMLC_PACKED_BYTES = 32 * 1024 };

typedef struct dmlc_packed {
    dmlc_plan *pack, *unpack; /* freed with this one */
    int64_t bytes;            /* in the stage, DMLC_PACKED_BYTES at most */
} dmlc_packed;

/* The core of a leaf is read, which has each of its elements once, and all else of the leaf is made from there within the output, axis by
 * axis: each by a plan, which has a leaf's axes alone. One plan goes through so many leaves, of DMLC_TOGETHER_BYTES at most or one, before
 * the next does. */
enum { DMLC_MOST_GROWN = 8, DMLC_TOGETHER_BYTES = 16 * 1024 };

typedef struct dmlc_grown {
    int64_t together; /* leaves */
    int32_t count;
    int32_t from_input;                /* of these, the first ones, which do not read the output */
    dmlc_plan *plans[DMLC_MOST_GROWN]; /* freed with this one */
} dmlc_grown;

/* How a selection is written. */
typedef enum dmlc_select_way {
    DMLC_SELECT_PLANES,    /* positions are dense: compare a run of indices with one k after the other */
    DMLC_SELECT_SEQUENCES, /* sequences are dense: copy each, a window of one that is ready-made */
    DMLC_SELECT_TILES,     /* units are dense and short: compare many indices with all k at once */
    DMLC_SELECT_SCATTER    /* any: fill, then store the ones */
} dmlc_select_way;

enum {
    DMLC_SEQUENCE_BYTES = 4096, /* the longest sequence that is made ready */
    DMLC_UNIT_BYTES = 8192,     /* the largest unit of several positions */
    DMLC_TILE_BYTES = 64,       /* at most */
    DMLC_TILE_LANES = 2,        /* at most */
    DMLC_FEW_TILES = 5          /* that kernels keep in registers */
};

/* Dense units as tiles of the output, which repeat after a few: sequences of 10 elements of 4 bytes are 5 tiles of 64 bytes, in 8
 * positions.
 *
 *     output byte i = index[position + place[i]] == k[i] ? values[1] : values[0], byte by byte
 *
 * where `position` is the tile's, or where a look-up does not reach from there to all of them, its lane's. */
typedef struct dmlc_select_tile {
    int64_t positions[DMLC_TILE_LANES];
    uint8_t place[DMLC_TILE_BYTES], k[DMLC_TILE_BYTES]; /* as many as a tile has */
} dmlc_select_tile;

typedef struct dmlc_select_tiles {
    bool by_lanes; /* whether each lane has a position; else the first one is the tile's */
    int64_t units; /* of all tiles */
    int32_t count;
    dmlc_select_tile tiles[];
} dmlc_select_tiles;

/* Positions that follow each other in the output, though their indices lie along several axes, the innermost one last. */
enum { DMLC_INDEX_AXES = 4 };

typedef struct dmlc_index_axis {
    int64_t size, step; /* bytes */
} dmlc_index_axis;

typedef struct dmlc_select {
    dmlc_select_way way;
    dmlc_index_type index_type;
    bool from_end;
    int64_t index_width; /* bytes of a normalized index */
    int64_t depth;
    int64_t depth_step; /* output bytes from k to k + 1 */
    int64_t inside;     /* positions of a unit: of the innermost axis where units are an axis outside it, else 1 */
    dmlc_select_tiles *tiles; /* of DMLC_SELECT_TILES alone */
    int32_t index_axes;       /* along which the indices of the leaf's positions lie */
    dmlc_index_axis indices[DMLC_INDEX_AXES];
} dmlc_select;

/* Bytes of a normalized index that is compared with k, plane by plane. */
static inline int64_t dmlc_plane_index_width(int64_t width) { return dmlc_minimum(width, 8); }

/* Whether the indices below `depth`, and the mark of none, fit into an unsigned integer of so many bytes. */
static inline bool dmlc_index_fits(int64_t depth, int64_t bytes)
{
    return bytes >= 8 || (uint64_t)depth < UINT64_C(1) << (8 * bytes);
}

/* How the rows of a matrix are written that the band crosses. */
typedef enum dmlc_band_way {
    DMLC_BAND_ROWS,   /* any: run by run */
    DMLC_BAND_FILLED, /* dense, of two values: all of one, then a run of the other in each row */
    DMLC_BAND_WINDOWS /* dense: each a window of one ready-made row, see kernels/windows.h */
} dmlc_band_way;

enum { DMLC_WINDOWS_BYTES = 4096 /* of rows that are made at once, and so the longest one */ };

/* Columns [begin + y, end + y) of row y, cut to [0, columns): the band.
 *
 *     . . .
 *     # . .   1 - end             the first row that it reaches        passages[0]
 *     # # .
 *     # # #   columns - end       the first that it reaches the end of         [1]
 *     . # #   1 - begin           the first whose start it has left            [2]
 *     . . #
 *     . . .   columns - begin     the first that it has left                   [3]
 */
typedef struct dmlc_band {
    dmlc_band_way way;
    int64_t begin, end;
    bool inverted; /* all but the band is set */
    dmlc_band_background background;
    bool dense;        /* a matrix, in the output and, where it is read, in the input */
    bool dense_output; /* in the output at least */
    /* A batch goes passage by passage, all its matrices, and not one after the other; and where they are far away. */
    bool together, together_far;
    int64_t passages[4];
    int64_t rows, columns;
    double share_set;                  /* of a matrix' elements, those that have values[1] */
    int64_t output_row, output_column; /* steps in bytes */
    int64_t input_row, input_column;
} dmlc_band;

typedef enum dmlc_way {
    DMLC_ROWS,
    DMLC_PERMUTED_ROWS,
    DMLC_SHORT_ROWS,
    DMLC_FILLED_ROWS,
    DMLC_ENDS,
    DMLC_MOVES,
    DMLC_SHUFFLES,
    DMLC_TRANSPOSE,
    DMLC_PACKED,
    DMLC_GROWN,
    DMLC_SELECT, /* positions are the axes */
    DMLC_BAND    /* batches are the axes */
} dmlc_way;

enum { DMLC_WAYS = DMLC_BAND + 1 };

typedef struct dmlc_kernels dmlc_kernels;

struct dmlc_plan {
    dmlc_way way;
    const dmlc_kernels *kernels; /* that it was made for, and that run it */
    int64_t width;
    int64_t chunk; /* of a map: what moves as one */
    int64_t bytes; /* moved by a run */
    double cost;   /* of a run on one thread, in nanoseconds; 0 of one-hot, whose bytes decide, see dmlc_run_cost */
    int64_t output_offset; /* from the operands' pointers to where all steps are taken from */
    int64_t input_offset;
    bool empty;            /* no element to write */
    bool outside;          /* a map that reads nothing at all */
    bool fills;            /* values are read: a map has something outside, or is no map */
    int32_t outside_value; /* of a map: the operands' value that its program calls values[0] */
    union {
        dmlc_rows rows;
        dmlc_short_rows short_rows;
        dmlc_filled_rows filled_rows;
        dmlc_ends ends;
        dmlc_moves moves;
        dmlc_shuffles shuffles;
        dmlc_transpose transpose;
        dmlc_packed packed;
        dmlc_grown grown;
        dmlc_select select;
        dmlc_band band;
    } program;
    void *memory;      /* that the program points into, or NULL */
    dmlc_plan *before; /* runs first, on the same operands; NULL where nothing does */
    uint64_t dense;    /* of a map: bit i where axes[i] and all inside it are one contiguous run of the output */
    uint64_t repeated; /* of those: bit i where one element of axes[i] over and over is made once and then copied */
    int32_t leaf_axes; /* how many of the innermost the way goes through by itself */
    int32_t axis_count;
    dmlc_axis axes[];
};

static inline bool dmlc_is_dense(const dmlc_plan *plan, int32_t axis) { return plan->dense >> axis & 1; }

#endif
