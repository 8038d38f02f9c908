/* Copies at once: what is few or packed goes without a plan, everything else by a shared one. */
#include "plan/planner.h"

#include "dispatch/dispatch.h"
#include "dispatch/machine.h"
#include "plan/cache.h"
#include "run/run.h"

#include <string.h>

/* To find the plan of more elements takes less time than to move them one by one. */
enum { FEW_ELEMENTS = 192 };

/* Up to so many bytes are copied before a plan is found that would share them among threads; on one thread, all that does
 * not go past the cache. */
enum { PACKED_BYTES = 256 * 1024 };

/* What has larger strides or sizes is planned. The products of these two, and all offsets, need no care. */
static const int64_t LARGEST_STRIDE = INT64_C(1) << 32;
static const int64_t LARGEST_SIZE = INT64_C(1) << 30;

/* How many elements there are; -1 where they are more than few. */
static int64_t few_elements(int32_t rank, const int64_t *sizes)
{
    int64_t elements = 1;
    for (int32_t i = 0; i < rank; ++i) {
        if (sizes[i] < 0 || sizes[i] > FEW_ELEMENTS)
            return -1;
        elements *= sizes[i];
        if (elements > FEW_ELEMENTS)
            return -1;
    }
    return elements;
}

/* The axes that matter, outermost first: those of a single element have no stride, and those that continue each other are
 * one. */
typedef struct layout {
    int32_t rank;
    int64_t sizes[DMLC_MAXIMUM_RANK], output[DMLC_MAXIMUM_RANK], input[DMLC_MAXIMUM_RANK];
} layout;

/* Of few elements; false where they lie too far apart. */
static bool read_layout(layout *to, int32_t rank, const int64_t *sizes, const int64_t *output_strides,
                        const int64_t *input_strides)
{
    to->rank = 0;
    for (int32_t i = 0; i < rank; ++i) {
        const int64_t size = sizes[i], output = output_strides[i], input = input_strides[i];
        if (size == 1)
            continue;
        if (output <= -LARGEST_STRIDE || output >= LARGEST_STRIDE || input <= -LARGEST_STRIDE ||
            input >= LARGEST_STRIDE)
            return false;
        const int32_t last = to->rank - 1;
        if (last >= 0 && to->output[last] == size * output && to->input[last] == size * input) {
            to->sizes[last] *= size;
            to->output[last] = output;
            to->input[last] = input;
            continue;
        }
        to->sizes[to->rank] = size;
        to->output[to->rank] = output;
        to->input[to->rank++] = input;
    }
    return true;
}

/* The bytes of what is packed on both sides, which most small arrays are; -1 where there is more to it. */
static int64_t packed_bytes(int64_t width, int32_t rank, const int64_t *sizes, const int64_t *output_strides,
                            const int64_t *input_strides)
{
    int64_t bytes = width;
    for (int32_t i = rank - 1; i >= 0; --i) {
        if (sizes[i] == 1)
            continue;
        if (output_strides[i] != bytes || input_strides[i] != bytes || sizes[i] < 0 || sizes[i] > LARGEST_SIZE ||
            bytes > LARGEST_SIZE)
            return -1;
        bytes *= sizes[i];
    }
    return bytes;
}

/* Whether so many bytes are copied by the caller alone, and not past the cache. */
static bool goes_at_once(int64_t bytes, int32_t threads)
{
    return bytes <= PACKED_BYTES || ((threads == 0 ? dmlc_threads() : threads) <= 1 && bytes <= dmlc_cache_bytes() / 2);
}

#define COPY_EACH(BYTES)                                                                                               \
    for (int64_t i = 0; i < size; ++i)                                                                                 \
    memcpy(output + i * output_step, input + i * input_step, BYTES)

static void copy_elements(int64_t width, const layout *of, int32_t axis, char *output, const char *input)
{
    if (of->rank == 0) {
        memcpy(output, input, (size_t)width);
        return;
    }
    const int64_t size = of->sizes[axis], output_step = of->output[axis], input_step = of->input[axis];
    if (axis + 1 < of->rank) {
        for (int64_t i = 0; i < size; ++i)
            copy_elements(width, of, axis + 1, output + i * output_step, input + i * input_step);
        return;
    }
    switch (width) {
    case 1: COPY_EACH(1); break;
    case 2: COPY_EACH(2); break;
    case 4: COPY_EACH(4); break;
    case 8: COPY_EACH(8); break;
    default: COPY_EACH(16); break;
    }
}

dmlc_status dmlc_copy(int64_t width, int32_t rank, const int64_t *sizes, void *output, const int64_t *output_strides,
                      const void *input, const int64_t *input_strides, int32_t threads)
{
    if (!dmlc_width_is_valid(width) || rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    const int64_t packed = packed_bytes(width, rank, sizes, output_strides, input_strides);
    if (packed > 0 && goes_at_once(packed, threads)) {
        dmlc_kernels_in_use()->copy(output, input, packed);
        return DMLC_OK;
    }
    const int64_t few = few_elements(rank, sizes);
    layout of;
    if (few >= 0 && read_layout(&of, rank, sizes, output_strides, input_strides)) {
        if (few > 0)
            copy_elements(width, &of, 0, output, input);
        return DMLC_OK;
    }
    dmlc_shared_plan *shared = NULL;
    const dmlc_status status = dmlc_share_copy(&shared, width, rank, sizes, input_strides, output_strides);
    if (status != DMLC_OK)
        return status;
    const dmlc_operands operands = {.output = output, .input = input};
    if (threads == 0)
        dmlc_run_on_threads(shared->plan, &operands);
    else
        dmlc_run(shared->plan, &operands, threads);
    dmlc_share_release(shared);
    return DMLC_OK;
}
