# Operators on arrays. What an array cannot carry, paddings or a band's borders, is the operator; sizes and strides are
# the arrays' own. Both together make a plan, which is shared with whoever needs the same.


cdef int ready(dmlc_status status) except -1:
    if status == DMLC_OK:
        return 0
    if status == DMLC_OUT_OF_MEMORY:
        raise MemoryError
    raise ValueError((<bytes>dmlc_status_message(status)).decode())


cdef void run(const dmlc_shared_plan *shared, void *output, const void *input, const void *background,
              const void *value) noexcept:
    cdef dmlc_operands operands
    operands.output = output
    operands.input = input
    operands.values[0] = background
    operands.values[1] = value
    if dmlc_plan_bytes(shared.plan) < RELEASE_BYTES:
        dmlc_run_on_threads(shared.plan, &operands)
    else:
        with nogil:
            dmlc_run_on_threads(shared.plan, &operands)


cdef void run_once(dmlc_shared_plan *shared, void *output, const void *input, const void *background,
                   const void *value) noexcept:
    run(shared, output, input, background, value)
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


cdef bint same_layout(cnp.ndarray first, cnp.ndarray second) noexcept:
    """Whether the elements of one are the other's, of two arrays whose shapes agree where their ranks do."""
    cdef int axis
    if cnp.PyArray_NDIM(first) != cnp.PyArray_NDIM(second):
        return False
    for axis in range(cnp.PyArray_NDIM(first)):
        if cnp.PyArray_STRIDES(first)[axis] != cnp.PyArray_STRIDES(second)[axis]:
            return False
    return cnp.PyArray_DATA(first) == cnp.PyArray_DATA(second)


cpdef bint elements_are_distinct(cnp.ndarray array) noexcept:
    """Whether no two elements share memory, as far as strides prove it.

    Sorted by size, each stride must exceed the reach of all smaller ones.
    """
    cdef int64_t steps[MOST_DIMENSIONS]
    cdef int64_t sizes[MOST_DIMENSIONS]
    cdef int64_t step, size, place
    cdef int64_t reach = cnp.PyArray_ITEMSIZE(array) - 1
    cdef int axis, count = 0
    for axis in range(cnp.PyArray_NDIM(array)):
        size = cnp.PyArray_DIMS(array)[axis]
        if size == 0:
            return True
        if size == 1:
            continue
        step = cnp.PyArray_STRIDES(array)[axis]
        step = -step if -INT64_MAX <= step < 0 else step
        place = count
        while place > 0 and steps[place - 1] > step:
            steps[place] = steps[place - 1]
            sizes[place] = sizes[place - 1]
            place -= 1
        steps[place] = step
        sizes[place] = size
        count += 1
    for axis in range(count):
        if steps[axis] <= reach or sizes[axis] - 1 > (INT64_MAX - reach) // steps[axis]:
            return False
        reach += (sizes[axis] - 1) * steps[axis]
    return True


cdef const void *element(bytes value) except? NULL:
    return NULL if value is None else PyBytes_AS_STRING(value)


cdef class Operator:
    """An operator for arrays of any layout."""

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        """The plan for these layouts; ``input`` is NULL where there is none."""
        return DMLC_INVALID_ARGUMENT

    def run(self, cnp.ndarray output not None, cnp.ndarray input=None, bytes background=None, bytes value=None):
        """Write ``output`` from ``input`` and the bytes of one element each, as the operator needs them.

        Their shapes and types have been checked. They share no memory, but for a band's, which may be the same.
        """
        self.run_on(output, input, element(background), element(value))

    cdef int run_on(self, cnp.ndarray output, cnp.ndarray input, const void *background, const void *value) except -1:
        cdef Layout output_layout, input_layout
        cdef const Layout *given = NULL
        cdef const void *read = NULL
        cdef bint in_place = False
        cdef dmlc_shared_plan *shared = NULL
        read_layout(output, &output_layout)
        if input is not None:
            read_layout(input, &input_layout)
            given = &input_layout
            read = cnp.PyArray_DATA(input)
            in_place = same_layout(output, input)
        ready(self.share(&shared, cnp.PyArray_ITEMSIZE(output), &output_layout, given, in_place))
        run_once(shared, cnp.PyArray_DATA(output), read, background, value)
        return 0


cdef int read_integers(const int64_t[:] values, int64_t *to) except -1:
    if values.shape[0] > MOST_DIMENSIONS:
        raise ValueError(f"at most {MOST_DIMENSIONS} dimensions, got {values.shape[0]}")
    cdef Py_ssize_t i
    for i in range(values.shape[0]):
        to[i] = values[i]
    return 0


@cython.final
cdef class Padding(Operator):
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int64_t end[MOST_DIMENSIONS]
    cdef int mode

    def __cinit__(self, const int64_t[:] start, const int64_t[:] end, int mode):
        read_integers(start, self.start)
        read_integers(end, self.end)
        self.mode = mode

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_padding(shared, width, input.rank, input.sizes, input.strides, output.strides,
                                  self.start, self.end, <dmlc_padding_mode>self.mode)


@cython.final
cdef class Slice(Operator):
    cdef int64_t offsets[MOST_DIMENSIONS]
    cdef int64_t steps[MOST_DIMENSIONS]

    def __cinit__(self, const int64_t[:] offsets, const int64_t[:] steps):
        read_integers(offsets, self.offsets)
        read_integers(steps, self.steps)

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_slice(shared, width, output.rank, output.sizes, input.strides, output.strides,
                                self.offsets, self.steps)


