/* The cache of freed outputs: what it keeps, and that no two buffers are ever one. */
#include "choices.h"
#include "expect.h"
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 24, ROUNDS = 20000, MEBI = 1 << 20 };

static void test_limits(void)
{
    EXPECT(dmlc_memory_limit() > 0);
    dmlc_memory_set_limit(8 * MEBI);
    EXPECT(dmlc_memory_limit() == 8 * MEBI);
    EXPECT(dmlc_memory_allocate(-1) == NULL);
    EXPECT(dmlc_memory_allocate(INT64_MAX) == NULL);
    EXPECT(dmlc_memory_allocate(INT64_MAX / 2) == NULL);
    dmlc_memory_free(NULL);

    void *nothing = dmlc_memory_allocate(0);
    EXPECT(nothing != NULL);
    dmlc_memory_free(nothing);

    void *first = dmlc_memory_allocate(MEBI);
    EXPECT((uintptr_t)first % 4096 == 0);
    dmlc_memory_free(first);
    EXPECT(dmlc_memory_kept() >= MEBI);
    void *again = dmlc_memory_allocate(MEBI);
    EXPECT(again == first);
    EXPECT(dmlc_memory_kept() == 0);
    dmlc_memory_free(again);
    dmlc_memory_clear();
    EXPECT(dmlc_memory_kept() == 0);

    void *small = dmlc_memory_allocate(100);
    dmlc_memory_free(small);
    EXPECT(dmlc_memory_kept() == 0);

    /* Few of each smaller size are kept, from some hundred bytes on, and serve any that rounds up to it. */
    enum { ALIKE = 6 };
    void *alike[ALIKE];
    for (int i = 0; i < ALIKE; ++i)
        alike[i] = dmlc_memory_allocate(2000);
    for (int i = 0; i < ALIKE; ++i)
        dmlc_memory_free(alike[i]);
    EXPECT(dmlc_memory_kept() == 4 * 2048);
    alike[0] = dmlc_memory_allocate(2048);
    EXPECT(alike[0] == alike[3]);
    EXPECT(dmlc_memory_kept() == 3 * 2048);
    dmlc_memory_free(alike[0]);
    dmlc_memory_clear();
    EXPECT(dmlc_memory_kept() == 0);

    /* Larger than all that may be kept. */
    void *large = dmlc_memory_allocate(9 * MEBI);
    memset(large, 1, 9 * MEBI);
    dmlc_memory_free(large);
    EXPECT(dmlc_memory_kept() == 0);

    void *buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; ++i)
        buffers[i] = dmlc_memory_allocate(MEBI);
    for (int i = 0; i < BUFFERS; ++i)
        dmlc_memory_free(buffers[i]);
    EXPECT(dmlc_memory_kept() > 6 * MEBI);
    EXPECT(dmlc_memory_kept() <= 8 * MEBI);
    dmlc_memory_set_limit(2 * MEBI);
    EXPECT(dmlc_memory_kept() <= 2 * MEBI);
    dmlc_memory_set_limit(-5);
    EXPECT(dmlc_memory_limit() == 0);
    EXPECT(dmlc_memory_kept() == 0);
    dmlc_memory_set_limit(8 * MEBI);
}

/* Allocates both, then frees them in turn. */
static void free_in_turn(int64_t first_bytes, int64_t second_bytes)
{
    void *first = dmlc_memory_allocate(first_bytes), *second = dmlc_memory_allocate(second_bytes);
    dmlc_memory_free(first);
    dmlc_memory_free(second);
}

/* One of its own size serves a request before a newer one that is a little larger, which serves if it is the only one. */
static void test_own_size_first(void)
{
    void *fits = dmlc_memory_allocate(100000), *larger = dmlc_memory_allocate(110000);
    dmlc_memory_free(fits);
    dmlc_memory_free(larger);
    void *first = dmlc_memory_allocate(100000), *second = dmlc_memory_allocate(100000);
    EXPECT(first == fits);
    EXPECT(second == larger);
    EXPECT(dmlc_memory_kept() == 0);
    dmlc_memory_free(first);
    dmlc_memory_free(second);
    void *much_smaller = dmlc_memory_allocate(70000);
    EXPECT(much_smaller != fits && much_smaller != larger);
    dmlc_memory_free(much_smaller);
    dmlc_memory_clear();
}

