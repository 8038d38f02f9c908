# one_hot.


cdef int axis_of(str function, object axis, int rank) except -1:
    """An axis, counted from the first one."""
    cdef int64_t place = 0
    if not read_width(axis, &place) or not -rank <= place < rank:
        place = normalize_axis_index(arrays.index(function, "axis", axis), rank)
    return <int>(place + rank if place < 0 else place)


cdef cnp.ndarray native_indices(cnp.ndarray indices, Layout *layout, bint refuse_negative, cnp.ndarray result):
    """Indices of a type that the kernels have, their layout anew; NumPy converts them, and looks for negative ones."""
    cdef Layout written, read
    cdef void *place = place_of(result, &written)
    cdef cnp.ndarray native = arguments.native_indices(indices, refuse_negative)
    check_place("one_hot", result, &written, place)
    read_layout(native, &read)
    if not same_sizes(&read, layout):
        raise ValueError(f"one_hot: indices must stay as they are, {sizes_of(layout)}, got {sizes_of(&read)}")
    copy_layout(&read, layout)
    check_reach("one_hot", "indices", layout)
    return native


def one_hot(indices, depth, *, axis=-1, on_value=1, off_value=0, dtype=float32, negative="wrap", out=None):
    cdef Layout input, output
    cdef dmlc_element off, on
    cdef dmlc_shared_plan *shared = NULL
    cdef int place
    cdef cnp.ndarray source = array_of("one_hot", "indices", indices)
    cdef cnp.dtype type_of_indices = source.descr
    # An empty list says nothing of its type.
    if not cnp.PyTypeNum_ISINTEGER(type_of_indices.type_num) and not (
            0 in shape_of(source) and not hasattr(indices, "dtype")):
        raise TypeError(f"one_hot: indices must be integers, got dtype {type_of_indices}")
    depth = index_of("one_hot", "depth", depth)
    cdef int64_t size = near(depth)
    if size < 0:
        raise ValueError(f"one_hot: depth must be at least 0, got {printed(depth)}")
    cdef int rank = cnp.PyArray_NDIM(source)
    place = axis_of("one_hot", axis, rank + 1)
    cdef cnp.dtype element_type = dtype_of("one_hot", dtype)
    cdef bint is_name = isinstance(negative, str)
    cdef bint from_end = is_name and negative == "wrap"
    cdef bint refuses = is_name and not from_end and negative == "error"
    if not (from_end or refuses or is_name and negative == "off"):
        raise ValueError(f"one_hot: negative must be 'wrap', 'off' or 'error', got {negative!r}")
    read_element("one_hot", "off_value", off_value, element_type, &off)
    read_element("one_hot", "on_value", on_value, element_type, &on)
    cdef cnp.ndarray memory = memory_of("one_hot", out)
    source = settle("one_hot", "indices", indices, source, type_of_indices, rank, &input)
    cdef tuple sizes = insert_axis(&input, place, size, depth, None, &output)
    cdef cnp.ndarray result = result_of("one_hot", memory, &output, element_type, sizes)
    cdef int number = index_type(type_of_indices)
    # Only now, as indices that claim more than there is memory for are refused by then.
    if (refuses or number < 0) and not is_empty(&input):
        source = native_indices(source, &input, refuses, result)
        number = index_type(source.descr)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("one_hot", source, &input, &first, memory)
        ready(share_one_hot(&shared, cnp.PyDataType_ELSIZE(element_type), number, from_end, place, &output, &input))
        run_once(shared, cnp.PyArray_DATA(result), first, &off, &on, result, source)
    return finish(out, result)
