/* Running plans: the walk over their axes, shared over threads by what it costs. */
#ifndef DMLC_RUN_H
#define DMLC_RUN_H

#include "kernels/kernels.h"

typedef struct dmlc_job dmlc_job;

/* What a way does inside the axes that are walked. A leaf has elements along which tasks may cut it: a row's chunks, a selection's last
 * positions or its planes, a transpose's rows or columns, a band's rows; a single one where it is not to be cut. */
typedef struct dmlc_leaf {
    int64_t (*size)(const dmlc_plan *plan);

    /* A task takes a multiple of so many elements. */
    int64_t (*grain)(const dmlc_plan *plan);

    /* Bytes from one to the next in the output; NULL where all of the leaf lies inside the axes that are walked, and for selections, whose
     * planes may lie outside them. */
    int64_t (*output_step)(const dmlc_plan *plan);

    /* Elements [begin, end) of one leaf, which starts at output and input. */
    void (*part)(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input);

    /* A block of whole leaves. */
    void (*block)(const dmlc_job *job, const dmlc_block *block);

    /* From how many times as many bytes as the cache holds on a run goes past it, where patterns[0] is written outside and patterns[1] in
     * bands and selections; see past_cache.h. NULL: late. */
    double (*past_cache_from)(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads);
} dmlc_leaf;

struct dmlc_job {
    const dmlc_plan *plan;
    const dmlc_leaf *leaf;
    int32_t outer_axes; /* those that are walked */
    int32_t threads;
    char *output;
    const char *input;
    dmlc_pattern patterns[2];
    bool past_cache; /* it is written past the cache, see past_cache.h */
    /* See distance.h. */
    bool far;             /* what is read is worth fetching ahead */
    bool writes_in_order; /* see dmlc_block */
    bool in_memory;       /* some of what is moved is not in the cache */
    bool stores_wait;     /* lines are worth fetching before they are written */
    bool reads_down;      /* see dmlc_block */
    dmlc_stream *stream;  /* a task's own, or NULL */
};

/* run.c: the leaf of a way. */
const dmlc_leaf *dmlc_leaf_of(dmlc_way way);

extern const dmlc_leaf dmlc_rows_leaf;        /* rows.c */
extern const dmlc_leaf dmlc_short_rows_leaf;  /* short_rows.c */
extern const dmlc_leaf dmlc_filled_rows_leaf; /* filled_rows.c */
extern const dmlc_leaf dmlc_ends_leaf;        /* ends.c */
extern const dmlc_leaf dmlc_moves_leaf;       /* boxes.c */
extern const dmlc_leaf dmlc_shuffles_leaf;    /* boxes.c */
extern const dmlc_leaf dmlc_transpose_leaf;   /* transpose.c */
extern const dmlc_leaf dmlc_packed_leaf;      /* packed.c */
extern const dmlc_leaf dmlc_grown_leaf;       /* grown.c */
extern const dmlc_leaf dmlc_select_leaf;      /* select.c */
extern const dmlc_leaf dmlc_band_leaf;        /* band.c */

/* The axis that a leaf begins with. */
static inline const dmlc_axis *dmlc_leaf_axis(const dmlc_plan *plan)
{
    return &plan->axes[plan->axis_count - plan->leaf_axes];
}

/* The box that a leaf is; NULL where it is none. */
static inline const dmlc_box *dmlc_leaf_box(const dmlc_plan *plan)
{
    return plan->way == DMLC_MOVES      ? &plan->program.moves.box
           : plan->way == DMLC_SHUFFLES ? &plan->program.shuffles.box
                                        : NULL;
}

static inline bool dmlc_goes_by_rows(const dmlc_plan *plan)
{
    return plan->way == DMLC_ROWS || plan->way == DMLC_PERMUTED_ROWS;
}

/* Whether a selection scatters ones over planes, whose positions are dense, and whether it may as well compare each index with all k. */
static inline bool dmlc_scatters_planes(const dmlc_plan *plan)
{
    const dmlc_select *select = &plan->program.select;
    return select->way == DMLC_SELECT_SCATTER && select->depth_step != plan->width &&
           dmlc_leaf_axis(plan)->output_step == plan->width;
}

static inline bool dmlc_may_compare_planes(const dmlc_plan *plan)
{
    return dmlc_scatters_planes(plan) &&
           dmlc_index_fits(plan->program.select.depth, dmlc_plane_index_width(plan->width));
}

/* Where part p of `count` things begins, of so many near-equal parts, fewer than 2^31: p * count / parts without the
 * product, which may not fit. It ends where part p + 1 begins. Larger parts lie between smaller ones: with all of them first,
 * of twelve matrices in eight tasks one thread had eight. */
static inline int64_t dmlc_part_begin(int64_t count, int64_t parts, int64_t p)
{
    return p * (count / parts) + p * (count % parts) / parts;
}

/* walk.c: 1, the size of a leaf that tasks do not cut, and the grain of one that they may cut anywhere. */
int64_t dmlc_one(const dmlc_plan *plan);

/* walk.c: the part of a leaf that is all of it. */
void dmlc_whole_part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input);

/* A leaf that tasks do not cut. */
#define DMLC_WHOLE_LEAF(BLOCK, FROM)                                                                                   \
    {.size = dmlc_one, .grain = dmlc_one, .part = dmlc_whole_part, .block = (BLOCK), .past_cache_from = (FROM)}

