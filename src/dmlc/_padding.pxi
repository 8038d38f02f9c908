# pad, window and roll: all are windows of an array that goes on without end.

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


cdef inline int read_mode_of_pad(object mode, object constant_values) except -1:
    """A mode, refused in NumPy's words."""
    cdef int number = mode_of(mode)
    if number < 0:
        raise ValueError(f"mode '{mode}' is not supported")
    if number != CONSTANT and not is_default(constant_values):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    return number


cdef inline bint read_width(object value, int64_t *to) noexcept:
    """Whether it is Python's own number, nearer to 0 than FARTHEST."""
    if not PyLong_CheckExact(value):
        return False
    to[0] = near(value)
    return -FARTHEST < to[0] < FARTHEST


cdef bint read_pair(object values, int64_t *pair):
    cdef tuple items = items_of(values)
    return items is not None and len(items) == 2 and read_width(items[0], pair) and read_width(items[1], pair + 1)


cdef bint read_plain_widths(object pad_width, int rank, int64_t *before, int64_t *after):
    """Whether it is n, (before, after), ((before, after),) or a pair an axis, of Python's own numbers."""
    cdef int64_t pair[2]
    cdef tuple items
    cdef int axis
    if read_width(pad_width, pair):
        pair[1] = pair[0]
    elif not read_pair(pad_width, pair):
        items = items_of(pad_width)
        if items is None or rank == 0 or len(items) != 1 and len(items) != rank:
            return False
        for axis in range(rank):
            if not read_pair(items[axis if len(items) > 1 else 0], pair):
                return False
            before[axis] = pair[0]
            after[axis] = pair[1]
        return True
    for axis in range(rank):
        before[axis] = pair[0]
        after[axis] = pair[1]
    return True


cdef tuple read_widths(object pad_width, int rank, int64_t *before, int64_t *after):
    """Read what is added to each axis, as `near` does, and return it, by NumPy's rules; None of plain numbers."""
    cdef int axis
    if read_plain_widths(pad_width, rank, before, after):
        return None
    cdef tuple pairs = arguments.width_pairs(pad_width, rank)
    for axis in range(rank):
        before[axis] = near(pairs[axis][0])
        after[axis] = near(pairs[axis][1])
    return pairs


cdef tuple read_border(object constant_values, cnp.dtype dtype, int rank, dmlc_element *to):
    """Read the one value that is added everywhere and return None, or return the values of each axis' two ends."""
    if read_number(constant_values, dtype, to):
        return None
    return border_of(arguments.value_pairs(constant_values, dtype, rank), to)


cdef tuple border_of(tuple values, dmlc_element *to):
    """Read the one value of all ends and return None, or return the values."""
    cdef set distinct = {value for pair in values for value in pair}
    if len(distinct) > 1:
        return values
    memset(to, 0, sizeof(dmlc_element))
    for value in distinct:
        memcpy(to, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))
    return None


cdef int crop(int axis, tuple pairs, int64_t *before, int64_t *after, Layout *input, const char **first) except -1:
    """Cut off what negative widths ask for; what is left of the widths is not negative."""
    cdef int64_t begin = max(-before[0], 0)
    cdef int64_t end = max(-after[0], 0)
    if begin > input.sizes[axis] or end > input.sizes[axis] - begin:
        raise ValueError(f"pad: pad_width[{axis}] must crop at most the axis' {input.sizes[axis]} elements, got "
                         f"{(before[0], after[0]) if pairs is None else pairs[axis]}")
    input.sizes[axis] -= begin + end
    if not is_empty(input):
        first[0] += begin * input.strides[axis]
    before[0] = max(before[0], 0)
    after[0] = max(after[0], 0)
    return 0


cdef inline int64_t saturated(int64_t size, int64_t more) noexcept:
    """The sum of two sizes, FARTHEST at most."""
    return size + more if size < FARTHEST and more < FARTHEST - size else FARTHEST


cdef tuple padded_sizes(const Layout *input, const int64_t *before, const int64_t *after, tuple pairs):
    """The sizes of a result that is too large for them to be counted."""
    sizes = []
    for axis in range(input.rank):
        first, last = (before[axis], after[axis]) if pairs is None else pairs[axis]
        sizes.append(<object>input.sizes[axis] + max(first, 0) + max(last, 0))
    return tuple(sizes)


