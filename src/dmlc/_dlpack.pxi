# Tensors of another library to arrays and back, by DLPack's table of C functions, which a class of tensors has as
# __dlpack_c_exchange_api__. PyTorch makes a tensor in 0.2 us by it, where from_numpy takes 0.35, and the view as a type
# that NumPy lacks as much again. Inputs would be borrowed by it, and PyTorch frees their memory if the conversion of
# another argument, or another thread, resizes them: what numpy() was called on it does not resize. So little inputs are
# copied at once; larger ones do not come this way.

cdef extern from "Python.h" nogil:
    bint Py_IsInitialized()

cdef extern from *:
    """
    /* DLPack 1.x: its names and its layout, which stay as they are while the first number of the version does. */
    typedef struct { uint32_t major, minor; } dmlc_dl_version;
    typedef struct {
        void *data;
        struct { int32_t type, id; } device;
        int32_t ndim;
        struct { uint8_t code, bits; uint16_t lanes; } dtype;
        int64_t *shape, *strides;
        uint64_t byte_offset;
    } dmlc_dl_tensor;
    typedef struct dmlc_dl_managed {
        dmlc_dl_version version;
        void *manager_ctx;
        void (*deleter)(struct dmlc_dl_managed *);
        uint64_t flags;
        dmlc_dl_tensor dl_tensor;
    } dmlc_dl_managed;
    typedef struct {
        dmlc_dl_version version;
        void *prev_api;
        void *managed_tensor_allocator;
        int (*managed_tensor_from_py_object)(void *, dmlc_dl_managed **);
        int (*managed_tensor_to_py_object)(dmlc_dl_managed *, void **);
        int (*tensor_from_py_object)(void *, dmlc_dl_tensor *); /* may be NULL */
    } dmlc_dl_table;
    """
    ctypedef struct dmlc_dl_version:
        uint32_t major
        uint32_t minor
    ctypedef struct dmlc_dl_device:
        int32_t type
        int32_t id
    ctypedef struct dmlc_dl_dtype:
        uint8_t code
        uint8_t bits
        uint16_t lanes
    ctypedef struct dmlc_dl_tensor:
        void *data
        dmlc_dl_device device
        int32_t ndim
        dmlc_dl_dtype dtype
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset
    ctypedef struct dmlc_dl_managed:
        dmlc_dl_version version
        void *manager_ctx
        void (*deleter)(dmlc_dl_managed *) noexcept nogil
        uint64_t flags
        dmlc_dl_tensor dl_tensor
    ctypedef struct dmlc_dl_table:
        dmlc_dl_version version
        int (*managed_tensor_to_py_object)(dmlc_dl_managed *, void **) except -1
        int (*tensor_from_py_object)(void *, dmlc_dl_tensor *) except -1

cdef enum:
    DL_CPU = 1


cdef void release_managed(dmlc_dl_managed *managed) noexcept nogil:
    """Give up the array; the library calls it from any thread, and perhaps when Python has ended."""
    if Py_IsInitialized():
        with gil:
            Py_DECREF(<object>managed.manager_ctx)
    free(managed)


