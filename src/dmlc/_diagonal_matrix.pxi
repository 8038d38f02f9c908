# Bands and triangles.


cdef int read_band(str function, object begin, object end, int64_t *first, int64_t *last) except -1:
    """Read a band's borders, as near as they may be for the same band: which is the larger decides what is filled."""
    begin = index_of(function, "begin", begin)
    end = index_of(function, "end", end)
    first[0] = near(begin)
    last[0] = near(end)
    if first[0] == last[0] and begin != end:
        # Both are FARTHEST; the one that is nearer comes one nearer.
        if (begin > end) == (first[0] > 0):
            last[0] -= first[0] // FARTHEST
        else:
            first[0] -= last[0] // FARTHEST
    return 0


cdef int64_t read_diagonal(str function, object k) except? -1:
    """A diagonal of a triangle, at most so far away that its band does not turn inside out."""
    return min(near(index_of(function, "k", k)), FARTHEST - 1)


cdef object generated(str function, Layout *output, tuple sizes, int64_t begin, int64_t end, object value, object dtype,
                      object out):
    """A band of a value on zeros; ``sizes`` are given where they may not fit into the layout."""
    cdef dmlc_element element
    cdef dmlc_shared_plan *shared = NULL
    cdef int axis
    for axis in range(output.rank):
        if output.sizes[axis] < 0:
            raise ValueError(f"{function}: negative dimensions are not allowed, got "
                             f"{sizes_of(output) if sizes is None else sizes}")
    cdef cnp.dtype element_type = dtype_of(function, dtype)
    read_element(function, "value", value, element_type, &element)
    cdef cnp.ndarray result = result_of(function, memory_of(function, out), output, element_type, sizes)
    if output.bytes > 0:
        ready(share_band(&shared, cnp.PyDataType_ELSIZE(element_type), begin, end, output, NULL, False))
        run_once(shared, cnp.PyArray_DATA(result), NULL, NULL, &element, result, None)
    return finish(out, result)


def generate_band(str function, tuple shape not None, begin, end, value, dtype, out):
    """A band of a value on zeros, for a function in Python."""
    cdef Layout output
    cdef int64_t first = 0
    cdef int64_t last = 0
    output.rank = <int32_t>len(shape)
    if not 2 <= output.rank <= MOST_DIMENSIONS or not read_integers_of(shape, output.sizes):
        raise ValueError(f"{function}: shape must be of 2 to {MOST_DIMENSIONS} integers, got {shape}")
    read_band(function, begin, end, &first, &last)
    return generated(function, &output, shape, first, last, value, dtype, out)


def diagonal_matrix(shape, begin=0, end=1, value=1, *, dtype=float32, out=None):
    cdef Layout output
    cdef int64_t first = 0
    cdef int64_t last = 0
    cdef tuple sizes = items_of(shape)
    if sizes is None or not 2 <= len(sizes) <= MOST_DIMENSIONS or not read_integers_of(sizes, output.sizes):
        sizes = arguments.shape_of_matrices("diagonal_matrix", shape)
        read_integers_of(sizes, output.sizes)
    output.rank = <int32_t>len(sizes)
    read_band("diagonal_matrix", begin, end, &first, &last)
    return generated("diagonal_matrix", &output, sizes, first, last, value, dtype, out)


