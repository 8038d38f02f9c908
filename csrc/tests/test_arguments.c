/* What the public functions refuse, and what they say of themselves. */
#include "dmlc.h"

#include "expect.h"
#include "language/plan.h"

#include <string.h>

static const int64_t LARGE = INT64_C(1) << 62;

/* The status alone; a plan that comes out is freed. Takes the pointer's address: arguments have no order. */
static dmlc_status freed(dmlc_status status, dmlc_plan **plan)
{
    if (status == DMLC_OK)
        dmlc_plan_free(*plan);
    return status;
}

static dmlc_status padding(int64_t width, int32_t rank, int64_t size, int64_t input_stride, int64_t output_stride,
                           int64_t start, int64_t end, int mode)
{
    const int64_t sizes[] = {size}, from[] = {input_stride}, to[] = {output_stride}, before[] = {start},
                  after[] = {end};
    dmlc_plan *plan = NULL;
    return freed(dmlc_plan_padding(&plan, width, rank, sizes, from, to, before, after, (dmlc_padding_mode)mode), &plan);
}

static dmlc_status slice(int64_t width, int32_t rank, int64_t size, int64_t input_stride, int64_t output_stride,
                         int64_t offset, int64_t step)
{
    const int64_t sizes[] = {size}, from[] = {input_stride}, to[] = {output_stride}, offsets[] = {offset},
                  steps[] = {step};
    dmlc_plan *plan = NULL;
    return freed(dmlc_plan_slice(&plan, width, rank, sizes, from, to, offsets, steps), &plan);
}

static dmlc_status one_hot(int64_t width, int type, int32_t rank, int64_t size, int64_t stride, int32_t axis)
{
    const int64_t sizes[] = {size, size}, from[] = {stride, stride}, to[] = {stride, stride};
    dmlc_plan *plan = NULL;
    return freed(dmlc_plan_one_hot(&plan, width, (dmlc_index_type)type, 1, rank, sizes, from, to, axis), &plan);
}

static dmlc_status matrix(int64_t width, int32_t rank, int64_t size, int64_t stride, int64_t begin, int64_t end,
                          int background)
{
    const int64_t sizes[] = {size, size}, from[] = {stride, stride}, to[] = {stride * size, stride};
    dmlc_plan *plan = NULL;
    return freed(
        dmlc_plan_diagonal_matrix(&plan, width, rank, sizes, from, to, begin, end, (dmlc_band_background)background),
        &plan);
}

