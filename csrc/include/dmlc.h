/* dmlc: DirectML's tensor-rearranging operators on a CPU. The public C API, for C99, C11 and C++.
 *
 * An operator is planned once from sizes and strides alone, then run on memory any number of times. This repeats the
 * last of three rows of four floats twice, and the last of their columns:
 *
 *     const int64_t sizes[2] = {3, 4}, start[2] = {0, 0}, end[2] = {2, 1};
 *     const int64_t input_strides[2] = {16, 4}, output_strides[2] = {20, 4};
 *     dmlc_plan *plan;
 *
 *     dmlc_set_isa(NULL);
 *     dmlc_status status = dmlc_plan_padding(&plan, sizeof(float), 2, sizes, input_strides, output_strides, start, end,
 *                                            DMLC_PADDING_EDGE);
 *     if (status != DMLC_OK) {
 *         fprintf(stderr, "padding: %s\n", dmlc_status_message(status));
 *         return EXIT_FAILURE;
 *     }
 *     const dmlc_operands operands = {.output = output, .input = input};
 *     dmlc_run(plan, &operands, dmlc_threads());
 *     dmlc_plan_free(plan);
 *
 * Units. Elements are only moved, so an operator needs their width in bytes, never their type. Sizes, paddings, offsets
 * and axes count elements; strides are in bytes, of either sign, or 0 to read one element again and again. An array
 * that a function takes has `rank` entries, outermost axis first; where rank is 0 it is not read and may be NULL.
 *
 * Memory. A pointer to elements points at the one whose coordinates are all 0. No alignment is assumed. Nothing but the
 * output's elements is written. Of the input no byte is read that lies below the lowest element that the operator reads,
 * or above the highest; the gaps between those may be loaded, but what they hold makes no difference. Of values[] one
 * element each is read. The output's elements must not share bytes with each other, nor with what is read.
 *
 * Ownership. A plan belongs to whoever made it, until dmlc_plan_free. It copies all that it is made of, and remembers
 * no memory that it has run on. Strings that functions return are constants: they are never freed.
 *
 * Threads. Every function may be called from any number of threads at once, and one plan may run on many; dmlc_set_isa
 * alone must be over before others begin. A process keeps the choice of kernels, the numbers of threads, its own threads
 * and the plans of dmlc_copy; no result depends on them. A run may have the help of threads that the library starts, keeps
 * asleep and gives no signal; nothing is done to any other thread. While there are such threads, code that contains the
 * library must not be unloaded. After a fork, the child runs everything on the calling thread.
 *
 * Errors. Planning alone can fail, in dmlc_copy as well; it says so with a status and leaves *plan as it was. A run cannot
 * fail. It allocates nothing but new threads and, in dmlc_run_many, a list; where there is no memory, it does without. */
#ifndef DMLC_H
#define DMLC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; dmlc_version() is that of the library. Within a major version (below 1.0: a minor one)
 * nothing that stands here changes its meaning. */
#define DMLC_VERSION_MAJOR 0
#define DMLC_VERSION_MINOR 1
#define DMLC_VERSION_PATCH 0

/* "major.minor.patch" */
const char *dmlc_version(void);

enum { DMLC_MAXIMUM_RANK = 64 };

typedef enum dmlc_status {
    DMLC_OK = 0,
    /* An argument breaks a rule: width is 1, 2, 4, 8 or 16; 0 <= rank <= DMLC_MAXIMUM_RANK; an enumeration has one of
     * its values; and the rules that stand beside each function. */
    DMLC_INVALID_ARGUMENT,
    /* An element could lie too far away. For the output, and for what is read of the input: 0 <= size < 2^62,
     * |stride| < 2^62, sum((size - 1) * |stride|) < 2^62 over the axes of at least two elements; and an output
     * has at most 2^62 elements. */
    DMLC_OVERFLOW,
    /* There is no memory for the plan. */
    DMLC_OUT_OF_MEMORY
} dmlc_status;

/* A few words for a status; never NULL, for a number that is none of the above either. */
const char *dmlc_status_message(dmlc_status status);

