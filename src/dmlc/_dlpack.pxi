# Tensors of another library to arrays and back, by DLPack's table of C functions, which a class of tensors has as
# __dlpack_c_exchange_api__. PyTorch makes a tensor in 0.2 us by it, where from_numpy takes 0.35, and the view as a type
# that NumPy lacks as much again. Inputs would be borrowed by it, and PyTorch frees their memory if the conversion of
# another argument, or another thread, resizes them; what numpy() was called on is not resized. So little inputs
# are copied at once; larger ones, and what is written, are borrowed by numpy().

cdef extern from "Python.h" nogil:
    bint Py_IsInitialized()

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object value)

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

    def __cinit__(self, capsule, uint8_t code, cnp.dtype dtype not None, int64_t most):
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
        if (not look_at(self.table, tensor, &found) or found.dtype.code != self.code
                or found.dtype.bits != self.bits):
            return None
        return copy_of(&found, self.dtype, self.most)


cdef bint look_at(const dmlc_dl_table *table, object tensor, dmlc_dl_tensor *found) noexcept:
    """Whether a tensor's elements are in the CPU's memory; it has them until other code runs."""
    if table.tensor_from_py_object is NULL:
        return False
    try:
        table.tensor_from_py_object(<void *>tensor, found)
    except Exception:  # it has no memory, or is no tensor
        return False
    return (found.data is not NULL and found.device.type == DL_CPU and 0 <= found.ndim <= MOST_DIMENSIONS
            and found.dtype.lanes == 1)


cdef cnp.ndarray copy_of_memory(const dmlc_dl_tensor *found, cnp.dtype dtype, int ndim, const cnp.npy_intp *sizes,
                                int64_t elements):
    """A packed array of so many elements from a tensor's first on."""
    Py_INCREF(dtype)  # NewFromDescr keeps this one
    cdef cnp.ndarray array = PyArray_NewFromDescr(
        <PyTypeObject *>cnp.ndarray, dtype, ndim, sizes, NULL, NULL, 0, None)
    memcpy(cnp.PyArray_DATA(array), <const char *>found.data + found.byte_offset,
           <size_t>(elements * cnp.PyDataType_ELSIZE(dtype)))
    return array


