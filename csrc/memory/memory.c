#if defined(__linux__)
#define _GNU_SOURCE /* madvise */
#endif
#include "memory/memory.h"

#include "dispatch/machine.h"
#include "memory/lock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Stands before the memory; its size keeps the memory's alignment. */
typedef union header {
    struct {
        int64_t capacity; /* bytes after the header */
        void *start;      /* what the system's allocator returned: the header stands where alignment wants it */
        union header *newer, *older;             /* of all that are kept */
        union header *newer_alike, *older_alike; /* of those of this capacity */
    } kept;
    unsigned char size[64];
} header;

/* Buffers from LEAST_IN_PAGES on begin where a page does. NumPy's begin 16 bytes behind that; ours, behind a header and aligned, would
 * begin 128 bytes behind it. To lie 112 bytes further on in a page than what is read makes copies slow, see copy_long_lines. Beginning with
 * the page, copies of 1.2 to 4 MB to a new output took 0.85 to 0.93 of the time on Zen 4. */
enum { ALIGNMENT = 64, PAGE = 4096, LEAST_IN_PAGES = 128 * 1024, HUGE_PAGE = 2 * 1024 * 1024 };

static size_t alignment_of(int64_t capacity)
{
    return capacity >= 2 * HUGE_PAGE ? HUGE_PAGE : capacity >= LEAST_IN_PAGES ? PAGE : ALIGNMENT;
}

/* Smaller buffers come from the allocator as quickly as from here, while it has them at hand by the size: the C library's
 * does so up to 1 KiB with the header, and takes 50 ns longer beyond. */
enum { SMALLEST_KEPT = 14 * 64 };

/* Capacities of what may be kept: up to 2 KiB by steps of 64 bytes, then so many steps from each power of two to the next.
 * From 1 KiB on, a new buffer is at most a sixteenth larger than it need be. Whatever its size, it is found at once, and how many are kept
 * makes no difference: going through a list of 7,000 took 100 us, for which all other threads waited. */
enum { STEPS = 16, DOUBLINGS = 51, PLACES = 2 * STEPS + DOUBLINGS * STEPS };

/* One may serve where a smaller one would do: at most a quarter larger. */
enum { PLACES_THAT_SERVE = 4 };

/* Few of each size up to 64 KiB are kept: 6 MiB at most in all. */
enum { MOST_OF_A_SMALL_SIZE = 4, SMALL_PLACES = 2 * STEPS + 5 * STEPS };

static header *newest, *oldest;
static header *newest_of[PLACES];
static int32_t count_of_small[SMALL_PLACES];
static int64_t kept_bytes;
static atomic_llong limit = -1; /* not yet asked for */

static dmlc_lock lock = DMLC_LOCK_INITIAL;
static void acquire(void) { dmlc_lock_acquire(&lock); }
static void release(void) { dmlc_lock_release(&lock); }

#if !defined(_WIN32)
__attribute__((constructor)) static void guard_forks(void) { dmlc_lock_guard_forks(acquire, release); }
#endif

/* Aligned by hand: the system's aligned allocators take three times as long for a small buffer. */
static header *system_allocate(int64_t capacity)
{
    const size_t alignment = alignment_of(capacity);
    if ((uint64_t)capacity > SIZE_MAX / 2)
        return NULL;
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
    const int64_t most = INT64_C(512) << 20, share = dmlc_memory_quota() / 16;
    return share < most ? share : most;
}

static int64_t limit_now(void)
{
    long long bytes = atomic_load_explicit(&limit, memory_order_relaxed);
    if (bytes < 0) {
        /* Not under the lock, as this takes a while. Whoever is first is right. */
        const long long found = default_limit();
        bytes = atomic_compare_exchange_strong(&limit, &bytes, found) ? found : bytes;
    }
    return bytes;
}

/* Rounds a capacity up to the next that may be kept; returns its place. */
static int32_t place_of_size(int64_t *capacity)
{
    int32_t doublings = 0;
    while (*capacity > (int64_t)(2 * STEPS * ALIGNMENT) << doublings)
        ++doublings;
    const int64_t step = (int64_t)ALIGNMENT << doublings, steps = (*capacity + step - 1) / step;
    *capacity = steps * step;
    return doublings * STEPS + (int32_t)steps - 1;
}

