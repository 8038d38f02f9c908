/* Control groups: the files in which Linux says what a container may use.
 *
 *     proc/self/cgroup    0::/a/b             version 2: group /a/b
 *                         4:cpu,cpuacct:/a/b  version 1: the same of one hierarchy
 *
 *     sys/fs/cgroup/a/b/memory.max            version 2; beside version 1 in sys/fs/cgroup/unified
 *     sys/fs/cgroup/memory/a/b/memory.limit_in_bytes
 *
 * A group has no more than those around it. A container often sees no group around its own, which it then sees as the
 * root, while its path may still be the machine's: where there is no such file, those further up are read all the same.
 */
#include "dispatch/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

enum { LONGEST_GROUP = 4096 + 64, LONGEST_PATH = 2 * LONGEST_GROUP };

/* The first numbers of a file; returns how many there are, 0 too where there is no such file. */
static int read_numbers(const char *directory, const char *name, long long *numbers, int most)
{
    char path[LONGEST_PATH + 64], line[80];
    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
        return 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    int count = 0;
    const char *next = fgets(line, sizeof(line), file);
    for (; next != NULL && count < most; ++count) {
        char *end;
        numbers[count] = strtoll(next, &end, 10); /* the largest there is where it is larger */
        if (end == next)
            break;
        next = end;
    }
    fclose(file);
    return count;
}

static void limit_memory(dmlc_group_limits *limits, const char *directory, const char *name)
{
    /* Version 1 says the largest multiple of a page where there is no limit, version 2 "max". */
    const long long no_limit = INT64_C(1) << 62;
    long long bytes;
    if (read_numbers(directory, name, &bytes, 1) == 1 && bytes >= 0 && bytes < no_limit && bytes < limits->memory)
        limits->memory = bytes;
}

static void limit_processors(dmlc_group_limits *limits, long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return;
    const long long processors = (quota - 1) / period + 1;
    if (limits->processors == 0 || processors < limits->processors)
        limits->processors = processors < INT32_MAX ? (int32_t)processors : INT32_MAX;
}

static void read_unified(dmlc_group_limits *limits, const char *directory)
{
    long long numbers[2];
    limit_memory(limits, directory, "memory.max");
    limit_memory(limits, directory, "memory.high");
    if (read_numbers(directory, "cpu.max", numbers, 2) == 2)
        limit_processors(limits, numbers[0], numbers[1]);
}

static void read_memory(dmlc_group_limits *limits, const char *directory)
{
    limit_memory(limits, directory, "memory.limit_in_bytes");
}

static void read_processors(dmlc_group_limits *limits, const char *directory)
{
    long long quota, period;
    if (read_numbers(directory, "cpu.cfs_quota_us", &quota, 1) == 1 &&
        read_numbers(directory, "cpu.cfs_period_us", &period, 1) == 1)
        limit_processors(limits, quota, period);
}

/* Reads a group and all around it, where a hierarchy is mounted. */
static void read_up(dmlc_group_limits *limits, const char *root, const char *mount, const char *group,
                    void (*read)(dmlc_group_limits *limits, const char *directory))
{
    char directory[LONGEST_PATH];
    const int mounted = snprintf(directory, sizeof(directory), "%s/sys/fs/cgroup%s", root, mount);
    if (mounted < 0 || (size_t)mounted + strlen(group) >= sizeof(directory))
        return;
    strcpy(directory + mounted, group);
    for (;;) {
        read(limits, directory);
        char *last = strrchr(directory + mounted, '/');
        if (last == NULL)
            return;
        *last = 0;
    }
}

/* Whether a list like "cpu,cpuacct" has a name. */
static bool names(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (;; ++list) {
        const size_t next = strcspn(list, ",");
        if (next == length && memcmp(list, name, length) == 0)
            return true;
        list += next;
        if (*list == 0)
            return false;
    }
}

dmlc_group_limits dmlc_read_group_limits(const char *root)
{
    dmlc_group_limits limits = {.processors = 0, .memory = INT64_MAX};
    char line[LONGEST_GROUP];
    if (snprintf(line, sizeof(line), "%s/proc/self/cgroup", root) >= (int)sizeof(line))
        return limits;
    FILE *file = fopen(line, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        char *list = strchr(line, ':'), *group = list == NULL ? NULL : strchr(list + 1, ':');
        if (group == NULL)
            continue;
        *group++ = 0;
        ++list;
        if (*list == 0) {
            read_up(&limits, root, "", group, read_unified);
            read_up(&limits, root, "/unified", group, read_unified);
        }
        if (names(list, "memory"))
            read_up(&limits, root, "/memory", group, read_memory);
        if (names(list, "cpu"))
            read_up(&limits, root, "/cpu", group, read_processors);
    }
    if (file != NULL)
        fclose(file);
    return limits;
}

#else

dmlc_group_limits dmlc_read_group_limits(const char *root)
{
    (void)root;
    return (dmlc_group_limits){.processors = 0, .memory = INT64_MAX};
}

#endif