cdef cnp.ndarray copy_of(const dmlc_dl_tensor *found, cnp.dtype dtype, int64_t most):
    """A copy of a tensor's elements with its strides, or None where that is more than so many bytes."""
    cdef cnp.npy_intp sizes[MOST_DIMENSIONS]
    cdef cnp.npy_intp strides[MOST_DIMENSIONS]
    cdef cnp.npy_intp reach = 0
    cdef cnp.npy_intp span = 1
    cdef cnp.npy_intp width = cnp.PyDataType_ELSIZE(dtype)
    cdef bint packed = True
    cdef int axis
    cdef cnp.ndarray memory
    for axis in range(found.ndim - 1, -1, -1):
        sizes[axis] = found.shape[axis]
        strides[axis] = span if found.strides is NULL else found.strides[axis]
        if not 0 < sizes[axis] <= most or not 0 <= strides[axis] <= most:
            return None
        packed = packed and (strides[axis] == span or sizes[axis] == 1)
        reach += (sizes[axis] - 1) * strides[axis]
        span *= sizes[axis]
        if max(span, reach + 1) * width > most:
            return None
        strides[axis] *= width
    if packed:
        return copy_of_memory(found, dtype, found.ndim, sizes, span)
    # What lies between the elements is the tensor's memory too.
    reach += 1
    memory = copy_of_memory(found, dtype, 1, &reach, reach)
    Py_INCREF(dtype)  # NewFromDescr keeps this one
    view = PyArray_NewFromDescr(
        <PyTypeObject *>cnp.ndarray, dtype, found.ndim, sizes, strides, cnp.PyArray_DATA(memory),
        cnp.NPY_ARRAY_ALIGNED | cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(view, memory)
    return view


cdef enum:
    DL_UNSIGNED = 1  # codes up to this one are integers
    DL_COMPLEX = 5
    DL_CODES = 32

# How elements of a type become an array's. The objects are held by `Tensors.known`.
cdef struct TensorType:
    PyObject *dtype     # NULL of what is not taken
    PyObject *integers  # what PyTorch's view of them is that NumPy takes, None where it takes them as they are
    int64_t most        # so many bytes are copied faster than borrowed


@cython.final
cdef class Tensors:
    """PyTorch's tensors for arrays: of its own classes, as a subclass may mean anything by its elements.

    What is None here, `arrays` borrows or refuses; so nothing is refused in two places.
    """

    cdef void *kind  # NULL until there are tensors
    cdef void *parameter
    cdef const dmlc_dl_table *table
    cdef TensorType types[DL_CODES * 5]  # by DLPack's code, then by the width
    cdef object known, forward_ad, increment_version, eight_bits

    cdef int begin(self, object known) except -1:
        """Take what `dmlc.tensors` knows. The class comes last, and nothing is taken back: any thread may read."""
        cdef TensorType *place
        cdef cnp.dtype dtype
        if self.kind is not NULL or known is None or known.exchange is None:
            return 0
        cdef const dmlc_dl_table *table = <const dmlc_dl_table *>PyCapsule_GetPointer(
            known.exchange, "dlpack_exchange_api")
        if table.version.major != 1:
            return 0
        for code, dtype, integers, most in known.types:
            place = self.type_of(code, 8 * cnp.PyDataType_ELSIZE(dtype))
            if place is NULL or not is_movable(dtype):
                raise ValueError(f"types must be DLPack's of plain bytes, got {code} for {dtype}")
            place.integers = <PyObject *>integers
            place.most = most
            place.dtype = <PyObject *>dtype
        self.known = known
        self.forward_ad = known.forward_ad
        self.increment_version = known.increment_version
        self.eight_bits = known.eight_bits
        self.table = table
        self.parameter = <void *>known.parameter
        self.kind = <void *>known.kind
        return 0

    cdef TensorType *type_of(self, int code, int64_t bits) noexcept:
        cdef int width = 0
        while width < 5 and 8 << width != bits:
            width += 1
        return &self.types[code * 5 + width] if 0 <= code < DL_CODES and width < 5 else NULL

    cdef inline bint has(self, object value) noexcept:
        """Whether it is of PyTorch's own classes."""
        cdef void *kind = <void *>Py_TYPE(value)
        return self.kind is not NULL and (kind == self.kind or kind == self.parameter)

    cdef TensorType *look(self, object tensor, dmlc_dl_tensor *found) except? NULL:
        """What a tensor's type is for NumPy, NULL where its elements are not in memory as they are.

        So are those of functorch's wrappers, fakes, what is sparse, quantized or on another device.
        """
        cdef TensorType *kind
        if self.forward_ad._current_level >= 0 or not look_at(self.table, tensor, found):
            return NULL
        kind = self.type_of(found.dtype.code, found.dtype.bits)
        return NULL if kind is NULL or kind.dtype is NULL else kind

    cdef cnp.ndarray read(self, object tensor):
        """A copy of a little tensor, or None."""
        cdef dmlc_dl_tensor found
        cdef TensorType *kind
        try:
            # These two may let other threads go on, so they are asked first.
            if tensor.requires_grad is not False or tensor.is_neg() is not False:
                return None
            kind = self.look(tensor, &found)
            if kind is NULL:
                return None
            if found.dtype.code == DL_COMPLEX or found.dtype.code <= DL_UNSIGNED and found.dtype.bits == 8:
                # Conjugates, and integers of fewer bits, are not told apart by DLPack.
                if tensor.dtype not in self.eight_bits if found.dtype.bits == 8 else tensor.is_conj() is not False:
                    return None
                if self.look(tensor, &found) != kind:
                    return None
        except (RuntimeError, TypeError):
            return None
        return copy_of(&found, <cnp.dtype>kind.dtype, kind.most)

    cdef cnp.ndarray borrow(self, object tensor):
        """A tensor's own memory, which PyTorch does not resize from then on, or None."""
        cdef dmlc_dl_tensor found
        cdef TensorType *kind
        cdef object array
        try:
            kind = self.look(tensor, &found)
            if kind is NULL:
                return None
            if <object>kind.integers is None:
                return tensor.numpy()
            if tensor.requires_grad is not False:  # the integers would not
                return None
            array = tensor.view(<object>kind.integers).numpy()
        except (RuntimeError, TypeError):
            return None
        if not cnp.PyArray_CheckExact(array):
            return None
        Py_INCREF(<cnp.dtype>kind.dtype)  # View keeps this one
        return PyArray_View(array, <cnp.dtype>kind.dtype, NULL)

    cdef int written(self, object tensor) except -1:
        """Tell PyTorch that a tensor's elements change: what it keeps of them for gradients is void."""
        try:
            self.increment_version(tensor)
        except RuntimeError:
            if not tensor.is_inference():
                raise
        return 0


cdef Tensors TENSORS = Tensors()
