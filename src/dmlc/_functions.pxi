# The functions of arrays as they are called: each decorates the function in Python that has the docstring and knows
# what to do with any argument. Plain arguments never get there: one frame of Python's is a third of a small call.


def with_plain_pad(general):
    def pad(array, pad_width, mode="constant", *, constant_values=0, out=None):
        cdef object result = plain_pad(array, pad_width, mode, constant_values, out)
        if result is not None:
            return result
        return general(array, pad_width, mode, constant_values=constant_values, out=out)

    return update_wrapper(pad, general)


def with_plain_window(general):
    def window(array, start, shape, mode="constant", *, constant_values=0, out=None):
        cdef object result = plain_window(array, start, shape, mode, constant_values, out)
        if result is not None:
            return result
        return general(array, start, shape, mode, constant_values=constant_values, out=out)

    return update_wrapper(window, general)


def with_plain_roll(general):
    def roll(array, shift, axis=None, *, out=None):
        cdef object result = plain_roll(array, shift, axis, out)
        return general(array, shift, axis, out=out) if result is None else result

    return update_wrapper(roll, general)


def with_plain_stack(general):
    def stack(arrays, axis=0, *, out=None):
        cdef object result = plain_stack(arrays, axis, out)
        return general(arrays, axis, out=out) if result is None else result

    return update_wrapper(stack, general)


def with_plain_collate(general):
    def collate(arrays, *, shape=None, mode="constant", value=0, align="start", return_mask=False, out=None):
        cdef object result = plain_collate(arrays, shape, mode, value, align, return_mask, out)
        if result is not None:
            return result
        return general(arrays, shape=shape, mode=mode, value=value, align=align, return_mask=return_mask, out=out)

    return update_wrapper(collate, general)


def with_plain_pad_sequence(general):
    def pad_sequence(arrays, *, side="right", value=0, multiple_of=1, return_mask=False, out=None):
        cdef object result = plain_pad_sequence(arrays, side, value, multiple_of, return_mask, out)
        if result is not None:
            return result
        return general(arrays, side=side, value=value, multiple_of=multiple_of, return_mask=return_mask, out=out)

    return update_wrapper(pad_sequence, general)


def with_plain_copy(general):
    def copy(array, *, out=None):
        cdef object result = plain_copy(array, out)
        return general(array, out=out) if result is None else result

    return update_wrapper(copy, general)


def with_plain_flip(general):
    def flip(array, axis=None, *, out=None):
        cdef object result = plain_flip(array, axis, out)
        return general(array, axis, out=out) if result is None else result

    return update_wrapper(flip, general)


def with_plain_slice(general):
    def slice(array, offsets, sizes, strides, *, output_sizes=None, out=None):
        cdef object result = plain_slice(array, offsets, sizes, strides, output_sizes, out)
        if result is not None:
            return result
        return general(array, offsets, sizes, strides, output_sizes=output_sizes, out=out)

    return update_wrapper(slice, general)


def with_plain_one_hot(general):
    def one_hot(indices, depth, *, axis=-1, on_value=1, off_value=0, dtype=float32, negative="wrap", out=None):
        cdef object result = plain_one_hot(indices, depth, axis, on_value, off_value, dtype, negative, out)
        if result is not None:
            return result
        return general(indices, depth, axis=axis, on_value=on_value, off_value=off_value, dtype=dtype,
                       negative=negative, out=out)

    return update_wrapper(one_hot, general)


def with_plain_diagonal_matrix(general):
    def diagonal_matrix(shape, begin=0, end=1, value=1, *, dtype=float32, out=None):
        cdef object result = plain_diagonal_matrix(shape, begin, end, value, dtype, out)
        return general(shape, begin, end, value, dtype=dtype, out=out) if result is None else result

    return update_wrapper(diagonal_matrix, general)


def with_plain_fill_band(general):
    def fill_band(array, begin, end, value, *, out=None):
        cdef object result = plain_fill_band(array, begin, end, value, out)
        return general(array, begin, end, value, out=out) if result is None else result

    return update_wrapper(fill_band, general)


def with_plain_eye(general):
    def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None, out=None):
        cdef Layout output
        cdef int64_t diagonal = 0
        cdef object result = None
        if order == "C" and device is None and like is None and read_matrix(N, M, k, &output, &diagonal):
            result = generate_band(&output, diagonal, diagonal + 1, 1, dtype, out)
        return general(N, M, k, dtype, order, device=device, like=like, out=out) if result is None else result

    return update_wrapper(eye, general)


def with_plain_tri(general):
    def tri(N, M=None, k=0, dtype=float, *, like=None, out=None):
        cdef Layout output
        cdef int64_t diagonal = 0
        cdef object result = None
        if like is None and read_matrix(N, M, k, &output, &diagonal):
            result = generate_band(&output, -FARTHEST, diagonal + 1, 1, dtype, out)
        return general(N, M, k, dtype, like=like, out=out) if result is None else result

    return update_wrapper(tri, general)


def with_plain_tril(general):
    def tril(m, k=0, *, out=None):
        cdef object result = plain_triangle(m, k, True, out)
        return general(m, k, out=out) if result is None else result

    return update_wrapper(tril, general)


def with_plain_triu(general):
    def triu(m, k=0, *, out=None):
        cdef object result = plain_triangle(m, k, False, out)
        return general(m, k, out=out) if result is None else result

    return update_wrapper(triu, general)
