# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: freethreading_compatible=True, cdivision=True
"""The binding: paddings, offsets and sizes come as typed memoryviews, elements as arrays.

From the bottom up:

_layouts.pxi           sizes and strides, and what they say about arrays
_memory.pxi            new arrays
_runs.pxi              plans are shared and run
_operators.pxi         operators on arrays that have been checked above
_typed_operators.pxi   operators of descriptors, ready to be called
_dlpack.pxi            tensors of other libraries, read and made
_values.pxi            what callers of functions hand over, as operators need it: numbers and dtypes,
_inputs.pxi            arrays to be read,
_outputs.pxi           and arrays to be written, or new ones
_items.pxi             many arrays as the items of one, which run as one
_window.pxi            functions of arrays; so are the next ones. A call with plain arguments takes no Python object per
_padding.pxi           dimension
_roll.pxi
_slice.pxi
_repetition.pxi
_frames.pxi
_one_hot.pxi
_diagonal_matrix.pxi
_batch.pxi             functions of many arrays
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.complex cimport PyComplex_CheckExact
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyTypeObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.weakref cimport PyWeakref_NewRef
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset, strcpy

cimport numpy as cnp

import sys
from functools import update_wrapper

from numpy import arange, asarray, dtype as numpy_dtype, float32, repeat as repeat_each, take
from numpy.lib.array_utils import normalize_axis_index

from dmlc import arguments, arrays, tensors
from dmlc.arrays import printed

cnp.import_array()

from dmlc.c_api cimport (
    DMLC_BACKGROUND_INPUT, DMLC_BACKGROUND_KEEP, DMLC_BACKGROUND_VALUE, DMLC_INVALID_ARGUMENT, DMLC_OK,
    DMLC_OUT_OF_MEMORY, DMLC_OVERFLOW, dmlc_band_background, dmlc_copy, dmlc_has_openmp, dmlc_index_type, dmlc_isa,
    dmlc_isa_name, dmlc_operands, dmlc_padding_mode, dmlc_plan, dmlc_plan_bytes, dmlc_run_many, dmlc_set_isa,
    dmlc_set_thread_threads, dmlc_set_threads, dmlc_status, dmlc_status_message, dmlc_threads, dmlc_version)

cdef extern from "Python.h":
    bint PyGC_IsEnabled()
    bint PyGC_Enable()
    bint PyGC_Disable()

cdef extern from "dmlc_python.h":
    ctypedef struct dmlc_table:
        pass
    const dmlc_table dmlc_own_table
    const char *DMLC_CAPSULE

cdef extern from "plan/cache.h" nogil:
    ctypedef struct dmlc_shared_plan:
        dmlc_plan *plan

    dmlc_status dmlc_share_window(
        dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
        const int64_t *input_strides, const int64_t *output_sizes, const int64_t *output_strides, const int64_t *start,
        dmlc_padding_mode mode)
    dmlc_status dmlc_share_padding(
        dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *input_sizes,
        const int64_t *input_strides, const int64_t *output_strides, const int64_t *start, const int64_t *end,
        dmlc_padding_mode mode)
    dmlc_status dmlc_share_slice(
        dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *output_sizes,
        const int64_t *input_strides, const int64_t *output_strides, const int64_t *offsets, const int64_t *steps)
    dmlc_status dmlc_share_copy(
        dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes, const int64_t *input_strides,
        const int64_t *output_strides)
    dmlc_status dmlc_share_one_hot(
        dmlc_shared_plan **shared, int64_t width, dmlc_index_type index_type, int32_t from_end, int32_t rank,
        const int64_t *output_sizes, const int64_t *indices_strides, const int64_t *output_strides, int32_t axis)
    dmlc_status dmlc_share_diagonal_matrix(
        dmlc_shared_plan **shared, int64_t width, int32_t rank, const int64_t *sizes, const int64_t *input_strides,
        const int64_t *output_strides, int64_t begin, int64_t end, dmlc_band_background background)
    void dmlc_share_release(dmlc_shared_plan *shared)
    void dmlc_share_clear()
    int32_t dmlc_share_kept()
    int32_t dmlc_share_limit()

cdef extern from "plan/planner.h" nogil:
    bint dmlc_reach_fits(int32_t rank, const int64_t *sizes, const int64_t *strides)
    int64_t dmlc_product(int64_t a, int64_t b, int64_t most)

cdef extern from "dispatch/dispatch.h" nogil:
    void dmlc_set_cache_bytes(int64_t bytes)

cdef extern from "run/run.h" nogil:
    void dmlc_run_on_threads(const dmlc_plan *plan, const dmlc_operands *operands)
    void dmlc_set_oversubscribe(bint oversubscribe)

cdef extern from "memory/memory.h" nogil:
    void *dmlc_memory_allocate(int64_t bytes)
    void dmlc_memory_free(void *memory)
    void *dmlc_memory_resize(void *memory, int64_t bytes)
    void dmlc_memory_set_limit(int64_t bytes)
    int64_t dmlc_memory_limit()
    int64_t dmlc_memory_kept()
    void dmlc_memory_clear()

cdef extern from "numpy/arrayobject.h":
    # NumPy's own way to let an array own memory of another allocator: the handler frees and resizes it.
    ctypedef struct PyDataMemAllocator:
        void *ctx
        void *(*malloc)(void *, size_t) noexcept nogil
        void *(*calloc)(void *, size_t, size_t) noexcept nogil
        void *(*realloc)(void *, void *, size_t) noexcept nogil
        void (*free)(void *, void *, size_t) noexcept nogil
    ctypedef struct PyDataMem_Handler:
        char name[127]
        unsigned char version
        PyDataMemAllocator allocator
    ctypedef struct PyArrayObject_fields:
        PyObject *base
        void *descr
        void *mem_handler
    bint PyDataType_REFCHK(cnp.dtype descr) nogil
    int PyArray_Pack(cnp.dtype descr, void *item, object value) except -1
    int PyArray_DescrConverter(object value, cnp.PyArray_Descr **descr) except 0
    object PyArray_View(cnp.ndarray array, cnp.dtype descr, PyTypeObject *subtype)
    object PyArray_NewFromDescr(PyTypeObject *subtype, cnp.dtype descr, int nd, const cnp.npy_intp *dims,
                                const cnp.npy_intp *strides, void *data, int flags, object obj)
    PyObject *new_or_null "PyArray_NewFromDescr"(
        PyTypeObject *subtype, cnp.dtype descr, int nd, const cnp.npy_intp *dims, const cnp.npy_intp *strides,
        void *data, int flags, PyObject *obj)

include "_layouts.pxi"
include "_memory.pxi"
include "_runs.pxi"
include "_operators.pxi"
include "_typed_operators.pxi"
include "_dlpack.pxi"
include "_values.pxi"
include "_inputs.pxi"
include "_outputs.pxi"
include "_items.pxi"
include "_window.pxi"
include "_padding.pxi"
include "_roll.pxi"
include "_slice.pxi"
include "_one_hot.pxi"
include "_repetition.pxi"
include "_frames.pxi"
include "_diagonal_matrix.pxi"
include "_batch.pxi"


def compiled(documented):
    """The function here of the same name, with the signature and the documentation of one in Python.

    One frame of Python's is a third of a small call.
    """
    return update_wrapper(globals()[documented.__name__], documented)


def clear_plans():
    dmlc_share_clear()


def plans_kept():
    return dmlc_share_kept()


def plans_limit():
    return dmlc_share_limit()


def set_memory_limit(int64_t bytes):
    dmlc_memory_set_limit(bytes)


def memory_limit():
    return dmlc_memory_limit()


def memory_kept():
    return dmlc_memory_kept()


def clear_memory():
    dmlc_memory_clear()


def set_cache_bytes(int64_t bytes):
    """Take the last-level cache for so large, so that tests can stream small outputs; 0 asks the machine."""
    dmlc_set_cache_bytes(bytes)


def version():
    return (<bytes>dmlc_version()).decode()


def get_threads():
    return dmlc_threads()


def set_threads(int32_t threads):
    dmlc_set_threads(threads)


def set_thread_threads(int32_t threads):
    return dmlc_set_thread_threads(threads)


def set_oversubscribe(bint oversubscribe):
    """Whether runs take all the threads that they may, worth it or not, so that tests see large teams."""
    dmlc_set_oversubscribe(oversubscribe)


def has_openmp():
    return dmlc_has_openmp() != 0


def isa():
    return (<bytes>dmlc_isa()).decode()


def isa_names():
    names = []
    cdef int32_t index = 0
    while dmlc_isa_name(index) is not NULL:
        names.append((<bytes>dmlc_isa_name(index)).decode())
        index += 1
    return tuple(names)


def set_isa(str name):
    """Choose the kernels by name, or the best that this machine runs; not while another thread runs a plan."""
    cdef bytes text
    if name is None:
        dmlc_set_isa(NULL)
        return
    text = name.encode()
    if dmlc_set_isa(text) != DMLC_OK:
        raise ValueError(f"DMLC_ISA: must be one of {', '.join(isa_names())} on this machine, got {name!r}")


# For the extensions of others; see dmlc_python.h.
c_api = PyCapsule_New(<void *>&dmlc_own_table, DMLC_CAPSULE, NULL)
