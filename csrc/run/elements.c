#include "run/elements.h"

#include <string.h>

#define COPY_EACH(BYTES)                                                                                               \
    for (int64_t i = 0; i < sizes[0]; ++i)                                                                             \
    memcpy(output + i * output_strides[0], input + i * input_strides[0], BYTES)

void dmlc_copy_elements(int64_t width, int32_t rank, const int64_t *sizes, char *output, const int64_t *output_strides,
                        const char *input, const int64_t *input_strides)
{
    if (rank == 0) {
        memcpy(output, input, (size_t)width);
        return;
    }
    if (rank > 1) {
        for (int64_t i = 0; i < sizes[0]; ++i)
            dmlc_copy_elements(width, rank - 1, sizes + 1, output + i * output_strides[0], output_strides + 1,
                               input + i * input_strides[0], input_strides + 1);
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
