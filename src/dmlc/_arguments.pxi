# What callers hand over, as an operator needs it. Exact ndarrays, Python's own numbers, tuples and lists are read where
# they are; what is anything else is converted by Python, in dmlc.arrays and dmlc.arguments, or refused there.
#
# To convert an argument may run any code, even a plain number: NumPy calls a handler of its errors, and up to Python
# 3.11 to make a tuple may collect garbage. So arrays are looked at once more, by `settle`, when all is converted; from
# then on until the end of the run nothing else gets a turn.

# Of an array whose sizes and strides are less, the reach of 64 axes fits into 62 bits.
cdef int64_t LARGEST_OF_ARRAY = <int64_t>1 << 28

# Room for one element of any width, aligned for any type.
cdef extern from *:
    """
    typedef union { unsigned char bytes[16]; long double number; int64_t integer; } dmlc_element;
    """
    ctypedef union dmlc_element:
        unsigned char bytes[16]


cdef inline cnp.ndarray array_of(str function, str argument, object value):
    """What NumPy understands, or what has ``__dlpack__``, as an array of elements that move.

    It shares the memory, but for a little tensor, which is copied as it is by now.
    """
    cdef cnp.ndarray array = known_array(value)
    return array_of_any(function, argument, value) if array is None else array


cdef inline cnp.ndarray known_array(object value):
    """The array of what is told by its class: an exact ndarray, a tensor that is copied faster than borrowed, an array
    of JAX or TensorFlow. None of anything else."""
    if cnp.PyArray_CheckExact(value) and is_movable((<cnp.ndarray>value).descr):
        return <cnp.ndarray>value
    cdef cnp.ndarray array = TENSORS.read(value) if TENSORS.has(value) else None
    return array_of_class(value) if array is None else array


cdef cnp.ndarray array_of_any(str function, str argument, object value):
    """The same of anything else, as Python converts it; its class is known from now on."""
    array = arrays.as_array(function, argument, value)
    if type(value) is not list and type(value) is not tuple:
        TENSORS.begin(tensors.known())
        begin_classes(value)
    return array


# The classes of JAX's and TensorFlow's arrays, once there has been one in the CPU's memory.
cdef object JAX_CLASS = None
cdef object TENSORFLOW_CLASS = None


cdef int begin_classes(object value) except -1:
    global JAX_CLASS, TENSORFLOW_CLASS
    if JAX_CLASS is None and tensors.is_on_cpu(value):
        JAX_CLASS = type(value)
    if TENSORFLOW_CLASS is None and tensors.is_eager(value):
        TENSORFLOW_CLASS = type(value)
    return 0


cdef inline cnp.ndarray array_of_class(object value):
    """An array of these classes in the CPU's memory as NumPy's, or None.

    `arrays` asks questions that the class answers: of JAX's for 0.7 us, of TensorFlow's for 5.
    """
    array = None
    try:
        if JAX_CLASS is not None and type(value) is JAX_CLASS:
            # A deleted array crashes where it is asked for its platform. Between the two questions no other code runs.
            if not value.is_deleted() and value.platform() == "cpu":
                array = asarray(value)
        elif TENSORFLOW_CLASS is not None and type(value) is TENSORFLOW_CLASS:
            if value.backing_device.endswith("/device:CPU:0"):
                array = asarray(memoryview(value))  # its own way to an array takes three times as long
    except Exception:
        return None  # Python says why
    return array if cnp.PyArray_CheckExact(array) and is_movable((<cnp.ndarray>array).descr) else None


cdef int read_shape(str function, tuple shape, Layout *layout) except -1:
    """The sizes of an array that may not be there yet; it goes nowhere."""
    cdef int axis
    if len(shape) > MOST_DIMENSIONS:
        raise ValueError(f"{function}: array must have at most {MOST_DIMENSIONS} dimensions, got {len(shape)}")
    layout.rank = <int32_t>len(shape)
    for axis in range(layout.rank):
        layout.sizes[axis] = near(arrays.index(function, f"shape[{axis}]", shape[axis]))
        layout.strides[axis] = 0
        if not 0 <= layout.sizes[axis] < FARTHEST:
            raise ValueError(f"{function}: array must have sizes of 0 to 2^62 - 1, got {shape}")
    return 0


