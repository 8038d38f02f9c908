#include "reference.h"

#include <string.h>

int64_t test_index_width(dmlc_index_type type)
{
    static const int64_t widths[] = {1, 2, 4, 8, 1, 2, 4, 8};
    return widths[type];
}

int64_t test_input_width(const test_case *test)
{
    return test->kind == TEST_ONE_HOT ? test_index_width(test->index_type) : test->width;
}

bool test_reads_input(const test_case *test)
{
    return test->kind != TEST_DIAGONAL_MATRIX || test->background == DMLC_BACKGROUND_INPUT;
}

bool test_reads_value(const test_case *test, int which)
{
    switch (test->kind) {
    case TEST_WINDOW:
    case TEST_PADDING: return which == 0 && test->mode == DMLC_PADDING_CONSTANT;
    case TEST_SLICE: return false;
    case TEST_ONE_HOT: return true;
    case TEST_DIAGONAL_MATRIX: return which == 1 || test->background == DMLC_BACKGROUND_VALUE;
    }
    return false;
}

void test_tensor_measure(test_tensor *tensor, int32_t rank, int64_t width)
{
    int64_t above = width;
    tensor->below = 0;
    for (int32_t i = 0; i < rank; ++i) {
        if (tensor->sizes[i] == 0) {
            tensor->below = tensor->bytes = 0;
            return;
        }
        const int64_t reach = tensor->sizes[i] == 1 ? 0 : (tensor->sizes[i] - 1) * tensor->strides[i];
        if (reach < 0)
            tensor->below -= reach;
        else
            above += reach;
    }
    tensor->bytes = tensor->below + above;
}

int64_t test_elements(const test_tensor *tensor, int32_t rank)
{
    int64_t elements = 1;
    for (int32_t i = 0; i < rank; ++i)
        elements *= tensor->sizes[i];
    return elements;
}

bool test_next(int64_t *coordinates, const test_tensor *tensor, int32_t rank)
{
    for (int32_t i = rank - 1; i >= 0; --i) {
        if (++coordinates[i] < tensor->sizes[i])
            return true;
        coordinates[i] = 0;
    }
    return false;
}

/* A coordinate of 0 has no product, since a stride along a size of 1 may be anything. */
static int64_t offset_of(const test_tensor *tensor, const int64_t *coordinates, int32_t rank)
{
    int64_t offset = 0;
    for (int32_t i = 0; i < rank; ++i)
        if (coordinates[i] != 0)
            offset += coordinates[i] * tensor->strides[i];
    return offset;
}

/* Walks back into [0, n), one border at a time. */
static int64_t pad_coordinate(int64_t c, int64_t n, dmlc_padding_mode mode)
{
    if (n == 1 && mode == DMLC_PADDING_REFLECTION)
        return 0;
    while (c < 0 || c >= n) {
        switch (mode) {
        case DMLC_PADDING_CONSTANT: return -1;
        case DMLC_PADDING_EDGE: return c < 0 ? 0 : n - 1;
        case DMLC_PADDING_REFLECTION: c = c < 0 ? -c : 2 * (n - 1) - c; break;
        case DMLC_PADDING_SYMMETRIC: c = c < 0 ? -1 - c : 2 * n - 1 - c; break;
        case DMLC_PADDING_WRAP: c += c < 0 ? n : -n; break;
        }
    }
    return c;
}

/* The element of the input that is read, NULL where values[0] stands. */
static const uint8_t *pad(const test_case *test, const int64_t *o, const uint8_t *input)
{
    int64_t c[DMLC_MAXIMUM_RANK];
    for (int32_t i = 0; i < test->rank; ++i) {
        const int64_t start = test->kind == TEST_WINDOW ? test->start[i] : -test->start[i];
        c[i] = pad_coordinate(o[i] + start, test->input.sizes[i], test->mode);
        if (c[i] < 0)
            return test->values[0];
    }
    return input + offset_of(&test->input, c, test->rank);
}

static const uint8_t *slice(const test_case *test, const int64_t *o, const uint8_t *input)
{
    int64_t c[DMLC_MAXIMUM_RANK];
    for (int32_t i = 0; i < test->rank; ++i)
        c[i] = test->offsets[i] + test->steps[i] * o[i];
    return input + offset_of(&test->input, c, test->rank);
}

