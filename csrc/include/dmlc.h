/* dmlc: DirectML's tensor-rearranging operators on a CPU. The public C API; it knows no Python.
 *
 * Every operator is planned once from sizes and strides alone, then run on memory any number of times, from any
 * number of threads at once:
 *
 *     dmlc_plan *plan = NULL;
 *     if (dmlc_plan_padding(&plan, ...) == DMLC_OK) {
 *         dmlc_run(plan, &operands, threads);
 *         dmlc_plan_free(plan);
 *     }
 *
 * Elements are only moved, so an operator needs their width (1, 2, 4, 8 or 16 bytes), never their type. Strides are
 * in bytes and signed; a pointer points at the element whose coordinates are all zero. No alignment is assumed.
 * An output's elements must not share memory with each other, nor with an input (see dmlc_plan_diagonal_matrix for
 * the one exception). Nothing but the output's elements is written, nothing but the input's elements is read.
 */
#ifndef DMLC_H
#define DMLC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DMLC_MAXIMUM_RANK = 64 };

typedef enum dmlc_status {
    DMLC_OK = 0,
    DMLC_INVALID_ARGUMENT, /* an argument breaks the rule that stands beside its function */
    DMLC_OVERFLOW,         /* a size or an offset does not fit into 64 bits */
    DMLC_OUT_OF_MEMORY
} dmlc_status;

/* A sentence for a status; never NULL. */
const char *dmlc_status_message(dmlc_status status);

typedef enum dmlc_padding_mode {
    DMLC_PADDING_CONSTANT = 0,
    DMLC_PADDING_EDGE = 1,
    DMLC_PADDING_REFLECTION = 2,
    DMLC_PADDING_SYMMETRIC = 3,
    DMLC_PADDING_WRAP = 4
} dmlc_padding_mode;

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

typedef struct dmlc_plan dmlc_plan;

/* output[o] = input[c], c = o - start, mapped into [0, n) axis by axis as the mode says; in constant mode values[0]
 * where any c lies outside. output size = input size + start + end.
 * Rules: start and end are not negative; a size of 0 is extended in constant mode only. */
dmlc_status dmlc_plan_padding(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes,
                              const int64_t *input_strides, const int64_t *output_strides, const int64_t *start,
                              const int64_t *end, dmlc_padding_mode mode);

/* output[o] = input[offset + step * o]. The caller vouches that every element read exists. */
dmlc_status dmlc_plan_slice(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *output_sizes,
                            const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets,
                            const int64_t *steps);

/* output[.., k, ..] = k == indices[.., 0, ..] ? values[1] : values[0], k running along `axis`. The indices' stride
 * along `axis` is ignored. With from_end, a negative index counts from the end. An index that is not in
 * [0, output size) selects nothing. Rules: 0 <= axis < rank. */
dmlc_status dmlc_plan_one_hot(dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end,
                              int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                              const int64_t *output_strides, int32_t axis);

/* What stands where a band does not fill. */
typedef enum dmlc_band_background {
    DMLC_BACKGROUND_VALUE = 0, /* values[0] */
    DMLC_BACKGROUND_INPUT,     /* the input's element */
    DMLC_BACKGROUND_KEEP       /* what the output holds already: in place, or memory known to be zero */
} dmlc_band_background;

/* output[.., y, x] = use ? values[1] : background, top = x - y,
 * use = (end >= begin) xor (top >= begin) xor (top < end). input_strides is read for DMLC_BACKGROUND_INPUT only.
 * Rules: rank >= 2; -2^62 <= begin, end <= 2^62. */
dmlc_status dmlc_plan_diagonal_matrix(dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes,
                                      const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                      int64_t end, dmlc_band_background background);

void dmlc_plan_free(dmlc_plan *plan);

/* Bytes that a run reads and writes, by which it is shared among threads. */
int64_t dmlc_plan_bytes(const dmlc_plan *plan);

typedef struct dmlc_operands {
    void *output;
    const void *input;     /* NULL where the operator has none */
    const void *values[2]; /* one element each: the background, the value set; NULL where the operator has none */
} dmlc_operands;

/* Runs a plan on at most `threads` threads (at least 1). Small work stays on the calling thread. */
void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads);

/* "major.minor.patch" */
const char *dmlc_version(void);

/* How many threads the caller of dmlc_run is to pass: what this thread was given with dmlc_set_thread_threads, or else
 * what the process was given with dmlc_set_threads, or else what OMP_NUM_THREADS or the machine gives. */
int32_t dmlc_threads(void);

/* For all threads that have no number of their own; at least 1. */
void dmlc_set_threads(int32_t threads);

/* For the calling thread alone; 0 takes it back. Returns what it was. */
int32_t dmlc_set_thread_threads(int32_t threads);

/* 1 in a build with OpenMP, else 0. */
int32_t dmlc_has_openmp(void);

/* The instruction sets whose kernels this build has and this machine can run, best first; NULL past the last. */
const char *dmlc_isa_name(int32_t index);

/* The one in use. */
const char *dmlc_isa(void);

/* Chooses by name, NULL for the best, before any run (until then: "baseline"); DMLC_INVALID_ARGUMENT where the name is not among dmlc_isa_name's. */
dmlc_status dmlc_set_isa(const char *name);

#ifdef __cplusplus
}
#endif

#endif
