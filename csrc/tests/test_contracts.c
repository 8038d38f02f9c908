/* Each kernel of each table against a plain loop of its contract, see kernels.h: test_contracts [cases [first]]
 *
 * Plans reach a kernel with what they choose, here it meets whatever its contract allows: contracts/ has them, by the
 * kernels' rooms. What may be read and written lies at either end of memory between guard pages; nothing else may change.
 */
#include "contracts/contract.h"
#include "dispatch/dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const contract *const rooms[] = {row_contracts, transpose_contracts, box_contracts, band_contracts,
                                        one_hot_contracts};

int main(int argc, char **argv)
{
    const int64_t cases = argc > 1 ? strtoll(argv[1], NULL, 10) : 2000;
    const int64_t first = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
    begin_contracts();
    uint64_t number = 0; /* of the contract */
    for (size_t room = 0; room < sizeof(rooms) / sizeof(rooms[0]); ++room)
        for (const contract *one = rooms[room]; one->name != NULL; ++one, ++number) {
            for (int64_t i = first; i < first + cases; ++i)
                for (int32_t table = 0; dmlc_isa_name(table) != NULL; ++table) {
                    dmlc_set_isa(dmlc_isa_name(table));
                    begin_case((uint64_t)i * UINT64_C(1000003) + number);
                    one->test(dmlc_kernels_in_use());
                    if (case_is_right(one->name))
                        continue;
                    fprintf(stderr, "again: %s 1 %" PRId64 "\n", argv[0], i);
                    return 1;
                }
            printf("%s: %" PRId64 " cases\n", one->name, prepared_cases());
        }
    printf("each on");
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i)
        printf(" %s", dmlc_isa_name(i));
    printf("\n");
    return 0;
}
