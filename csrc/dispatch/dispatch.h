/* CPU features -> one named table of kernels. */
#ifndef DMLC_DISPATCH_H
#define DMLC_DISPATCH_H

#include "dispatch/machine.h"
#include "kernels/kernels.h"

/* The table in use; chosen by name, or the best for NULL. False where this machine has no such table. */
const dmlc_kernels *dmlc_kernels_in_use(void);
bool dmlc_choose_kernels(const char *name);

/* Whether a second core is worth having for less work than elsewhere, see NEAR_PARALLEL_COST. Found out when kernels are chosen. */
extern bool dmlc_cores_are_near;

#endif
