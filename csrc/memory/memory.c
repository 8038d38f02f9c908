#if defined(__linux__)
#define _GNU_SOURCE /* madvise */
#endif
#include "memory/memory.h"

#include "memory/lock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Stands before the memory; its size keeps the memory's alignment. */
typedef union header {
    struct {
        int64_t capacity; /* bytes after the header */
        void *start;      /* what the system's allocator returned: the header stands where alignment wants it */
        union header *newer, *older;
    } kept;
    unsigned char size[64];
} header;

enum { ALIGNMENT = 64, HUGE_PAGE = 2 * 1024 * 1024 };

/* Smaller buffers come from the allocator as quickly as from here, while it has them at hand by the size: the C library's
 * does so up to 1 KiB with the header, and takes 50 ns longer beyond. */
enum { SMALLEST_KEPT = 14 * 64, SMALLEST_LISTED = 64 * 1024 };

/* A list from the newest to the oldest. It is short: it holds few buffers of more than SMALLEST_LISTED, and a program
 * that loops finds its own at the front. */
static header *newest, *oldest;

/* The others by their size, chained by `older`: up to sixteen steps of 64 bytes, of 128 and so on; 3 MiB at most in all. */
enum { STEPS = 16, DOUBLINGS = 7, MOST_OF_A_SIZE = 4 };
static header *sized[DOUBLINGS * STEPS];
static int sized_count[DOUBLINGS * STEPS];

static int64_t kept_bytes;
static int64_t limit = -1; /* not yet asked for */

static dmlc_lock lock = ATOMIC_FLAG_INIT;
static void acquire(void) { dmlc_lock_acquire(&lock); }
static void release(void) { dmlc_lock_release(&lock); }

#if !defined(_WIN32)
__attribute__((constructor)) static void guard_forks(void) { dmlc_lock_guard_forks(acquire, release); }
#endif

