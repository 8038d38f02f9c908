#include "dispatch/dispatch.h"

#include <string.h>

extern const dmlc_kernels dmlc_kernels_baseline;
#ifdef DMLC_HAVE_AVX2
extern const dmlc_kernels dmlc_kernels_avx2;
extern const dmlc_kernels dmlc_kernels_avx2_intel;
#endif
#ifdef DMLC_HAVE_AVX512
extern const dmlc_kernels dmlc_kernels_avx512;
extern const dmlc_kernels dmlc_kernels_avx512_intel;
#endif
#ifdef DMLC_HAVE_NEON
extern const dmlc_kernels dmlc_kernels_neon;
#endif

const char *dmlc_version(void) { return DMLC_VERSION; }

/* Emulated instructions run on every machine, see tests/emulated. */
#ifdef DMLC_EMULATED
#define HAS(FEATURE) true
#else
#define HAS(FEATURE) __builtin_cpu_supports(FEATURE)
#endif

/* The table of this index, at least 0, among those that this machine can run, best first; NULL beyond the last. */
static const dmlc_kernels *available(int32_t index)
{
#ifdef DMLC_HAVE_AVX512
    if (HAS("avx512f") && HAS("avx512bw") && HAS("avx512vl") && HAS("avx512dq") && HAS("avx512vbmi") && HAS("bmi2") &&
        index-- == 0)
        return &dmlc_kernels_avx512;
#endif
#ifdef DMLC_HAVE_AVX2
    if (HAS("avx2") && HAS("bmi2") && index-- == 0)
        return &dmlc_kernels_avx2;
#endif
#ifdef DMLC_HAVE_NEON
    if (index-- == 0)
        return &dmlc_kernels_neon;
#endif
    return index == 0 ? &dmlc_kernels_baseline : NULL;
}

/* The table of the same kernels whose costs are of this machine's maker. */
static const dmlc_kernels *of_the_maker(const dmlc_kernels *table)
{
    if (!dmlc_is_made_by_intel())
        return table;
#ifdef DMLC_HAVE_AVX512
    if (table == &dmlc_kernels_avx512)
        return &dmlc_kernels_avx512_intel;
#endif
#ifdef DMLC_HAVE_AVX2
    if (table == &dmlc_kernels_avx2)
        return &dmlc_kernels_avx2_intel;
#endif
    return table;
}

/* Chosen by the library's user before any run, so that no run has to. */
static const dmlc_kernels *in_use = &dmlc_kernels_baseline;

const dmlc_kernels *dmlc_kernels_in_use(void) { return in_use; }

const char *dmlc_isa_name(int32_t index)
{
    const dmlc_kernels *table = index < 0 ? NULL : available(index);
    return table == NULL ? NULL : table->abilities->isa;
}

const char *dmlc_isa(void) { return in_use->abilities->isa; }

int64_t dmlc_least_string_bytes = INT64_MAX;
int64_t dmlc_least_aligned_row_bytes = 1024;
bool dmlc_cores_are_near = false;
bool dmlc_stores_wait = false;

bool dmlc_choose_kernels(const char *name)
{
    const dmlc_kernels *table;
    int32_t i = 0;
    while ((table = available(i)) != NULL && name != NULL && strcmp(table->abilities->isa, name) != 0)
        ++i;
    if (table == NULL)
        return false;
    in_use = of_the_maker(table);
    dmlc_least_string_bytes = dmlc_fast_string_bytes();
    dmlc_least_aligned_row_bytes = dmlc_has_halved_stores() ? 192 : 1024;
    dmlc_cores_are_near = dmlc_stores_wait = dmlc_is_made_by_intel();
    return true;
}
