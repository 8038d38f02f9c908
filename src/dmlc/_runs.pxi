# Runs of plans: plans are shared with whoever needs the same, arrays are held while the GIL is released.

cdef enum:
    # Below this many bytes moved the GIL is kept. Such a run is over in microseconds; a thread that gives the GIL away
    # while another one computes waits until the interpreter takes it back, some milliseconds.
    RELEASE_BYTES = 512 * 1024


cdef int ready(dmlc_status status) except -1:
    if status == DMLC_OK:
        return 0
    if status == DMLC_OUT_OF_MEMORY:
        raise MemoryError
    raise ValueError((<bytes>dmlc_status_message(status)).decode())


cdef bint COLLECTS_ANYWHERE = sys.version_info < (3, 12)


cdef object hold(object array):
    """What keeps the memory of an array where it is: NumPy resizes none that has a weak reference, whoever asks.

    A view's memory is that of the array it was made of. Memory of others, a bytearray's, is held by its export.
    """
    cdef PyObject *base
    while True:
        base = (<PyArrayObject_fields *>array).base
        if base is not NULL and type(<object>base) is memoryview:
            base = <PyObject *>(<object>base).obj
        if base is NULL or not cnp.PyArray_Check(<object>base):
            return PyWeakref_NewRef(array, None)
        array = <object>base


cdef object hold_all(object written, object read, object values, tuple more=()):
    """Hold arrays, or None, and more; None where there is no memory to hold them with."""
    # Up to Python 3.11, to make an object may collect garbage, and a finalizer runs anything.
    cdef bint collects = COLLECTS_ANYWHERE and PyGC_IsEnabled()
    if collects:
        PyGC_Disable()
    try:
        return [hold(array) for array in (written, read, values, *more) if array is not None]
    except MemoryError:
        return None
    finally:
        if collects:
            PyGC_Enable()


cdef void run_released(const dmlc_shared_plan *shared, const dmlc_operands *operands, object held) noexcept:
    if held is None:
        dmlc_run_on_threads(shared.plan, operands)
        return
    with nogil:
        dmlc_run_on_threads(shared.plan, operands)


cdef void run(const dmlc_shared_plan *shared, void *output, const void *input, const void *background,
              const void *value, object written, object read, object values) noexcept:
    """Run a plan on memory of arrays, or of None, whose layouts were read after the last of the caller's code ran.

    The arrays are held while the GIL is released; with the GIL, nobody can change them meanwhile.
    """
    cdef dmlc_operands operands
    operands.output = output
    operands.input = input
    operands.values[0] = background
    operands.values[1] = value
    if dmlc_plan_bytes(shared.plan) < RELEASE_BYTES:
        dmlc_run_on_threads(shared.plan, &operands)
    else:
        run_released(shared, &operands, hold_all(written, read, values))


cdef void run_once(dmlc_shared_plan *shared, void *output, const void *input, const void *background,
                   const void *value, object written, object read) noexcept:
    run(shared, output, input, background, value, written, read, None)
    dmlc_share_release(shared)


cdef int index_type(cnp.dtype dtype) noexcept:
    """The dmlc_index_type of a native integer type, -1 of any other."""
    cdef int number = dtype.type_num
    if not cnp.PyTypeNum_ISINTEGER(number) or not cnp.PyDataType_ISNOTSWAPPED(dtype):
        return -1
    cdef int place = 0
    while 1 << place < cnp.PyDataType_ELSIZE(dtype):
        place += 1
    return place + 4 if cnp.PyTypeNum_ISUNSIGNED(number) else place


cdef dmlc_status share_one_hot(dmlc_shared_plan **shared, int64_t width, int indices_type, bint from_end, int axis,
                               const Layout *output, const Layout *indices) noexcept:
    """The indices have the output's axes but for ``axis``, or with a single element there."""
    cdef int64_t strides[MOST_DIMENSIONS]
    cdef int missing = output.rank - indices.rank
    cdef int i
    for i in range(output.rank):
        strides[i] = 0 if i == axis else indices.strides[i - missing if i > axis else i]
    return dmlc_share_one_hot(shared, width, <dmlc_index_type>indices_type, from_end, output.rank, output.sizes,
                              strides, output.strides, axis)


cdef dmlc_status share_band(dmlc_shared_plan **shared, int64_t width, int64_t begin, int64_t end,
                            const Layout *output, const Layout *input, bint in_place) noexcept:
    cdef dmlc_band_background background = DMLC_BACKGROUND_VALUE
    cdef const int64_t *input_strides = NULL
    if input is not NULL:
        background = DMLC_BACKGROUND_KEEP if in_place else DMLC_BACKGROUND_INPUT
        input_strides = &input.strides[0]
    return dmlc_share_diagonal_matrix(shared, width, output.rank, output.sizes, input_strides, output.strides, begin,
                                      end, background)
