# The functions of arrays for plain arguments: exact ndarrays, Python's own numbers, tuples and lists. Each returns None
# where an argument is anything else or is wrong; the functions in Python know what to make of it, or what to say.
# _functions.pxi puts the two together.
#
# To convert a number or a dtype may run code of others, a handler of NumPy's errors for one, and up to Python 3.11 to
# make a tuple may: arrays are read after that, and from then on until the end of the run nothing else gets a turn.

# No size, offset or stride of a plain call is beyond this, so that sums of them need no care.
cdef int64_t LARGEST = <int64_t>1 << 40

# No array of a plain call has sizes or strides from here on, so that the reach of 64 axes fits into 62 bits.
cdef int64_t LARGEST_OF_ARRAY = <int64_t>1 << 28

# Borders of a band may be so far away, which is beyond any element.
cdef int64_t FARTHEST = <int64_t>1 << 62

# Room for one element of any width, aligned for any type.
cdef extern from *:
    """
    typedef union { unsigned char bytes[16]; long double number; int64_t integer; } dmlc_element;
    """
    ctypedef union dmlc_element:
        unsigned char bytes[16]

cdef dict PADDING_MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}
cdef int WRAP = 4


cdef bint is_plain(object array) noexcept:
    return cnp.PyArray_CheckExact(array) and is_movable((<cnp.ndarray>array).descr)


cdef bint read_plain(cnp.ndarray array, cnp.dtype dtype, int rank, Layout *layout) noexcept:
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


cdef object plain_output(object out, Layout *layout, cnp.dtype dtype, object source, bint in_place):
    """A new array of the layout's sizes, or ``out`` where it can hold them and is apart from the source, or else None.

    The layout gets the strides. ``in_place`` says whether the output may be the source itself.
    """
    cdef int64_t bytes = pack_layout(layout, cnp.PyDataType_ELSIZE(dtype))
    if bytes <= 0 or layout.rank > MOST_DIMENSIONS:
        return None
    if out is None:
        return new_array(layout, bytes, dtype)
    if not is_exactly(out, dtype, layout) or not cnp.PyArray_CHKFLAGS(out, cnp.NPY_ARRAY_WRITEABLE):
        return None
    if not is_packed(out):
        read_layout(out, layout)
        if not elements_are_distinct(out):
            return None
    if source is not None and may_overlap(out, source) and not (in_place and out is source):
        return None
    return out


cdef bint read_within(int64_t limit, object value, int64_t *to) noexcept:
    """Whether it is a Python integer from -limit to limit."""
    cdef int overflow = 0
    if not PyLong_CheckExact(value):
        return False
    to[0] = PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0 and -limit <= to[0] <= limit


cdef bint read_integer(object value, int64_t *to) noexcept:
    return read_within(LARGEST, value, to)


cdef bint read_size(object value, int64_t *to) noexcept:
    return read_integer(value, to) and to[0] >= 0


cdef tuple entries(object values):
    """What a tuple or a list holds; None of anything else."""
    if type(values) is tuple:
        return values
    return tuple(values) if type(values) is list else None


cdef bint read_entries(object values, int count, int64_t *to):
    """Whether it is a sequence of so many integers."""
    cdef tuple items = entries(values)
    if items is None or len(items) != count:
        return False
    cdef int i
    for i in range(count):
        if not read_integer(items[i], &to[i]):
            return False
    return True


cdef bint read_element(object value, cnp.dtype dtype, dmlc_element *to):
    """Whether it is a Python number that can be assigned to an element."""
    if not (PyLong_CheckExact(value) or PyFloat_CheckExact(value) or type(value) is bool or
            PyComplex_CheckExact(value)):
        return False
    try:
        PyArray_Pack(dtype, to, value)
    except Exception:
        return False
    return True


cdef cnp.dtype read_dtype(object value):
    """The number type that NumPy understands by it, or None."""
    cdef cnp.PyArray_Descr *converted = NULL
    try:
        PyArray_DescrConverter(value, &converted)
    except Exception:
        return None
    cdef cnp.dtype dtype = <cnp.dtype>converted
    Py_DECREF(dtype)  # the converter's own
    return dtype if cnp.PyTypeNum_ISNUMBER(dtype.type_num) and is_movable(dtype) else None


cdef bint read_widths(object pad_width, int rank, int64_t *start, int64_t *end):
    """Whether it is n, (before, after), ((before, after),) or a pair an axis, nothing of it negative."""
    cdef int64_t pair[2]
    cdef tuple items
    cdef int axis
    if read_size(pad_width, &pair[0]):
        pair[1] = pair[0]
    elif not read_entries(pad_width, 2, pair):
        items = entries(pad_width)
        if items is None or (len(items) != 1 and len(items) != rank):
            return False
        for axis in range(rank):
            if not read_entries(items[axis if len(items) > 1 else 0], 2, pair) or pair[0] < 0 or pair[1] < 0:
                return False
            start[axis] = pair[0]
            end[axis] = pair[1]
        return True
    if pair[0] < 0 or pair[1] < 0:
        return False
    for axis in range(rank):
        start[axis] = pair[0]
        end[axis] = pair[1]
    return True


