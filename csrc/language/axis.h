/* An axis of a plan, what it reads, and a part of it as a row of pieces; the words stand at the top of plan.h. */
#ifndef DMLC_LANGUAGE_AXIS_H
#define DMLC_LANGUAGE_AXIS_H

#include "dmlc.h"
#include "language/numbers.h"

#include <stdbool.h>

typedef struct dmlc_segment {
    int64_t size;   /* elements */
    int64_t offset; /* input bytes from the axis' origin to the first element read */
    int64_t step;   /* input bytes from one element to the next */
    bool outside;   /* nothing is read: values[0] stands here, see outside_value */
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

/* Appends a segment, or lengthens the last one where it continues it; empty ones vanish. Whether there is room, of DMLC_MAXIMUM_SEGMENTS,
 * is the caller's to know. */
void dmlc_axis_add(dmlc_axis *axis, int64_t size, int64_t offset, int64_t step, bool outside);

/* A single segment, read once from its first element on, nothing of it outside. To be asked of axes in canonical form, see plan/layout.c:
 * before that, a whole turn from another phase passes too. */
bool dmlc_axis_is_plain(const dmlc_axis *axis);

/* The least step, without its sign, of the segments that read more than one element; INT64_MAX where all of them have step 0 or there are
 * none. */
int64_t dmlc_axis_distance(const dmlc_axis *axis);

/* (phase + position) mod cycle. */
int64_t dmlc_axis_place(const dmlc_axis *axis, int64_t position);

/* The run that begins at `position`, stays in one segment and ends at `end` at the latest. */
dmlc_segment dmlc_axis_run_among(const dmlc_axis *axis, int64_t position, int64_t end);

/* The same without a call where all elements up to `end` are of one segment, as most axes have. */
static inline dmlc_segment dmlc_axis_run(const dmlc_axis *axis, int64_t position, int64_t end)
{
    const dmlc_segment *one = &axis->segments[0];
    if (axis->segment_count > 1 || end > axis->cycle - axis->phase)
        return dmlc_axis_run_among(axis, position, end);
    return (dmlc_segment){
        .size = end - position,
        .offset = one->offset + (axis->phase + position) * one->step,
        .step = one->step,
        .outside = one->outside,
    };
}

/* What a row does along its axis, ready for a kernel. Offsets are bytes from the row's start. */
typedef enum dmlc_operation {
    DMLC_COPY,      /* bytes, dense on both sides */
    DMLC_FILL,      /* bytes, dense, with values[0] */
    DMLC_FILL_EACH, /* count chunks at the row's output step, with values[0] */
    DMLC_REPEAT,    /* the chunk at `input`, count times, dense */
    DMLC_GATHER,    /* count chunks from `step` apart to the row's output step apart */
    DMLC_REPLICATE  /* count chunks, each from the output `step` bytes before it */
} dmlc_operation;

typedef struct dmlc_piece {
    dmlc_operation operation;
    int64_t output;
    int64_t input;
    int64_t step;
    int64_t count; /* chunks; bytes for COPY and FILL */
} dmlc_piece;

/* One cycle from any phase is at most segments + 1 pieces, and one more replicates it. */
enum { DMLC_MAXIMUM_PIECES = DMLC_MAXIMUM_SEGMENTS + 2 };

/* A contiguous inner run of the input up to this many bytes moves as one chunk of the row outside it; a longer one is a row itself, so
 * that rows stay worth a kernel's while and work can still be shared along them. */
enum { DMLC_LONGEST_CHUNK = 64 };

typedef struct dmlc_row {
    int64_t chunk;       /* bytes */
    int64_t output_step; /* bytes from chunk to chunk */
    int64_t size;        /* chunks */
    int32_t piece_count;
    dmlc_piece pieces[DMLC_MAXIMUM_PIECES];
} dmlc_row;

/* Whether a row is one copy, or one gather, alone, and whether its chunks follow each other in the output. */
static inline bool dmlc_row_is_copy(const dmlc_row *row)
{
    return row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY;
}

static inline bool dmlc_row_is_gather(const dmlc_row *row)
{
    return row->piece_count == 1 && row->pieces[0].operation == DMLC_GATHER;
}

static inline bool dmlc_row_is_dense(const dmlc_row *row) { return row->output_step == row->chunk; }

static inline bool dmlc_row_is_dense_gather(const dmlc_row *row)
{
    return dmlc_row_is_gather(row) && dmlc_row_is_dense(row);
}

/* Elements [begin, end) of an axis as a row of pieces. */
dmlc_row dmlc_row_of(const dmlc_axis *axis, int64_t chunk, int64_t begin, int64_t end);

#endif
