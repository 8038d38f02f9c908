# What callers hand over to be written, what is made where they hand over none, and how either stays apart from what is
# read.

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

    ``sizes`` are the exact ones, given where the layout cannot hold them: it has FARTHEST for a size that is too large,
    and no sizes where there are too many dimensions. If the layout's bytes are more than 0 afterwards, the result has
    elements.
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


cdef int copy_view_to(void *place, cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                      const int64_t *strides) except -1:
    """Copy what is read from an element of the source on to a place in a result of the same width, apart from it."""
    cdef dmlc_shared_plan *shared = NULL
    cdef int64_t width = cnp.PyArray_ITEMSIZE(source)
    if output.bytes < RELEASE_BYTES // 2:
        return ready(dmlc_copy(width, output.rank, output.sizes, place, output.strides, first, strides, 0))
    ready(dmlc_share_copy(&shared, width, output.rank, output.sizes, strides, output.strides))
    run_once(shared, place, first, NULL, NULL, result, source)
    return 0


cdef inline int copy_view(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                          const int64_t *strides) except -1:
    return copy_view_to(cnp.PyArray_DATA(result), result, output, source, first, strides)


cdef cnp.ndarray packed_copy(cnp.ndarray source, const char *first, Layout *layout):
    """A new array of what is read from an element of the source on; the layout becomes its own."""
    cdef Layout read
    copy_layout(layout, &read)
    cdef cnp.ndarray copied = new_packed_array(layout, source.descr)
    copy_view(copied, layout, source, first, read.strides)
    return copied


def output_for(str function, out, tuple shape, cnp.dtype dtype not None):
    """The memory of ``out`` if it can hold a result, or a new array, for a function in Python.

    The memory is a plain array, whatever ``out`` is; the caller returns ``out`` itself.
    """
    cdef Layout layout
    cdef int axis
    check_movable(function, "dtype", dtype)
    layout.rank = <int32_t>len(shape)
    for axis in range(min(layout.rank, MOST_DIMENSIONS)):
        layout.sizes[axis] = near(arrays.index(function, f"shape[{axis}]", shape[axis]))
    cdef cnp.ndarray memory = memory_of(function, out)
    cdef cnp.ndarray result = result_of(function, memory, &layout, dtype, shape)
    finish(out, result)
    return result


cdef Copy COPY = Copy()


def copy_into(cnp.ndarray out not None, cnp.ndarray array not None):
    """Copy an array into another of the same shape and width that shares no memory with it."""
    COPY.run(out, array)
    return out
