/* How plans are made: an operator drafts its axes, and what is done along them is chosen by what it costs.
 *
 *     draft    the axes as the operator gives them, then in canonical form
 *     sketch   a map's plan in the making, with what several ways have in common
 *     way      what it would cost, and how it is made; the cheapest is made */
#ifndef DMLC_PLANNER_H
#define DMLC_PLANNER_H

#include "kernels/kernels.h"
#include "language/plan.h"

typedef struct dmlc_draft {
    const dmlc_kernels *kernels;
    int64_t width;
    int64_t chunk; /* bytes that move as one, which the axes go through */
    bool is_part;  /* of another plan's leaf, and so no leaf has parts in turn */
    int64_t times; /* that the plan runs at once: one where it is no part */
    int64_t output_offset;
    int64_t input_offset;
    bool empty;
    bool outside;
    int32_t outside_value; /* see dmlc_plan */
    int32_t axis_count;
    dmlc_axis axes[DMLC_MAXIMUM_RANK]; /* steps are bytes */
} dmlc_draft;

/* The operators, for a given table of kernels: the functions of dmlc.h with the one that is in use. */
dmlc_status dmlc_make_window(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                             const int64_t *input_sizes, const int64_t *input_strides, const int64_t *output_sizes,
                             const int64_t *output_strides, const int64_t *start, dmlc_padding_mode mode);
dmlc_status dmlc_make_padding(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                              const int64_t *input_sizes, const int64_t *input_strides, const int64_t *output_strides,
                              const int64_t *start, const int64_t *end, dmlc_padding_mode mode);
dmlc_status dmlc_make_slice(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                            const int64_t *output_sizes, const int64_t *input_strides, const int64_t *output_strides,
                            const int64_t *offsets, const int64_t *steps);

/* The slice that takes everything. */
dmlc_status dmlc_make_copy(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                           const int64_t *sizes, const int64_t *input_strides, const int64_t *output_strides);
dmlc_status dmlc_make_one_hot(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, dmlc_index_type index_type,
                              int32_t from_end, int32_t rank, const int64_t *output_sizes,
                              const int64_t *indices_strides, const int64_t *output_strides, int32_t axis);
dmlc_status dmlc_make_diagonal_matrix(dmlc_plan **plan, const dmlc_kernels *kernels, int64_t width, int32_t rank,
                                      const int64_t *sizes, const int64_t *input_strides, const int64_t *output_strides,
                                      int64_t begin, int64_t end, dmlc_band_background background);

/* A padding as the window that it is: output sizes and where it starts. DMLC_OVERFLOW only where a size does not fit into 64 bits; what
 * else dmlc_plan_padding refuses is left to dmlc_make_window. */
dmlc_status dmlc_padding_window(int32_t rank, const int64_t *input_sizes, const int64_t *start, const int64_t *end,
                                int64_t *output_sizes, int64_t *window_start);

/* A slice as a view: where it starts, in bytes from the input's first element, and its strides there. False where an offset, the sum of
 * all, a stride of the view, or a factor of these leaves (-2^62, 2^62). */
bool dmlc_slice_view(int32_t rank, const int64_t *output_sizes, const int64_t *input_strides, const int64_t *offsets,
                     const int64_t *steps, int64_t *start, int64_t *view_strides);

/* layout.c: what all operators share. */

bool dmlc_width_is_valid(int64_t width);

/* a * b of numbers that are not negative, or `most` where it is more. To divide takes longer than most plans' products. */
static inline int64_t dmlc_product(int64_t a, int64_t b, int64_t most)
{
    const bool fits = (a | b) < INT64_C(1) << 31 || b == 0 || a <= most / b;
    return fits && a * b < most ? a * b : most;
}

/* a * b, or false where that or one of the two leaves (-2^62, 2^62). */
bool dmlc_multiply(int64_t a, int64_t b, int64_t *product);

/* Whether sizes are in [0, 2^62), strides in (-2^62, 2^62), and (size - 1) * |stride|, summed over the axes, is below 2^62. So is every
 * offset then, and the sum of two offsets fits into 64 bits. */