static void link_kept(header *memory, int32_t place)
{
    header *alike = newest_of[place];
    memory->kept.newer = memory->kept.newer_alike = NULL;
    memory->kept.older = newest;
    memory->kept.older_alike = alike;
    *(newest != NULL ? &newest->kept.newer : &oldest) = memory;
    if (alike != NULL)
        alike->kept.newer_alike = memory;
    newest = newest_of[place] = memory;
    if (place < SMALL_PLACES)
        ++count_of_small[place];
    kept_bytes += memory->kept.capacity;
}

static void unlink_kept(header *memory, int32_t place)
{
    header *newer = memory->kept.newer, *older = memory->kept.older;
    header *newer_alike = memory->kept.newer_alike, *older_alike = memory->kept.older_alike;
    *(newer != NULL ? &newer->kept.older : &newest) = older;
    *(older != NULL ? &older->kept.newer : &oldest) = newer;
    *(newer_alike != NULL ? &newer_alike->kept.older_alike : &newest_of[place]) = older_alike;
    if (older_alike != NULL)
        older_alike->kept.newer_alike = newer_alike;
    if (place < SMALL_PLACES)
        --count_of_small[place];
    kept_bytes -= memory->kept.capacity;
}

/* Takes the oldest out until at most `most` bytes are left, but no more of them than others may well wait for; returns them
 * chained by `older`. */
static header *shrink(int64_t most)
{
    enum { MOST_AT_ONCE = 32 };
    header *given_back = NULL;
    for (int32_t i = 0; i < MOST_AT_ONCE && kept_bytes > most; ++i) {
        header *memory = oldest;
        int64_t capacity = memory->kept.capacity;
        unlink_kept(memory, place_of_size(&capacity));
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

/* A kept buffer of *capacity bytes or a little more, or NULL and how large it has to be to be kept once. */
static header *take(int64_t *capacity)
{
    if (*capacity < SMALLEST_KEPT || *capacity > limit_now())
        return NULL;
    header *memory = NULL;
    const int32_t first = place_of_size(capacity);
    acquire();
    for (int32_t place = first; place < first + PLACES_THAT_SERVE && place < PLACES && memory == NULL; ++place) {
        memory = newest_of[place];
        if (memory != NULL)
            unlink_kept(memory, place);
    }
    release();
    return memory;
}

/* Keeps *left, where there is room once the oldest are taken out, and clears it. Where it is not to be kept, clears it too and returns it.
 * Returns what the caller is to free, chained by `older`. As long as *left is not cleared there was too little room: to be called again. */
static header *keep(header **left)
{
    header *freed = *left;
    int64_t capacity = freed->kept.capacity;
    const int32_t place = place_of_size(&capacity);
    const int64_t most = limit_now();
    if (capacity != freed->kept.capacity || capacity > most ||
        (place < SMALL_PLACES && count_of_small[place] == MOST_OF_A_SMALL_SIZE)) {
        freed->kept.older = *left = NULL;
        return freed;
    }
    header *given_back = shrink(most - capacity);
    if (kept_bytes <= most - capacity) {
        link_kept(freed, place);
        *left = NULL;
    }
    return given_back;
}

void *dmlc_memory_allocate(int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX / 2)
        return NULL;
    int64_t capacity = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header *memory = take(&capacity);
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
    header *left = (header *)memory - 1;
    if (left->kept.capacity < SMALLEST_KEPT) {
        system_free(left);
        return;
    }
    limit_now(); /* so that nobody finds it out under the lock */
    while (left != NULL) {
        acquire();
        header *given_back = keep(&left);
        release();
        free_chain(given_back);
    }
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
    header *given_back;
    atomic_store_explicit(&limit, bytes < 0 ? 0 : bytes, memory_order_relaxed);
    do {
        acquire();
        given_back = shrink(limit_now());
        release();
        free_chain(given_back);
    } while (given_back != NULL);
}

int64_t dmlc_memory_limit(void) { return limit_now(); }

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
    header *given_back = newest;
    newest = oldest = NULL;
    memset(newest_of, 0, sizeof(newest_of));
    memset(count_of_small, 0, sizeof(count_of_small));
    kept_bytes = 0;
    release();
    free_chain(given_back);
}