static void test_padding(void)
{
    EXPECT(padding(4, 1, 3, 4, 4, 1, 2, DMLC_PADDING_WRAP) == DMLC_OK);
    EXPECT(padding(4, 0, 3, 4, 4, 1, 2, DMLC_PADDING_WRAP) == DMLC_OK);
    const int64_t bad_widths[] = {0, -1, 3, 5, 6, 12, 32, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof(bad_widths) / sizeof(bad_widths[0]); ++i) {
        EXPECT(padding(bad_widths[i], 1, 3, 4, 4, 1, 2, DMLC_PADDING_WRAP) == DMLC_INVALID_ARGUMENT);
        EXPECT(slice(bad_widths[i], 1, 3, 4, 4, 0, 1) == DMLC_INVALID_ARGUMENT);
        EXPECT(one_hot(bad_widths[i], DMLC_INDEX_INT8, 2, 3, 4, 1) == DMLC_INVALID_ARGUMENT);
        EXPECT(matrix(bad_widths[i], 2, 3, 4, 0, 1, DMLC_BACKGROUND_VALUE) == DMLC_INVALID_ARGUMENT);
    }
    EXPECT(padding(4, -1, 3, 4, 4, 1, 2, DMLC_PADDING_WRAP) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, DMLC_MAXIMUM_RANK + 1, 3, 4, 4, 1, 2, DMLC_PADDING_WRAP) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, 1, 3, 4, 4, 1, 2, -1) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, 1, 3, 4, 4, 1, 2, 5) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, 1, 3, 4, 4, -1, 2, DMLC_PADDING_EDGE) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, 1, 3, 4, 4, 1, -2, DMLC_PADDING_EDGE) == DMLC_INVALID_ARGUMENT);
    EXPECT(padding(4, 1, -3, 4, 4, 1, 2, DMLC_PADDING_EDGE) == DMLC_INVALID_ARGUMENT);
    /* Nothing can be extended from nothing; a constant needs no input. */
    for (int mode = DMLC_PADDING_EDGE; mode <= DMLC_PADDING_WRAP; ++mode) {
        EXPECT(padding(4, 1, 0, 4, 4, 1, 0, mode) == DMLC_INVALID_ARGUMENT);
        EXPECT(padding(4, 1, 0, 4, 4, 0, 1, mode) == DMLC_INVALID_ARGUMENT);
        EXPECT(padding(4, 1, 0, 4, 4, 0, 0, mode) == DMLC_OK);
    }
    EXPECT(padding(4, 1, 0, 4, 4, 1, 1, DMLC_PADDING_CONSTANT) == DMLC_OK);

    EXPECT(padding(1, 1, 1, 1, 1, INT64_MAX, 0, DMLC_PADDING_EDGE) == DMLC_OVERFLOW);
    EXPECT(padding(1, 1, 1, 1, 1, 0, INT64_MAX, DMLC_PADDING_EDGE) == DMLC_OVERFLOW);
    EXPECT(padding(1, 1, 1, 1, 1, INT64_MAX / 2, INT64_MAX / 2, DMLC_PADDING_EDGE) == DMLC_OVERFLOW);
    EXPECT(padding(8, 1, 3, 8, 8, LARGE / 4, 0, DMLC_PADDING_REFLECTION) == DMLC_OVERFLOW);
    EXPECT(padding(8, 1, LARGE / 4, 8, 1, 0, 0, DMLC_PADDING_CONSTANT) == DMLC_OVERFLOW);
    EXPECT(padding(8, 1, 2, INT64_MIN, 8, 0, 0, DMLC_PADDING_CONSTANT) == DMLC_OVERFLOW);
    EXPECT(padding(8, 1, 2, 8, INT64_MAX, 0, 0, DMLC_PADDING_CONSTANT) == DMLC_OVERFLOW);
    /* Large, but every offset fits. */
    for (int mode = DMLC_PADDING_CONSTANT; mode <= DMLC_PADDING_WRAP; ++mode)
        EXPECT(padding(1, 1, 3, 1, 1, LARGE / 4, LARGE / 4, mode) == DMLC_OK);
}

static void test_slice(void)
{
    EXPECT(slice(4, 1, 3, 4, 4, 0, 1) == DMLC_OK);
    EXPECT(slice(4, 0, 3, 4, 4, 0, 1) == DMLC_OK);
    EXPECT(slice(4, -1, 3, 4, 4, 0, 1) == DMLC_INVALID_ARGUMENT);
    EXPECT(slice(4, DMLC_MAXIMUM_RANK + 1, 3, 4, 4, 0, 1) == DMLC_INVALID_ARGUMENT);
    EXPECT(slice(4, 1, 3, 4, 4, 0, LARGE) == DMLC_OVERFLOW);
    EXPECT(slice(4, 1, 3, 4, 4, LARGE / 4, 1) == DMLC_OVERFLOW);
    EXPECT(slice(4, 1, 3, INT64_MIN, 4, 0, 1) == DMLC_OVERFLOW);
    EXPECT(slice(4, 1, 3, INT64_MIN, 4, 0, INT64_MIN) == DMLC_OVERFLOW);
    EXPECT(slice(4, 1, 3, 4, INT64_MIN, 0, 1) == DMLC_OVERFLOW);
    EXPECT(slice(4, 1, INT64_MAX, 4, 4, 0, 1) == DMLC_OVERFLOW);
    /* A step along one element and an offset along none are not looked at. */
    EXPECT(slice(4, 1, 1, 4, 4, 0, INT64_MAX) == DMLC_OK);
    EXPECT(slice(4, 1, 0, 4, 4, INT64_MAX, INT64_MAX) == DMLC_OK);
}

