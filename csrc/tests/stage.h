/* A case's operands between guard pages, and what must stand there after a run. */
#ifndef DMLC_TESTS_STAGE_H
#define DMLC_TESTS_STAGE_H

#include "case.h"
#include "guarded.h"

/* A tensor's bytes at one end of its memory, or up to 63 bytes away from it; all of them, and those up to the end, filled. */
typedef struct placed {
    uint8_t *memory; /* of the tensor's lowest element */
    uint8_t *filled;
    size_t filled_bytes;
} placed;

typedef struct stage {
    guarded input_memory, output_memory, value_memory[2];
    uint8_t *output_before, *input_before, *expected; /* of what is filled */

    const test_case *test;
    placed input, output;
    dmlc_operands operands;
} stage;

/* Places the case's tensors, fills them and runs the plain loop. The memory of a stage that was zero is allocated, and
 * kept for the next case. */
void stage_set(stage *on, const test_case *test, choices *from, uint64_t contents);

/* The output as it was before any run. */
void stage_reset(const stage *on);

/* Whether a run wrote what the plain loop wrote, and not a byte else. Says what differs, and who ran. */
bool stage_is_right(const stage *on, const char *who);

/* Says what is wrong with a case, and the case; false. */
bool stage_report(const stage *on, const char *who, const char *what);

#endif
