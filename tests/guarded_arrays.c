/* Memory for NumPy's arrays that touches a page which no one may read or write, see guarded_arrays.py.
 *
 *     |about it|no access|..elements|no access|      every other one
 *     |about it|no access|elements..|no access|      the others
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* PyDataMem_Handler of NumPy, version 1. */
typedef struct handler {
    char name[127];
    uint8_t version;
    void *context;
    void *(*allocate)(void *context, size_t size);
    void *(*allocate_zeros)(void *context, size_t count, size_t size);
    void *(*resize)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory, size_t size);
} handler;

typedef struct about {
    size_t size, mapped;
} about;

static size_t page;
static atomic_uint number;

static about *find(void *memory) { return (about *)((uintptr_t)memory / page * page - 2 * page); }

static void *map(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    const size_t inside = size == 0 ? page : (size + page - 1) / page * page, mapped = inside + 3 * page;
    char *first = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED)
        return NULL;
    char *elements = first + 2 * page;
    if (mprotect(first, page, PROT_READ | PROT_WRITE) != 0 || mprotect(elements, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(first, mapped);
        return NULL;
    }
    *(about *)first = (about){size, mapped};
    /* Sizes of whole elements keep them aligned at the end, too. */
    const int at_end = atomic_fetch_add(&number, 1) % 2 == 0 && size > 0;
    return at_end ? elements + inside - size : elements;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    void *memory = map(size);
    if (memory != NULL)
        memset(memory, 0xA5, size < 65536 ? size : 65536);
    return memory;
}

static void *allocate_zeros(void *context, size_t count, size_t size)
{
    (void)context;
    return size == 0 || count <= SIZE_MAX / size ? map(count * size) : NULL;
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    if (memory != NULL)
        munmap(find(memory), find(memory)->mapped);
}

static void *resize(void *context, void *memory, size_t size)
{
    void *resized = allocate(context, size);
    if (resized != NULL && memory != NULL) {
        const size_t before = find(memory)->size;
        memcpy(resized, memory, before < size ? before : size);
        release(context, memory, before);
    }
    return resized;
}

/* What NumPy's capsules of handlers are called. A capsule keeps no copy of its name, and arrays ask for it to the end. */
const char guarded_arrays_name[] = "mem_handler";

handler guarded_arrays = {"guarded", 1, NULL, allocate, allocate_zeros, resize, release};

void guarded_arrays_begin(void) { page = (size_t)sysconf(_SC_PAGESIZE); }
