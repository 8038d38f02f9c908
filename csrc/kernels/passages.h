/* How a band passes the rows of a matrix: those that it does not reach yet, crosses as it enters them, covers from end to end, crosses as
 * it leaves them, and does not reach any more. */
#ifndef DMLC_KERNELS_PASSAGES_H
#define DMLC_KERNELS_PASSAGES_H

#include "kernels/kernels.h"

enum { PASSAGES = 5, COVERED = 2 };

/* The row before which a passage ends, counted from the first of those that are given. */
static inline int64_t passage_end(const dmlc_band_rows *rows, int passage)
{
    const int64_t *ends = rows->band->passages, full = ends[1], left = ends[2];
    const int64_t all[PASSAGES] = {ends[0], full, dmlc_maximum(full, left), ends[3], INT64_MAX};
    return dmlc_clip(all[passage] - rows->first, 0, rows->count);
}

static inline bool is_crossed(int passage) { return passage % 2 == 1; }

#endif