cdef inline bint read_plain(cnp.ndarray array, cnp.dtype dtype, int rank, Layout *layout) noexcept:
    """Read an array's layout; whether it still has the dtype and the rank, and its elements are at hand."""
    # In one loop, without a branch: to look at sizes that were stored just before takes as long as to find a plan.
    cdef int64_t size, stride
    cdef int64_t bits = 0
    cdef int axis
    layout.rank = cnp.PyArray_NDIM(array)
    for axis in range(layout.rank):
        size = cnp.PyArray_DIMS(array)[axis]
        stride = cnp.PyArray_STRIDES(array)[axis]
        layout.sizes[axis] = size
        layout.strides[axis] = stride
        bits |= size | (stride if stride >= 0 else ~stride)
    return bits < LARGEST_OF_ARRAY and layout.rank == rank and (<PyArrayObject_fields *>array).descr == <void *>dtype


cdef tuple shape_of(cnp.ndarray array):
    return (<object>array).shape


cdef int check_reach(str function, str argument, const Layout *layout) except -1:
    """Refuse an array whose strides lead beyond any memory: not even NumPy's sums of them are right."""
    if not is_empty(layout) and not dmlc_reach_fits(layout.rank, layout.sizes, layout.strides):
        raise ValueError(f"{function}: {argument} must have its elements less than 2^62 bytes apart, got strides "
                         f"{strides_of(layout)} for shape {sizes_of(layout)}")
    return 0


cdef cnp.ndarray settle(str function, str argument, object value, cnp.ndarray array, cnp.dtype dtype, int rank,
                        Layout *layout):
    """The array of a value as it is by now, and its layout; ValueError if it has another dtype or rank.

    From here on, no other code runs until the operator has.
    """
    if array is not value and cnp.PyArray_Check(value):
        # Of a subclass a new view, of the memory that it has by now.
        array = asarray(value)
    if read_plain(array, dtype, rank, layout):
        return array
    if layout.rank != rank or array.descr != dtype:
        raise ValueError(f"{function}: {argument} must stay as it is while other arguments are converted, an array of "
                         f"{rank} dimensions and {dtype}, got {sizes_of(layout)} of {array.descr}")
    check_reach(function, argument, layout)
    return array


cdef class Input:
    """An array argument of a function in Python, until all other arguments are converted.

    They are converted for the ``shape`` and the ``dtype`` that it had; then `settle` returns it as it is.
    """

    cdef str function, argument
    cdef object value
    cdef cnp.ndarray array
    cdef readonly tuple shape
    cdef readonly cnp.dtype dtype

    def __init__(self, str function, str argument, value):
        self.array = array_of(function, argument, value)
        self.shape = shape_of(self.array)
        self.dtype = self.array.descr
        self.function = function
        self.argument = argument
        self.value = value

    @property
    def ndim(self):
        return len(self.shape)

    def settle(self):
        """The array; ValueError if it is not what it was."""
        cdef Layout layout
        cdef cnp.ndarray array = settle(self.function, self.argument, self.value, self.array, self.dtype,
                                        <int>len(self.shape), &layout)
        if shape_of(array) != self.shape:
            raise ValueError(f"{self.function}: {self.argument} must stay as it is while other arguments are "
                             f"converted, {self.shape}, got {shape_of(array)}")
        return array


cdef inline cnp.ndarray memory_of(str function, object out):
    """The memory of ``out`` as an array, None where it is None."""
    if out is None or cnp.PyArray_CheckExact(out):
        return <cnp.ndarray>out
    cdef cnp.ndarray memory = TENSORS.borrow(out) if TENSORS.has(out) else None
    if memory is None:
        memory = arrays.memory_of(function, "out", out)
        TENSORS.begin(tensors.known())
    return memory


cdef int check_output(str function, cnp.ndarray memory, Layout *layout, cnp.dtype dtype, tuple sizes) except -1:
    """Raise unless memory can hold a result; the layout gets its strides."""
    cdef Layout given
    if not is_exactly(memory, dtype, layout):
        read_layout(memory, &given)
        if memory.descr != dtype:
            raise TypeError(f"{function}: out must have dtype {dtype}, got {memory.descr}")
        if not same_sizes(&given, layout):
            raise ValueError(f"{function}: out must have shape {sizes_of(layout) if sizes is None else sizes}, got "
                             f"{sizes_of(&given)}")
    if not cnp.PyArray_CHKFLAGS(memory, cnp.NPY_ARRAY_WRITEABLE):
        raise ValueError(f"{function}: out must be writeable, got a read-only array")
    if is_packed(memory):
        return 0
    if not read_plain(memory, memory.descr, layout.rank, layout):
        check_reach(function, "out", layout)
    if not elements_are_distinct(memory):
        raise ValueError(f"{function}: out must have elements of its own, got strides {strides_of(layout)} for shape "
                         f"{sizes_of(layout)}, which make some share memory")
    return 0


