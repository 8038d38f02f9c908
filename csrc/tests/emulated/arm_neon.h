/* Found before the compiler's own header in a build with -Demulate=true. */
#ifndef DMLC_TESTS_EMULATED_ARM_NEON_H
#define DMLC_TESTS_EMULATED_ARM_NEON_H

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>

#endif
