/* Cases drawn from bytes, run on every instruction set and compared with the plain loop. */
#ifndef DMLC_TESTS_CHECK_H
#define DMLC_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a case of at most `most_elements` output elements comes out right. Says what differs. */
bool check_case(const uint8_t *bytes, size_t count, int64_t most_elements);

/* The same for a batch: several cases in one call of dmlc_run_many. */
bool check_batch(const uint8_t *bytes, size_t count, int64_t most_elements);

#endif