/* An operator on layouts: opaque, constant, mostly a kilobyte or two, at most some forty. */
typedef struct dmlc_plan dmlc_plan;

/* PADDING, PADDING1, crops excepted (see dmlc_plan_slice).
 *
 *     output[o] = input[c],  c = o - start, each coordinate mapped into [0, n) as the mode says, n = input size
 *     output size = input size + start + end
 *
 *     before   inside   after
 *     v v v    a b c d  v v v     DMLC_PADDING_CONSTANT: values[0] where any coordinate lies outside
 *     a a a    a b c d  d d d     DMLC_PADDING_EDGE
 *     d c b    a b c d  c b a     DMLC_PADDING_REFLECTION
 *     c b a    a b c d  d c b     DMLC_PADDING_SYMMETRIC
 *     b c d    a b c d  a b c     DMLC_PADDING_WRAP
 *
 * The last three go on periodically, however wide the padding; a single element repeats itself.
 * Operands: input; values[0] in constant mode.
 * Rules: input_sizes, start and end are not negative; a size of 0 is extended in constant mode only. */
typedef enum dmlc_padding_mode {
    DMLC_PADDING_CONSTANT = 0,
    DMLC_PADDING_EDGE = 1,
    DMLC_PADDING_REFLECTION = 2,
    DMLC_PADDING_SYMMETRIC = 3,
    DMLC_PADDING_WRAP = 4
} dmlc_padding_mode;

dmlc_status dmlc_plan_padding(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes,
                              const int64_t *input_strides, const int64_t *output_strides, const int64_t *start,
                              const int64_t *end, dmlc_padding_mode mode);

/* Any window of an array that goes on without end by the mode, inside, overlapping or wholly outside: a padding is the
 * window from -start on.
 *
 *     output[o] = input[c],  c = o + start, each coordinate mapped into [0, n) as for a padding
 *
 * Operands: as a padding's.
 * Rules: sizes are not negative; an input size of 0 is extended in constant mode only. DMLC_OVERFLOW too where not
 * |start| < 2^62. */
dmlc_status dmlc_plan_window(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes,
                             const int64_t *input_strides, const int64_t *output_sizes, const int64_t *output_strides,
                             const int64_t *start, dmlc_padding_mode mode);

/* SLICE1, SLICE, and every copy from one layout to another: crops, flips, transpositions, broadcasts.
 *
 *     output[o] = input[offset + step * o]
 *
 * Operands: input. The caller vouches that every element read exists: no function knows the input's sizes.
 * DMLC_OVERFLOW too where not |offset * stride| < 2^62, or not |step * stride| < 2^62 along two elements or more. */
dmlc_status dmlc_plan_slice(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *output_sizes,
                            const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets,
                            const int64_t *steps);

/* ONE_HOT: k runs along `axis` of the output, where the indices have a single element. Their stride there is ignored.
 *
 *     output[.., k, ..] = k == index ? values[1] : values[0],  index = indices[.., 0, ..]
 *
 * With from_end, index < 0 stands for index + output size along `axis`. An index outside [0, that size) selects
 * nothing. Operands: input, the indices; values[0] and values[1]. The width is the output's.
 * Rules: 0 <= axis < rank. */
typedef enum dmlc_index_type {
    DMLC_INDEX_INT8 = 0,
    DMLC_INDEX_INT16,
    DMLC_INDEX_INT32,
    DMLC_INDEX_INT64,
    DMLC_INDEX_UINT8,
    DMLC_INDEX_UINT16,
    DMLC_INDEX_UINT32,
    DMLC_INDEX_UINT64
} dmlc_index_type;

dmlc_status dmlc_plan_one_hot(dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end,
                              int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                              const int64_t *output_strides, int32_t axis);

/* DIAGONAL_MATRIX1, DIAGONAL_MATRIX: a band of diagonals in each matrix of a batch; the last two axes are y and x.
 *
 *     output[.., y, x] = begin <= x - y < end ? values[1] : background          where begin <= end
 *     output[.., y, x] = end <= x - y < begin ? background : values[1]          where begin > end
 *
 * Operands: what the background needs, and values[1].
 * Rules: rank >= 2; -2^62 <= begin, end <= 2^62. */
