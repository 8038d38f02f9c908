#include "run/elements.h"

#include <string.h>

#define COPY_EACH(BYTES)                                                                                               \
    for (int64_t i = 0; i < size; ++i)                                                                                 \
    memcpy(output + i * output_step, input + i * input_step, BYTES)

void dmlc_copy_elements(int64_t width, int32_t rank, const int64_t *sizes, char *output, const int64_t *output_strides,
                        const char *input, const int64_t *input_strides)
{
    if (rank == 0) {
        memcpy(output, input, (size_t)width);
        return;
    }
    const int64_t size = sizes[0], output_step = output_strides[0], input_step = input_strides[0];
    if (rank > 1) {
        for (int64_t i = 0; i < size; ++i)
            dmlc_copy_elements(width, rank - 1, sizes + 1, output + i * output_step, output_strides + 1,
                               input + i * input_step, input_strides + 1);
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
