# roll, which is a window in mode "wrap".

cdef bint read_plain_shifts(object shift, object axis, int rank, int64_t *shifts) noexcept:
    """Whether it is n along an axis, or a tuple of them along a tuple of axes, of Python's own numbers."""
    cdef int64_t distance
    cdef int64_t place = 0
    cdef Py_ssize_t i
    cdef Py_ssize_t count = 1
    cdef bint pairs = type(axis) is tuple and type(shift) is tuple
    if pairs:
        count = len(<tuple>axis)
        if count > MOST_DIMENSIONS or len(<tuple>shift) != count:
            return False
    for i in range(rank):
        shifts[i] = 0
    for i in range(count):
        if not read_width((<tuple>shift)[i] if pairs else shift, &distance):
            return False
        if axis is not None and not read_width((<tuple>axis)[i] if pairs else axis, &place):
            return False
        # The sum of so many fits.
        if not -rank <= place < rank or not -FARTHEST // MOST_DIMENSIONS < distance < FARTHEST // MOST_DIMENSIONS:
            return False
        shifts[place + rank if place < 0 else place] += distance
    return True


cdef list read_shifts(object shift, object axis, int rank, int64_t *shifts):
    """Read how far to roll along each axis, or along the one row of all elements without an axis, and return None.

    What is not plain is returned, for numbers of any size.
    """
    cdef int axes = 1 if axis is None else rank
    if read_plain_shifts(shift, axis, axes, shifts):
        return None
    return arguments.shifts(shift, axis, axes)


def starts_of_roll(shift, axis, int ndim):
    """Where along each axis a `roll` reads its first element, before it is wrapped; without axes, along one row."""
    cdef int64_t shifts[MOST_DIMENSIONS]
    if not 0 <= ndim <= MOST_DIMENSIONS:
        raise ValueError(f"roll: array must have at most {MOST_DIMENSIONS} dimensions, got {ndim}")
    cdef list distances = read_shifts(shift, axis, ndim, shifts)
    if distances is None:
        distances = [shifts[i] for i in range(1 if axis is None else ndim)]
    return [-distance for distance in distances]


cdef int64_t start_of(int64_t shift, list shifts, int axis, int64_t size) noexcept:
    """Where a wrapped window begins for a shift, of which ``shifts`` has them all where they are not plain."""
    cdef int64_t place = shift % size if shifts is None else near(<object>shifts[axis] % size)
    return size - place if place > 0 else -place


cdef int roll_row(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first, Layout *input,
                  int64_t shift, list shifts) except -1:
    """Roll all elements as if they stood in one row, as they do in packed memory."""
    cdef Layout row
    cdef int64_t start
    cdef object held = True
    cdef cnp.ndarray rolled = result
    if not is_packed(source) or not is_packed(result):
        held = hold_all(result, source, None)  # between two runs other threads get a turn
    if held is None:
        raise MemoryError
    if not is_packed(source):
        source = packed_copy(source, first, input)
        first = <const char *>cnp.PyArray_DATA(source)
    row.rank = 1
    row.sizes[0] = cnp.PyArray_SIZE(source)
    row.strides[0] = cnp.PyArray_ITEMSIZE(source)
    if not is_packed(result):
        rolled = new_array(&row, row.sizes[0] * row.strides[0], source.descr)
    start = start_of(shift, shifts, 0, row.sizes[0])
    run_window(rolled, &row, source, first, &row, &start, WRAP, NULL)
    if rolled is not result:
        copy_view(result, output, rolled, <const char *>cnp.PyArray_DATA(rolled), input.strides)
    return 0


def roll(array, shift, axis=None, *, out=None):
    cdef int64_t start[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef int i
    cdef cnp.ndarray source = array_of("roll", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    cdef list shifts = read_shifts(shift, axis, rank, start)
    cdef cnp.ndarray memory = memory_of("roll", out)
    source = settle("roll", "array", array, source, dtype, rank, &input)
    read_layout(source, &output)
    cdef cnp.ndarray result = result_of("roll", memory, &output, dtype, None)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("roll", source, &input, &first, memory)
        if axis is None:
            roll_row(result, &output, source, first, &input, start[0], shifts)
        else:
            for i in range(rank):
                start[i] = start_of(start[i], shifts, i, input.sizes[i])
            run_window(result, &output, source, first, &input, start, WRAP, NULL)
    return finish(out, result)
