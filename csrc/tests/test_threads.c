/* How many threads a run takes, and which: team sizes, what is worth a thread, forks, parallel regions, many at once. */
#include "expect.h"
#include "run/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
