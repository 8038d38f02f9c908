/* Found before the compiler's own header in a build with -Demulate=true. */
#include "x86.h"
