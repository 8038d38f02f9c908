#if defined(__linux__)
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */
#endif
#include "dispatch/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/resource.h>
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

/* Whether this processor's maker calls itself so, in twelve letters, and of which family it is. */
static bool is_made_by(const char *maker, unsigned *family)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned highest, version, words[3], rest;
    if (!__get_cpuid(0, &highest, &words[0], &words[2], &words[1]) || !__get_cpuid(1, &version, &rest, &rest, &rest))
        return false;
    *family = (version >> 8 & 0xF) + (version >> 20 & 0xFF);
    return memcmp(words, maker, sizeof(words)) == 0;
#else
    (void)maker;
    (void)family;
    return false;
#endif
}

bool dmlc_is_made_by_intel(void)
{
    unsigned family;
    return is_made_by("GenuineIntel", &family);
}

enum { ZEN_5 = 0x1A }; /* its family */

bool dmlc_has_halved_stores(void)
{
    unsigned family;
    return is_made_by("AuthenticAMD", &family) && family < ZEN_5;
}

/* Measured on Zen 3 to 5 and Granite Rapids. On the last, string instructions take 0.91 to 1.01 of the time from 8 KB on, below that up to
 * 1.15. */
int64_t dmlc_fast_string_bytes(void)
{
    enum { INTEL_BYTES = 8192 };
    unsigned family;
    if (dmlc_is_made_by_intel())
        return INTEL_BYTES;
    return is_made_by("AuthenticAMD", &family) && family >= ZEN_5 ? 1 : INT64_MAX;
}

int32_t dmlc_processor_quota(void)
{
    static atomic_int known_quota = -1;
    int32_t quota = atomic_load_explicit(&known_quota, memory_order_relaxed);
    if (quota < 0) {
        quota = dmlc_read_group_limits("").processors;
        atomic_store_explicit(&known_quota, quota, memory_order_relaxed);
    }
    return quota;
}

#if !defined(_WIN32)
static int64_t smaller_limit(int64_t known, int resource)
{
    struct rlimit limit;
    const bool limited = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited && limit.rlim_cur < (rlim_t)known ? (int64_t)limit.rlim_cur : known;
}
#endif

int64_t dmlc_memory_quota(void)
{
    int64_t bytes = dmlc_read_group_limits("").memory;
#if defined(_WIN32)
    MEMORYSTATUSEX status = {.dwLength = sizeof(status)};
    if (GlobalMemoryStatusEx(&status) && status.ullTotalPhys < (uint64_t)bytes)
        bytes = (int64_t)status.ullTotalPhys;
#else
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && pages < bytes / page)
        bytes = (int64_t)pages * page;
    bytes = smaller_limit(bytes, RLIMIT_DATA);
#if defined(RLIMIT_AS)
    bytes = smaller_limit(bytes, RLIMIT_AS);
#endif
#endif
    return bytes;
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
