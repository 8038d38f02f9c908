#include "dispatch/dispatch.h"

#include <stdatomic.h>
#include <stdio.h>

/* Where the machine does not say. */
static const int64_t USUAL_CACHE_BYTES = INT64_C(32) << 20;

#if defined(__linux__)
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

int64_t dmlc_cache_bytes(void)
{
    static atomic_llong known;
    long long bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
#if defined(__linux__)
        for (int level = 4; level >= 2 && bytes == 0; --level)
            bytes = cache_of_level(level);
#endif
        if (bytes <= 0)
            bytes = USUAL_CACHE_BYTES;
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}