cdef cnp.ndarray result_of(str function, cnp.ndarray memory, Layout *layout, cnp.dtype dtype, tuple sizes):
    """``memory`` if it can hold a result of the layout's sizes, or a new array; the layout gets its strides.

    ``sizes`` are given where they may not fit into the layout: it has FARTHEST in place of a size that is beyond, and
    none of more dimensions than there may be. The result has elements where the layout's bytes are more than 0.
    """
    if layout.rank > MOST_DIMENSIONS:
        if memory is not None:
            raise ValueError(f"{function}: out must have shape {sizes}, got {shape_of(memory)}")
        return arrays.empty_or_refused(sizes, dtype)
    cdef int64_t bytes = pack_layout(layout, cnp.PyDataType_ELSIZE(dtype))
    if memory is not None:
        check_output(function, memory, layout, dtype, sizes)
        return memory
    if bytes < 0:
        return arrays.empty_or_refused(sizes_of(layout) if sizes is None else sizes, dtype)
    return new_array(layout, bytes, dtype)


cdef inline object finish(object out, cnp.ndarray result):
    """What a function returns: ``out`` itself, or the result."""
    if out is None or out is result:
        return result
    if TENSORS.has(out):
        TENSORS.written(out)
    else:
        arrays.written(out)
    return out


cdef void *place_of(cnp.ndarray array, Layout *layout) noexcept:
    read_layout(array, layout)
    return cnp.PyArray_DATA(array)


cdef int check_place(str function, cnp.ndarray array, const Layout *layout, const void *place) except -1:
    """Raise unless an array is what and where it was."""
    cdef Layout now
    if place_of(array, &now) != place or not same_sizes(&now, layout) or not same_steps(&now, layout):
        raise ValueError(f"{function}: arrays must stay as they are while they are looked at, got {shape_of(array)}")
    return 0


cdef cnp.ndarray apart_from(str function, cnp.ndarray source, Layout *input, const char **first, cnp.ndarray memory):
    """The source, or a copy of what an operator reads of it, where memory is about to be written over it.

    There is none if it is None. What is read begins at ``first`` and has the layout ``input``; both become the copy's.
    """
    cdef Layout read, written
    if memory is None or not may_overlap(memory, source):
        return source
    cdef void *read_place = place_of(source, &read)
    cdef void *written_place = place_of(memory, &written)
    cdef bint overlaps = arrays.share_memory(source, memory)
    check_place(function, source, &read, read_place)
    cdef cnp.ndarray copied = source
    if overlaps:
        copy_layout(input, &read)
        copied = packed_copy(source, first[0], &read)
        copy_layout(&read, input)
        first[0] = <const char *>cnp.PyArray_DATA(copied)
    check_place(function, memory, &written, written_place)
    return copied


cdef int copy_view(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                   const int64_t *strides) except -1:
    """Copy what is read from an element of the source on into a result of the same width, apart from it."""
    cdef dmlc_shared_plan *shared = NULL
    cdef int64_t width = cnp.PyArray_ITEMSIZE(source)
    if output.bytes < RELEASE_BYTES // 2:
        return ready(dmlc_copy(
            width, output.rank, output.sizes, cnp.PyArray_DATA(result), output.strides, first, strides, 0))
    ready(dmlc_share_copy(&shared, width, output.rank, output.sizes, strides, output.strides))
    run_once(shared, cnp.PyArray_DATA(result), first, NULL, NULL, result, source)
    return 0


cdef cnp.ndarray packed_copy(cnp.ndarray source, const char *first, Layout *layout):
    """A new array of what is read from an element of the source on; the layout becomes its own."""
    cdef Layout read
    copy_layout(layout, &read)
    cdef int64_t bytes = pack_layout(layout, cnp.PyArray_ITEMSIZE(source))
    if bytes < 0:
        raise MemoryError(f"unable to allocate an array with shape {sizes_of(layout)} and dtype {source.descr}")
    cdef cnp.ndarray copied = new_array(layout, bytes, source.descr)
    copy_view(copied, layout, source, first, read.strides)
    return copied