cdef object plain_pad(object array, object pad_width, object mode, object constant_values, object out):
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int64_t end[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef dmlc_shared_plan *shared = NULL
    cdef int axis
    if not is_plain(array) or type(mode) is not str:
        return None
    cdef object number = PADDING_MODES.get(mode)
    cdef cnp.dtype dtype = <cnp.dtype>(<cnp.ndarray>array).descr
    cdef int rank = cnp.PyArray_NDIM(array)
    if number is None or rank == 0 or not read_widths(pad_width, rank, start, end):
        return None
    if not read_element(constant_values, dtype, &element):
        return None
    if number != 0 and (not PyLong_CheckExact(constant_values) or constant_values != 0):
        return None
    if not read_plain(array, dtype, rank, &input):
        return None
    output.rank = input.rank
    for axis in range(input.rank):
        if input.sizes[axis] == 0:
            return None
        output.sizes[axis] = start[axis] + input.sizes[axis] + end[axis]
    cdef object result = plain_output(out, &output, dtype, array, False)
    if result is not None:
        ready(dmlc_share_padding(
            &shared, cnp.PyDataType_ELSIZE(dtype), input.rank, input.sizes, input.strides, output.strides, start, end,
            <dmlc_padding_mode>number))
        run_once(shared, cnp.PyArray_DATA(result), cnp.PyArray_DATA(array), &element, NULL, result, array)
    return result


cdef int run_window(cnp.ndarray result, const Layout *output, cnp.ndarray array, const Layout *input,
                    const int64_t *start, int mode, const void *value) except -1:
    """A window of an array; no size is 0 but where the mode is constant."""
    cdef dmlc_shared_plan *shared = NULL
    ready(dmlc_share_window(
        &shared, cnp.PyArray_ITEMSIZE(array), input.rank, input.sizes, input.strides, output.sizes, output.strides,
        start, <dmlc_padding_mode>mode))
    run_once(shared, cnp.PyArray_DATA(result), cnp.PyArray_DATA(array), value, NULL, result, array)
    return 0


cdef object plain_window(object array, object start, object shape, object mode, object constant_values, object out):
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef int axis
    if not is_plain(array) or type(mode) is not str:
        return None
    cdef object number = PADDING_MODES.get(mode)
    cdef cnp.dtype dtype = <cnp.dtype>(<cnp.ndarray>array).descr
    output.rank = cnp.PyArray_NDIM(array)
    if number is None or not read_entries(start, output.rank, starts):
        return None
    if not read_entries(shape, output.rank, output.sizes) or not read_element(constant_values, dtype, &element):
        return None
    if number != 0 and (not PyLong_CheckExact(constant_values) or constant_values != 0):
        return None
    if not read_plain(array, dtype, output.rank, &input):
        return None
    for axis in range(output.rank):
        if output.sizes[axis] < 1 or input.sizes[axis] == 0:
            return None
    cdef object result = plain_output(out, &output, dtype, array, False)
    if result is not None:
        run_window(result, &output, array, &input, starts, number, &element)
    return result


cdef object plain_roll(object array, object shift, object axis, object out):
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int64_t shifts[MOST_DIMENSIONS]
    cdef int64_t axes[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef int count = 1
    cdef int i, place
    if not is_plain(array):
        return None
    cdef cnp.dtype dtype = <cnp.dtype>(<cnp.ndarray>array).descr
    if type(axis) is tuple:
        count = <int>min(len(<tuple>axis), MOST_DIMENSIONS)
        if not read_entries(axis, count, axes) or not read_entries(shift, count, shifts):
            return None
    elif not read_integer(shift, &shifts[0]) or not read_integer(0 if axis is None else axis, &axes[0]):
        return None
    # Without an axis all elements are in a row, as they lie in packed memory.
    if axis is None and not (is_packed(array) and (out is None or cnp.PyArray_CheckExact(out) and is_packed(out))):
        return None
    if not read_plain(array, dtype, cnp.PyArray_NDIM(array), &input):
        return None
    copy_layout(&input, &output)
    cdef object result = plain_output(out, &output, dtype, array, False)
    if result is None:
        return None
    if axis is None:
        input.rank = 1
        input.sizes[0] = cnp.PyArray_SIZE(array)
        input.strides[0] = cnp.PyArray_ITEMSIZE(array)
        copy_layout(&input, &output)
    for i in range(input.rank):
        start[i] = 0
    for i in range(count):
        if not -input.rank <= axes[i] < input.rank:
            return None
        place = <int>axes[i] + (input.rank if axes[i] < 0 else 0)
        start[place] = (start[place] - shifts[i]) % input.sizes[place]
    run_window(result, &output, array, &input, start, WRAP, NULL)
    return result


cdef object run_copy(cnp.ndarray array, int64_t start, const int64_t *strides, Layout *output, object out):
    """The elements of a view that starts so many bytes after the array's first element."""
    cdef dmlc_shared_plan *shared = NULL
    cdef object result = plain_output(out, output, array.descr, array, False)
    if result is None:
        return None
    cdef const char *first = <const char *>cnp.PyArray_DATA(array) + start
    if cnp.PyArray_NBYTES(result) < RELEASE_BYTES // 2:
        ready(dmlc_copy(cnp.PyArray_ITEMSIZE(array), output.rank, output.sizes, cnp.PyArray_DATA(result),
                        output.strides, first, strides, 0))
        return result
    ready(dmlc_share_copy(&shared, cnp.PyArray_ITEMSIZE(array), output.rank, output.sizes, strides, output.strides))
    run_once(shared, cnp.PyArray_DATA(result), first, NULL, NULL, result, array)
    return result


cdef object run_slice(object array, Layout *output, const int64_t *offsets, const int64_t *steps, object out):
    """The elements offset + step * o of each axis, which are inside the array."""
    cdef Layout view
    cdef int64_t start = 0
    read_layout(array, &view)
    if not dmlc_slice_view(view.rank, output.sizes, view.strides, offsets, steps, &start, view.strides):
        return None
    return run_copy(array, start, view.strides, output, out)


cdef object plain_copy(object array, object out):
    cdef Layout input, output
    cdef int axis
    if not is_plain(array):
        return None
    if not read_plain(array, (<cnp.ndarray>array).descr, cnp.PyArray_NDIM(array), &input):
        return None
    output.rank = input.rank
    for axis in range(input.rank):
        output.sizes[axis] = input.sizes[axis]
    return run_copy(array, 0, input.strides, &output, out)


cdef object plain_flip(object array, object axis, object out):
    cdef Layout layout
    cdef int64_t offsets[MOST_DIMENSIONS]
    cdef int64_t steps[MOST_DIMENSIONS]
    cdef int64_t only = 0
    cdef int i
    if not is_plain(array):
        return None
    if not read_plain(array, (<cnp.ndarray>array).descr, cnp.PyArray_NDIM(array), &layout):
        return None
    if axis is not None:
        if not read_integer(axis, &only) or not -layout.rank <= only < layout.rank:
            return None
        only += layout.rank if only < 0 else 0
    for i in range(layout.rank):
        offsets[i] = layout.sizes[i] - 1 if axis is None or i == only else 0
        steps[i] = -1 if axis is None or i == only else 1
    return run_slice(array, &layout, offsets, steps, out)


cdef object plain_slice(object array, object offsets, object sizes, object strides, object output_sizes, object out):
    cdef Layout input, output
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef int64_t extents[MOST_DIMENSIONS]
    cdef int64_t steps[MOST_DIMENSIONS]
    cdef int64_t reachable
    cdef int axis
    if not is_plain(array):
        return None
    output.rank = cnp.PyArray_NDIM(array)
    if not (read_entries(offsets, output.rank, starts) and read_entries(sizes, output.rank, extents)
            and read_entries(strides, output.rank, steps)):
        return None
    if output_sizes is not None and not read_entries(output_sizes, output.rank, output.sizes):
        return None
    if not read_plain(array, (<cnp.ndarray>array).descr, output.rank, &input):
        return None
    for axis in range(input.rank):
        if starts[axis] < 0 or extents[axis] < 1 or starts[axis] + extents[axis] > input.sizes[axis]:
            return None
        if steps[axis] == 0:
            return None
        reachable = 1 + (extents[axis] - 1) // (steps[axis] if steps[axis] > 0 else -steps[axis])
        if output_sizes is None:
            output.sizes[axis] = reachable
        elif not 1 <= output.sizes[axis] <= reachable:
            return None
        if steps[axis] < 0:
            starts[axis] += extents[axis] - 1
    return run_slice(array, &output, starts, steps, out)


cdef object plain_one_hot(object indices, object depth, object axis, object on_value, object off_value, object dtype,
                          object negative, object out):
    cdef Layout input, output
    cdef dmlc_element off, on
    cdef dmlc_shared_plan *shared = NULL
    cdef int64_t size = 0
    cdef int64_t place = 0
    cdef int i
    if not is_plain(indices) or type(negative) is not str:
        return None
    cdef cnp.dtype dtype_of_indices = <cnp.dtype>(<cnp.ndarray>indices).descr
    cdef int indices_type = index_type(dtype_of_indices)
    cdef bint from_end = negative == "wrap"
    if indices_type < 0 or not (from_end or negative == "off"):
        return None
    cdef cnp.dtype element_type = read_dtype(dtype)
    if element_type is None or not read_size(depth, &size) or not read_integer(axis, &place):
        return None
    if not read_element(off_value, element_type, &off) or not read_element(on_value, element_type, &on):
        return None
    if not read_plain(indices, dtype_of_indices, cnp.PyArray_NDIM(indices), &input):
        return None
    output.rank = input.rank + 1
    if output.rank > MOST_DIMENSIONS or not -output.rank <= place < output.rank:
        return None
    place += output.rank if place < 0 else 0
    for i in range(output.rank):
        output.sizes[i] = size if i == place else input.sizes[i - 1 if i > place else i]
    cdef object result = plain_output(out, &output, element_type, indices, False)
    if result is not None:
        ready(share_one_hot(&shared, cnp.PyDataType_ELSIZE(element_type), indices_type, from_end, <int>place, &output,
                            &input))
        run_once(shared, cnp.PyArray_DATA(result), cnp.PyArray_DATA(indices), &off, &on, result, indices)
    return result


cdef object run_band(object source, Layout *output, cnp.dtype dtype, int64_t begin, int64_t end, const void *value,
                     object out):
    """A band on the source's elements, whose layout the output has, or on zeros where the source is None."""
    cdef Layout input
    cdef dmlc_shared_plan *shared = NULL
    if output.rank < 2:
        return None
    if source is not None:
        read_layout(source, &input)
    cdef object result = plain_output(out, output, dtype, source, True)
    if result is not None:
        ready(share_band(&shared, cnp.PyDataType_ELSIZE(dtype), begin, end, output, NULL if source is None else &input,
                         result is source))
        run_once(shared, cnp.PyArray_DATA(result), NULL if source is None else cnp.PyArray_DATA(source), NULL, value,
                 result, source)
    return result


cdef object generate_band(Layout *output, int64_t begin, int64_t end, object value, object dtype, object out):
    """A band of a value on zeros; the output's sizes are not negative."""
    cdef dmlc_element element
    cdef cnp.dtype element_type = read_dtype(dtype)
    if element_type is None or not read_element(value, element_type, &element):
        return None
    return run_band(None, output, element_type, begin, end, &element, out)


cpdef object plain_diagonal_matrix(object shape, object begin, object end, object value, object dtype, object out):
    cdef Layout output
    cdef int64_t first = 0
    cdef int64_t last = 0
    cdef tuple sizes = entries(shape)
    cdef int axis
    if sizes is None or len(sizes) > MOST_DIMENSIONS or not read_entries(sizes, <int>len(sizes), output.sizes):
        return None
    if not read_within(FARTHEST, begin, &first) or not read_within(FARTHEST, end, &last):
        return None
    output.rank = <int32_t>len(sizes)
    for axis in range(output.rank):
        if output.sizes[axis] < 0:
            return None
    return generate_band(&output, first, last, value, dtype, out)


cdef bint read_matrix(object rows, object columns, object diagonal, Layout *output, int64_t *to):
    """Whether it is a matrix' sizes, columns of None for a square one, and a diagonal."""
    output.rank = 2
    return (read_size(rows, &output.sizes[0]) and read_size(rows if columns is None else columns, &output.sizes[1])
            and read_within(FARTHEST - 1, diagonal, to))


cdef object plain_fill_band(object array, object begin, object end, object value, object out):
    cdef Layout layout
    cdef dmlc_element element
    cdef int64_t first = 0
    cdef int64_t last = 0
    if not is_plain(array):
        return None
    cdef cnp.dtype dtype = <cnp.dtype>(<cnp.ndarray>array).descr
    if not read_element(value, dtype, &element):
        return None
    if not read_within(FARTHEST, begin, &first) or not read_within(FARTHEST, end, &last):
        return None
    if not read_plain(array, dtype, cnp.PyArray_NDIM(array), &layout):
        return None
    return run_band(array, &layout, dtype, first, last, &element, out)


cdef object plain_triangle(object array, object diagonal, bint lower, object out):
    """The other triangle is bytes of zero, whatever they mean to the dtype."""
    cdef Layout layout
    cdef int64_t k = 0
    if not is_plain(array) or not read_within(FARTHEST - 1, diagonal, &k):
        return None
    cdef cnp.dtype dtype = <cnp.dtype>(<cnp.ndarray>array).descr
    if not read_plain(array, dtype, cnp.PyArray_NDIM(array), &layout):
        return None
    if lower:
        return run_band(array, &layout, dtype, k + 1, FARTHEST, NULL, out)
    return run_band(array, &layout, dtype, -FARTHEST, k, NULL, out)