/* walk.c: one leaf of a job, as a block. */
dmlc_block dmlc_one_leaf(const dmlc_job *job, char *output, const char *input);

/* walk.c: values[0] on `count` elements of the axis and all that is inside them. */
void dmlc_fill_axes(const dmlc_job *job, int32_t axis, int64_t count, char *output);

/* walk.c: repeats `bytes` of the output over the `more` bytes that follow them. */
void dmlc_replicate(const dmlc_job *job, char *output, int64_t bytes, int64_t more);

/* walk.c: all of a job, on this thread. */
void dmlc_run_whole(const dmlc_job *job);

/* Threads that write less than so many bytes between what others write go for the same lines again and again. */
enum { DMLC_LEAST_APART = 1024 };

/* Tasks along the outermost axes that give enough of them, the leaf included, so that one large image is shared as well as
 * a batch. Task t is one combination of indices of axes [0, axis) and one of `ranges` near-equal ranges of the axis `cut`, or of the
 * leaf, with all of the axes between. */
typedef struct dmlc_grid {
    const dmlc_job *job;
    int32_t axis, cut;
    int64_t ranges;
    int64_t tasks;
} dmlc_grid;

/* walk.c: about as many tasks as are wanted. */
dmlc_grid dmlc_cut_into_tasks(const dmlc_job *job, int64_t wanted);

/* walk.c: one of a grid's, for dmlc_parallel. */
void dmlc_run_task(const void *grid, int64_t index);

/* Plans that run as one. */
typedef struct dmlc_batch {
    const dmlc_plan *const *plans;
    const dmlc_operands *operands;
    int32_t count;
    int32_t threads;
    int64_t bytes; /* that all move */
} dmlc_batch;

/* woven.c: how many plans from one on are woven, at least that one. */
int32_t dmlc_woven_from(const dmlc_batch *all, int32_t first);

/* woven.c: some that are woven, or one, cut into about so many tasks or more; the job is the first one's. */
dmlc_grid dmlc_cut_woven(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_job *job, int64_t wanted);
void dmlc_run_woven_task(const dmlc_batch *all, int32_t first, int32_t count, const dmlc_grid *grid, int64_t index);

/* woven.c: all of that, on this thread. */
void dmlc_run_woven(const dmlc_batch *all, int32_t first, int32_t count);

/* run.c: makes a job. `bytes` is what all plans that run together move: it decides how far away they are, and whether they go past the
 * cache. */
void dmlc_job_begin(dmlc_job *job, const dmlc_plan *plan, const dmlc_operands *operands, int64_t bytes,
                    int32_t threads);

/* run.c: the job of a plan that is part of another's leaf. */
void dmlc_job_begin_within(dmlc_job *job, const dmlc_job *outer, const dmlc_plan *plan);

/* walk.c: all of a job's plan, once for each of a block. */
void dmlc_run_leaves(const dmlc_job *job, const dmlc_block *block);

/* run.c: what a run takes on one thread, in nanoseconds: what its bytes take, or its plan's cost if that is more. What runs before a band
 * is not in it, but that band's bytes are those of both. */
double dmlc_run_cost(const dmlc_plan *plan);

/* run.c: on how many threads work is done soonest that takes one so many nanoseconds. */
int32_t dmlc_threads_worth(double alone);

/* run.c: how many threads are to have such work; 0 asked for are dmlc_threads()'s. Where it is one though
 * the work was worth more, dmlc_worked_alone is to follow. */
int32_t dmlc_team_for(double alone, int32_t asked);

/* run.c: how many tasks such work is to be on so many threads. */
int64_t dmlc_tasks_for(double alone, int32_t threads);

/* run.c: dmlc_run with dmlc_threads(), which is asked only where the work is worth sharing: it takes OpenMP 15 ns. */
void dmlc_run_on_threads(const dmlc_plan *plan, const dmlc_operands *operands);

/* threads.c: how many of the threads that a run may take it is to take, if its work is worth so many: no more than there
 * are processors to run them, and one alone in a parallel region of OpenMP's or after a fork. */
int32_t dmlc_team_size(int32_t asked, int32_t worth);

/* threads.c: how many processors this thread and those it starts may run on and have the time of. */
int32_t dmlc_processors(void);

/* threads.c: the processors that OpenMP's threads are bound to by the user (OMP_PROC_BIND, OMP_PLACES), as many as there
 * is room for; returns how many, 0 where they are not. The calling thread is bound to some of them alone. */
int32_t dmlc_bound_processors(int32_t *processors, int32_t room);

/* threads.c: whether runs that are worth a second thread take all that they may, however many are worth it or can run at once, so that
 * tests see large teams. */
void dmlc_set_oversubscribe(bool oversubscribe);
bool dmlc_oversubscribes(void);

/* team.c: whether a worker is awake, or worth waking for work that takes one thread so many nanoseconds and, where it comes close
 * upon other such work, for what is likely to follow. To be asked once for each run that may be shared. */
bool dmlc_workers_pay(double alone);

/* team.c: to be said when a run has ended that was shared with nobody, though it might have been. */
void dmlc_worked_alone(void);

/* team.c: calls task(context, i) for every i < tasks, on at most `threads` threads; on the calling one alone if there are more
 * than 32,767 tasks for each, or if sixteen other calls are under way. More than 128 threads are not used. */
void dmlc_parallel(int64_t tasks, int32_t threads, void (*task)(const void *context, int64_t index),
                   const void *context);

#endif
