/* Running a plan: the walk over its axes, shared over threads by bytes. */
#ifndef DMLC_RUN_H
#define DMLC_RUN_H

#include "kernels/kernels.h"

typedef struct dmlc_job dmlc_job;

/* What a kind of plan does inside its outer axes. The leaf is the innermost axis: a map's row, a selection's last
 * positions, a band's rows. */
typedef struct dmlc_leaf {
    /* Elements [begin, end) of one leaf, which starts at output and input. */
    void (*part)(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input);
    /* `count` whole leaves, output_step and input_step apart. */
    void (*block)(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count);
} dmlc_leaf;

struct dmlc_job {
    const dmlc_plan *plan;
    const dmlc_kernels *kernels;
    dmlc_leaf leaf;
    int64_t leaf_size;
    int64_t leaf_grain; /* a task takes a multiple of so many of its elements */
    int32_t outer_axes; /* the axes outside the leaf */
    char *output;
    const char *input;
    dmlc_pattern patterns[2];
    bool past_cache;     /* what is moved exceeds the cache */
    dmlc_stream *stream; /* a task's own, or NULL */
};

extern const dmlc_leaf dmlc_map_leaf;       /* map.c */
extern const dmlc_leaf dmlc_box_leaf;       /* box.c */
extern const dmlc_leaf dmlc_transpose_leaf; /* transpose.c */
extern const dmlc_leaf dmlc_select_leaf;    /* select.c */
extern const dmlc_leaf dmlc_band_leaf;      /* band.c */

/* select.c: the plan's tiles where the kernels take them, or NULL. */
const dmlc_select_tiles *dmlc_tiles_in_use(const dmlc_job *job);

/* select.c: how many positions a task takes at least: planes are gone through one by one, and cost as much when short. */
int64_t dmlc_select_grain(const dmlc_job *job);

/* transpose.c: how many elements its leaf has, columns or rows, and how many a task takes at least. */
int64_t dmlc_transpose_size(const dmlc_plan *plan);
int64_t dmlc_transpose_grain(const dmlc_plan *plan);

/* map.c: values[0] on `count` elements of the axis and all that is inside them. */
void dmlc_fill_box(const dmlc_job *job, int32_t axis, int64_t count, char *output);

/* run.c: elements [begin, end) of an axis and all that is inside them; output at the axis' start, input at its origin. */
void dmlc_walk(const dmlc_job *job, int32_t axis, int64_t begin, int64_t end, char *output, const char *input);

/* run.c: repeats `bytes` of the output over the `more` bytes that follow them. */
void dmlc_replicate(const dmlc_job *job, char *output, int64_t bytes, int64_t more);

/* Where part p of `count` things begins, of so many near-equal parts: p * count / parts without the product, which may
 * not fit. It ends where part p + 1 begins. */
static inline int64_t dmlc_part_begin(int64_t count, int64_t parts, int64_t p)
{
    const int64_t rest = count % parts;
    return p * (count / parts) + (p < rest ? p : rest);
}

/* threads.c: calls task(context, i) for every i < tasks, on at most `threads` threads. */
void dmlc_parallel(int64_t tasks, int32_t threads, void (*task)(const void *context, int64_t index),
                   const void *context);

#endif