cdef object square(str function, int64_t rows, int64_t columns, object N, object M, int64_t begin, int64_t end,
                   object dtype, object out):
    """Ones in a band on zeros."""
    cdef Layout output
    cdef tuple sizes = None
    output.rank = 2
    output.sizes[0] = rows
    output.sizes[1] = columns
    if max(rows, columns) == FARTHEST or min(rows, columns) == -FARTHEST:
        sizes = (N, M)
    return generated(function, &output, sizes, begin, end, 1, dtype, out)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None, out=None):
    N = index_of("eye", "N", N)
    M = N if M is None else index_of("eye", "M", M)
    cdef int64_t diagonal = read_diagonal("eye", k)
    if device is not None and device != "cpu":
        raise ValueError(f"eye: device must be 'cpu' or None, got {device!r}")
    if like is not None:
        raise TypeError(f"eye: like must be None, got {type(like).__name__}")
    if order != "C" and order != "F":
        order = "C" if order is None else order.upper() if isinstance(order, str) else order
    if order == "F" and out is None:
        # The transposed identity, seen from the other side.
        return square("eye", near(M), near(N), M, N, -diagonal, 1 - diagonal, dtype, None).T
    if order != "C" and order != "F":
        raise ValueError(f"eye: order must be 'C' or 'F', got {order!r}")
    return square("eye", near(N), near(M), N, M, diagonal, diagonal + 1, dtype, out)


def tri(N, M=None, k=0, dtype=float, *, like=None, out=None):
    N = index_of("tri", "N", N)
    M = N if M is None else index_of("tri", "M", M)
    if like is not None:
        raise TypeError(f"tri: like must be None, got {type(like).__name__}")
    return square("tri", max(near(N), 0), max(near(M), 0), N, M, -FARTHEST, read_diagonal("tri", k) + 1, dtype, out)


cdef object filled(str function, object out, cnp.ndarray memory, cnp.ndarray source, Layout *input, int64_t begin,
                   int64_t end, const void *value):
    """A band of a value, or of zeros for NULL, on the source's elements."""
    cdef Layout output
    cdef dmlc_shared_plan *shared = NULL
    cdef bint in_place = False
    # What was stored just before, the input's layout, takes longer to copy.
    read_layout(source, &output)
    if output.rank < input.rank:
        copy_layout(input, &output)
    cdef cnp.ndarray result = result_of(function, memory, &output, source.descr, None)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        in_place = cnp.PyArray_DATA(result) == first and same_steps(&output, input)
        if not in_place:
            source = apart_from(function, source, input, &first, memory)
        ready(share_band(&shared, cnp.PyArray_ITEMSIZE(result), begin, end, &output, input, in_place))
        run_once(shared, cnp.PyArray_DATA(result), first, NULL, value, result, source)
    return finish(out, result)


def fill_band(array, begin, end, value, *, out=None):
    cdef Layout input
    cdef dmlc_element element
    cdef int64_t first = 0
    cdef int64_t last = 0
    cdef cnp.ndarray source = array_of("fill_band", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    if rank < 2:
        raise ValueError(f"fill_band: array must have at least 2 dimensions, got {rank}")
    read_band("fill_band", begin, end, &first, &last)
    read_element("fill_band", "value", value, dtype, &element)
    cdef cnp.ndarray memory = memory_of("fill_band", out)
    source = settle("fill_band", "array", array, source, dtype, rank, &input)
    return filled("fill_band", out, memory, source, &input, first, last, &element)


cdef object triangle(str function, object m, object k, bint lower, object out):
    """The other triangle is bytes of zero, whatever they mean to the dtype."""
    cdef Layout input
    cdef cnp.ndarray source = array_of(function, "m", m)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    cdef int64_t diagonal = read_diagonal(function, k)
    if rank == 0:
        raise TypeError(f"{function}: m must have at least 1 dimension, got 0")
    cdef cnp.ndarray memory = memory_of(function, out)
    source = settle(function, "m", m, source, dtype, rank, &input)
    if rank == 1:  # broadcast to a square
        input.rank = 2
        input.sizes[1] = input.sizes[0]
        input.strides[1] = input.strides[0]
        input.strides[0] = 0
    if lower:
        return filled(function, out, memory, source, &input, diagonal + 1, FARTHEST, NULL)
    return filled(function, out, memory, source, &input, -FARTHEST, diagonal, NULL)


def tril(m, k=0, *, out=None):
    return triangle("tril", m, k, True, out)


def triu(m, k=0, *, out=None):
    return triangle("triu", m, k, False, out)
