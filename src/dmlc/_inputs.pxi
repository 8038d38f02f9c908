# Arrays that callers hand over to be read. Exact ndarrays are read where they are; what is anything else is converted
# by Python, in dmlc.arrays, or refused there.
#
# To convert an argument may run any code, even a plain number: NumPy calls a handler of its errors, and up to Python
# 3.11 to make a tuple may collect garbage. So arrays are looked at once more, by `settle`, when all is converted. With
# the GIL nothing else gets a turn from then on until the end of the run. Without one other threads go on: they must not
# resize an array that is in use.

# Of an array whose sizes and strides are less, the reach of 64 axes fits into 62 bits.
cdef int64_t LARGEST_OF_ARRAY = <int64_t>1 << 28


cdef inline cnp.ndarray array_of(str function, str argument, object value):
    """What NumPy understands, or what has ``__dlpack__``, as an array of elements that move.

    It shares the memory, but for a little tensor, which is copied as it is by now.
    """
    cdef cnp.ndarray array = known_array(value)
    return array_of_any(function, argument, value) if array is None else array


cdef inline cnp.ndarray known_array(object value):
    """The array of a value whose class says enough: an exact ndarray, a small tensor of PyTorch, which is copied, an
    array of JAX or TensorFlow. None of anything else."""
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
