# pad, which is a window whose sizes are given by its widths, or several values around one.

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
    check_movable("pad", "array", dtype)
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
        if pair is None or len(pair) != 2:
            raise ValueError(f"values must have a pair for each axis, got {pair!r}")
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
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int axis
    for axis in range(input.rank):
        start[axis] = -before[axis]
    if border is None:
        return run_window(result, output, source, first, input, start, mode, element)
    # Between two runs other threads get a turn.
    held = hold_all(result, source, None)
    if held is None:
        raise MemoryError
    run_window(result, output, source, first, input, start, mode, NULL)
    return fill_border(result, output, input, before, border)


cdef int fill_border(cnp.ndarray result, const Layout *output, const Layout *input, const int64_t *before,
                     tuple border) except -1:
    """Fill the ends of a padding, which have values of their own.

    Axis by axis, over what the axes before it have filled: the last axis' values stand in the corners.
    """
    cdef dmlc_shared_plan *shared = NULL
    cdef Layout region
    cdef dmlc_element element
    cdef int64_t offset, inner
    cdef int64_t nowhere[MOST_DIMENSIONS]
    cdef int64_t width = cnp.PyArray_ITEMSIZE(result)
    cdef int axis, side
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
