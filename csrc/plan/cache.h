/* Plans by layout, shared: whoever asks for a layout that was planned lately gets the same plan again.
 *
 * The functions take what the planners of dmlc.h take and obey the same rules. What they give is owned together with
 * the cache, until it is released: a plan that is thrown out while it runs lives on.
 */
#ifndef DMLC_CACHE_H
#define DMLC_CACHE_H

#include "dmlc.h"

#include <stdbool.h>

typedef struct dmlc_shared_plan {
    dmlc_plan *plan;
} dmlc_shared_plan;

dmlc_status dmlc_share_window(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
                              const int64_t *input_strides, const int64_t *output_sizes, const int64_t *output_strides,
                              const int64_t *start, dmlc_padding_mode mode);

dmlc_status dmlc_share_padding(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
                               const int64_t *input_strides, const int64_t *output_strides, const int64_t *start,
                               const int64_t *end, dmlc_padding_mode mode);

dmlc_status dmlc_share_slice(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *output_sizes,
                             const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets,
                             const int64_t *steps);

/* The slice that takes everything, which any slice is to its view's strides: those that differ in their offsets alone
 * share it. */
dmlc_status dmlc_share_copy(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes,
                            const int64_t *input_strides, const int64_t *output_strides);

/* The indices' stride along `axis` is part of the key: pass 0. */
dmlc_status dmlc_share_one_hot(dmlc_shared_plan **shared, int64_t width, dmlc_index_type index_type, int32_t from_end,
                               int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                               const int64_t *output_strides, int32_t axis);

dmlc_status dmlc_share_diagonal_matrix(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes,
                                       const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                       int64_t end, dmlc_band_background background);

/* NULL is ignored. */
void dmlc_share_release(dmlc_shared_plan *shared);

/* Forgets every plan. */
void dmlc_share_clear(void);

/* How many plans are kept, and the most that are. */
int32_t dmlc_share_kept(void);
int32_t dmlc_share_limit(void);

#endif