static void test_one_hot(void)
{
    EXPECT(one_hot(4, DMLC_INDEX_UINT64, 2, 3, 4, 0) == DMLC_OK);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, 0, 4, 0) == DMLC_OK);
    EXPECT(one_hot(4, -1, 2, 3, 4, 0) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_UINT64 + 1, 2, 3, 4, 0) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, 3, 4, -1) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, 3, 4, 2) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 0, 3, 4, 0) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, DMLC_MAXIMUM_RANK + 1, 3, 4, 0) == DMLC_INVALID_ARGUMENT);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, LARGE, 1, 0) == DMLC_OVERFLOW);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, LARGE / 2, 4, 0) == DMLC_OVERFLOW);
    EXPECT(one_hot(4, DMLC_INDEX_INT8, 2, 3, INT64_MIN, 0) == DMLC_OVERFLOW);
    /* The indices have no step along the new axis. */
    const int64_t sizes[] = {1 << 20}, far[] = {LARGE / 2}, packed[] = {4};
    dmlc_plan *plan = NULL;
    EXPECT(freed(dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT8, 1, 1, sizes, far, packed, 0), &plan) == DMLC_OK);
}

static void test_diagonal_matrix(void)
{
    EXPECT(matrix(4, 2, 3, 4, -LARGE, LARGE, DMLC_BACKGROUND_VALUE) == DMLC_OK);
    EXPECT(matrix(4, 2, 3, 4, 0, 1, -1) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, 2, 3, 4, 0, 1, DMLC_BACKGROUND_KEEP + 1) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, 1, 3, 4, 0, 1, DMLC_BACKGROUND_KEEP) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, DMLC_MAXIMUM_RANK + 1, 3, 4, 0, 1, DMLC_BACKGROUND_KEEP) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, 2, 3, 4, -LARGE - 1, 1, DMLC_BACKGROUND_KEEP) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, 2, 3, 4, 0, LARGE + 1, DMLC_BACKGROUND_KEEP) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(4, 2, 3, 4, INT64_MIN, INT64_MAX, DMLC_BACKGROUND_KEEP) == DMLC_INVALID_ARGUMENT);
    EXPECT(matrix(1, 2, INT64_C(1) << 32, 1, 0, 1, DMLC_BACKGROUND_KEEP) == DMLC_OVERFLOW);
    EXPECT(matrix(1, 2, INT64_C(1) << 31, 1, 0, 1, DMLC_BACKGROUND_KEEP) == DMLC_OK);
}

/* Strides of 0 reach nowhere, however many elements there are; such numbers must not overflow in planning. */
static void test_counts(void)
{
    const int64_t side = INT64_C(1) << 61, many[] = {side, side}, most[] = {side, 2}, none[] = {0, 0}, ones[] = {1, 1};
    const int64_t empty[] = {side, 0, side, side}, zeros[] = {0, 0, 0, 0};
    dmlc_plan *plan = NULL;
    EXPECT(freed(dmlc_plan_slice(&plan, 1, 2, many, none, none, none, none), &plan) == DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_slice(&plan, 16, 2, many, none, none, none, ones), &plan) == DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_padding(&plan, 1, 2, many, none, none, none, none, DMLC_PADDING_WRAP), &plan) ==
           DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_padding(&plan, 1, 2, ones, none, none, many, none, DMLC_PADDING_CONSTANT), &plan) ==
           DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_one_hot(&plan, 1, DMLC_INDEX_INT8, 0, 2, many, none, none, 1), &plan) == DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_diagonal_matrix(&plan, 1, 2, many, none, none, 0, 1, DMLC_BACKGROUND_KEEP), &plan) ==
           DMLC_OVERFLOW);
    EXPECT(freed(dmlc_plan_slice(&plan, 1, 2, most, none, none, none, none), &plan) == DMLC_OK);
    EXPECT(freed(dmlc_plan_slice(&plan, 1, 4, empty, zeros, zeros, zeros, zeros), &plan) == DMLC_OK);
    for (int mode = DMLC_PADDING_CONSTANT; mode <= DMLC_PADDING_WRAP; ++mode) {
        EXPECT(padding(1, 1, LARGE - 1, 0, 0, 0, 0, mode) == DMLC_OK);
        /* The turn of a mirrored axis is about twice its size, and the place where it begins close to that. */
        EXPECT(padding(1, 1, LARGE - 300, 0, 1, 100, 100, mode) == DMLC_OK);
        EXPECT(padding(1, 1, LARGE - 300, 1, -1, 100, 100, mode) == DMLC_OK);
        EXPECT(padding(1, 1, LARGE / 2, 1, 1, LARGE / 2 - 1, 0, mode) == DMLC_OK);
        EXPECT(padding(1, 1, INT64_MAX, 0, 0, 0, 0, mode) == DMLC_OVERFLOW);
    }
    const int64_t far[] = {LARGE - 300}, few[] = {50}, start[] = {LARGE - 400}, step[] = {1};
    EXPECT(freed(dmlc_plan_window(&plan, 1, 1, far, step, few, step, start, DMLC_PADDING_SYMMETRIC), &plan) == DMLC_OK);
    EXPECT(slice(1, 1, INT64_MAX, 0, 0, 0, 0) == DMLC_OVERFLOW);
    EXPECT(slice(1, 1, INT64_MAX, 0, 1, INT64_MAX, INT64_MIN) == DMLC_OVERFLOW);
    EXPECT(one_hot(1, DMLC_INDEX_INT64, 2, INT64_MAX, 0, 1) == DMLC_OVERFLOW);
    EXPECT(one_hot(1, DMLC_INDEX_INT64, 1, INT64_MAX, 0, 0) == DMLC_OVERFLOW);
    EXPECT(one_hot(1, DMLC_INDEX_INT64, 1, LARGE - 1, 1, 0) == DMLC_OK);
    EXPECT(matrix(1, 2, INT64_MAX, 0, 0, 1, DMLC_BACKGROUND_INPUT) == DMLC_OVERFLOW);
}

