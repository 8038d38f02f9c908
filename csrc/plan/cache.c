#include "plan/cache.h"

#include "dispatch/dispatch.h"
#include "memory/lock.h"
#include "plan/planner.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARAMETERS = 6,
    ARRAYS = 5,
    MOST_WORDS = PARAMETERS + ARRAYS * DMLC_MAXIMUM_RANK,
    CHAINS = 4,

    /* A key belongs into one set, where it stands before the keys that were used less lately. Two others of its set push
     * it out, which is cheap: it is planned again. So the cache never grows, and a key costs one place to look. */
    SETS = 256,
    PLACES = 2
};

/* What made a plan, the first word of its key. */
typedef enum planner { WINDOW, SLICE, ONE_HOT, DIAGONAL_MATRIX, COPY } planner;

/* All that a plan depends on: the operator and its parameters, then sizes, strides and paddings. */
typedef struct key {
    uint64_t hash; /* once all words are there */
    int32_t count;
    int64_t words[MOST_WORDS + CHAINS - 1];
} key;

/* How often a plan was lent is counted under the lock, how often it came back is not: one atomic instruction less in each
 * call than to count owners. */
typedef struct entry {
    dmlc_shared_plan shared; /* first, so that a pointer to it is one to the entry */
    int64_t lent;
    atomic_llong left; /* minus how often it came back; from when the cache forgets it, `lent` more: who still has it */
    uint64_t hash;
    int32_t count;
    int64_t words[];
} entry;

static entry *sets[SETS][PLACES];
static int32_t kept;

/* To share and release a plan takes 21 ns with this lock; with plans that each thread remembers, lent without an atomic instruction, it
 * took 29. */
static dmlc_lock lock = DMLC_LOCK_INITIAL;
static void acquire(void) { dmlc_lock_acquire(&lock); }
static void release(void) { dmlc_lock_release(&lock); }

#if !defined(_WIN32)
__attribute__((constructor)) static void guard_forks(void) { dmlc_lock_guard_forks(acquire, release); }
#endif

/* A word goes through the product, whose high bits depend on all bits below them. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    const uint64_t mixed = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return mixed ^ mixed >> 32;
}

/* In chains that words are mixed into in turn: a single chain of products took a tenth of a small call. */
static uint64_t hash_of(key *key)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int32_t i = key->count; i % CHAINS != 0; ++i)
        key->words[i] = 0;
    for (int32_t i = 0; i < key->count; i += CHAINS) {
        a = mix(a, (uint64_t)key->words[i]);
        b = mix(b, (uint64_t)key->words[i + 1]);
        c = mix(c, (uint64_t)key->words[i + 2]);
        d = mix(d, (uint64_t)key->words[i + 3]);
    }
    return mix(mix(mix(a, b), c), d);
}

static void key_add(key *key, int64_t word) { key->words[key->count++] = word; }

static void key_add_all(key *key, const int64_t *words, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        key_add(key, words[i]);
}

static void key_begin(key *key, planner planner, int64_t width, int32_t rank)
{
    key->count = 0;
    key_add(key, planner);
    key_add(key, width);
    key_add(key, rank);
}

static bool entry_has(const entry *entry, const key *key)
{
    return entry != NULL && entry->hash == key->hash && entry->count == key->count &&
           memcmp(entry->words, key->words, (size_t)key->count * sizeof(int64_t)) == 0;
}

static void move_to_front(entry **set, int32_t place)
{
    entry *used = set[place];
    for (; place > 0; --place)
        set[place] = set[place - 1];
    set[0] = used;
}

/* Whether the cache has the key's plan; the caller owns it too from now on. */
static bool find(dmlc_shared_plan **shared, key *key)
{
    key->hash = hash_of(key);
    entry **set = sets[key->hash % SETS];
    entry *found = NULL;
    acquire();
    for (int32_t place = 0; place < PLACES && found == NULL; ++place) {
        if (entry_has(set[place], key)) {
            found = set[place];
            ++found->lent;
            move_to_front(set, place);
        }
    }
    release();
    if (found != NULL)
        *shared = &found->shared;
    return found != NULL;
}

static void entry_free(entry *entry)
{
    dmlc_plan_free(entry->shared.plan);
    free(entry);
}

/* Of one that is in the cache no longer: nobody is lent it any more. */
static void forget(entry *entry)
{
    /* The last one who has it may free it as soon as the two are added. */
    const int64_t lent = entry->lent;
    if (atomic_fetch_add_explicit(&entry->left, lent, memory_order_acq_rel) + lent == 0)
        entry_free(entry);
}

/* Shares a plan that was just made, if it was. Another thread may have kept the same meanwhile: both serve. */
static dmlc_status keep(dmlc_shared_plan **shared, const key *key, dmlc_plan *plan, dmlc_status status)
{
    if (status != DMLC_OK)
        return status;
    const size_t words = (size_t)key->count * sizeof(int64_t);
    entry *made = malloc(sizeof(entry) + words);
    if (made == NULL) {
        dmlc_plan_free(plan);
        return DMLC_OUT_OF_MEMORY;
    }
    made->shared.plan = plan;
    made->lent = 1;
    atomic_init(&made->left, 0);
    made->hash = key->hash;
    made->count = key->count;
    memcpy(made->words, key->words, words);
    entry **set = sets[key->hash % SETS];
    acquire();
    entry *pushed_out = set[PLACES - 1];
    set[PLACES - 1] = made;
    move_to_front(set, PLACES - 1);
    kept += pushed_out == NULL;
    release();
    if (pushed_out != NULL)
        forget(pushed_out);
    *shared = &made->shared;
    return DMLC_OK;
}

