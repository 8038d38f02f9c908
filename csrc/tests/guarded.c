#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

static int64_t page_size(void)
{
#if defined(_WIN32)
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return system.dwPageSize;
#else
    return sysconf(_SC_PAGESIZE);
#endif
}

/* `inside` bytes, a multiple of the page, with a page before and after them; NULL where there is no memory. */
static uint8_t *map_between_guards(int64_t inside, int64_t page)
{
    const size_t whole = (size_t)(inside + 2 * page);
#if defined(_WIN32)
    uint8_t *pages = VirtualAlloc(NULL, whole, MEM_RESERVE, PAGE_NOACCESS);
    if (pages == NULL || (inside > 0 && VirtualAlloc(pages + page, (size_t)inside, MEM_COMMIT, PAGE_READWRITE) == NULL))
        return NULL;
#else
    uint8_t *pages = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, (size_t)inside, PROT_READ | PROT_WRITE) != 0)
        return NULL;
#endif
    return pages + page;
}

guarded guarded_allocate(int64_t bytes)
{
    const int64_t page = page_size(), inside = (bytes + page - 1) / page * page;
    uint8_t *begin = map_between_guards(inside, page);
    if (begin == NULL) {
        fprintf(stderr, "guarded_allocate: no memory for %lld bytes\n", (long long)bytes);
        exit(1);
    }
    return (guarded){begin, begin + inside};
}