bool dmlc_reach_fits(int32_t rank, const int64_t *sizes, const int64_t *strides);

/* The same, and whether there are at most 2^62 elements. */
bool dmlc_output_fits(int32_t rank, const int64_t *sizes, const int64_t *strides);

void dmlc_draft_begin(dmlc_draft *draft, const dmlc_kernels *kernels, int64_t width);

/* Adds an axis of no segments, to be described with dmlc_axis_add. */
dmlc_axis *dmlc_draft_add_axis(dmlc_draft *draft, int64_t size, int64_t output_step);

/* Canonical form: size-1 axes dropped, output steps positive and descending, axes that continue each other merged. */
void dmlc_draft_canonicalize(dmlc_draft *draft);

/* How many chunks the axes have; what is beyond 2^62 is 2^62. */
int64_t dmlc_draft_chunks(const dmlc_draft *draft);

/* plan.c: lifetime. */

/* Allocates a plan of that way with the draft's axes, and room for two more; the program and the leaf's axes are the caller's to fill. A
 * map is allocated as DMLC_ROWS, until its way is chosen. */
dmlc_status dmlc_plan_allocate(dmlc_plan **plan, dmlc_way way, const dmlc_draft *draft);

/* Hands a plan over, or frees it where the last step of its making failed. */
dmlc_status dmlc_plan_finish(dmlc_plan **plan, dmlc_plan *made, dmlc_status status);

/* Memory that the plan's program points into, freed with it; NULL where there is none. */
void *dmlc_plan_memory(dmlc_plan *plan, size_t bytes);

/* map.c: chooses how a draft's axes are gone through, and makes the plan. */
dmlc_status dmlc_plan_map(dmlc_plan **plan, dmlc_draft *draft);

/* Bytes that follow each other on both sides; where they are outside, `input` means nothing. */
typedef struct dmlc_run_of_bytes {
    int64_t output, input, bytes;
    bool outside;
} dmlc_run_of_bytes;

enum { DMLC_MOST_RUNS = 512 };

typedef struct dmlc_runs {
    int64_t first, end; /* the input bytes that are read */
    int32_t count;
    dmlc_run_of_bytes list[DMLC_MOST_RUNS]; /* they go up in the output */
} dmlc_runs;

/* Boxes that have more are many, see box.c. */
enum { DMLC_SMALL_BOX_BYTES = 1024 };

/* Of the innermost axes; none where `axes` is 0, not looked for where it is -1. See box.c. */
typedef struct dmlc_listing {
    int32_t axes;
    int64_t bytes;
    double boxes;        /* that are gone through */
    double call;         /* what calling a kernel costs each */
    double rest;         /* what all else costs */
    double copied_bytes; /* of a box, from the input */
    double copied_runs;  /* that these are at least */
    bool listed;
    dmlc_runs runs; /* from the box' start */
} dmlc_listing;

/* By kind: those that copy, then those that fill, by width. */
typedef struct dmlc_move_counts {
    int32_t of[2 * DMLC_MOVE_WIDTHS], all;
    int32_t axes;   /* of the box */
    int32_t widest; /* the place of the widest size */
    bool filled;    /* the box, before its moves */
    double cost;    /* of a box */
} dmlc_move_counts;

/* Shuffles of a row's two ends, and of a box, which as lanes has DMLC_LANES_BOX_BYTES at most. */
enum {
    DMLC_LANES_BOX_BYTES = 2048,
    DMLC_MOST_END_SHUFFLES = 2 * DMLC_MOST_END_BYTES / DMLC_BLOCK_BYTES,
    DMLC_MOST_END_LANES = 2 * DMLC_MOST_END_BYTES / DMLC_LANE_BYTES,
    DMLC_MOST_BOX_LANES = DMLC_LANES_BOX_BYTES / DMLC_LANE_BYTES
};

typedef union dmlc_end_shuffles {
    dmlc_shuffle blocks[DMLC_MOST_END_SHUFFLES];
    dmlc_lane_shuffle lanes[DMLC_MOST_END_LANES];
} dmlc_end_shuffles;

