/* What control groups grant, read from trees of files like those of real machines; and whose costs plans are made by. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "dispatch/dispatch.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MADE = 64, LONGEST = 400 };

static char root[] = "/tmp/dmlc-groups-XXXXXX";

/* All directories and files that were made, in their order. */
static char made[MOST_MADE][LONGEST];
static int made_count;

static void fail(const char *path)
{
    perror(path);
    exit(1);
}

/* A file below the root, with the directories that lead to it. */
static void make(const char *path, const char *content)
{
    char whole[LONGEST];
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = 0;
        if (mkdir(whole, 0700) == 0)
            strcpy(made[made_count++], whole);
    }
    strcpy(made[made_count++], whole);
    FILE *file = fopen(whole, "w");
    if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0)
        fail(whole);
}

static void begin(const char *groups)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    if (mkdtemp(root) == NULL)
        fail(root);
    make("/proc/self/cgroup", groups);
}

static void end(void)
{
    while (made_count > 0)
        remove(made[--made_count]);
    if (rmdir(root) != 0)
        fail(root);
}

static void expect(int line, int32_t processors, int64_t memory)
{
    const dmlc_group_limits limits = dmlc_read_group_limits(root);
    EXPECT(limits.processors == processors);
    EXPECT(limits.memory == memory);
    if (limits.processors != processors || limits.memory != memory)
        fprintf(stderr, "line %d: %d processors, %lld bytes\n", line, (int)limits.processors, (long long)limits.memory);
    end();
}

static const int64_t GIBI = INT64_C(1) << 30;

static void test_version_2(void)
{
    /* No files: no limits. */
    begin("0::/\n");
    expect(__LINE__, 0, INT64_MAX);

    /* In a container that sees its own group as the root. */
    begin("0::/\n");
    make("/sys/fs/cgroup/memory.max", "1073741824\n");
    make("/sys/fs/cgroup/memory.high", "max\n");
    make("/sys/fs/cgroup/cpu.max", "150000 100000\n");
    expect(__LINE__, 2, GIBI);

    /* In a container that sees its own group as the root, but the path of the machine. */
    begin("0::/system.slice/docker-0123.scope\n");
    make("/sys/fs/cgroup/memory.max", "1073741824\n");
    make("/sys/fs/cgroup/cpu.max", "max 100000\n");
    expect(__LINE__, 0, GIBI);

    /* The smallest up the tree counts, be it that of a group around it, or what it is throttled at. */
    begin("0::/user.slice/user-0.slice/a.scope\n");
    make("/sys/fs/cgroup/user.slice/memory.max", "max\n");
    make("/sys/fs/cgroup/user.slice/user-0.slice/memory.max", "3221225472\n");
    make("/sys/fs/cgroup/user.slice/user-0.slice/cpu.max", "100000 100000\n");
    make("/sys/fs/cgroup/user.slice/user-0.slice/a.scope/memory.max", "6442450944\n");
    make("/sys/fs/cgroup/user.slice/user-0.slice/a.scope/cpu.max", "400000 100000\n");
    expect(__LINE__, 1, 3 * GIBI);

    begin("0::/a\n");
    make("/sys/fs/cgroup/a/memory.max", "4294967296\n");
    make("/sys/fs/cgroup/a/memory.high", "2147483648\n");
    expect(__LINE__, 0, 2 * GIBI);

    /* Nothing at all is a limit too. */
    begin("0::/a\n");
    make("/sys/fs/cgroup/a/memory.max", "0\n");
    expect(__LINE__, 0, 0);

    /* A group that is not this process' own says nothing. */
    begin("0::/a\n");
    make("/sys/fs/cgroup/b/memory.max", "4096\n");
    expect(__LINE__, 0, INT64_MAX);
}

static void test_version_1(void)
{
    begin("11:memory:/docker/0123\n"
          "4:cpu,cpuacct:/docker/0123\n"
          "1:name=systemd:/docker/0123\n"
          "0::/\n");
    make("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    make("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
    make("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    expect(__LINE__, 3, 2 * GIBI);

    /* What stands there where there is no limit, with pages of 4 and of 64 KiB. */
    begin("4:memory:/a\n2:cpu:/a\n");
    make("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    make("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854710272\n");
    make("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    make("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    expect(__LINE__, 0, INT64_MAX);

    begin("4:memory:/a/b\n");
    make("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    make("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n");
    make("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "18446744073709551615\n");
    expect(__LINE__, 0, GIBI);

    /* Other hierarchies have names of their own, and numbers that mean something else. */
    begin("4:cpuset:/a\n3:name=memory:/a\n");
    make("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096\n");
    make("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
    make("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    expect(__LINE__, 0, INT64_MAX);

    /* Both versions side by side. */
    begin("4:memory:/a\n0::/b\n");
    make("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4294967296\n");
    make("/sys/fs/cgroup/unified/b/memory.max", "1073741824\n");
    expect(__LINE__, 0, GIBI);
}

static void test_nonsense(void)
{
    begin("");
    expect(__LINE__, 0, INT64_MAX);
    begin("nonsense\n:\n0:\n::\n0::no slash\n\n");
    make("/sys/fs/cgroup/memory.max", "\n");
    make("/sys/fs/cgroup/memory.high", "-5\n");
    make("/sys/fs/cgroup/cpu.max", "0 0\n");
    expect(__LINE__, 0, INT64_MAX);
    begin("0::/\n");
    make("/sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
    make("/sys/fs/cgroup/memory.max", "12 apples\n");
    expect(__LINE__, INT32_MAX, 12);

    /* A path of more than any file system takes. */
    enum { LONG = 20000 };
    static char groups[LONG + 20] = "0::";
    memset(groups + 3, '/', LONG);
    begin(groups);
    expect(__LINE__, 0, INT64_MAX);
}

#endif

/* The compiler knows processors' makers, too. */
static void test_costs_of_the_maker(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    const bool intel = __builtin_cpu_is("intel");
#else
    const bool intel = false;
#endif
    EXPECT(dmlc_is_made_by_intel() == intel);
    if (dmlc_choose_kernels("avx512"))
        EXPECT(dmlc_kernels_in_use()->abilities == (intel ? &dmlc_abilities_avx512_intel : &dmlc_abilities_avx512));
    if (dmlc_choose_kernels("avx2"))
        EXPECT(dmlc_kernels_in_use()->abilities == (intel ? &dmlc_abilities_avx2_intel : &dmlc_abilities_avx2));
    EXPECT(dmlc_choose_kernels("baseline"));
    EXPECT(dmlc_kernels_in_use()->abilities == &dmlc_abilities_baseline);
}

int main(void)
{
    test_costs_of_the_maker();
    EXPECT(dmlc_processor_quota() >= 0);
    EXPECT(dmlc_memory_quota() > 0);
    EXPECT(dmlc_memory_quota() < INT64_MAX); /* the machine's own, if no other */
    EXPECT(dmlc_cache_bytes() > 0);
#if defined(__linux__)
    test_version_2();
    test_version_1();
    test_nonsense();
#endif
    return expectations_met();
}
