/* Cases drawn from bytes, run on every instruction set and judged. */
#ifndef DMLC_TESTS_CASE_H
#define DMLC_TESTS_CASE_H

#include "choices.h"
#include "reference.h"

#include <stdio.h>

/* A valid case of at most `most_elements` output elements. `contents` seeds what stands in memory. */
void test_draw(test_case *test, choices *from, int64_t most_elements, uint64_t *contents);

/* Whether every instruction set writes what the plain loop writes, and not a byte else. Says what differs. */
bool test_check(const test_case *test, choices *from, uint64_t contents);

void test_print(const test_case *test, FILE *file);

/* Draws and checks. */
bool test_bytes(const uint8_t *bytes, size_t count, int64_t most_elements);

#endif
