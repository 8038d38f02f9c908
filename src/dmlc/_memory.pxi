# New arrays on memory of the core, which keeps what is freed for the next ones.

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

cdef cnp.dtype BOOL = cnp.PyArray_DescrFromType(cnp.NPY_BOOL)

cdef object handler_capsule = PyCapsule_New(&handler, "mem_handler", NULL)


cdef int failed() except -1:
    """Raise the error that a function of C has set."""
    return -1


cdef cnp.ndarray new_array(const Layout *layout, int64_t bytes, cnp.dtype dtype):
    """A C-contiguous array on memory of dmlc_memory_allocate, which it owns as any array does."""
    cdef cnp.npy_intp narrow[MOST_DIMENSIONS]
    cdef const cnp.npy_intp *sizes = <const cnp.npy_intp *>layout.sizes
    cdef int axis
    if sizeof(cnp.npy_intp) != sizeof(int64_t):
        for axis in range(layout.rank):
            narrow[axis] = layout.sizes[axis]
        sizes = narrow
    cdef void *memory = dmlc_memory_allocate(bytes)
    if memory is NULL:
        raise MemoryError(
            f"unable to allocate {bytes} bytes for an array with shape {sizes_of(layout)} and dtype {dtype}")
    # Without try, which saves what is being handled: a twentieth of a small copy.
    Py_INCREF(dtype)  # NewFromDescr keeps this one
    cdef PyObject *made = new_or_null(
        <PyTypeObject *>cnp.ndarray, dtype, layout.rank, sizes, NULL, memory, cnp.NPY_ARRAY_CARRAY, NULL)
    if made is NULL:
        dmlc_memory_free(memory)
        failed()
    cdef cnp.ndarray array = <cnp.ndarray>made
    Py_DECREF(array)  # its name has one, too
    Py_INCREF(handler_capsule)
    (<PyArrayObject_fields *>array).mem_handler = <void *>handler_capsule
    cnp.PyArray_ENABLEFLAGS(array, cnp.NPY_ARRAY_OWNDATA)
    return array


cdef cnp.ndarray new_packed_array(Layout *layout, cnp.dtype dtype):
    """The same of a layout's sizes; it becomes the array's own."""
    cdef int64_t bytes = pack_layout(layout, cnp.PyDataType_ELSIZE(dtype))
    if bytes < 0:
        raise MemoryError(f"unable to allocate an array with shape {sizes_of(layout)} and dtype {dtype}")
    return new_array(layout, bytes, dtype)


cdef inline bint is_movable(cnp.dtype dtype) noexcept:
    """Whether elements are plain bytes of a width that the kernels have."""
    cdef cnp.npy_intp width = cnp.PyDataType_ELSIZE(dtype)
    if PyDataType_REFCHK(dtype) or cnp.PyDataType_HASSUBARRAY(dtype):
        return False
    return width in (1, 2, 4, 8, 16)


cdef inline int check_movable(str function, str argument, cnp.dtype dtype) except -1:
    """Raise unless elements are such bytes."""
    if not is_movable(dtype):
        arrays.check_dtype(function, argument, dtype)
    return 0


def empty(tuple shape, cnp.dtype dtype not None):
    """A new C-contiguous array of undefined elements of a dtype that is_movable.

    Sizes that do not fit raise what ``numpy.empty`` raises.
    """
    return output_for("empty", None, shape, dtype)
