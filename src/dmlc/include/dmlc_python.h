/* dmlc.h for extension modules of Python: the same functions, called in the installed package `dmlc`. Nothing is
 * linked, and none of them needs the GIL.
 *
 *     #include <Python.h>
 *     #include <dmlc_python.h>
 *
 *     static int execute(PyObject *module)
 *     {
 *         return dmlc_import();
 *     }
 *
 * Every source file that includes this header calls dmlc_import, where its module is initialized, before any other
 * function. */
#ifndef DMLC_PYTHON_H
#define DMLC_PYTHON_H

#include <Python.h>

#include "dmlc.h"

/* Result, name and parameters of dmlc.h's functions, in the order in which they joined the table. An extension runs
 * with the package that it was built with and with every later one: new functions are appended; any other change is a
 * new DMLC_ABI. The first function names the package where that is complained about. */
#define DMLC_ABI 1
#define DMLC_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(const char *, dmlc_version, (void))                                                                       \
    FUNCTION(const char *, dmlc_status_message, (dmlc_status))                                                         \
    FUNCTION(dmlc_status, dmlc_plan_padding,                                                                           \
             (dmlc_plan **, int64_t, int32_t, const int64_t *, const int64_t *, const int64_t *, const int64_t *,      \
              const int64_t *, dmlc_padding_mode))                                                                     \
    FUNCTION(dmlc_status, dmlc_plan_slice,                                                                             \
             (dmlc_plan **, int64_t, int32_t, const int64_t *, const int64_t *, const int64_t *, const int64_t *,      \
              const int64_t *))                                                                                        \
    FUNCTION(dmlc_status, dmlc_plan_one_hot,                                                                           \
             (dmlc_plan **, int64_t, dmlc_index_type, int32_t, int32_t, const int64_t *, const int64_t *,              \
              const int64_t *, int32_t))                                                                               \
    FUNCTION(dmlc_status, dmlc_plan_diagonal_matrix,                                                                   \
             (dmlc_plan **, int64_t, int32_t, const int64_t *, const int64_t *, const int64_t *, int64_t, int64_t,     \
              dmlc_band_background))                                                                                   \
    FUNCTION(void, dmlc_plan_free, (dmlc_plan *))                                                                      \
    FUNCTION(int64_t, dmlc_plan_bytes, (const dmlc_plan *))                                                            \
    FUNCTION(void, dmlc_run, (const dmlc_plan *, const dmlc_operands *, int32_t))                                      \
    FUNCTION(int32_t, dmlc_threads, (void))                                                                            \
    FUNCTION(void, dmlc_set_threads, (int32_t))                                                                        \
    FUNCTION(int32_t, dmlc_set_thread_threads, (int32_t))                                                              \
    FUNCTION(int32_t, dmlc_has_openmp, (void))                                                                         \
    FUNCTION(const char *, dmlc_isa_name, (int32_t))                                                                   \
    FUNCTION(const char *, dmlc_isa, (void))                                                                           \
    FUNCTION(dmlc_status, dmlc_set_isa, (const char *))                                                                \
    FUNCTION(dmlc_status, dmlc_plan_window,                                                                            \
             (dmlc_plan **, int64_t, int32_t, const int64_t *, const int64_t *, const int64_t *, const int64_t *,      \
              const int64_t *, dmlc_padding_mode))                                                                     \
    FUNCTION(void, dmlc_run_many, (const dmlc_plan *const *, const dmlc_operands *, int32_t, int32_t))                 \
    FUNCTION(dmlc_status, dmlc_copy,                                                                                   \
             (int64_t, int32_t, const int64_t *, void *, const int64_t *, const void *, const int64_t *, int32_t))

#define DMLC_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct dmlc_table {
    int32_t abi;   /* DMLC_ABI */
    int32_t bytes; /* sizeof(dmlc_table) */
    DMLC_FUNCTIONS(DMLC_MEMBER)
} dmlc_table;
#undef DMLC_MEMBER

/* Where the package keeps its table. */
#define DMLC_CAPSULE "dmlc._dmlc.c_api"

#ifdef DMLC_PACKAGE
/* The package's own. Its functions are of the types that dmlc.h gives them, or this does not compile. */
#define DMLC_ADDRESS(result, name, parameters) , name
static const dmlc_table dmlc_own_table = {DMLC_ABI, (int32_t)sizeof(dmlc_table) DMLC_FUNCTIONS(DMLC_ADDRESS)};
#undef DMLC_ADDRESS
#else

static const dmlc_table *dmlc_imported = NULL;

/* Imports the package; call it with the GIL, again as often as you like. 0, or -1 with an exception. */
static inline int dmlc_import(void)
{
    const dmlc_table *table = (const dmlc_table *)PyCapsule_Import(DMLC_CAPSULE, 0);
    if (table == NULL)
        return -1;
    if (table->abi != DMLC_ABI || table->bytes < (int32_t)sizeof(dmlc_table)) {
        PyErr_Format(PyExc_ImportError,
                     "dmlc: the table of C functions must have ABI %d and at least %d bytes, as in dmlc %d.%d.%d with "
                     "which this extension was built; the installed dmlc %s has ABI %d and %d bytes",
                     DMLC_ABI, (int)sizeof(dmlc_table), DMLC_VERSION_MAJOR, DMLC_VERSION_MINOR, DMLC_VERSION_PATCH,
                     table->dmlc_version(), (int)table->abi, (int)table->bytes);
        return -1;
    }
    dmlc_imported = table;
    return 0;
}

#define dmlc_version (dmlc_imported->dmlc_version)
#define dmlc_status_message (dmlc_imported->dmlc_status_message)
#define dmlc_plan_padding (dmlc_imported->dmlc_plan_padding)
#define dmlc_plan_slice (dmlc_imported->dmlc_plan_slice)
#define dmlc_plan_one_hot (dmlc_imported->dmlc_plan_one_hot)
#define dmlc_plan_diagonal_matrix (dmlc_imported->dmlc_plan_diagonal_matrix)
#define dmlc_plan_free (dmlc_imported->dmlc_plan_free)
#define dmlc_plan_bytes (dmlc_imported->dmlc_plan_bytes)
#define dmlc_run (dmlc_imported->dmlc_run)
#define dmlc_threads (dmlc_imported->dmlc_threads)
#define dmlc_set_threads (dmlc_imported->dmlc_set_threads)
#define dmlc_set_thread_threads (dmlc_imported->dmlc_set_thread_threads)
#define dmlc_has_openmp (dmlc_imported->dmlc_has_openmp)
#define dmlc_isa_name (dmlc_imported->dmlc_isa_name)
#define dmlc_isa (dmlc_imported->dmlc_isa)
#define dmlc_set_isa (dmlc_imported->dmlc_set_isa)
#define dmlc_plan_window (dmlc_imported->dmlc_plan_window)
#define dmlc_run_many (dmlc_imported->dmlc_run_many)
#define dmlc_copy (dmlc_imported->dmlc_copy)
#endif

#endif