typedef union dmlc_box_shuffles {
    dmlc_shuffle blocks[DMLC_MOST_SHUFFLES];
    dmlc_lane_shuffle lanes[DMLC_MOST_BOX_LANES];
} dmlc_box_shuffles;

/* The axes along the row, from the innermost out, and then those across it. */
typedef struct dmlc_transposition {
    double cost;
    int32_t along, across;
    int32_t axes[DMLC_MAXIMUM_RANK];
} dmlc_transposition;

/* What an axis reads: so many elements, evenly apart from the lowest up. */
typedef struct dmlc_axis_reads {
    int64_t lowest, step, count;
} dmlc_axis_reads;

/* The axes that are packed; of one that is too long, which reads its elements once or in whole turns, `part` of them at a time. */
typedef struct dmlc_packing {
    int64_t room;  /* bytes that they may read */
    uint64_t axes; /* bit i for axes[i] */
    int32_t first; /* the outermost of them */
    int32_t split; /* the axis that is too long, or -1 */
    int64_t part;
    int64_t bytes;  /* that they read */
    int64_t chunks; /* that they write */
    int64_t times;  /* that there is room for, of what follows each other */
    dmlc_axis_reads reads[DMLC_MAXIMUM_RANK];
} dmlc_packing;

/* What the ways share while they are compared. */
typedef struct dmlc_sketch {
    dmlc_plan *plan;
    const dmlc_abilities *abilities;
    const dmlc_costs *costs;
    bool is_part; /* see dmlc_draft */
    int64_t times;
    dmlc_row row;
    bool dense_row;                       /* in the output */
    int64_t row_bytes;                    /* INT64_MAX where it has more, as only a row that is not dense can */
    double elements;                      /* chunks of all axes */
    double made[DMLC_MAXIMUM_RANK];       /* elements of an axis that a way goes through */
    double runs[DMLC_MAXIMUM_RANK];       /* and how many runs they are */
    double fills[DMLC_MAXIMUM_RANK];      /* those that are filled */
    double rows;                          /* that the ways by rows go through */
    double calls;                         /* what calling a kernel for them costs */
    double rest;                          /* what all else does, which is filled or copied */
    int64_t distances[DMLC_MAXIMUM_RANK]; /* of each axis, see dmlc_axis_distance */
    int32_t nearest;                      /* the first axis of the least distance */
    dmlc_row_permutations permutations;   /* of the row */
    dmlc_short_rows short_rows;
    dmlc_filled_rows filled_rows;
    dmlc_ends ends;
    dmlc_end_shuffles end_shuffles;
    dmlc_listing box;
    dmlc_move_counts moves;
    int32_t shuffle_count;
    union {
        dmlc_runs listing; /* while the box is listed */
        dmlc_box_shuffles shuffles;
    };
    dmlc_transposition transposition;
    dmlc_packing packing;
    dmlc_packed packed;
    dmlc_packing growth;
    dmlc_grown grown;
} dmlc_sketch;

/* One way through a map. The cost is that of a run on one thread: INFINITY where the way does not fit, and where it is seen early that it
 * costs no less than `best`; else it may still be more. `make` is called for the cheapest way alone, after all ways were costed. `forget`
 * frees what costing a way made, where another way then costs less; most make nothing. */
typedef struct dmlc_map_way {
    double (*cost)(dmlc_sketch *sketch, double best);
    dmlc_status (*make)(dmlc_sketch *sketch);
    void (*forget)(dmlc_sketch *sketch); /* or NULL */
} dmlc_map_way;

static inline bool dmlc_is_wide(const dmlc_sketch *sketch) { return dmlc_has_wide_shuffles(sketch->abilities); }

/* How many leaves inside the first `outer` axes a way goes through, and what calling a kernel costs each. */
double dmlc_leaves(const dmlc_sketch *sketch, int32_t outer);
double dmlc_call_cost(const dmlc_sketch *sketch, int32_t outer);