cdef tuple extend(int mode, tuple pairs, int64_t *before, int64_t *after, Layout *input, const char **first,
                  Layout *output):
    """What a padding keeps of the input, in ``input`` and ``first``, and the result's sizes.

    They are returned where they are too large to be counted. The widths are not negative then.
    """
    cdef bint too_large = False
    cdef int axis
    output.rank = input.rank
    for axis in range(input.rank):
        if before[axis] < 0 or after[axis] < 0:
            crop(axis, pairs, &before[axis], &after[axis], input, first)
        output.sizes[axis] = saturated(saturated(input.sizes[axis], before[axis]), after[axis])
        too_large = too_large or output.sizes[axis] == FARTHEST
        if mode != CONSTANT and input.sizes[axis] == 0 and output.sizes[axis] > 0:
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    return padded_sizes(input, before, after, pairs) if too_large else None


def arguments_of_pad(tuple shape not None, cnp.dtype dtype not None, pad_width, mode, constant_values):
    """What `pad` keeps of each axis of an array that may not be there yet, how wide that is extended, and how.

    Returns the ranges that are kept, the widths, the mode's number, and the values of each axis' two ends.
    """
    cdef int64_t before[MOST_DIMENSIONS]
    cdef int64_t after[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef const char *first = NULL
    cdef tuple values = None
    cdef int axis
    read_shape("pad", shape, &input)
    cdef tuple pairs = read_widths(pad_width, input.rank, before, after)
    cdef int number = read_mode_of_pad(mode, constant_values)
    if number == CONSTANT:
        values = read_border(constant_values, dtype, input.rank, &element)
        if values is None:
            value = element.bytes[:cnp.PyDataType_ELSIZE(dtype)]
            values = ((value, value),) * input.rank
    cdef list begins = [max(-before[axis], 0) for axis in range(input.rank)]
    cdef tuple sizes = extend(number, pairs, before, after, &input, &first, &output)
    if sizes is not None:
        raise ValueError(f"pad: the result must have sizes of less than 2^62, got {sizes}")
    kept = tuple([(begins[axis], begins[axis] + input.sizes[axis]) for axis in range(input.rank)])
    return kept, tuple([(before[axis], after[axis]) for axis in range(input.rank)]), number, values


def pad(array, pad_width, mode="constant", *, constant_values=0, out=None):
    cdef int64_t before[MOST_DIMENSIONS]
    cdef int64_t after[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef tuple border = None
    cdef cnp.ndarray source = array_of("pad", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    cdef tuple pairs = read_widths(pad_width, rank, before, after)
    cdef int number = read_mode_of_pad(mode, constant_values)
    if number == CONSTANT:
        border = read_border(constant_values, dtype, rank, &element)
    cdef cnp.ndarray memory = memory_of("pad", out)
    source = settle("pad", "array", array, source, dtype, rank, &input)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    cdef tuple sizes = extend(number, pairs, before, after, &input, &first, &output)
    cdef cnp.ndarray result = result_of("pad", memory, &output, dtype, sizes)
    if output.bytes > 0:
        source = apart_from("pad", source, &input, &first, memory)
        run_padding(result, &output, source, &input, first, before, number, &element, border)
    return finish(out, result)


def pad_constant(cnp.ndarray out not None, cnp.ndarray array not None, widths, tuple values not None):
    """Write an array and the values of each axis' two ends, bytes of an element; they share no memory."""
    cdef int64_t before[MOST_DIMENSIONS]
    cdef int64_t after[MOST_DIMENSIONS]
    cdef Layout input, output, wanted
    cdef dmlc_element element
    cdef tuple pair
    cdef bytes value
    if len(values) > MOST_DIMENSIONS:
        raise ValueError(f"values must be of at most {MOST_DIMENSIONS} axes, got {len(values)}")
    for pair in values:
        for value in pair:
            check_width(value, cnp.PyArray_ITEMSIZE(array))
    cdef tuple border = border_of(values, &element)
    cdef tuple pairs = read_widths(widths, <int>len(values), before, after)
    # From here on no other code runs.
    read_layout(array, &input)
    read_layout(out, &output)
    cdef const char *first = <const char *>cnp.PyArray_DATA(array)
    if input.rank != len(values):
        raise ValueError(f"values must have a pair for each of {input.rank} axes, got {len(values)}")
    if not cnp.PyArray_CHKFLAGS(out, cnp.NPY_ARRAY_WRITEABLE):
        raise ValueError("out must be writeable, got a read-only array")
    cdef tuple sizes = extend(CONSTANT, pairs, before, after, &input, &first, &wanted)
    if sizes is not None or not same_sizes(&output, &wanted) or not cnp.PyArray_EquivTypes(out.descr, array.descr):
        raise ValueError(f"out must have shape {sizes_of(&wanted) if sizes is None else sizes} and dtype "
                         f"{array.descr}, got {sizes_of(&output)} and {out.descr}")
    if not is_empty(&output):
        run_padding(out, &output, array, &input, first, before, CONSTANT, &element, border)


cdef int run_padding(cnp.ndarray result, const Layout *output, cnp.ndarray source, const Layout *input,
                     const char *first, const int64_t *before, int mode, const dmlc_element *element,
                     tuple border) except -1:
    """A padding by an element, or by the values of a border."""
    cdef dmlc_shared_plan *shared = NULL
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int axis
    for axis in range(input.rank):
        start[axis] = -before[axis]
    ready(dmlc_share_window(
        &shared, cnp.PyArray_ITEMSIZE(result), input.rank, input.sizes, input.strides, output.sizes, output.strides,
        start, <dmlc_padding_mode>mode))
    if border is None:
        run_once(shared, cnp.PyArray_DATA(result), first, element, NULL, result, source)
        return 0
    return run_with_border(shared, result, output, source, input, first, before, border)


cdef int run_with_border(dmlc_shared_plan *shared, cnp.ndarray result, const Layout *output, cnp.ndarray source,
                         const Layout *input, const char *first, const int64_t *before, tuple border) except -1:
    """Run a padding whose ends have values of their own.

    Axis by axis, over what the axes before it have filled: the last axis' values stand in the corners.
    """
    cdef Layout region
    cdef dmlc_element element
    cdef int64_t offset, inner
    cdef int64_t nowhere[MOST_DIMENSIONS]
    cdef int64_t width = cnp.PyArray_ITEMSIZE(result)
    cdef int axis, other, side
    # Between two runs other threads get a turn.
    held = hold_all(result, source, None)
    run_once(shared, cnp.PyArray_DATA(result), first, NULL, NULL, result, source)
    if held is None:
        raise MemoryError
    copy_layout(output, &region)
    inner = 0
    for axis in range(output.rank):
        nowhere[axis] = 0
        region.sizes[axis] = input.sizes[axis]
        inner += before[axis] * output.strides[axis]
    for axis in range(output.rank):
        inner -= before[axis] * output.strides[axis]
        for side in range(2):
            memcpy(&element, PyBytes_AS_STRING(border[axis][side]), <size_t>width)
            offset = 0 if side == 0 else (before[axis] + input.sizes[axis]) * output.strides[axis]
            region.sizes[axis] = before[axis] if side == 0 else output.sizes[axis] - before[axis] - input.sizes[axis]
            shared = NULL
            ready(dmlc_share_copy(&shared, width, output.rank, region.sizes, nowhere, output.strides))
            run_once(shared, cnp.PyArray_BYTES(result) + inner + offset, &element, NULL, NULL, result, None)
        region.sizes[axis] = output.sizes[axis]
    return 0


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
    """Where the same elements are read as from a start as far away as FARTHEST, for the core too near to it."""
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
            raise ValueError(f"window: shape[{axis}] must be at least 0, got {sizes[axis]}")
    return number


cdef int check_extended(int number, object mode, const Layout *input, const Layout *output, tuple sizes) except -1:
    """Raise where a window goes on from no element."""
    cdef int axis
    for axis in range(output.rank if number != CONSTANT else 0):
        if output.sizes[axis] > 0 and input.sizes[axis] == 0:
            raise ValueError(f"window: shape[{axis}] must be 0 in mode {mode!r}, since array has no element along axis "
                             f"{axis}, got {sizes[axis]}")
    return 0


def arguments_of_window(tuple extents not None, cnp.dtype dtype not None, start, shape, mode, constant_values):
    """Where a `window` of an array that may not be there yet starts, its sizes, and how the array goes on.

    Returns a list of integers each, the mode's number, and the bytes of an element in mode CONSTANT.
    """
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef Layout input, output
    cdef dmlc_element element
    cdef bytes value = None
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
