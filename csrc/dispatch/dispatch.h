/* CPU features -> one named table of kernels. */
#ifndef DMLC_DISPATCH_H
#define DMLC_DISPATCH_H

#include "kernels/kernels.h"

/* The table in use; chosen by name, or the best for NULL. False where this machine has no such table. */
const dmlc_kernels *dmlc_kernels_in_use(void);
bool dmlc_choose_kernels(const char *name);

/* The size of the last-level cache; asked of the machine once. */
int64_t dmlc_cache_bytes(void);

/* What the cache's size is taken for from now on, so that tests can stream small outputs; 0 asks the machine again. */
void dmlc_set_cache_bytes(int64_t bytes);

/* How many processors' time the process' control groups (its container) grant it, rounded up; 0 where there is no such
 * limit. Asked of the machine once. */
int32_t dmlc_processor_quota(void);

#endif