def output_for(str function, out, tuple shape, cnp.dtype dtype not None):
    """The memory of ``out`` if it can hold a result, or a new array, for a function in Python.

    The memory is a plain array, whatever ``out`` is; the caller returns ``out`` itself.
    """
    cdef Layout layout
    cdef cnp.ndarray memory = memory_of(function, out)
    cdef int axis
    layout.rank = <int32_t>len(shape)
    for axis in range(min(layout.rank, MOST_DIMENSIONS)):
        layout.sizes[axis] = near(shape[axis])
    cdef cnp.ndarray result = result_of(function, memory, &layout, dtype, shape)
    finish(out, result)
    return result


def apart(cnp.ndarray array not None, cnp.ndarray result not None, out):
    """The array, or a copy where ``result``, the memory of ``out``, is about to write over it."""
    cdef Layout layout
    cdef const char *first = <const char *>cnp.PyArray_DATA(array)
    read_layout(array, &layout)
    return apart_from("out", array, &layout, &first, None if out is None else result)


cdef inline int64_t near(object value) noexcept:
    """A Python integer, or FARTHEST with its sign if it is farther from 0."""
    cdef int overflow = 0
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow != 0:
        return FARTHEST * overflow
    return max(-FARTHEST, min(number, FARTHEST))


cdef object index_of(str function, str argument, object value):
    """An integer as Python's own."""
    return value if PyLong_CheckExact(value) else arrays.index(function, argument, value)


cdef inline tuple items_of(object values):
    """What a tuple or a list holds; None of anything else."""
    if type(values) is tuple:
        return values
    return tuple(values) if type(values) is list else None


cdef bint read_integers_of(tuple entries, int64_t *to) noexcept:
    """Read entries as `near` does; whether they are Python's own integers."""
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(entries)):
        if not PyLong_CheckExact(<object>PyTuple_GET_ITEM(entries, i)):
            return False
        to[i] = near(<object>PyTuple_GET_ITEM(entries, i))
    return True


cdef tuple read_entries(str function, str argument, object values, int count, int64_t *to):
    """Read one integer for each of so many axes, as `near` does; return them as they are."""
    cdef tuple entries = items_of(values)
    if entries is None or PyTuple_GET_SIZE(entries) != count or not read_integers_of(entries, to):
        entries = tuple(arrays.entries(function, argument, values, count))
        read_integers_of(entries, to)
    return entries


cdef object ZERO = 0


cdef bint read_number(object value, cnp.dtype dtype, dmlc_element *to):
    """Whether it is a number of Python's own that can be assigned to an element."""
    if value is ZERO and cnp.PyTypeNum_ISNUMBER(dtype.type_num):
        memset(to, 0, sizeof(dmlc_element))  # NumPy takes a tenth of a small pad to make it
        return True
    if not (PyLong_CheckExact(value) or PyFloat_CheckExact(value) or type(value) is bool or
            PyComplex_CheckExact(value)):
        return False
    try:
        PyArray_Pack(dtype, to, value)
    except Exception:
        return False  # Python says why
    return True


cdef int read_element(str function, str argument, object value, cnp.dtype dtype, dmlc_element *to) except -1:
    """Convert a value to an element as NumPy does when it is assigned."""
    cdef bytes converted
    if not read_number(value, dtype, to):
        converted = arrays.one_element(function, argument, value, dtype)
        memcpy(to, PyBytes_AS_STRING(converted), <size_t>cnp.PyDataType_ELSIZE(dtype))
    return 0


cdef cnp.dtype dtype_of(str function, object value):
    """What NumPy understands by it, of elements that move."""
    cdef cnp.PyArray_Descr *converted = NULL
    PyArray_DescrConverter(value, &converted)
    cdef cnp.dtype dtype = <cnp.dtype>converted
    Py_DECREF(dtype)  # the converter's own
    if not is_movable(dtype):
        arrays.check_dtype(function, "dtype", dtype)
    return dtype


cdef Copy COPY = Copy()


def copy_into(cnp.ndarray out not None, cnp.ndarray array not None):
    """Copy an array into another of the same shape and width that shares no memory with it."""
    COPY.run(out, array)
    return out