/* What fills and copies cost, where a way goes through so many chunks inside the first `outer` axes. */
double dmlc_rest_cost(const dmlc_sketch *sketch, int32_t outer, double chunks);

extern const dmlc_map_way dmlc_rows_way;          /* rows.c */
extern const dmlc_map_way dmlc_permuted_rows_way; /* rows.c */
extern const dmlc_map_way dmlc_short_rows_way;    /* short_rows.c */
extern const dmlc_map_way dmlc_filled_rows_way;   /* filled_rows.c */
extern const dmlc_map_way dmlc_ends_way;          /* ends.c */
extern const dmlc_map_way dmlc_moves_way;         /* moves.c */
extern const dmlc_map_way dmlc_shuffles_way;      /* shuffles.c */
extern const dmlc_map_way dmlc_transpose_way;     /* transpose.c */
extern const dmlc_map_way dmlc_packed_way;        /* packed.c */
extern const dmlc_map_way dmlc_grown_way;         /* grown.c */

static inline bool dmlc_is_packed(const dmlc_packing *found, int32_t i) { return found->axes >> i & 1; }

/* packing.c: what an axis reads; false where that is nothing, not all of a cycle, or at several steps. */
bool dmlc_find_reads(const dmlc_axis *axis, dmlc_axis_reads *found);

/* An axis that reads the same from where those elements lie `step` apart, the lowest one at the draft's input. */
void dmlc_draft_add_reread(dmlc_draft *draft, const dmlc_axis *axis, const dmlc_axis_reads *reads, int64_t step);

/* The row, as many axes outside it as there is room for, and the one whose elements share lines; false where there is no room or nothing
 * to gain. */
bool dmlc_find_packing(dmlc_packing *found, const dmlc_sketch *sketch, int64_t room);

/* An axis, or the part of it that is packed at a time. */
dmlc_axis dmlc_packed_axis(const dmlc_packing *found, const dmlc_plan *plan, int32_t i);

/* How many leaves there are of what is packed, and how many of them follow each other. */
double dmlc_packings(const dmlc_packing *found, const dmlc_sketch *sketch);
double dmlc_packings_following(const dmlc_packing *found, const dmlc_sketch *sketch);

/* What a run costs where each of these leaves costs so much. */
double dmlc_packings_cost(const dmlc_packing *found, const dmlc_sketch *sketch, double each);

/* Makes what is packed the plan's leaf. The axes outside it come first; there is room for two more, of turns and of parts. */
void dmlc_order_packed_axes(dmlc_plan *plan, const dmlc_packing *found);

/* Whether a row is one chunk over and over that is made a vector. */
static inline bool dmlc_row_repeats_by_vectors(const dmlc_row *row)
{
    return row->piece_count == 1 && row->pieces[0].operation == DMLC_REPEAT &&
           dmlc_repeats_by_vectors(row->chunk, row->size * row->chunk);
}

/* transpose.c: whether rows are the planes of dense pixels of a few chunks; the planes or the pixels may be back to front. */
bool dmlc_are_planes(const dmlc_axis *row, const dmlc_axis *across, int64_t chunk);

/* ends.c: whether the blocks of a row's ends leave one another room, where blocks are whole vectors: they overlap by less than one. */
bool dmlc_ends_have_room(const dmlc_piece *copy, int64_t bytes);

/* How many vectors of 16 bytes a chunk is. */
static inline int64_t dmlc_chunk_vectors(int64_t chunk) { return (chunk + 15) / 16; }

/* permutation.c: the one for chunks `step` apart; no units where it does not fit. What is filled and the index are missing:
 * for costs, it does without. */
void dmlc_permute_chunks(dmlc_permutation *permutation, const dmlc_abilities *abilities, int64_t chunk, int64_t step);

/* The one for whole rows, `unit_step` apart. */
void dmlc_permute_row(dmlc_permutation *permutation, const dmlc_abilities *abilities, const dmlc_runs *row,
                      int64_t row_bytes, int64_t unit_step);

