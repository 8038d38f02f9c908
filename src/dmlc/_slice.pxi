# copy, flip and slice: all three copy a view. Its place and its strides are unsigned sums and products, which wrap
# round where the array has no element and they mean nothing.


cdef object copied(str function, object out, cnp.ndarray memory, cnp.ndarray source, const char *first, Layout *view):
    """What is read from an element of the source on, in the view's sizes and by its strides."""
    cdef Layout output
    copy_sizes(view, &output)
    cdef cnp.ndarray result = result_of(function, memory, &output, source.descr, None)
    if output.bytes > 0:
        if memory is None:
            copy_view(result, &output, source, first, view.strides)
        else:
            copy_apart(function, result, &output, source, first, view)
    return finish(out, result)


cdef int copy_apart(str function, cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                    Layout *view) except -1:
    """Copy into memory that was there before, and may be the source's own."""
    cdef cnp.ndarray read = apart_from(function, source, view, &first, result)
    return copy_view(result, output, read, first, view.strides)


def copy(array, *, out=None):
    cdef Layout view
    cdef cnp.ndarray source = array_of("copy", "array", array)
    cdef cnp.ndarray memory = memory_of("copy", out)
    source = settle("copy", "array", array, source, source.descr, cnp.PyArray_NDIM(source), &view)
    return copied("copy", out, memory, source, <const char *>cnp.PyArray_DATA(source), &view)


cdef bint read_plain_axes(object axis, int rank, bint *reverses) except -1:
    """Mark the axes that are reversed, where it is one or some that differ, of Python's own numbers; whether it is."""
    cdef int64_t place = 0
    cdef Py_ssize_t i
    cdef tuple axes = items_of(axis)
    for i in range(1 if axes is None else len(axes)):
        if not read_width(axis if axes is None else axes[i], &place) or not -rank <= place < rank:
            return False
        place += rank if place < 0 else 0
        if reverses[place]:
            return False
        reverses[place] = True
    return True


cdef int read_axes_of_flip(object axis, int rank, bint *reverses) except -1:
    """Mark the axes that are reversed, and no other."""
    cdef int i
    for i in range(rank):
        reverses[i] = axis is None
    if axis is not None and not read_plain_axes(axis, rank, reverses):
        for i in arguments.axes_to_flip(axis, rank):
            reverses[i] = True
    return 0


def axes_of_flip(axis, int ndim):
    """The axes that `flip` reverses."""
    cdef bint reverses[MOST_DIMENSIONS]
    if not 0 <= ndim <= MOST_DIMENSIONS:
        raise ValueError(f"flip: array must have at most {MOST_DIMENSIONS} dimensions, got {ndim}")
    read_axes_of_flip(axis, ndim, reverses)
    return tuple([i for i in range(ndim) if reverses[i]])