@cython.final
cdef class Copy(Operator):
    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_copy(shared, width, output.rank, output.sizes, input.strides, output.strides)


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


@cython.final
cdef class OneHot(Operator):
    cdef int indices_type
    cdef bint from_end
    cdef int axis

    def __cinit__(self, cnp.dtype indices_type not None, bint from_end, int axis):
        self.indices_type = index_type(indices_type)
        self.from_end = from_end
        self.axis = axis

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return share_one_hot(shared, width, self.indices_type, self.from_end, self.axis, output, input)


cdef dmlc_status share_band(dmlc_shared_plan **shared, int64_t width, int64_t begin, int64_t end,
                            const Layout *output, const Layout *input, bint in_place) noexcept:
    cdef dmlc_band_background background = DMLC_BACKGROUND_VALUE
    cdef const int64_t *input_strides = NULL
    if input is not NULL:
        background = DMLC_BACKGROUND_KEEP if in_place else DMLC_BACKGROUND_INPUT
        input_strides = &input.strides[0]
    return dmlc_share_diagonal_matrix(shared, width, output.rank, output.sizes, input_strides, output.strides, begin,
                                      end, background)


@cython.final
cdef class DiagonalMatrix(Operator):
    cdef int64_t begin
    cdef int64_t end

    def __cinit__(self, int64_t begin, int64_t end):
        self.begin = begin
        self.end = end

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return share_band(shared, width, self.begin, self.end, output, input, in_place)


@cython.final
cdef class Tensor:
    """A tensor of a compiled operator: the type and, packed, the layout of arrays that need no further thought."""

    cdef cnp.dtype dtype
    cdef Layout layout

    def __cinit__(self, cnp.dtype dtype not None, const int64_t[:] sizes):
        self.dtype = dtype
        self.layout.rank = <int32_t>sizes.shape[0]
        read_integers(sizes, self.layout.sizes)
        pack_layout(&self.layout, cnp.PyDataType_ELSIZE(dtype))

    cdef bint holds(self, object array) noexcept:
        return is_exactly(array, self.dtype, &self.layout)


cdef class TypedOperator:
    """An operator and its tensors, ready to be called: `dmlc.CompiledOperator` without what is rare.

    ``on_axis`` is the axis of the values tensor along which the value of "on" follows that of "off". Where there is no
    such tensor, the two are ``background`` and ``value``.
    """

    cdef Operator operator
    cdef Tensor output, input, values
    cdef bytes background, value
    cdef int on_axis
    cdef bint runs_in_place
    cdef Py_ssize_t input_count
    # For packed arrays. It is made once and never replaced, so that threads may read it without a lock.
    cdef dmlc_shared_plan *packed

    def __cinit__(self, Operator operator not None, Tensor output not None, Tensor input, Tensor values,
                  bytes background, bytes value, int on_axis):
        self.operator = operator
        self.output = output
        self.input = input
        self.values = values
        self.background = background
        self.value = value
        self.on_axis = on_axis
        self.runs_in_place = isinstance(operator, DiagonalMatrix)
        self.input_count = (input is not None) + (values is not None)
        ready(operator.share(&self.packed, cnp.PyDataType_ELSIZE(output.dtype), &output.layout,
                             NULL if input is None else &input.layout, False))

    def __dealloc__(self):
        dmlc_share_release(self.packed)

    def __call__(self, *inputs, out=None):
        result = self.call_plain(inputs, out)
        return self._call_any(inputs, out) if result is None else result

    cdef object call_plain(self, tuple inputs, object out):
        """Run on arrays that are exactly the tensors; None where they are not."""
        if <Py_ssize_t>len(inputs) != self.input_count:
            return None
        cdef object source = None
        cdef object values = None
        if self.input is not None:
            source = inputs[0]
            if not self.input.holds(source):
                return None
        if self.values is not None:
            values = inputs[1]
            if not self.values.holds(values):
                return None
        cdef Layout layout = self.output.layout
        cdef object output = plain_output(out, &layout, self.output.dtype, source, self.runs_in_place)
        if output is None or (out is not None and values is not None and may_overlap(output, values)):
            return None
        self.run_on(output, source, values)
        return output

    def _run(self, cnp.ndarray output not None, cnp.ndarray source=None, cnp.ndarray values=None):
        """Run on arrays of the tensors' types and shapes, which have been checked, of any strides."""
        self.run_on(output, source, values)

    cdef int run_on(self, cnp.ndarray output, cnp.ndarray source, cnp.ndarray values) except -1:
        cdef const char *background = <const char *>element(self.background)
        cdef const char *value = <const char *>element(self.value)
        if values is not None:
            background = <const char *>cnp.PyArray_DATA(values)
            value = background + cnp.PyArray_STRIDES(values)[self.on_axis]
        cdef void *read = NULL if source is None else cnp.PyArray_DATA(source)
        # Where both begin at the same address, a band runs in place, which is another plan.
        if is_packed(output) and (source is None or is_packed(source)) and read != cnp.PyArray_DATA(output):
            run(self.packed, cnp.PyArray_DATA(output), read, background, value)
        else:
            self.operator.run_on(output, source, background, value)
        return 0
