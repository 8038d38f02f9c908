# frames: those inside the signal are read where they are. Of the others there are a few at each end: what they read is
# written out for them once, as a window.


cdef void move_axis_last(const Layout *input, int place, Layout *moved) noexcept:
    cdef int axis, other
    moved.rank = input.rank
    for axis in range(input.rank):
        other = place if axis == input.rank - 1 else axis if axis < place else axis + 1
        moved.sizes[axis] = input.sizes[other]
        moved.strides[axis] = input.strides[other]


cdef int copy_frames(cnp.ndarray result, const Layout *output, int64_t begin, int64_t end, cnp.ndarray source,
                     const char *first, const Layout *signal, int64_t hop) except -1:
    """Frames [begin, end) of the result's, from samples every hop on, the first of them at ``first``."""
    cdef Layout part
    cdef int64_t strides[MOST_DIMENSIONS]
    cdef int last = signal.rank  # the axis within a frame; that of the frames is before it
    copy_layout(output, &part)
    part.sizes[last - 1] = end - begin
    part.bytes = output.bytes // output.sizes[last - 1] * (end - begin)
    memcpy(strides, signal.strides, <size_t>last * sizeof(int64_t))
    strides[last] = strides[last - 1]
    # A single frame goes nowhere; else the hop is less than there are samples.
    strides[last - 1] *= hop if end - begin > 1 else 0
    cdef char *to = <char *>cnp.PyArray_DATA(result) + begin * output.strides[last - 1]
    return copy_view_to(to, result, &part, source, first, strides)


cdef cnp.ndarray samples_of_frames(const Layout *output, int64_t begin, int64_t end, cnp.ndarray source,
                                   const char *first, const Layout *signal, int64_t hop, int64_t half, int mode,
                                   Layout *samples):
    """What frames [begin, end) read of a signal that goes on, half a frame before its beginning too."""
    cdef int64_t starts[MOST_DIMENSIONS]
    cdef int last = signal.rank - 1
    copy_sizes(signal, samples)
    samples.sizes[last] = (end - begin - 1) * hop + output.sizes[last + 1]
    cdef cnp.ndarray array = new_packed_array(samples, source.descr)
    memset(starts, 0, <size_t>last * sizeof(int64_t))
    starts[last] = begin * hop - half
    run_window(array, samples, source, first, signal, starts, mode, NULL)
    return array


cdef int write_frames(cnp.ndarray result, const Layout *output, cnp.ndarray source, const char *first,
                      const Layout *signal, int64_t hop, int64_t half, int mode) except -1:
    cdef Layout before, after
    cdef cnp.ndarray head = None
    cdef cnp.ndarray tail = None
    cdef int axis = signal.rank - 1  # of the samples, and of the frames
    cdef int64_t count = output.sizes[axis]
    cdef int64_t room = signal.sizes[axis] - (output.sizes[axis + 1] - half)  # from the first frame to the last inside
    cdef int64_t begin = min((half + hop - 1) // hop, count)
    cdef int64_t end = max(room // hop + 1 if room >= 0 else 0, begin)
    cdef object held = hold_all(result, source, None)  # between two runs other threads get a turn
    if held is None:
        raise MemoryError
    # All that needs memory comes before anything is written.
    if begin > 0:
        head = samples_of_frames(output, 0, begin, source, first, signal, hop, half, mode, &before)
    if end < count:
        tail = samples_of_frames(output, end, count, source, first, signal, hop, half, mode, &after)
    if begin > 0:
        copy_frames(result, output, 0, begin, head, <const char *>cnp.PyArray_DATA(head), &before, hop)
    if begin < end:
        first += (begin * hop - half) * signal.strides[axis]
        copy_frames(result, output, begin, end, source, first, signal, hop)
    if end < count:
        copy_frames(result, output, end, count, tail, <const char *>cnp.PyArray_DATA(tail), &after, hop)
    return 0


def frames(array, length, hop, *, axis=-1, center=True, mode="reflect", out=None):
    cdef Layout input, signal, frame, output
    cdef int64_t size, step, samples, room
    cdef int64_t half = 0
    cdef cnp.ndarray source = array_of("frames", "array", array)
    cdef cnp.dtype dtype = source.descr
    cdef int rank = cnp.PyArray_NDIM(source)
    length = index_of("frames", "length", length)
    hop = index_of("frames", "hop", hop)
    for argument, value in (("length", length), ("hop", hop)):
        if value < 1:
            raise ValueError(f"frames: {argument} must be at least 1, got {printed(value)}")
    cdef int place = axis_of("frames", axis, rank)
    cdef int number = read_mode("frames", mode)
    cdef bint is_centered = center
    cdef cnp.ndarray memory = memory_of("frames", out)
    source = settle("frames", "array", array, source, dtype, rank, &input)
    samples = input.sizes[place]
    if samples == 0 and number != CONSTANT:
        raise ValueError(f"frames: array must have a sample along axis {place} in mode {mode!r}, got none")
    size = near(length)
    step = near(hop)
    if is_centered:
        half = size // 2
    # Of an odd length, one sample less is added than a frame has.
    room = samples - (<int64_t>(length & 1) if is_centered else size)
    if room < 0:
        raise ValueError(f"frames: array must have at least {length & 1 if is_centered else printed(length)} "
                         f"samples along axis {place}, got {samples}")
    move_axis_last(&input, place, &signal)
    copy_sizes(&signal, &frame)
    frame.sizes[rank - 1] = size
    cdef tuple sizes = sizes_of(&frame)[:rank - 1] + (length,) if size == FARTHEST else None
    sizes = insert_axis(&frame, rank - 1, 1 + room // step, None, sizes, &output)
    cdef cnp.ndarray result = result_of("frames", memory, &output, dtype, sizes)
    cdef const char *first = <const char *>cnp.PyArray_DATA(source)
    if output.bytes > 0:
        source = apart_from("frames", source, &input, &first, memory)
        move_axis_last(&input, place, &signal)
        write_frames(result, &output, source, first, &signal, step, half, number)
    return finish(out, result)
