/* Cases drawn from bytes. */
#ifndef DMLC_TESTS_CASE_H
#define DMLC_TESTS_CASE_H

#include "choices.h"
#include "reference.h"

#include <stdio.h>

/* What a tensor may span. */
enum { TEST_MOST_BYTES = 1 << 24 };

/* A valid case of at most `most_elements` output elements. `contents` seeds what stands in memory. */
void test_draw(test_case *test, choices *from, int64_t most_elements, uint64_t *contents);

void test_print(const test_case *test, FILE *file);

#endif
