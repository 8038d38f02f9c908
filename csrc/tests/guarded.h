/* Memory between two pages that no one may touch. */
#ifndef DMLC_TESTS_GUARDED_H
#define DMLC_TESTS_GUARDED_H

#include <stdint.h>

typedef struct guarded {
    uint8_t *begin, *end;
} guarded;

/* At least `bytes`; ends the program where there is no memory. */
guarded guarded_allocate(int64_t bytes);

#endif