def flip(array, axis=None, *, out=None):
    cdef Layout view
    cdef bint reverses[MOST_DIMENSIONS]
    cdef int i
    cdef cnp.ndarray source = array_of("flip", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    read_axes_of_flip(axis, rank, reverses)
    cdef cnp.ndarray memory = memory_of("flip", out)
    source = settle("flip", "array", array, source, dtype, rank, &view)
    cdef uintptr_t first = <uintptr_t>cnp.PyArray_DATA(source)
    for i in range(rank):
        if reverses[i]:
            first += <uintptr_t>(view.sizes[i] - 1) * <uintptr_t>view.strides[i]
            view.strides[i] = <int64_t>(-<uintptr_t>view.strides[i])
    return copied("flip", out, memory, source, <const char *>first, &view)


# What a slice is asked for, one of each an axis; and as they were given, for errors.
cdef struct Slices:
    int64_t offsets[MOST_DIMENSIONS]
    int64_t sizes[MOST_DIMENSIONS]
    int64_t steps[MOST_DIMENSIONS]
    int64_t counts[MOST_DIMENSIONS]


cdef tuple read_slices(object offsets, object sizes, object strides, object output_sizes, int rank, Slices *to):
    """Read what a slice is asked for, and return it as it was given; the counts are None where they are left out."""
    given_offsets = read_entries("slice", "offsets", offsets, rank, to.offsets)
    given_sizes = read_entries("slice", "sizes", sizes, rank, to.sizes)
    read_entries("slice", "strides", strides, rank, to.steps)
    counts = None
    if output_sizes is not None:
        counts = read_entries("slice", "output_sizes", output_sizes, rank, to.counts)
    return given_offsets, given_sizes, counts


cdef int judge_slices(Slices *slices, tuple given, const Layout *input) except -1:
    """Raise unless it is inside the input; the offsets become those of the first elements, the counts are there."""
    cdef int64_t reachable
    cdef int axis
    for axis in range(input.rank):
        if slices.offsets[axis] < 0:
            raise ValueError(f"slice: offsets[{axis}] must be at least 0, got {printed(given[0][axis])}")
        if slices.offsets[axis] > input.sizes[axis]:
            raise ValueError(f"slice: offsets[{axis}] must be at most the array's {input.sizes[axis]}, "
                             f"got {printed(given[0][axis])}")
        if slices.sizes[axis] < 0 or slices.sizes[axis] > input.sizes[axis] - slices.offsets[axis]:
            raise ValueError(
                f"slice: sizes[{axis}] must be 0 to {<object>input.sizes[axis] - given[0][axis]}, so that offset "
                f"+ size is at most the array's {input.sizes[axis]}, got {printed(given[1][axis])}")
        if slices.steps[axis] == 0:
            raise ValueError(f"slice: strides[{axis}] must not be 0, got 0")
        reachable = 0
        if slices.sizes[axis] > 0:
            reachable = 1 + (slices.sizes[axis] - 1) // (
                slices.steps[axis] if slices.steps[axis] > 0 else -slices.steps[axis])
        if given[2] is None:
            slices.counts[axis] = reachable
        elif not 0 <= slices.counts[axis] <= reachable:
            raise ValueError(f"slice: output_sizes[{axis}] must be 0 to 1 + (size - 1) // abs(stride) = {reachable}, "
                             f"got {printed(given[2][axis])}")
        if slices.steps[axis] < 0:
            slices.offsets[axis] += slices.sizes[axis] - 1
    return 0


def runs_of_slice(tuple shape not None, offsets, sizes, strides, output_sizes):
    """The first element, the step and the count that `slice` reads along each axis.

    The array may not be there yet.
    """
    cdef Layout input
    cdef Slices slices
    read_shape("slice", shape, &input)
    judge_slices(&slices, read_slices(offsets, sizes, strides, output_sizes, input.rank, &slices), &input)
    return [(slices.offsets[axis], slices.steps[axis], slices.counts[axis]) for axis in range(input.rank)]


def slice(array, offsets, sizes, strides, *, output_sizes=None, out=None):
    cdef Layout input, view
    cdef Slices slices
    cdef int axis
    cdef cnp.ndarray source = array_of("slice", "array", array)
    cdef cnp.dtype dtype = source.descr
    view.rank = cnp.PyArray_NDIM(source)
    cdef tuple given = read_slices(offsets, sizes, strides, output_sizes, view.rank, &slices)
    cdef cnp.ndarray memory = memory_of("slice", out)
    source = settle("slice", "array", array, source, dtype, view.rank, &input)
    judge_slices(&slices, given, &input)
    cdef uintptr_t first = <uintptr_t>cnp.PyArray_DATA(source)
    for axis in range(view.rank):
        view.sizes[axis] = slices.counts[axis]
        first += <uintptr_t>slices.offsets[axis] * <uintptr_t>input.strides[axis]
        view.strides[axis] = 0
        if view.sizes[axis] > 1:
            view.strides[axis] = <int64_t>(<uintptr_t>slices.steps[axis] * <uintptr_t>input.strides[axis])
    return copied("slice", out, memory, source, <const char *>first, &view)
