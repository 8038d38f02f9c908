#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

guarded guarded_allocate(int64_t bytes)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    const int64_t inside = (bytes + page - 1) / page * page;
    uint8_t *pages = mmap(NULL, (size_t)(inside + 2 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, (size_t)inside, PROT_READ | PROT_WRITE) != 0) {
        perror("guarded_allocate");
        exit(1);
    }
    return (guarded){pages + page, pages + page + inside};
}