typedef enum dmlc_band_background {
    DMLC_BACKGROUND_VALUE = 0, /* values[0] */
    DMLC_BACKGROUND_INPUT,     /* the input's element; input_strides is read for this one alone, else it may be NULL */
    DMLC_BACKGROUND_KEEP       /* what the output holds already: works in place, or on memory known to be zero */
} dmlc_band_background;

dmlc_status dmlc_plan_diagonal_matrix(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes,
                                      const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                      int64_t end, dmlc_band_background background);

/* Frees a plan that no thread runs any more; NULL is ignored. */
void dmlc_plan_free(dmlc_plan *plan);

/* About how many bytes a run moves; at most 2^62. Those that it writes, and as many again where a copy or a padding reads
 * anything at all; an index counts as one element; of a band in place, all of the matrix counts. */
int64_t dmlc_plan_bytes(const dmlc_plan *plan);

/* Where a run finds its elements. They must live until it returns. What an operator does not need may be NULL; where
 * the output has no element nothing is looked at. */
typedef struct dmlc_operands {
    void *output;
    const void *input;
    const void *values[2]; /* one element each: the background, the value set; NULL is an element of zero bytes */
} dmlc_operands;

/* Runs a plan on at most `threads` threads, the calling one among them; fewer than 1 means 1. It takes no more than the
 * work is worth, nor than the processors that the calling thread may run on, a container's quota and OMP_THREAD_LIMIT
 * allow. Small work stays on the calling thread, and so does all work of a build without OpenMP or from within a
 * parallel region of OpenMP's. Returns when all is written. */
void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads);

/* Runs many plans as one: they share one team of threads by what they cost, small ones together, large ones cut. 0 threads
 * are dmlc_threads()'s. No output may share memory with another plan's output or input. Where there is no memory to
 * share them out, they run one after the other. */
void dmlc_run_many(const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads);

/* Copies from one layout to another at once, as dmlc_plan_slice with all offsets 0 and all steps 1 and dmlc_run do: a few
 * elements and packed memory without a plan, everything else by one that is kept for the next call.
 *
 *     output[o] = input[o],  o in sizes, strides in bytes
 *
 * 0 threads are dmlc_threads()'s. The two share no memory. Where it returns anything but DMLC_OK, nothing was written. */
dmlc_status dmlc_copy(int64_t width, int32_t rank, const int64_t *sizes, void *output, const int64_t *output_strides,
                      const void *input, const int64_t *input_strides, int32_t threads);

/* How many threads the caller of dmlc_run is to pass: what this thread was given with dmlc_set_thread_threads, or else
 * what the process was given with dmlc_set_threads, or else what OpenMP gives the calling thread now (omp_get_max_threads)
 * within OMP_THREAD_LIMIT and a container's quota; at least 1. */
int32_t dmlc_threads(void);

/* For all threads that have no number of their own; fewer than 1 means 1. */
void dmlc_set_threads(int32_t threads);

/* For the calling thread alone; 0 (or less) takes it back. Returns what it was, 0 for none. */
int32_t dmlc_set_thread_threads(int32_t threads);

/* 1 in a build with OpenMP, whose numbers of threads it keeps to, else 0: the serial build. */
int32_t dmlc_has_openmp(void);

/* The instruction sets whose kernels this build has and this machine can run, best first, "baseline" last: index 0, 1
 * and so on; NULL for any other index. */
const char *dmlc_isa_name(int32_t index);

/* The one in use: "baseline" until dmlc_set_isa. */
const char *dmlc_isa(void);

/* Chooses by name, or the best for NULL, for the plans that are made from now on: a plan runs with the kernels that it was
 * made for. Not to be called while another thread makes plans or runs them.
 * DMLC_INVALID_ARGUMENT, and no change, where the name is not among dmlc_isa_name's. */
dmlc_status dmlc_set_isa(const char *name);

#ifdef __cplusplus
}
#endif

#endif
