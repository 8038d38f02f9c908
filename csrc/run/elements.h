/* Copies of a few elements. */
#ifndef DMLC_ELEMENTS_H
#define DMLC_ELEMENTS_H

#include <stdint.h>

/* To find the plan of more takes less time than to move them one by one. */
enum { DMLC_FEW_ELEMENTS = 192 };

/* output[c . output_strides] = input[c . input_strides] for each coordinate c, in bytes, without a plan. The operands share
 * no memory; width and rank are as the planners take them. */
void dmlc_copy_elements(int64_t width, int32_t rank, const int64_t *sizes, char *output, const int64_t *output_strides,
                        const char *input, const int64_t *input_strides);

#endif
