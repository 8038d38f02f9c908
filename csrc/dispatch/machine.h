/* What the machine has, and how much of it this process may use. */
#ifndef DMLC_MACHINE_H
#define DMLC_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The size of the last-level cache; asked of the machine once. */
int64_t dmlc_cache_bytes(void);

/* What the cache's size is taken for from now on, so that tests can stream small outputs; 0 asks the machine again. */
void dmlc_set_cache_bytes(int64_t bytes);

/* What processors of one instruction set differ in and no feature tells: their maker and family do. To be asked once, since it takes
 * a virtual machine microseconds. What ways cost is by the maker alone, see abilities.h. */
bool dmlc_is_made_by_intel(void);

/* Whether a store of 64 bytes goes to the cache in halves, so that it pays early to let none lie across two lines. */
bool dmlc_has_halved_stores(void);

/* From how many bytes on string instructions copy a run as fast as anything, wherever it begins; INT64_MAX where they never do. */
int64_t dmlc_fast_string_bytes(void);

/* How many processors' time the process' control groups (its container) grant it, rounded up; 0 where there is no such
 * limit. Asked of the machine once. */
int32_t dmlc_processor_quota(void);

/* The memory that the process may use at most: the machine's, or less where its control groups or its own resource limits
 * say so. */
int64_t dmlc_memory_quota(void);

/* groups.c: what the control groups of this process grant it: the smallest limit from its own group up to the root of what
 * it sees, of versions 1 and 2. */
typedef struct dmlc_group_limits {
    int32_t processors; /* 0 where there is no limit */
    int64_t memory;     /* bytes; INT64_MAX where there is none */
} dmlc_group_limits;

/* Reads root/proc/self/cgroup and root/sys/fs/cgroup; root is "" but in tests. */
dmlc_group_limits dmlc_read_group_limits(const char *root);

#endif