/* Given back by age, whatever their sizes. */
static void test_oldest_are_given_back_first(void)
{
    dmlc_memory_set_limit(8 * MEBI);
    free_in_turn(32 * 1024, 4 * MEBI);
    dmlc_memory_set_limit(4 * MEBI);
    EXPECT(dmlc_memory_kept() == 4 * MEBI);
    dmlc_memory_clear();
    dmlc_memory_set_limit(8 * MEBI);
    free_in_turn(4 * MEBI, 32 * 1024);
    dmlc_memory_set_limit(4 * MEBI);
    EXPECT(dmlc_memory_kept() == 32 * 1024);
    dmlc_memory_clear();
    dmlc_memory_set_limit(8 * MEBI);
}

/* A hundred make room for one as large as all of them; and any number are given back. */
static void test_many_make_room(void)
{
    enum { MANY = 100 };
    void *many[MANY];
    for (int i = 0; i < MANY; ++i)
        many[i] = dmlc_memory_allocate(80 * 1024);
    void *large = dmlc_memory_allocate(8 * MEBI);
    for (int i = 0; i < MANY; ++i)
        dmlc_memory_free(many[i]);
    EXPECT(dmlc_memory_kept() == MANY * 80 * 1024);
    dmlc_memory_free(large);
    EXPECT(dmlc_memory_kept() == 8 * MEBI);
    EXPECT(dmlc_memory_allocate(8 * MEBI) == large);
    dmlc_memory_free(large);
    for (int i = 0; i < MANY; ++i)
        many[i] = dmlc_memory_allocate(64 * 1024 + 1 + 100 * i);
    for (int i = 0; i < MANY; ++i)
        dmlc_memory_free(many[i]);
    dmlc_memory_set_limit(0);
    EXPECT(dmlc_memory_kept() == 0);
    dmlc_memory_set_limit(8 * MEBI);
}

static void test_any_limit(void)
{
    dmlc_memory_set_limit(INT64_MAX);
    EXPECT(dmlc_memory_limit() == INT64_MAX);
    EXPECT(dmlc_memory_allocate(INT64_MAX / 2) == NULL);
    free_in_turn(MEBI, 3 * MEBI);
    EXPECT(dmlc_memory_kept() == 4 * MEBI);
    dmlc_memory_set_limit(8 * MEBI);
    EXPECT(dmlc_memory_kept() == 4 * MEBI);
    dmlc_memory_clear();
}

static void test_resize(void)
{
    char *text = dmlc_memory_resize(NULL, 6);
    strcpy(text, "hello");
    text = dmlc_memory_resize(text, 100000);
    EXPECT(strcmp(text, "hello") == 0);
    text = dmlc_memory_resize(text, 3);
    EXPECT(strncmp(text, "hel", 3) == 0);
    EXPECT(dmlc_memory_resize(text, INT64_MAX) == NULL);
    EXPECT(strncmp(text, "hel", 3) == 0);
    dmlc_memory_free(text);
}

/* Buffers of random sizes come, change their size and go; each is full of its own number. */
static void test_buffers_are_apart(uint64_t seed)
{
    unsigned char *buffers[BUFFERS] = {NULL};
    int64_t sizes[BUFFERS] = {0};
    for (int round = 0; round < ROUNDS; ++round) {
        const uint64_t bits = random_bits(&seed);
        const int i = (int)(bits % BUFFERS);
        const int64_t size = (int64_t)((bits >> 8) % (bits >> 63 ? 300000 : 70000));
        if (buffers[i] != NULL) {
            EXPECT(sizes[i] == 0 || (buffers[i][0] == i && buffers[i][sizes[i] - 1] == i &&
                                     memcmp(buffers[i], buffers[i] + 1, (size_t)sizes[i] - 1) == 0));
        }
        if (buffers[i] == NULL || (bits >> 40) % 4 == 0) {
            buffers[i] = dmlc_memory_resize(buffers[i], size);
            sizes[i] = size;
            memset(buffers[i], i, (size_t)size);
        } else {
            dmlc_memory_free(buffers[i]);
            buffers[i] = NULL;
        }
        EXPECT(dmlc_memory_kept() <= dmlc_memory_limit());
    }
    for (int i = 0; i < BUFFERS; ++i)
        dmlc_memory_free(buffers[i]);
    dmlc_memory_clear();
}

int main(int argc, char **argv)
{
    test_limits();
    test_own_size_first();
    test_oldest_are_given_back_first();
    test_many_make_room();
    test_any_limit();
    test_resize();
    test_buffers_are_apart(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    return expectations_met();
}
