# tile, which is a window in mode "wrap", and repeat, which is a copy of a broadcast view.

cdef tuple read_reps(object reps, int64_t *counts):
    """Read how often an array stands along its last axes, as `near` does, and return it."""
    cdef tuple given = (reps,) if PyLong_CheckExact(reps) else items_of(reps)
    if given is None or len(given) > MOST_DIMENSIONS or not read_integers_of(given, counts):
        given = arguments.reps(reps)
        read_integers_of(given, counts)
    return given


cdef void lay_behind(const Layout *input, int rank, Layout *laid) noexcept:
    """A layout as one of so many axes: those before its own have one element."""
    cdef int added = rank - input.rank
    cdef int axis
    laid.rank = rank
    for axis in range(rank):
        laid.sizes[axis] = 1 if axis < added else input.sizes[axis - added]
        laid.strides[axis] = 0 if axis < added else input.strides[axis - added]


cdef tuple tiled_sizes(const Layout *laid, tuple given, const int64_t *counts, Layout *output):
    """The sizes of an array that stands so often along its last axes; they are returned too where they do not fit."""
    cdef int first = laid.rank - <int>len(given)
    cdef int axis
    cdef bint fits = True
    copy_sizes(laid, output)
    for axis in range(first, laid.rank):
        # An axis without elements takes a negative count, as in NumPy.
        if counts[axis - first] < 0 and laid.sizes[axis] > 0:
            raise ValueError(f"tile: reps must not be negative, got {[1] * first + list(given)} for shape "
                             f"{sizes_of(laid)}")
        output.sizes[axis] = dmlc_product(laid.sizes[axis], max(counts[axis - first], 0), FARTHEST)
        fits = fits and output.sizes[axis] != FARTHEST
    if fits:
        return None
    return tuple([size * count for size, count in zip(sizes_of(laid), (1,) * first + given)])


def tile(array, reps, *, out=None):
    cdef Layout input, laid, output
    cdef int64_t counts[MOST_DIMENSIONS]
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef cnp.ndarray source = array_of("tile", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef tuple given = read_reps(reps, counts)
    cdef cnp.ndarray memory = memory_of("tile", out)
    source = settle("tile", "array", array, source, dtype, cnp.PyArray_NDIM(source), &input)
    lay_behind(&input, max(input.rank, <int>len(given)), &laid)
    cdef tuple sizes = tiled_sizes(&laid, given, counts, &output)
    cdef cnp.ndarray result = result_of("tile", memory, &output, dtype, sizes)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("tile", source, &input, &first, memory)
        lay_behind(&input, output.rank, &laid)
        memset(starts, 0, <size_t>output.rank * sizeof(int64_t))
        run_window(result, &output, source, first, &laid, starts, WRAP, NULL)
    return finish(out, result)


cdef int64_t elements_of(const Layout *layout) noexcept:
    """How many elements there are, or FARTHEST for more."""
    cdef int64_t count = 1
    cdef int axis
    if is_empty(layout):
        return 0
    for axis in range(layout.rank):
        count = dmlc_product(count, layout.sizes[axis], FARTHEST)
    return count


cdef int copy_repeated(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                       const Layout *input, int place, int64_t count) except -1:
    """Copy each element so often along an axis, or along the one row that the result is, as NumPy flattens.

    The result is seen with one axis more, which goes nowhere in the source:

        axis    result[.., i * count + j, ..] = source[.., i, ..],           0 <= j < count
        row     result[(y * columns + x) * count + j] = source[y, x]
    """
    cdef Layout split
    cdef int64_t read[MOST_DIMENSIONS]
    cdef bint is_row = place < 0
    cdef int64_t inner = output.strides[0 if is_row else place]
    cdef int64_t step = inner * count
    cdef int axis
    split.bytes = output.bytes
    split.rank = 0
    for axis in range(input.rank - 1, -1, -1):
        if input.sizes[axis] > 1:  # so that there is room for one more
            split.sizes[split.rank] = input.sizes[axis]
            split.strides[split.rank] = step if is_row or axis == place else output.strides[axis]
            read[split.rank] = input.strides[axis]
            split.rank += 1
            step *= input.sizes[axis] if is_row else 1
    split.sizes[split.rank] = count
    split.strides[split.rank] = inner
    read[split.rank] = 0
    split.rank += 1
    return copy_view(result, &split, source, first, read)


cdef int take_each(cnp.ndarray result, object array, object counts, int place) except -1:
    """Copy each element along an axis as often as its own number says.

    To look up element by element takes NumPy as long as anyone. No place is clipped: it is how take writes right into
    its output.
    """
    take(array, repeat_each(arange(array.shape[place]), counts), place, out=result, mode="clip")
    return 0


def repeat(array, repeats, axis=None, *, out=None):
    cdef Layout input, output
    cdef int64_t size
    cdef int64_t count = 0
    cdef object counts = None
    cdef tuple sizes = None
    cdef cnp.ndarray source = array_of("repeat", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    if axis is True or axis is False:
        raise TypeError("an integer is required for the axis")
    # NumPy takes a single element for a sequence of one.
    cdef bint is_row = axis is None or rank == 0
    cdef object given = 0 if axis is None else index_of("repeat", "axis", axis)
    if not read_width(repeats, &count):
        read_layout(source, &input)
        counts = arguments.repeats(repeats, elements_of(&input) if is_row else max(sizes_of(&input)))
    # One number for all elements, or that of all together.
    cdef object total = repeats if counts is None else sum(counts.tolist())
    cdef int64_t least = count if counts is None else counts.min(initial=0)
    cdef bint is_one = counts is None or counts.size == 1
    cdef int place = axis_of("repeat", given, max(rank, 1))
    cdef cnp.ndarray memory = memory_of("repeat", out)
    source = settle("repeat", "array", array, source, dtype, rank, &input)
    size = elements_of(&input) if is_row else input.sizes[place]
    if not is_one and counts.size != size:
        raise ValueError(f"repeat: repeats must have 1 or {size} entries, got {counts.size}")
    if size > 0 and least < 0:
        raise ValueError(f"repeat: repeats must not be negative, got {least}")
    copy_sizes(&input, &output)
    if is_row:
        output.rank = 1
    output.sizes[place] = dmlc_product(size, max(near(total), 0), FARTHEST) if is_one else near(total)
    if output.sizes[place] == FARTHEST:
        sizes = sizes_of(&output)
        sizes = (*sizes[:place], total * size if is_one else total, *sizes[place + 1:])
    cdef cnp.ndarray result = result_of("repeat", memory, &output, dtype, sizes)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("repeat", source, &input, &first, memory)
        if is_one:
            copy_repeated(result, &output, source, first, &input, -1 if is_row else place, near(total))
        else:
            take_each(result, source.reshape(-1) if is_row else source, counts, place)
    return finish(out, result)
