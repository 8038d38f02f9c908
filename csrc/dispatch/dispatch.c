#include "dispatch/dispatch.h"

#include <string.h>

extern const dmlc_kernels dmlc_kernels_baseline;
#ifdef DMLC_HAVE_AVX2
extern const dmlc_kernels dmlc_kernels_avx2;
#endif
#ifdef DMLC_HAVE_AVX512
extern const dmlc_kernels dmlc_kernels_avx512;
#endif
#ifdef DMLC_HAVE_NEON
extern const dmlc_kernels dmlc_kernels_neon;
#endif

const char *dmlc_version(void) { return DMLC_VERSION; }

enum { ISA_COUNT = 4 };

/* Emulated instructions run on every machine, see tests/emulated. */
#ifdef DMLC_EMULATED
#define HAS(FEATURE) true
#else
#define HAS(FEATURE) __builtin_cpu_supports(FEATURE)
#endif

/* Those that this machine can run, best first. */
static int32_t available(const dmlc_kernels *tables[ISA_COUNT])
{
    int32_t count = 0;
#ifdef DMLC_HAVE_AVX512
    if (HAS("avx512f") && HAS("avx512bw") && HAS("avx512vl") && HAS("avx512dq") && HAS("avx512vbmi") && HAS("bmi2"))
        tables[count++] = &dmlc_kernels_avx512;
#endif
#ifdef DMLC_HAVE_AVX2
    if (HAS("avx2") && HAS("bmi2"))
        tables[count++] = &dmlc_kernels_avx2;
#endif
#ifdef DMLC_HAVE_NEON
    tables[count++] = &dmlc_kernels_neon;
#endif
    tables[count++] = &dmlc_kernels_baseline;
    return count;
}

/* Chosen by the library's user before any run, so that no run has to. */
static const dmlc_kernels *in_use = &dmlc_kernels_baseline;

const dmlc_kernels *dmlc_kernels_in_use(void) { return in_use; }

const char *dmlc_isa_name(int32_t index)
{
    const dmlc_kernels *tables[ISA_COUNT];
    const int32_t count = available(tables);
    return index >= 0 && index < count ? tables[index]->abilities->isa : NULL;
}

const char *dmlc_isa(void) { return in_use->abilities->isa; }

bool dmlc_choose_kernels(const char *name)
{
    const dmlc_kernels *tables[ISA_COUNT];
    const int32_t count = available(tables);
    for (int32_t i = 0; i < count; ++i) {
        if (name == NULL || strcmp(tables[i]->abilities->isa, name) == 0) {
            in_use = tables[i];
            return true;
        }
    }
    return false;
}