static void test_bytes_moved(void)
{
    const int64_t sizes[] = {3, 5}, strides[] = {20, 4}, none[] = {0, 0}, ones[] = {1, 1};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_plan_slice(&plan, 4, 2, sizes, strides, strides, none, ones) == DMLC_OK);
    EXPECT(dmlc_plan_bytes(plan) == 2 * 3 * 5 * 4);
    dmlc_plan_free(plan);
    /* Rows that move as one chunk each are as many bytes. */
    const int64_t rows_apart[] = {64, 4};
    EXPECT(dmlc_plan_slice(&plan, 4, 2, sizes, rows_apart, strides, none, ones) == DMLC_OK);
    EXPECT(dmlc_plan_bytes(plan) == 2 * 3 * 5 * 4);
    dmlc_plan_free(plan);
    /* A count of bytes that does not fit is the largest that does, never a small or negative one. */
    const int64_t side = INT64_C(1) << 29, huge[] = {side, side}, apart[] = {16 * side, 16};
    EXPECT(dmlc_plan_slice(&plan, 16, 2, huge, none, apart, none, none) == DMLC_OK);
    EXPECT(dmlc_plan_bytes(plan) > LARGE / 4);
    dmlc_plan_free(plan);
    EXPECT(dmlc_plan_one_hot(&plan, 16, DMLC_INDEX_INT8, 0, 2, huge, none, apart, 1) == DMLC_OK);
    EXPECT(dmlc_plan_bytes(plan) > LARGE / 4);
    dmlc_plan_free(plan);
    EXPECT(dmlc_plan_diagonal_matrix(&plan, 16, 2, huge, none, apart, 0, 1, DMLC_BACKGROUND_INPUT) == DMLC_OK);
    EXPECT(dmlc_plan_bytes(plan) > LARGE / 4);
    dmlc_plan_free(plan);
    dmlc_plan_free(NULL);
}

/* What turns on a single element, however often, is planned at once. */
static void test_endless_turns(void)
{
    static const dmlc_padding_mode modes[] = {DMLC_PADDING_EDGE, DMLC_PADDING_REFLECTION, DMLC_PADDING_SYMMETRIC,
                                              DMLC_PADDING_WRAP};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); ++i) {
        EXPECT(padding(1, 1, 1, 1, 1, 0, LARGE / 2, modes[i]) == DMLC_OK);
        EXPECT(padding(1, 1, 1, 1, 1, LARGE / 4, LARGE / 4, modes[i]) == DMLC_OK);
    }
}