#define READ(TYPE)                                                                                                     \
    do {                                                                                                               \
        TYPE index;                                                                                                    \
        memcpy(&index, at, sizeof(index));                                                                             \
        *negative = index < (TYPE)1 && index != 0;                                                                     \
        return (uint64_t)index;                                                                                        \
    } while (0)

static uint64_t read_index(const uint8_t *at, dmlc_index_type type, bool *negative)
{
    switch (type) {
    case DMLC_INDEX_INT8: READ(int8_t);
    case DMLC_INDEX_INT16: READ(int16_t);
    case DMLC_INDEX_INT32: READ(int32_t);
    case DMLC_INDEX_INT64: READ(int64_t);
    case DMLC_INDEX_UINT8: READ(uint8_t);
    case DMLC_INDEX_UINT16: READ(uint16_t);
    case DMLC_INDEX_UINT32: READ(uint32_t);
    case DMLC_INDEX_UINT64: READ(uint64_t);
    }
    return 0;
}

static const uint8_t *one_hot(const test_case *test, const int64_t *o, const uint8_t *indices)
{
    int64_t c[DMLC_MAXIMUM_RANK];
    memcpy(c, o, (size_t)test->rank * sizeof(*c));
    c[test->axis] = 0;
    bool negative = false;
    uint64_t index = read_index(indices + offset_of(&test->input, c, test->rank), test->index_type, &negative);
    if (negative && test->from_end) {
        index += (uint64_t)test->output.sizes[test->axis];
        negative = (int64_t)index < 0;
    }
    return test->values[!negative && index == (uint64_t)o[test->axis]];
}

static const uint8_t *diagonal_matrix(const test_case *test, const int64_t *o, const uint8_t *input,
                                      const uint8_t *output)
{
    const int64_t top = o[test->rank - 1] - o[test->rank - 2];
    const int64_t begin = test->band_begin, end = test->band_end;
    if ((end >= begin) ^ (top >= begin) ^ (top < end))
        return test->values[1];
    switch (test->background) {
    case DMLC_BACKGROUND_VALUE: return test->values[0];
    case DMLC_BACKGROUND_INPUT: return input + offset_of(&test->input, o, test->rank);
    case DMLC_BACKGROUND_KEEP: break;
    }
    return output;
}

void test_reference(const test_case *test, uint8_t *output, const uint8_t *input)
{
    if (test_elements(&test->output, test->rank) == 0)
        return;
    int64_t o[DMLC_MAXIMUM_RANK] = {0};
    do {
        uint8_t *to = output + offset_of(&test->output, o, test->rank);
        const uint8_t *from = NULL;
        switch (test->kind) {
        case TEST_PADDING:
        case TEST_WINDOW: from = pad(test, o, input); break;
        case TEST_SLICE: from = slice(test, o, input); break;
        case TEST_ONE_HOT: from = one_hot(test, o, input); break;
        case TEST_DIAGONAL_MATRIX: from = diagonal_matrix(test, o, input, to); break;
        }
        memmove(to, from, (size_t)test->width);
    } while (test_next(o, &test->output, test->rank));
}

dmlc_status test_plan(const test_case *test, dmlc_plan **plan)
{
    const test_tensor *in = &test->input, *out = &test->output;
    switch (test->kind) {
    case TEST_PADDING:
        return dmlc_plan_padding(plan, test->width, test->rank, in->sizes, in->strides, out->strides, test->start,
                                 test->end, test->mode);
    case TEST_WINDOW:
        return dmlc_plan_window(plan, test->width, test->rank, in->sizes, in->strides, out->sizes, out->strides,
                                test->start, test->mode);
    case TEST_SLICE:
        return dmlc_plan_slice(plan, test->width, test->rank, out->sizes, in->strides, out->strides, test->offsets,
                               test->steps);
    case TEST_ONE_HOT:
        return dmlc_plan_one_hot(plan, test->width, test->index_type, test->from_end, test->rank, out->sizes,
                                 in->strides, out->strides, test->axis);
    case TEST_DIAGONAL_MATRIX:
        return dmlc_plan_diagonal_matrix(plan, test->width, test->rank, out->sizes,
                                         test_reads_input(test) ? in->strides : NULL, out->strides, test->band_begin,
                                         test->band_end, test->background);
    }
    return DMLC_INVALID_ARGUMENT;
}
