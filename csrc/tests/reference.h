/* One operator on one layout, and the plain loop that says what it must write. */
#ifndef DMLC_TESTS_REFERENCE_H
#define DMLC_TESTS_REFERENCE_H

#include "dmlc.h"

#include <stdbool.h>

typedef enum test_operator { TEST_PADDING, TEST_SLICE, TEST_ONE_HOT, TEST_DIAGONAL_MATRIX, TEST_WINDOW } test_operator;
enum { TEST_OPERATORS = TEST_WINDOW + 1 };

/* Where a tensor's elements lie. */
typedef struct test_tensor {
    int64_t sizes[DMLC_MAXIMUM_RANK];
    int64_t strides[DMLC_MAXIMUM_RANK]; /* bytes */
    int64_t below;                      /* bytes from the lowest element to the one whose coordinates are 0 */
    int64_t bytes;                      /* from the lowest element to the end of the highest */
} test_tensor;

typedef struct test_case {
    test_operator kind;
    int64_t width;
    int32_t rank;
    test_tensor input; /* one-hot: the indices, whose size along the axis is 1 */
    test_tensor output;
    uint8_t values[2][16];
    int32_t threads;

    int64_t start[DMLC_MAXIMUM_RANK], end[DMLC_MAXIMUM_RANK]; /* padding; a window has a start alone */
    dmlc_padding_mode mode;

    int64_t offsets[DMLC_MAXIMUM_RANK], steps[DMLC_MAXIMUM_RANK]; /* slice */

    int32_t axis, from_end; /* one-hot */
    dmlc_index_type index_type;

    int64_t band_begin, band_end; /* diagonal matrix */
    dmlc_band_background background;
} test_case;

/* Bytes of an element of the input. */
int64_t test_input_width(const test_case *test);

/* Whether the operator reads an input, and values[which]. */
bool test_reads_input(const test_case *test);
bool test_reads_value(const test_case *test, int which);

int64_t test_index_width(dmlc_index_type type);

/* Sets below and bytes from sizes and strides. */
void test_tensor_measure(test_tensor *tensor, int32_t rank, int64_t width);

int64_t test_elements(const test_tensor *tensor, int32_t rank);

/* Advances coordinates in C order; false after the last. */
bool test_next(int64_t *coordinates, const test_tensor *tensor, int32_t rank);

/* dmlc.h's formulas, element by element. Pointers point at the elements whose coordinates are 0. */
void test_reference(const test_case *test, uint8_t *output, const uint8_t *input);

/* What dmlc_plan_* makes of the case. */
dmlc_status test_plan(const test_case *test, dmlc_plan **plan);

#endif
