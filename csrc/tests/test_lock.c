/* The lock: one thread at a time; one that waits sleeps, so that it can starve no other. */
#define _GNU_SOURCE /* gettid */
#include "memory/lock.h"

#include "expect.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { THREADS = 4, ROUNDS = 20000 };

static dmlc_lock lock = DMLC_LOCK_INITIAL;
static long count;

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; ++i) {
        dmlc_lock_acquire(&lock);
        ++count;
        dmlc_lock_release(&lock);
    }
    return unused;
}

static void test_one_at_a_time(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    EXPECT(count == (long)THREADS * ROUNDS);
}

#if defined(__linux__)
static atomic_int waiter;

static void *wait_for_it(void *unused)
{
    atomic_store(&waiter, (int)syscall(SYS_gettid));
    dmlc_lock_acquire(&lock);
    dmlc_lock_release(&lock);
    return unused;
}

/* How often the waiter has given its core up by itself: to sleep does, to yield does not. */
static int sleeps_of_waiter(void)
{
    static const char name[] = "voluntary_ctxt_switches:";
    char path[80], line[120];
    int sleeps = -1;
    snprintf(path, sizeof(path), "/proc/self/task/%d/status", atomic_load(&waiter));
    FILE *file = fopen(path, "r");
    while (file != NULL && sleeps < 0 && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, name, sizeof(name) - 1) == 0)
            sscanf(line + sizeof(name) - 1, "%d", &sleeps);
    if (file != NULL)
        fclose(file);
    return sleeps;
}

static void test_who_waits_sleeps(void)
{
    enum { SOME = 3, TRIES = 5000, MICROSECONDS = 1000 };
    pthread_t thread;
    dmlc_lock_acquire(&lock);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    int sleeps = 0;
    for (int i = 0; i < TRIES && sleeps < SOME; ++i) {
        usleep(MICROSECONDS);
        if (atomic_load(&waiter) != 0)
            sleeps = sleeps_of_waiter();
    }
    EXPECT(sleeps >= SOME);
    dmlc_lock_release(&lock);
    pthread_join(thread, NULL);
}
#endif

int main(void)
{
    test_one_at_a_time();
#if defined(__linux__)
    test_who_waits_sleeps();
#endif
    return expectations_met();
}