/* So many axes that what is kept of each needs more than 32 bits. */
static void test_many_axes(void)
{
    enum { AXES = 34 };
    int64_t sizes[AXES], input[AXES], output[AXES], none[AXES] = {0}, steps[AXES];
    for (int32_t i = 0; i < AXES; ++i) {
        sizes[i] = 2;
        steps[i] = 1;
        input[i] = INT64_C(1) << i; /* in the other order, so that no two are one */
        output[i] = INT64_C(1) << (AXES - 1 - i);
    }
    output[0] += 8; /* a gap behind the half */
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_plan_slice(&plan, 1, AXES, sizes, input, output, none, steps) == DMLC_OK);
    EXPECT(plan->axis_count == AXES);
    EXPECT(!dmlc_is_dense(plan, 0));
    EXPECT(dmlc_is_dense(plan, AXES - 1));
    dmlc_plan_free(plan);
}

/* What a copy refuses, a slice does. */
static void test_copy(void)
{
    const int64_t sizes[] = {2, 1 << 29}, empty[] = {0, 1 << 29}, far[] = {1, INT64_C(1) << 47};
    char byte = 0;
    EXPECT(dmlc_copy(1, 2, sizes, &byte, far, &byte, far, 1) == DMLC_OVERFLOW);
    EXPECT(dmlc_copy(1, 2, empty, &byte, far, &byte, far, 1) == DMLC_OVERFLOW);
    EXPECT(dmlc_copy(3, 0, NULL, &byte, NULL, &byte, NULL, 1) == DMLC_INVALID_ARGUMENT);
    const int64_t below_zero[] = {2, INT64_MIN}, apart[] = {2, 2};
    EXPECT(dmlc_copy(1, 2, below_zero, &byte, apart, &byte, apart, 1) == DMLC_OVERFLOW);
}

static void test_process(void)
{
    EXPECT(strcmp(dmlc_status_message(DMLC_OK), "success") == 0);
    for (int status = -1; status < 6; ++status)
        EXPECT(dmlc_status_message((dmlc_status)status) != NULL);
    EXPECT(strlen(dmlc_version()) >= 5);

    EXPECT(dmlc_isa_name(-1) == NULL);
    EXPECT(dmlc_isa_name(100) == NULL);
    EXPECT(dmlc_isa_name(0) != NULL);
    EXPECT(strcmp(dmlc_isa(), "baseline") == 0);
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i) {
        EXPECT(dmlc_set_isa(dmlc_isa_name(i)) == DMLC_OK);
        EXPECT(strcmp(dmlc_isa(), dmlc_isa_name(i)) == 0);
    }
    EXPECT(strcmp(dmlc_isa(), "baseline") == 0); /* the last of them */
    EXPECT(dmlc_set_isa("sparc") == DMLC_INVALID_ARGUMENT);
    EXPECT(strcmp(dmlc_isa(), "baseline") == 0);
    EXPECT(dmlc_set_isa(NULL) == DMLC_OK);
    EXPECT(strcmp(dmlc_isa(), dmlc_isa_name(0)) == 0);

    EXPECT(dmlc_threads() >= 1);
    dmlc_set_threads(3);
    EXPECT(dmlc_threads() == 3);
    EXPECT(dmlc_set_thread_threads(2) == 0);
    EXPECT(dmlc_threads() == 2);
    dmlc_set_threads(5);
    EXPECT(dmlc_threads() == 2);
    EXPECT(dmlc_set_thread_threads(0) == 2);
    EXPECT(dmlc_threads() == 5);
    dmlc_set_threads(-7);
    EXPECT(dmlc_threads() == 1);
    EXPECT(dmlc_set_thread_threads(-3) == 0);
    EXPECT(dmlc_threads() == 1);
}

int main(void)
{
    test_padding();
    test_slice();
    test_one_hot();
    test_diagonal_matrix();
    test_counts();
    test_bytes_moved();
    test_endless_turns();
    test_many_axes();
    test_copy();
    test_process();
    return expectations_met();
}
