/* Expectations that name their place, and the count of those that failed. */
#ifndef DMLC_TESTS_EXPECT_H
#define DMLC_TESTS_EXPECT_H

#include <stdio.h>

static int expected, failed;

#define EXPECT(CONDITION)                                                                                              \
    do {                                                                                                               \
        ++expected;                                                                                                    \
        if (!(CONDITION)) {                                                                                            \
            ++failed;                                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #CONDITION);                                            \
        }                                                                                                              \
    } while (0)

/* What main returns. */
static inline int expectations_met(void)
{
    printf("%d expectations, %d failed\n", expected, failed);
    return failed > 0;
}

#endif
