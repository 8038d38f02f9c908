/* Any bytes describe a case (csrc/tests/case.c): it is planned, run and compared with the plain loop. Where the first byte
 * says so they describe a batch of them; or they are sizes, strides and paddings without sense, which planning must
 * survive. */
#include "check.h"
#include "choices.h"
#include "dmlc.h"
#include "run/run.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Small numbers, numbers next to the limits, and any number. */
static int64_t hostile_integer(choices *from)
{
    const int64_t kind = choose(from, 4);
    if (kind == 0)
        return choose_between(from, -2, 9);
    if (kind == 1)
        return (int64_t)choose_bits(from, 8);
    /* A power of two, or one less or more; either sign. Unsigned, since it may wrap. */
    uint64_t bits = UINT64_C(1) << choose(from, 64);
    bits += (uint64_t)choose_between(from, -1, 1);
    return (int64_t)(kind == 2 ? bits : -bits);
}

static void hostile_plan(choices *from)
{
    enum { LISTS = 5, PLANNERS = 5 };
    static int64_t lists[LISTS][DMLC_MAXIMUM_RANK];
    const int kind = (int)choose(from, PLANNERS);
    const int64_t width = once_in(from, 8) ? hostile_integer(from) : INT64_C(1) << choose(from, 5);
    const int32_t rank = (int32_t)choose_between(from, -1, once_in(from, 8) ? DMLC_MAXIMUM_RANK + 1 : 4);
    for (int list = 0; list < LISTS; ++list)
        for (int32_t i = 0; i < rank && i < DMLC_MAXIMUM_RANK; ++i)
            lists[list][i] = hostile_integer(from);
    const int32_t setting = (int32_t)choose_between(from, -1, 9);
    const int64_t begin = hostile_integer(from), end = hostile_integer(from);
    dmlc_plan *plan = NULL;
    dmlc_status status = DMLC_INVALID_ARGUMENT;
    switch (kind) {
    case 0:
        status = dmlc_plan_padding(&plan, width, rank, lists[0], lists[1], lists[2], lists[3], lists[4],
                                   (dmlc_padding_mode)setting);
        break;
    case 1: status = dmlc_plan_slice(&plan, width, rank, lists[0], lists[1], lists[2], lists[3], lists[4]); break;
    case 2:
        status = dmlc_plan_one_hot(&plan, width, (dmlc_index_type)setting, 1, rank, lists[0], lists[1], lists[2],
                                   (int32_t)choose_between(from, -1, 65));
        break;
    case 3:
        status = dmlc_plan_diagonal_matrix(&plan, width, rank, lists[0], lists[1], lists[2], begin, end,
                                           (dmlc_band_background)setting);
        break;
    case 4:
        status = dmlc_plan_window(&plan, width, rank, lists[0], lists[1], lists[2], lists[3], lists[4],
                                  (dmlc_padding_mode)setting);
        break;
    }
    if (status != DMLC_OK)
        return;
    if (dmlc_plan_bytes(plan) < 0)
        abort();
    dmlc_plan_free(plan);
}

/* The first byte: below BATCHES its rest by KINDS says what follows, from there on a batch. */
enum { KINDS = 8, LARGE = 6, HOSTILE = 7, BATCHES = 192 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0)
        return 0;
    const int kind = bytes[0] % KINDS;
    const int64_t most_elements = kind == LARGE ? 1 << 14 : 1 << 9;
    dmlc_set_oversubscribe(true);
    if (bytes[0] >= BATCHES) {
        if (!check_batch(bytes + 1, count - 1, most_elements))
            abort();
    } else if (kind == HOSTILE) {
        choices from = {bytes + 1, count - 1};
        hostile_plan(&from);
    } else if (!check_case(bytes + 1, count - 1, most_elements)) {
        abort();
    }
    return 0;
}