dmlc_status dmlc_share_window(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
                              const int64_t *input_strides, const int64_t *output_sizes, const int64_t *output_strides,
                              const int64_t *start, dmlc_padding_mode mode)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    key key;
    key_begin(&key, WINDOW, width, rank);
    key_add(&key, mode);
    key_add_all(&key, input_sizes, rank);
    key_add_all(&key, input_strides, rank);
    key_add_all(&key, output_sizes, rank);
    key_add_all(&key, output_strides, rank);
    key_add_all(&key, start, rank);
    if (find(shared, &key))
        return DMLC_OK;
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_plan_window(&plan, width, rank, input_sizes, input_strides, output_sizes, output_strides, start, mode);
    return keep(shared, &key, plan, status);
}

dmlc_status dmlc_share_padding(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
                               const int64_t *input_strides, const int64_t *output_strides, const int64_t *start,
                               const int64_t *end, dmlc_padding_mode mode)
{
    int64_t output_sizes[DMLC_MAXIMUM_RANK], window_start[DMLC_MAXIMUM_RANK];
    const dmlc_status status = dmlc_padding_window(rank, input_sizes, start, end, output_sizes, window_start);
    return status != DMLC_OK ? status
                             : dmlc_share_window(shared, width, rank, input_sizes, input_strides, output_sizes,
                                                 output_strides, window_start, mode);
}

dmlc_status dmlc_share_slice(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *output_sizes,
                             const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets,
                             const int64_t *steps)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    key key;
    key_begin(&key, SLICE, width, rank);
    key_add_all(&key, output_sizes, rank);
    key_add_all(&key, input_strides, rank);
    key_add_all(&key, output_strides, rank);
    key_add_all(&key, offsets, rank);
    key_add_all(&key, steps, rank);
    if (find(shared, &key))
        return DMLC_OK;
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_plan_slice(&plan, width, rank, output_sizes, input_strides, output_strides, offsets, steps);
    return keep(shared, &key, plan, status);
}

dmlc_status dmlc_share_copy(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes,
                            const int64_t *input_strides, const int64_t *output_strides)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    key key;
    key_begin(&key, COPY, width, rank);
    key_add_all(&key, sizes, rank);
    key_add_all(&key, input_strides, rank);
    key_add_all(&key, output_strides, rank);
    if (find(shared, &key))
        return DMLC_OK;
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_copy(&plan, dmlc_kernels_in_use(), width, rank, sizes, input_strides, output_strides);
    return keep(shared, &key, plan, status);
}

dmlc_status dmlc_share_one_hot(dmlc_shared_plan **shared, int64_t width, dmlc_index_type index_type, int32_t from_end,
                               int32_t rank, const int64_t *output_sizes, const int64_t *indices_strides,
                               const int64_t *output_strides, int32_t axis)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    key key;
    key_begin(&key, ONE_HOT, width, rank);
    key_add(&key, index_type);
    key_add(&key, from_end);
    key_add(&key, axis);
    key_add_all(&key, output_sizes, rank);
    key_add_all(&key, indices_strides, rank);
    key_add_all(&key, output_strides, rank);
    if (find(shared, &key))
        return DMLC_OK;
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_plan_one_hot(&plan, width, index_type, from_end, rank, output_sizes,
                                                 indices_strides, output_strides, axis);
    return keep(shared, &key, plan, status);
}

dmlc_status dmlc_share_diagonal_matrix(dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes,
                                       const int64_t *input_strides, const int64_t *output_strides, int64_t begin,
                                       int64_t end, dmlc_band_background background)
{
    if (rank < 0 || rank > DMLC_MAXIMUM_RANK)
        return DMLC_INVALID_ARGUMENT;
    key key;
    key_begin(&key, DIAGONAL_MATRIX, width, rank);
    key_add(&key, begin);
    key_add(&key, end);
    key_add(&key, background);
    key_add_all(&key, sizes, rank);
    if (background == DMLC_BACKGROUND_INPUT)
        key_add_all(&key, input_strides, rank);
    key_add_all(&key, output_strides, rank);
    if (find(shared, &key))
        return DMLC_OK;
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_plan_diagonal_matrix(&plan, width, rank, sizes, input_strides, output_strides, begin, end, background);
    return keep(shared, &key, plan, status);
}

void dmlc_share_release(dmlc_shared_plan *shared)
{
    if (shared == NULL)
        return;
    entry *lent = (entry *)shared;
    if (atomic_fetch_sub_explicit(&lent->left, 1, memory_order_acq_rel) == 1)
        entry_free(lent);
}

void dmlc_share_clear(void)
{
    entry *forgotten[SETS][PLACES];
    acquire();
    memcpy(forgotten, sets, sizeof(sets));
    memset(sets, 0, sizeof(sets));
    kept = 0;
    release();
    for (int32_t set = 0; set < SETS; ++set)
        for (int32_t place = 0; place < PLACES; ++place)
            if (forgotten[set][place] != NULL)
                forget(forgotten[set][place]);
}

int32_t dmlc_share_kept(void)
{
    acquire();
    const int32_t count = kept;
    release();
    return count;
}

int32_t dmlc_share_limit(void) { return SETS * PLACES; }

dmlc_status dmlc_set_isa(const char *name)
{
    if (!dmlc_choose_kernels(name))
        return DMLC_INVALID_ARGUMENT;
    dmlc_share_clear();
    return DMLC_OK;
}
