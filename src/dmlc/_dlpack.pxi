# Results as tensors of another library, by DLPack's table of C functions, which a class of tensors has as
# __dlpack_c_exchange_api__. PyTorch takes 0.2 us by it, where from_numpy takes 0.35, and the view as a type that NumPy
# lacks as much again. Inputs do not come this way: by the table they would be borrowed, and PyTorch frees their memory
# if the conversion of another argument resizes them. What numpy() was called on it does not resize.

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

cdef enum:
    DL_CPU = 1


cdef void release_managed(dmlc_dl_managed *managed) noexcept nogil:
    """Give up the array; the library calls it from any thread, and perhaps when Python has ended."""
    if Py_IsInitialized():
        with gil:
            Py_DECREF(<object>managed.manager_ctx)
    free(managed)


@cython.final
cdef class TensorMaker:
    """Makes tensors of a class that has DLPack's table, of one of DLPack's types."""

    cdef object capsule
    cdef const dmlc_dl_table *table
    cdef uint8_t code, bits

    def __init__(self, capsule, uint8_t code, uint8_t bits):
        self.capsule = capsule
        self.code = code
        self.bits = bits
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
