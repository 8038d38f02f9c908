#if defined(__linux__)
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */
#endif
#include "dispatch/dispatch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#if defined(__linux__)
#include <unistd.h>
#endif

/* Where the machine does not say. */
static const int64_t USUAL_CACHE_BYTES = INT64_C(32) << 20;

#if defined(__linux__)
/* A small virtual machine sees the whole cache of a large one. Measured on two cores that see 480 MiB: plain stores keep
 * up with streaming ones to 32 MiB and take twice as long from 64 MiB on. */
static const int64_t MOST_CACHE_BYTES_EACH = INT64_C(32) << 20;

/* The size of the first core's cache of a level, 0 where there is none. The C library's sysconf adds up the caches of
 * all sockets on some virtual machines. */
static int64_t cache_of_level(int wanted)
{
    int64_t bytes = 0;
    for (int index = 0; index < 8; ++index) {
        char path[80];
        int level = 0;
        long long size = 0;
        char unit = 0;
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            break;
        const int levels = fscanf(file, "%d", &level);
        fclose(file);
        if (levels != 1 || level != wanted)
            continue;
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fscanf(file, "%lld%c", &size, &unit) >= 1)
            bytes = size * (unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1);
        fclose(file);
    }
    return bytes;
}
#endif

#if defined(__linux__)
/* The first line of a file, without its end; false where there is none. */
static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool read = fgets(line, size, file) != NULL;
    fclose(file);
    if (read)
        line[strcspn(line, "\n")] = 0;
    return read;
}

static int32_t smaller_quota(int32_t known, long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return known;
    const long long processors = (quota + period - 1) / period;
    return known == 0 || processors < known ? (int32_t)processors : known;
}

/* The smallest of the limits from the process' own group up to the root of what it sees (version 2). */
static int32_t unified_quota(char *group)
{
    int32_t smallest = 0;
    for (;;) {
        char path[600], line[80];
        long long quota = 0, period = 0;
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
        if (read_line(path, line, sizeof(line)) && sscanf(line, "%lld %lld", &quota, &period) == 2)
            smallest = smaller_quota(smallest, quota, period);
        char *last = strrchr(group, '/');
        if (last == NULL)
            return smallest;
        *last = 0;
    }
}
#endif

#if defined(__linux__)
static int32_t ask_for_quota(void)
{
    char line[512], other[80];
    FILE *file = fopen("/proc/self/cgroup", "r");
    int32_t smallest = 0;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            smallest = unified_quota(line + 3);
    }
    if (file != NULL)
        fclose(file);
    /* Version 1. */
    long long quota = 0, period = 0;
    if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof(line)) && sscanf(line, "%lld", &quota) == 1 &&
        read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", other, sizeof(other)) && sscanf(other, "%lld", &period) == 1)
        smallest = smaller_quota(smallest, quota, period);
    return smallest;
}
#endif

int32_t dmlc_processor_quota(void)
{
#if defined(__linux__)
    static atomic_int known_quota = -1;
    int32_t quota = atomic_load_explicit(&known_quota, memory_order_relaxed);
    if (quota < 0) {
        quota = ask_for_quota();
        atomic_store_explicit(&known_quota, quota, memory_order_relaxed);
    }
    return quota;
#else
    return 0;
#endif
}

/* 0 until it is asked for. */
static atomic_llong known;

void dmlc_set_cache_bytes(int64_t bytes) { atomic_store_explicit(&known, bytes, memory_order_relaxed); }

int64_t dmlc_cache_bytes(void)
{
    long long bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
#if defined(__linux__)
        for (int level = 4; level >= 2 && bytes == 0; --level)
            bytes = cache_of_level(level);
#endif
        if (bytes <= 0)
            bytes = USUAL_CACHE_BYTES;
#if defined(__linux__)
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        if (processors > 0 && bytes / processors > MOST_CACHE_BYTES_EACH)
            bytes = processors * MOST_CACHE_BYTES_EACH;
#endif
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}