/* What was missing, where there are units. */
void dmlc_index_chunks(dmlc_permutation *permutation);
void dmlc_index_row(dmlc_permutation *permutation, const dmlc_runs *row);

/* What a block of it takes for its further sources. */
double dmlc_sources_cost(const dmlc_permutation *permutation, const dmlc_abilities *abilities);

/* Whether the kernels permute so many units, at least one of which fits: those of narrow blocks load whole vectors and else move them. */
bool dmlc_permutes(const dmlc_permutation *permutation, const dmlc_abilities *abilities, int64_t units);

/* runs.c: what is read as runs, from the row's or the box' start; false where they are too many. */
void dmlc_runs_begin(dmlc_runs *runs);
bool dmlc_runs_add(dmlc_runs *runs, int64_t output, int64_t input, int64_t bytes, bool outside);

/* Bytes [begin, end) of a dense row. */
bool dmlc_runs_of_row(dmlc_runs *runs, const dmlc_row *row, int64_t begin, int64_t end);

/* A map's innermost axes; `other` is room to work in. */
bool dmlc_runs_of_axes(dmlc_runs *runs, dmlc_runs *other, const dmlc_plan *plan, int32_t axes);

/* box.c: elements of an axis that read the input. */
double dmlc_elements_inside(const dmlc_axis *axis);

/* Lists the map's largest box of so many bytes at most, where it has one that may cost less than `best`: a box takes `least` of it at
 * least, which knows all but its runs. */
bool dmlc_find_box(dmlc_sketch *sketch, int64_t most_bytes, double best, double (*least)(const dmlc_sketch *sketch));

/* Lists the box of so many axes once more, where a later way has looked at a smaller one. */
void dmlc_find_box_again(dmlc_sketch *sketch, int32_t axes);

/* Whether the boxes are dense in the output. */
bool dmlc_box_is_dense(const dmlc_sketch *sketch);

/* Whether boxes read little of each line of much memory. */
bool dmlc_boxes_are_sparse(const dmlc_sketch *sketch);

/* Whether rows are copied that are a line at least, and whether those are more than a cache near by holds. */
bool dmlc_are_long_copies(const dmlc_sketch *sketch);
bool dmlc_copies_are_far(const dmlc_sketch *sketch);

/* By what the cost of boxes is multiplied where they gather, follow each other in the input, and much is moved: rows and tiles go through
 * memory in the order of the output. On Zen 4, 80 to 100 random transposes of small matrices, 17 to 90 MB in all, took with this factor
 * 0.89 to 0.91 of the time by mean on one thread and 0.94 on two, 0.3 at best. With AVX-512 moves took 0.99 of the time with it, so there
 * is none. */
double dmlc_times_far(const dmlc_sketch *sketch);

/* How the boxes lie. */
dmlc_box dmlc_box_of(const dmlc_sketch *sketch);

/* How boxes are read in their order where they lie apart and come from memory, if that pays; past gaps, too, or not. */
void dmlc_box_read_in_order(dmlc_box *box, const dmlc_sketch *sketch, bool passes_gaps);

/* shuffling.c: runs as shuffles, which may read input bytes [first, last); their number, or -1 where they do not fit or are more
 * than `most`. */
int32_t dmlc_shuffle_blocks(dmlc_shuffle *shuffles, int32_t most, const dmlc_runs *runs, int64_t width, int64_t first,
                            int64_t last);

/* What a lane takes. */
double dmlc_lane_cost(const dmlc_lane_shuffle *lane, const dmlc_costs *costs);

/* The same of lanes, DMLC_MOST_BOX_LANES of them at most; -1 too where they take more than `most`. Lanes leave nothing out, and may
 * read input bytes [first, end). */
int32_t dmlc_shuffle_lanes(dmlc_lane_shuffle *lanes, const dmlc_costs *costs, double most, const dmlc_runs *runs,
                           int64_t width, int64_t first, int64_t end);

/* Keeps sketched shuffles in the plan's memory. */
dmlc_status dmlc_keep_shuffles(dmlc_plan *plan, dmlc_shuffle_list *list, const void *shuffles);

#endif