/* Aligned by hand: the system's aligned allocators take three times as long for a small buffer. */
static header *system_allocate(int64_t capacity)
{
    const size_t alignment = capacity >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    char *start = malloc(sizeof(header) + alignment + (size_t)capacity);
    if (start == NULL)
        return NULL;
    char *first = start + sizeof(header) + alignment - 1;
    first -= (uintptr_t)first % alignment;
#if defined(__linux__)
    /* A huge page faults in once where 512 pages would. */
    if (alignment == HUGE_PAGE)
        madvise(first, (size_t)capacity / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    header *memory = (header *)first - 1;
    memory->kept.capacity = capacity;
    memory->kept.start = start;
    return memory;
}

static void system_free(header *memory) { free(memory->kept.start); }

static int64_t default_limit(void)
{
    const int64_t most = INT64_C(512) << 20;
    int64_t machine = most * 16;
#if defined(_WIN32)
    MEMORYSTATUSEX status = {.dwLength = sizeof(status)};
    if (GlobalMemoryStatusEx(&status))
        machine = (int64_t)status.ullTotalPhys;
#else
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        machine = (int64_t)pages * page;
#endif
    return machine / 16 < most ? machine / 16 : most;
}

static int64_t limit_now(void)
{
    if (limit < 0)
        limit = default_limit();
    return limit;
}

static void unlink_kept(header *memory)
{
    header *newer = memory->kept.newer, *older = memory->kept.older;
    *(newer != NULL ? &newer->kept.older : &newest) = older;
    *(older != NULL ? &older->kept.newer : &oldest) = newer;
    kept_bytes -= memory->kept.capacity;
}

/* Rounds a capacity from SMALLEST_KEPT to SMALLEST_LISTED up to the next size; returns its place. */
static int32_t place_of_size(int64_t *capacity)
{
    int32_t doublings = 0;
    while (*capacity > (int64_t)STEPS * ALIGNMENT << doublings)
        ++doublings;
    const int64_t step = (int64_t)ALIGNMENT << doublings, steps = (*capacity + step - 1) / step;
    *capacity = steps * step;
    return doublings * STEPS + (int32_t)steps - 1;
}

static header *take_sized(int32_t place)
{
    header *memory = sized[place];
    if (memory != NULL) {
        sized[place] = memory->kept.older;
        --sized_count[place];
        kept_bytes -= memory->kept.capacity;
    }
    return memory;
}

/* Takes the oldest buffers out of the list, then the others, until at most `most` bytes are left; returns them chained by
 * `older`. */
static header *shrink(int64_t most)
{
    header *given_back = NULL;
    int32_t place = 0;
    while (kept_bytes > most) {
        header *memory = oldest;
        if (memory != NULL)
            unlink_kept(memory);
        else
            while ((memory = take_sized(place)) == NULL)
                ++place;
        memory->kept.older = given_back;
        given_back = memory;
    }
    return given_back;
}

static void free_chain(header *memory)
{
    while (memory != NULL) {
        header *next = memory->kept.older;
        system_free(memory);
        memory = next;
    }
}

/* A kept buffer that holds `capacity` bytes and not much more. */
static header *take(int64_t capacity)
{
    header *memory;
    acquire();
    for (memory = newest; memory != NULL; memory = memory->kept.older)
        if (memory->kept.capacity >= capacity && memory->kept.capacity - capacity <= capacity / 4)
            break;
    if (memory != NULL)
        unlink_kept(memory);
    release();
    return memory;
}

/* Keeps a buffer, if there is room for it; returns those that are to be freed. */
static header *keep(header *freed)
{
    int64_t capacity = freed->kept.capacity;
    const bool listed = capacity > SMALLEST_LISTED;
    const int32_t place = listed ? 0 : place_of_size(&capacity);
    freed->kept.older = NULL;
    if (capacity > limit_now() || (!listed && sized_count[place] == MOST_OF_A_SIZE))
        return freed;
    header *given_back = shrink(limit_now() - capacity);
    if (listed) {
        freed->kept.newer = NULL;
        freed->kept.older = newest;
        *(newest != NULL ? &newest->kept.newer : &oldest) = freed;
        newest = freed;
    } else {
        freed->kept.older = sized[place];
        sized[place] = freed;
        ++sized_count[place];
    }
    kept_bytes += capacity;
    return given_back;
}

void *dmlc_memory_allocate(int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX / 2)
        return NULL;
    int64_t capacity = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header *memory = NULL;
    if (capacity > SMALLEST_LISTED) {
        memory = take(capacity);
    } else if (capacity >= SMALLEST_KEPT) {
        const int32_t place = place_of_size(&capacity);
        acquire();
        memory = take_sized(place);
        release();
    }
    if (memory == NULL)
        memory = system_allocate(capacity);
    if (memory == NULL) {
        dmlc_memory_clear();
        memory = system_allocate(capacity);
    }
    return memory == NULL ? NULL : memory + 1;
}

void dmlc_memory_free(void *memory)
{
    if (memory == NULL)
        return;
    header *freed = (header *)memory - 1;
    if (freed->kept.capacity < SMALLEST_KEPT) {
        system_free(freed);
        return;
    }
    acquire();
    header *given_back = keep(freed);
    release();
    free_chain(given_back);
}

void *dmlc_memory_resize(void *memory, int64_t bytes)
{
    void *resized = dmlc_memory_allocate(bytes);
    if (resized != NULL && memory != NULL) {
        const int64_t capacity = ((header *)memory - 1)->kept.capacity;
        memcpy(resized, memory, (size_t)(capacity < bytes ? capacity : bytes));
        dmlc_memory_free(memory);
    }
    return resized;
}

void dmlc_memory_set_limit(int64_t bytes)
{
    acquire();
    limit = bytes < 0 ? 0 : bytes;
    header *given_back = shrink(limit);
    release();
    free_chain(given_back);
}

int64_t dmlc_memory_limit(void)
{
    acquire();
    const int64_t bytes = limit_now();
    release();
    return bytes;
}

int64_t dmlc_memory_kept(void)
{
    acquire();
    const int64_t bytes = kept_bytes;
    release();
    return bytes;
}

void dmlc_memory_clear(void)
{
    acquire();
    header *given_back = shrink(0);
    release();
    free_chain(given_back);
}
