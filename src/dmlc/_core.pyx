# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: freethreading_compatible=True
"""The binding: sizes, strides and paddings go down as typed memoryviews, elements as pointers. It decides nothing.

What it is given has been checked above it: sizes and strides that describe the arrays' own memory.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.pycapsule cimport PyCapsule_New
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.string cimport memset, strcpy

cimport numpy as cnp

cnp.import_array()

cdef extern from "dmlc.h" nogil:
    ctypedef enum dmlc_status:
        DMLC_OK
        DMLC_INVALID_ARGUMENT
        DMLC_OVERFLOW
        DMLC_OUT_OF_MEMORY

    ctypedef enum dmlc_padding_mode:
        pass
    ctypedef enum dmlc_index_type:
        pass
    ctypedef enum dmlc_band_background:
        DMLC_BACKGROUND_VALUE
        DMLC_BACKGROUND_INPUT
        DMLC_BACKGROUND_KEEP

    ctypedef struct dmlc_plan:
        pass
    ctypedef struct dmlc_operands:
        void *output
        const void *input
        const void *values[2]

    const char *dmlc_status_message(dmlc_status status)
    dmlc_status dmlc_plan_padding(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes, const int64_t *input_strides,
        const int64_t *output_strides, const int64_t *start, const int64_t *end, dmlc_padding_mode mode)
    dmlc_status dmlc_plan_slice(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *output_sizes, const int64_t *input_strides,
        const int64_t *output_strides, const int64_t *offsets, const int64_t *steps)
    dmlc_status dmlc_plan_one_hot(
        dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end, int32_t rank,
        const int64_t *output_sizes, const int64_t *indices_strides, const int64_t *output_strides, int32_t axis)
    dmlc_status dmlc_plan_diagonal_matrix(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes, const int64_t *input_strides,
        const int64_t *output_strides, int64_t begin, int64_t end, dmlc_band_background background)
    void dmlc_plan_free(dmlc_plan *plan)
    int64_t dmlc_plan_bytes(const dmlc_plan *plan)
    void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads)
    int32_t dmlc_threads()
    void dmlc_set_threads(int32_t threads)
    int32_t dmlc_set_thread_threads(int32_t threads)
    const char *dmlc_version()
    int32_t dmlc_has_openmp()
    const char *dmlc_isa_name(int32_t index)
    const char *dmlc_isa()
    dmlc_status dmlc_set_isa(const char *name)

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
        void *mem_handler
    object PyArray_NewFromDescr(PyTypeObject *subtype, cnp.dtype descr, int nd, const cnp.npy_intp *dims,
                                const cnp.npy_intp *strides, void *data, int flags, object obj)


# Below this many bytes moved, giving the GIL away costs more than another thread could gain by it.
cdef enum:
    RELEASE_BYTES = 32768

BACKGROUND_VALUE = <int>DMLC_BACKGROUND_VALUE
BACKGROUND_INPUT = <int>DMLC_BACKGROUND_INPUT
BACKGROUND_KEEP = <int>DMLC_BACKGROUND_KEEP


cdef const int64_t *first(const int64_t[::1] values) noexcept:
    # Of no values there is no first.
    return &values[0] if values.shape[0] > 0 else NULL


cdef const void *element(bytes value) except? NULL:
    return NULL if value is None else PyBytes_AS_STRING(value)


cdef class Plan:
    """An operator made ready for one layout. It holds no memory of any array and may run on many threads at once."""

    cdef dmlc_plan *plan

    def __cinit__(self):
        self.plan = NULL

    def __dealloc__(self):
        dmlc_plan_free(self.plan)

    cdef Plan ready(self, dmlc_status status):
        if status == DMLC_OK:
            return self
        if status == DMLC_OUT_OF_MEMORY:
            raise MemoryError
        raise ValueError((<bytes>dmlc_status_message(status)).decode())

    @staticmethod
    def padding(int64_t width, const int64_t[::1] input_sizes, const int64_t[::1] input_strides,
                const int64_t[::1] output_strides, const int64_t[::1] start, const int64_t[::1] end, int mode):
        cdef Plan self = Plan.__new__(Plan)
        return self.ready(dmlc_plan_padding(
            &self.plan, width, <int32_t>input_sizes.shape[0], first(input_sizes), first(input_strides),
            first(output_strides), first(start), first(end), <dmlc_padding_mode>mode))

    @staticmethod
    def slice(int64_t width, const int64_t[::1] output_sizes, const int64_t[::1] input_strides,
              const int64_t[::1] output_strides, const int64_t[::1] offsets, const int64_t[::1] steps):
        cdef Plan self = Plan.__new__(Plan)
        return self.ready(dmlc_plan_slice(
            &self.plan, width, <int32_t>output_sizes.shape[0], first(output_sizes), first(input_strides),
            first(output_strides), first(offsets), first(steps)))

    @staticmethod
    def one_hot(int64_t width, int index_type, bint from_end, const int64_t[::1] output_sizes,
                const int64_t[::1] indices_strides, const int64_t[::1] output_strides, int32_t axis):
        cdef Plan self = Plan.__new__(Plan)
        return self.ready(dmlc_plan_one_hot(
            &self.plan, width, <dmlc_index_type>index_type, from_end, <int32_t>output_sizes.shape[0],
            first(output_sizes), first(indices_strides), first(output_strides), axis))

    @staticmethod
    def diagonal_matrix(int64_t width, const int64_t[::1] sizes, const int64_t[::1] input_strides,
                        const int64_t[::1] output_strides, int64_t begin, int64_t end, int background):
        cdef Plan self = Plan.__new__(Plan)
        return self.ready(dmlc_plan_diagonal_matrix(
            &self.plan, width, <int32_t>sizes.shape[0], first(sizes), first(input_strides), first(output_strides),
            begin, end, <dmlc_band_background>background))

    def run(self, cnp.ndarray output not None, cnp.ndarray input=None, bytes background=None, bytes value=None):
        """Write ``output`` from ``input`` and the bytes of one element each, as the operator needs them."""
        cdef dmlc_operands operands
        operands.output = cnp.PyArray_DATA(output)
        operands.input = NULL if input is None else cnp.PyArray_DATA(input)
        operands.values[0] = element(background)
        operands.values[1] = element(value)
        cdef int32_t threads = dmlc_threads()
        if dmlc_plan_bytes(self.plan) < RELEASE_BYTES:
            dmlc_run(self.plan, &operands, threads)
        else:
            with nogil:
                dmlc_run(self.plan, &operands, threads)


cdef void *handler_malloc(void *context, size_t bytes) noexcept nogil:
    return dmlc_memory_allocate(<int64_t>bytes)


cdef void *handler_calloc(void *context, size_t count, size_t bytes) noexcept nogil:
    cdef void *memory = NULL
    if bytes == 0 or count <= <size_t>INT64_MAX // bytes:
        memory = dmlc_memory_allocate(<int64_t>(count * bytes))
    if memory is not NULL:
        memset(memory, 0, count * bytes)
    return memory


cdef void *handler_realloc(void *context, void *memory, size_t bytes) noexcept nogil:
    return dmlc_memory_resize(memory, <int64_t>bytes)


cdef void handler_free(void *context, void *memory, size_t bytes) noexcept nogil:
    dmlc_memory_free(memory)


cdef PyDataMem_Handler handler
strcpy(handler.name, "dmlc")
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc = handler_malloc
handler.allocator.calloc = handler_calloc
handler.allocator.realloc = handler_realloc
handler.allocator.free = handler_free

cdef object handler_capsule = PyCapsule_New(&handler, "mem_handler", NULL)


def empty(tuple shape, cnp.dtype dtype not None):
    """A new C-contiguous array on memory of dmlc_memory_allocate, which it owns as any array does.

    The shape's product and the dtype have been checked.
    """
    cdef cnp.npy_intp sizes[64]
    cdef int64_t bytes = cnp.PyDataType_ELSIZE(dtype)
    cdef int axis, rank = <int>len(shape)
    for axis in range(rank):
        sizes[axis] = shape[axis]
        bytes *= sizes[axis]
    cdef void *memory = dmlc_memory_allocate(bytes)
    if memory is NULL:
        raise MemoryError(f"unable to allocate {bytes} bytes for an array with shape {shape} and dtype {dtype}")
    cdef object array
    try:
        Py_INCREF(dtype)  # NewFromDescr keeps this one
        array = PyArray_NewFromDescr(
            <PyTypeObject *>cnp.ndarray, dtype, rank, sizes, NULL, memory, cnp.NPY_ARRAY_CARRAY, None)
    except BaseException:
        dmlc_memory_free(memory)
        raise
    Py_INCREF(handler_capsule)
    (<PyArrayObject_fields *>array).mem_handler = <void *>handler_capsule
    cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_OWNDATA)
    return array


def set_memory_limit(int64_t bytes):
    dmlc_memory_set_limit(bytes)


def memory_limit():
    return dmlc_memory_limit()


def memory_kept():
    return dmlc_memory_kept()


def clear_memory():
    dmlc_memory_clear()


def version():
    return (<bytes>dmlc_version()).decode()


def get_threads():
    return dmlc_threads()


def set_threads(int32_t threads):
    dmlc_set_threads(threads)


def set_thread_threads(int32_t threads):
    return dmlc_set_thread_threads(threads)


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
