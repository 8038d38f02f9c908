/* Random cases and batches of them against the plain loop: test_run [seed [count [first]]] */
#include "check.h"
#include "choices.h"
#include "dispatch/dispatch.h"
#include "dmlc.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASE_BYTES = 2048 };

/* So many cases take every way, or one is never taken; a way of large leaves only so many more do. */
enum { MANY_CASES = 10000, MORE_CASES = 40000 };

/* Which tables have a case for it. */
typedef enum takers { ALL, THOSE_WITH_BLOCKS, ALL_OF_MORE } takers;

static const struct {
    const char *name;
    takers takers;
} ways[DMLC_WAYS] = {
    [DMLC_ROWS] = {"rows", ALL},
    [DMLC_PERMUTED_ROWS] = {"permuted rows", THOSE_WITH_BLOCKS},
    [DMLC_SHORT_ROWS] = {"short rows", THOSE_WITH_BLOCKS},
    [DMLC_FILLED_ROWS] = {"filled rows", ALL},
    [DMLC_ENDS] = {"ends", THOSE_WITH_BLOCKS},
    [DMLC_MOVES] = {"moves", ALL},
    [DMLC_SHUFFLES] = {"shuffles", THOSE_WITH_BLOCKS},
    [DMLC_TRANSPOSE] = {"transpose", ALL},
    [DMLC_PACKED] = {"packed", ALL},
    [DMLC_GROWN] = {"grown", ALL_OF_MORE},
    [DMLC_SELECT] = {"select", ALL},
    [DMLC_BAND] = {"band", ALL},
};

static bool is_taken_with(takers takers, int64_t block_bytes, int64_t cases)
{
    switch (takers) {
    case THOSE_WITH_BLOCKS: return block_bytes > 0;
    case ALL_OF_MORE: return cases >= MORE_CASES;
    default: return true;
    }
}

static bool every_way_was_taken(int64_t cases)
{
    bool every = true;
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i) {
        dmlc_set_isa(dmlc_isa_name(i));
        const int64_t block_bytes = dmlc_kernels_in_use()->abilities->block_bytes;
        for (int32_t way = 0; way < DMLC_WAYS; ++way) {
            const bool taken =
                check_count(i, (dmlc_way)way) > 0 || !is_taken_with(ways[way].takers, block_bytes, cases);
            if (taken && ways[way].name != NULL)
                continue;
            fprintf(stderr, "%s: no case went by way %d, %s\n", dmlc_isa(), (int)way,
                    ways[way].name == NULL ? "which has no line here" : ways[way].name);
            every = false;
        }
    }
    return every;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int64_t count = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000;
    const int64_t first = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
    dmlc_set_oversubscribe(true);
    for (int64_t i = first; i < first + count; ++i) {
        uint8_t bytes[CASE_BYTES];
        uint64_t state = seed * UINT64_C(1000003) + (uint64_t)i;
        random_bytes(&state, bytes, sizeof(bytes));
        /* Most are small: bugs hide at borders, not in bulk. A few are large enough to be shared among threads. */
        const int64_t most_elements = i % 64 == 0 ? 1 << 18 : i % 8 == 0 ? 1 << 14 : 1 << 9;
        /* Batches of both: those of small cases mostly make one task, the others several. */
        const bool batch = i % 32 == 8 || i % 32 == 9;
        if (!(batch ? check_batch : check_case)(bytes, sizeof(bytes), most_elements)) {
            fprintf(stderr, "again: %s %" PRIu64 " 1 %" PRId64 "\n", argv[0], seed, i);
            return 1;
        }
    }
    if (count >= MANY_CASES && !every_way_was_taken(count))
        return 1;
    printf("%" PRId64 " cases of seed %" PRIu64 ", each on", count, seed);
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i)
        printf(" %s", dmlc_isa_name(i));
    printf("\n");
    return 0;
}
