# The modes of an array that goes on without end, and windows of it.

cdef enum:
    CONSTANT = 0
    REFLECTION = 2
    SYMMETRIC = 3
    WRAP = 4

# As NumPy calls them.
cdef dict MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}
padding_modes = tuple(MODES)


cdef inline int mode_of(object mode) except -2:
    """The dmlc_padding_mode of a name, -1 of anything else."""
    return MODES.get(mode, -1) if isinstance(mode, str) else -1


cdef int read_mode(str function, object mode) except -1:
    cdef int number = mode_of(mode)
    if number < 0:
        raise ValueError(f"{function}: mode must be one of {', '.join(MODES)}, got {mode!r}")
    return number


cdef bint is_default(object value) except -1:
    """Whether a value may have been left out."""
    return isinstance(value, int) and value == 0


cdef int run_window(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                    const Layout *input, const int64_t *start, int mode, const void *value) except -1:
    """A window of an array; an input's size of 0 is extended in mode CONSTANT only."""
    cdef dmlc_shared_plan *shared = NULL
    ready(dmlc_share_window(
        &shared, cnp.PyArray_ITEMSIZE(result), input.rank, input.sizes, input.strides, output.sizes, output.strides,
        start, <dmlc_padding_mode>mode))
    run_once(shared, cnp.PyArray_DATA(result), first, value, NULL, result, source)
    return 0


cdef int64_t nearest(object start, int64_t size, int mode) noexcept:
    """A start that the core can count with, and that reads the same elements as one FARTHEST away or more."""
    cdef int64_t period = size
    if size == 0 or mode not in (WRAP, SYMMETRIC, REFLECTION):
        return FARTHEST - 1 if start > 0 else 1 - FARTHEST
    if mode == SYMMETRIC:
        period = 2 * size
    elif mode == REFLECTION:
        period = max(2 * (size - 1), 1)
    return near(start % period)


cdef int read_mode_of_window(object mode, object constant_values, const Layout *output, tuple sizes) except -1:
    """A mode, where it goes with the value and the sizes are right."""
    cdef int number = read_mode("window", mode)
    cdef int axis
    if number != CONSTANT and not is_default(constant_values):
        raise ValueError(f"window: constant_values must be left out unless mode is 'constant', got mode {mode!r}")
    for axis in range(output.rank):
        if output.sizes[axis] < 0:
            raise ValueError(f"window: shape[{axis}] must be at least 0, got {printed(sizes[axis])}")
    return number


cdef int check_extended(int number, object mode, const Layout *input, const Layout *output, tuple sizes) except -1:
    """Raise where a window goes on from no element."""
    cdef int axis
    for axis in range(output.rank if number != CONSTANT else 0):
        if output.sizes[axis] > 0 and input.sizes[axis] == 0:
            raise ValueError(f"window: shape[{axis}] must be 0 in mode {mode!r}, since array has no element along axis "
                             f"{axis}, got {printed(sizes[axis])}")
    return 0


def arguments_of_window(tuple extents not None, cnp.dtype dtype not None, start, shape, mode, constant_values):
    """Where a `window` of an array that may not be there yet starts, its sizes, and how the array goes on.

    Returns a list of integers each, the mode's number, and the bytes of an element in mode CONSTANT.
    """
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef bytes value = None
    check_movable("window", "array", dtype)
    read_shape("window", extents, &input)
    output.rank = input.rank
    cdef tuple given = read_entries("window", "start", start, output.rank, starts)
    cdef tuple sizes = read_entries("window", "shape", shape, output.rank, output.sizes)
    cdef int number = read_mode_of_window(mode, constant_values, &output, sizes)
    if number == CONSTANT:
        read_element("window", "constant_values", constant_values, dtype, &element)
        value = element.bytes[:cnp.PyDataType_ELSIZE(dtype)]
    check_extended(number, mode, &input, &output, sizes)
    return list(given), list(sizes), number, value


def window(array, start, shape, mode="constant", *, constant_values=0, out=None):
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef int axis
    cdef cnp.ndarray source = array_of("window", "array", array)
    cdef cnp.dtype dtype = source.descr
    output.rank = cnp.PyArray_NDIM(source)
    cdef tuple given = read_entries("window", "start", start, output.rank, starts)
    cdef tuple sizes = read_entries("window", "shape", shape, output.rank, output.sizes)
    cdef int number = read_mode_of_window(mode, constant_values, &output, sizes)
    if number == CONSTANT:
        read_element("window", "constant_values", constant_values, dtype, &element)
    cdef cnp.ndarray memory = memory_of("window", out)
    source = settle("window", "array", array, source, dtype, output.rank, &input)
    check_extended(number, mode, &input, &output, sizes)
    for axis in range(output.rank):
        if not -FARTHEST < starts[axis] < FARTHEST:
            starts[axis] = nearest(given[axis], input.sizes[axis], number)
    cdef cnp.ndarray result = result_of("window", memory, &output, dtype, sizes)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("window", source, &input, &first, memory)
        run_window(result, &output, source, first, &input, starts, number, &element)
    return finish(out, result)
