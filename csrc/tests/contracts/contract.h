/* One case of a kernel's contract: random choices, guarded memory, and a loop that says what must be written. */
#ifndef DMLC_TESTS_CONTRACT_H
#define DMLC_TESTS_CONTRACT_H

#include "plan/planner.h"

enum { MEMORY_BYTES = 1 << 18, MOST_BYTES = MEMORY_BYTES - 64 };

/* Draws a case of one kernel, says by a loop what it must write, and calls it. */
typedef struct contract {
    const char *name;
    void (*test)(const dmlc_kernels *kernels);
} contract;

/* By the kernels' rooms; each list ends with a name of NULL. */
extern const contract row_contracts[], box_contracts[], transpose_contracts[], band_contracts[], one_hot_contracts[];

uint64_t draw_bits(void);
int64_t draw(int64_t options);                     /* in [0, options) */
int64_t draw_between(int64_t first, int64_t last); /* in [first, last] */
int64_t draw_width(void);

/* In [1, most], mostly small: bugs hide at borders. */
int64_t draw_size(int64_t most);

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* What a kernel is given, and where the loop writes; `output` and `expected` hold the same at first. */
typedef struct memory {
    char *output, *expected;
    char *input;
    dmlc_pattern patterns[2];
    dmlc_stream stream;
} memory;

/* A case of so many bytes of either side. */
memory prepare(int64_t output_bytes, int64_t input_bytes, int64_t width);

/* One in two times past the cache, from the output's start on. */
dmlc_stream *draw_stream(memory *m);
void end_stream(const dmlc_kernels *kernels, dmlc_stream *stream);

dmlc_block block_of(memory *m, int64_t output_step, const char *input, int64_t input_step, int64_t count);

/* Of any segments. */
dmlc_axis draw_axis(int64_t size, int64_t chunk);

/* What a case reads. */
typedef struct extent {
    int64_t low, end; /* bytes; none where low >= end */
} extent;

static inline void take_in(extent *all, int64_t at, int64_t bytes)
{
    all->low = at < all->low ? at : all->low;
    all->end = at + bytes > all->end ? at + bytes : all->end;
}

/* For the program that runs the contracts. */
void begin_contracts(void);
void begin_case(uint64_t seed);
int64_t prepared_cases(void); /* and counts anew: some draws are none, and not every table has every kernel */

/* Whether nothing but what must be written was; else says what was of the contract of that name. */
bool case_is_right(const char *name);

#endif