@cython.final
cdef class TensorExchange:
    """Reads and makes tensors of a class that has DLPack's table, of one of DLPack's types."""

    cdef object capsule
    cdef const dmlc_dl_table *table
    cdef cnp.dtype dtype
    cdef int64_t most
    cdef uint8_t code, bits

    def __init__(self, capsule, uint8_t code, cnp.dtype dtype not None, int64_t most):
        """``dtype`` holds an element: it is as wide as the type, and of numbers. At most ``most`` bytes are read."""
        if dtype.kind not in b"biufc" or dtype.itemsize not in (1, 2, 4, 8, 16):
            raise ValueError(f"dtype must be of numbers, 1, 2, 4, 8 or 16 bytes wide, got {dtype}")
        self.capsule = capsule
        self.dtype = dtype
        self.most = most
        self.code = code
        self.bits = <uint8_t>(8 * dtype.itemsize)
        self.table = <const dmlc_dl_table *>PyCapsule_GetPointer(capsule, "dlpack_exchange_api")
        if self.table.version.major != 1:
            raise ValueError(f"DLPack's version must be 1, got {self.table.version.major}")

    def make(self, cnp.ndarray array not None):
        """A tensor of the memory of a packed array, whose elements are as wide as the type's."""
        cdef int ndim = cnp.PyArray_NDIM(array)
        cdef int axis
        cdef int64_t step = 1
        cdef void *tensor = NULL
        if not is_packed(array) or self.bits != 8 * cnp.PyArray_ITEMSIZE(array):
            raise ValueError(f"array must be packed, of {self.bits} bits an element")
        cdef dmlc_dl_managed *managed = <dmlc_dl_managed *>malloc(sizeof(dmlc_dl_managed) + 2 * ndim * sizeof(int64_t))
        if managed is NULL:
            raise MemoryError
        cdef int64_t *sizes = <int64_t *>(managed + 1)
        managed.version.major = 1
        managed.version.minor = 0
        managed.manager_ctx = <void *>array
        managed.deleter = release_managed
        managed.flags = 0
        managed.dl_tensor.data = cnp.PyArray_DATA(array)
        managed.dl_tensor.device.type = DL_CPU
        managed.dl_tensor.device.id = 0
        managed.dl_tensor.ndim = ndim
        managed.dl_tensor.dtype.code = self.code
        managed.dl_tensor.dtype.bits = self.bits
        managed.dl_tensor.dtype.lanes = 1
        managed.dl_tensor.shape = sizes
        managed.dl_tensor.strides = sizes + ndim
        managed.dl_tensor.byte_offset = 0
        for axis in range(ndim - 1, -1, -1):
            sizes[axis] = cnp.PyArray_DIMS(array)[axis]
            sizes[ndim + axis] = step
            step *= max(sizes[axis], 1)
        Py_INCREF(array)  # until it is released; what the library refuses is its own to release
        self.table.managed_tensor_to_py_object(managed, &tensor)
        cdef object made = <object>tensor
        Py_DECREF(made)  # the call's own
        return made

    def read(self, tensor):
        """A copy of a tensor's elements with its strides, or None of what is not little and in the CPU's memory.

        What the library computes when an element is read, as a conjugate or a negative, is not looked at.
        """
        cdef dmlc_dl_tensor found
        cdef cnp.npy_intp sizes[MOST_DIMENSIONS]
        cdef cnp.npy_intp strides[MOST_DIMENSIONS]
        cdef cnp.npy_intp reach = 0
        cdef cnp.npy_intp span = 1
        cdef cnp.npy_intp width = self.bits // 8
        cdef bint packed = True
        cdef int axis
        if self.table.tensor_from_py_object is NULL:
            return None
        try:
            self.table.tensor_from_py_object(<void *>tensor, &found)
        except Exception:  # it has no memory, or is no tensor
            return None
        if (found.data is NULL or found.device.type != DL_CPU or not 0 <= found.ndim <= MOST_DIMENSIONS
                or found.dtype.code != self.code or found.dtype.bits != self.bits or found.dtype.lanes != 1):
            return None
        for axis in range(found.ndim - 1, -1, -1):
            sizes[axis] = found.shape[axis]
            strides[axis] = span if found.strides is NULL else found.strides[axis]
            if not 0 < sizes[axis] <= self.most or not 0 <= strides[axis] <= self.most:
                return None
            packed = packed and (strides[axis] == span or sizes[axis] == 1)
            reach += (sizes[axis] - 1) * strides[axis]
            span *= sizes[axis]
            if max(span, reach + 1) * width > self.most:
                return None
            strides[axis] *= width
        if packed:
            array = cnp.PyArray_EMPTY(found.ndim, sizes, self.dtype.num, False)
            memcpy(cnp.PyArray_DATA(array), <const char *>found.data + found.byte_offset, span * width)
            return array
        # What lies between the elements is the tensor's memory too.
        reach += 1
        memory = cnp.PyArray_EMPTY(1, &reach, self.dtype.num, False)
        memcpy(cnp.PyArray_DATA(memory), <const char *>found.data + found.byte_offset, reach * width)
        Py_INCREF(self.dtype)  # NewFromDescr keeps this one
        view = PyArray_NewFromDescr(
            <PyTypeObject *>cnp.ndarray, self.dtype, found.ndim, sizes, strides, cnp.PyArray_DATA(memory),
            cnp.NPY_ARRAY_ALIGNED | cnp.NPY_ARRAY_WRITEABLE, None)
        cnp.set_array_base(view, memory)
        return view
