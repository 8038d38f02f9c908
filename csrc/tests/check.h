/* Cases drawn from bytes, run on every instruction set and compared with the plain loop. */
#ifndef DMLC_TESTS_CHECK_H
#define DMLC_TESTS_CHECK_H

#include "language/plan.h"

#include <stddef.h>

/* Whether a case of at most `most_elements` output elements comes out right. Says what differs. */
bool check_case(const uint8_t *bytes, size_t count, int64_t most_elements);

/* The same for a batch: several cases in one call of dmlc_run_many. */
bool check_batch(const uint8_t *bytes, size_t count, int64_t most_elements);

/* How many cases so far, those of batches apart, went that way on the instruction set dmlc_isa_name(isa). */
int64_t check_count(int32_t isa, dmlc_way way);

#endif
