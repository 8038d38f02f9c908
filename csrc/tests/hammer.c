/* Many threads at once on shared plans, the caches of plans and of memory and the thread counts, for ThreadSanitizer
 * to watch: hammer [threads [rounds]] */
#include "dmlc.h"
#include "memory/memory.h"
#include "plan/cache.h"
#include "run/run.h"

#include "choices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 5, ROWS = 97, COLUMNS = 331, MOST_THREADS = 64 };

typedef struct shared_plan {
    dmlc_plan *plan;
    int64_t bytes; /* of the output */
    const void *input;
    uint8_t *right; /* what one thread alone writes */
} shared_plan;

static const int64_t values[2] = {7, -1};
static shared_plan plans[PLANS];
static uint32_t image[ROWS * COLUMNS];
static int32_t indices[ROWS * COLUMNS];
static atomic_int wrong;
static int64_t rounds = 300;

static void run(const shared_plan *shared, void *output, int32_t threads)
{
    const dmlc_operands operands = {output, shared->input, {&values[0], &values[1]}};
    dmlc_run(shared->plan, &operands, threads);
}

static void add(int place, dmlc_plan *plan, int64_t elements, const void *input)
{
    plans[place] = (shared_plan){plan, elements * 4, input, calloc((size_t)elements, 4)};
    if (plan == NULL || plans[place].right == NULL)
        exit(1);
    run(&plans[place], plans[place].right, 1);
}

static void make_plans(void)
{
    const int64_t sizes[] = {ROWS, COLUMNS}, strides[] = {COLUMNS * 4, 4}, none[] = {0, 0};
    const int64_t start[] = {5, 200}, end[] = {0, 9}, padded[] = {(COLUMNS + 209) * 4, 4};
    const int64_t offsets[] = {0, COLUMNS - 1}, steps[] = {1, -1};
    const int64_t hot_sizes[] = {ROWS, COLUMNS, 6}, hot_indices[] = {COLUMNS * 4, 4, 0}, hot[] = {COLUMNS * 24, 24, 4};
    const int64_t elements = ROWS * COLUMNS;
    dmlc_plan *plan = NULL;
    dmlc_plan_padding(&plan, 4, 2, sizes, strides, padded, start, end, DMLC_PADDING_REFLECTION);
    add(0, plan, (ROWS + 5) * (COLUMNS + 209), image);
    dmlc_plan_padding(&plan, 4, 2, sizes, strides, padded, start, end, DMLC_PADDING_CONSTANT);
    add(1, plan, (ROWS + 5) * (COLUMNS + 209), image);
    dmlc_plan_slice(&plan, 4, 2, sizes, strides, strides, offsets, steps);
    add(2, plan, elements, image);
    dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT32, 1, 3, hot_sizes, hot_indices, hot, 2);
    add(3, plan, elements * 6, indices);
    dmlc_plan_diagonal_matrix(&plan, 4, 2, sizes, none, strides, -3, 4, DMLC_BACKGROUND_VALUE);
    add(4, plan, elements, NULL);
}

/* More layouts than the cache of plans keeps, so that plans are thrown out while others run them. */
static bool run_shared_layout(uint64_t bits)
{
    const int64_t size = 1 + (int64_t)(bits % 7), start = (int64_t)(bits >> 8) % 600, stride = 4;
    const int64_t none = 0;
    dmlc_shared_plan *shared = NULL;
    if (dmlc_share_padding(&shared, 4, 1, &size, &stride, &stride, &start, &none, DMLC_PADDING_WRAP) != DMLC_OK)
        return false;
    uint32_t output[620];
    const dmlc_operands operands = {output, image, {NULL, NULL}};
    dmlc_run(shared->plan, &operands, 1);
    dmlc_share_release(shared);
    for (int64_t i = 0; i < start + size; ++i)
        if (output[i] != image[(i + start * size - start) % size])
            return false;
    return true;
}

static void *work(void *number)
{
    uint64_t state = (uint64_t)(uintptr_t)number;
    for (int64_t round = 0; round < rounds; ++round) {
        const uint64_t bits = random_bits(&state);
        const shared_plan *shared = &plans[bits % PLANS];
        const int32_t own = 1 + (int32_t)((bits >> 8) % 3);
        dmlc_set_thread_threads(own);
        if (dmlc_threads() != own)
            atomic_fetch_add(&wrong, 1);
        void *output = dmlc_memory_allocate(shared->bytes);
        run(shared, output, dmlc_threads());
        if (memcmp(output, shared->right, (size_t)shared->bytes) != 0)
            atomic_fetch_add(&wrong, 1);
        dmlc_memory_free(output);
        dmlc_set_thread_threads(0);
        dmlc_set_threads(1 + (int32_t)((bits >> 16) % 4));
        for (int i = 0; i < 8; ++i)
            if (!run_shared_layout(random_bits(&state)))
                atomic_fetch_add(&wrong, 1);
        switch ((bits >> 24) % 16) {
        case 0: dmlc_memory_clear(); break;
        case 1: dmlc_memory_set_limit((int64_t)(bits >> 40)); break;
        case 2: (void)dmlc_memory_kept(); break;
        case 3: dmlc_share_clear(); break;
        default: break;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 8;
    rounds = argc > 2 ? strtoll(argv[2], NULL, 10) : rounds;
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    for (int64_t i = 0; i < ROWS * COLUMNS; ++i) {
        image[i] = (uint32_t)i * 2654435761u;
        indices[i] = (int32_t)(i % 15) - 7;
    }
    dmlc_set_isa(NULL);
    dmlc_set_oversubscribe(true);
    make_plans();
    pthread_t workers[MOST_THREADS];
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)(i + 1)) != 0)
            return 1;
    for (int i = 0; i < threads; ++i)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < PLANS; ++i) {
        dmlc_plan_free(plans[i].plan);
        free(plans[i].right);
    }
    dmlc_share_clear();
    dmlc_memory_clear();
    printf("%d threads, %lld rounds each, %d wrong\n", threads, (long long)rounds, atomic_load(&wrong));
    return atomic_load(&wrong) > 0;
}
