# Operators on arrays. What an array cannot carry, paddings or a band's borders, is the operator; sizes and strides are
# the arrays' own. Both together make a plan, which is shared with whoever needs the same.


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
            return ref(array)
        array = <object>base


cdef object hold_all(object written, object read, object values, tuple more=()):
    """Hold arrays, or None, and more; None where there is no memory to hold them with."""
    # Up to Python 3.11, to make an object may collect garbage, and a finalizer runs anything.
    cdef bint collects = COLLECTS_ANYWHERE and gc.isenabled()
    if collects:
        gc.disable()
    try:
        held = [hold(array) for array in (written, read, values) if array is not None]
        for array in more:
            held.append(hold(array))
        return held
    except MemoryError:
        return None
    finally:
        if collects:
            gc.enable()


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


cdef bint same_layout(cnp.ndarray first, cnp.ndarray second) noexcept:
    """Whether the elements of one are the other's, of two arrays whose shapes agree where their ranks do."""
    cdef int axis
    if cnp.PyArray_NDIM(first) != cnp.PyArray_NDIM(second):
        return False
    for axis in range(cnp.PyArray_NDIM(first)):
        if cnp.PyArray_STRIDES(first)[axis] != cnp.PyArray_STRIDES(second)[axis]:
            return False
    return cnp.PyArray_DATA(first) == cnp.PyArray_DATA(second)


cpdef bint elements_are_distinct(cnp.ndarray array) except -1:
    """Whether no two elements share memory, as far as strides prove it.

    Sorted by size, each stride must exceed the reach of all smaller ones.
    """
    if array is None:
        raise TypeError("array must not be None")
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
        # A step of 0 is no divisor; it is reached where elements have no bytes.
        if steps[axis] <= 0 or steps[axis] <= reach or sizes[axis] - 1 > (INT64_MAX - reach) // steps[axis]:
            return False
        reach += (sizes[axis] - 1) * steps[axis]
    return True


def offsets_fit(cnp.ndarray array not None):
    """Whether no element lies 2^62 bytes or more from the first: then sums of sizes and strides need no care."""
    cdef Layout layout
    cdef int axis
    read_layout(array, &layout)
    for axis in range(layout.rank):
        if layout.sizes[axis] == 0:
            return True
    return dmlc_reach_fits(layout.rank, layout.sizes, layout.strides)


cdef const void *element(bytes value, int64_t width) except? NULL:
    if value is None:
        return NULL
    if PyBytes_GET_SIZE(value) != width:
        raise ValueError(f"a value must have the element's {width} bytes, got {PyBytes_GET_SIZE(value)}")
    return PyBytes_AS_STRING(value)


cdef class Operator:
    """An operator for arrays of any layout.

    Nothing is believed of arrays that Python hands over: since it looked at them, a conversion, a finalizer or another
    thread may have given them other sizes or other memory. `run_on` reads them once more, and from there to the
    end of the run no other code gets a turn.
    """

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        """Whether all that is read lies inside the input; where there is none, it is NULL and the widths are one."""
        return False

    cdef str relation(self):
        return "there is no such operator"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        """The plan for layouts that relate; ``input`` is NULL where there is none."""
        return DMLC_INVALID_ARGUMENT

    cdef int check(self, int64_t width, int64_t input_width, const Layout *output, const Layout *input) except -1:
        if not self.relates(width, input_width, output, input):
            got = "none" if input is NULL else f"{sizes_of(input)} of {input_width} bytes"
            raise ValueError(f"{type(self).__name__}: {self.relation()}, got input {got} and output "
                             f"{sizes_of(output)} of {width} bytes")
        return 0

    def run(self, cnp.ndarray output not None, cnp.ndarray input=None, bytes background=None, bytes value=None):
        """Write ``output`` from ``input`` and from the bytes of one element each.

        They share no memory, but for a band's, which may be the same. ValueError is raised if they do not fit.
        """
        cdef int64_t width = cnp.PyArray_ITEMSIZE(output)
        self.run_on(output, input, element(background, width), element(value, width), None)

    cdef int run_on(self, cnp.ndarray output, cnp.ndarray input, const void *background, const void *value,
                    object values) except -1:
        cdef Layout output_layout, input_layout
        cdef const Layout *given = NULL
        cdef const void *read = NULL
        cdef int64_t width = cnp.PyArray_ITEMSIZE(output)
        cdef int64_t input_width = width
        cdef bint in_place = False
        cdef dmlc_shared_plan *shared = NULL
        read_layout(output, &output_layout)
        if input is not None:
            read_layout(input, &input_layout)
            given = &input_layout
            read = cnp.PyArray_DATA(input)
            input_width = cnp.PyArray_ITEMSIZE(input)
            in_place = same_layout(output, input)
        self.check(width, input_width, &output_layout, given)
        if not cnp.PyArray_CHKFLAGS(output, cnp.NPY_ARRAY_WRITEABLE):
            raise ValueError(f"{type(self).__name__}: output must be writeable, got a read-only array")
        cdef dmlc_status status = self.share(&shared, width, &output_layout, given, in_place)
        if status == DMLC_OVERFLOW:
            read_strides = "none" if given is NULL else strides_of(given)
            raise ValueError(f"{type(self).__name__}: elements must lie less than 2^62 bytes apart, got strides "
                             f"{read_strides} of the input and {strides_of(&output_layout)} of the output")
        ready(status)
        run(shared, cnp.PyArray_DATA(output), read, background, value, output, input, values)
        dmlc_share_release(shared)
        return 0


cdef Py_ssize_t read_integers(const int64_t[:] values, int64_t *to) except -1:
    """Copy the integers of an array; return how many there are."""
    if values.shape[0] > MOST_DIMENSIONS:
        raise ValueError(f"at most {MOST_DIMENSIONS} dimensions, got {values.shape[0]}")
    cdef Py_ssize_t i
    for i in range(values.shape[0]):
        to[i] = values[i]
    return values.shape[0]


@cython.final
cdef class Padding(Operator):
    cdef Py_ssize_t rank
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int64_t end[MOST_DIMENSIONS]
    cdef int mode

    def __cinit__(self, const int64_t[:] start, const int64_t[:] end, int mode):
        self.rank = read_integers(start, self.start)
        if read_integers(end, self.end) != self.rank:
            raise ValueError(f"start and end must be equally many, got {self.rank} and {end.shape[0]}")
        self.mode = mode

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        cdef int64_t rest
        cdef int axis
        if input is NULL or input_width != width or input.rank != self.rank or output.rank != self.rank:
            return False
        for axis in range(output.rank):
            rest = output.sizes[axis] - input.sizes[axis]
            if self.start[axis] < 0 or self.start[axis] > rest or self.end[axis] != rest - self.start[axis]:
                return False
        return True

    cdef str relation(self):
        start = [self.start[axis] for axis in range(self.rank)]
        end = [self.end[axis] for axis in range(self.rank)]
        return f"output sizes must be input sizes + start + end, which are {start} and {end}"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_padding(shared, width, input.rank, input.sizes, input.strides, output.strides,
                                  self.start, self.end, <dmlc_padding_mode>self.mode)


@cython.final
cdef class Window(Operator):
    cdef Py_ssize_t rank
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int mode

    def __cinit__(self, const int64_t[:] start, int mode):
        self.rank = read_integers(start, self.start)
        self.mode = mode

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        cdef int axis
        if input is NULL or input_width != width or input.rank != self.rank or output.rank != self.rank:
            return False
        for axis in range(output.rank):
            if self.mode != 0 and input.sizes[axis] == 0 and output.sizes[axis] > 0:
                return False
        return True

    cdef str relation(self):
        return f"input and output must have {self.rank} dimensions, and in mode {self.mode} elements to extend"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_window(shared, width, input.rank, input.sizes, input.strides, output.sizes, output.strides,
                                 self.start, <dmlc_padding_mode>self.mode)


@cython.final
cdef class Slice(Operator):
    cdef Py_ssize_t rank
    cdef int64_t offsets[MOST_DIMENSIONS]
    cdef int64_t steps[MOST_DIMENSIONS]

    def __cinit__(self, const int64_t[:] offsets, const int64_t[:] steps):
        self.rank = read_integers(offsets, self.offsets)
        if read_integers(steps, self.steps) != self.rank:
            raise ValueError(f"offsets and steps must be equally many, got {self.rank} and {steps.shape[0]}")

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        cdef int64_t room, step
        cdef int axis
        if input is NULL or input_width != width or input.rank != self.rank or output.rank != self.rank:
            return False
        for axis in range(output.rank):
            if output.sizes[axis] == 0:
                return True
        for axis in range(output.rank):
            if not 0 <= self.offsets[axis] < input.sizes[axis]:
                return False
            if output.sizes[axis] == 1:
                continue
            step = self.steps[axis]
            room = self.offsets[axis] if step < 0 else input.sizes[axis] - 1 - self.offsets[axis]
            if step == INT64_MIN or (step != 0 and output.sizes[axis] - 1 > room // (-step if step < 0 else step)):
                return False
        return True

    cdef str relation(self):
        offsets = [self.offsets[axis] for axis in range(self.rank)]
        steps = [self.steps[axis] for axis in range(self.rank)]
        return f"what is read, from {offsets} by {steps}, must lie inside the input"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_slice(shared, width, output.rank, output.sizes, input.strides, output.strides,
                                self.offsets, self.steps)


@cython.final
cdef class Copy(Operator):
    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        return input is not NULL and input_width == width and same_sizes(output, input)

    cdef str relation(self):
        return "output sizes must be the input's"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return dmlc_share_copy(shared, width, output.rank, output.sizes, input.strides, output.strides)


@cython.final
cdef class Frames(Operator):
    """output[.., f, i] = input[.., f * hop + i]"""

    cdef int64_t hop

    def __cinit__(self, int64_t hop):
        self.hop = hop

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        cdef int64_t count, room
        cdef int axis
        if input is NULL or input_width != width or input.rank < 1 or output.rank != input.rank + 1 or self.hop < 1:
            return False
        for axis in range(input.rank - 1):
            if output.sizes[axis] != input.sizes[axis]:
                return False
        count = output.sizes[input.rank - 1]
        room = input.sizes[input.rank - 1] - output.sizes[input.rank]
        return count == 0 or room >= 0 and count - 1 <= room // self.hop

    cdef str relation(self):
        return f"frames every {self.hop} must lie inside the input's last axis"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        cdef int64_t strides[MOST_DIMENSIONS]
        cdef int axis
        for axis in range(input.rank):
            strides[axis] = input.strides[axis]
        strides[input.rank] = strides[input.rank - 1]
        # A single frame goes nowhere; else the hop is less than the axis' size, which has been checked.
        strides[input.rank - 1] *= self.hop if output.sizes[input.rank - 1] > 1 else 0
        return dmlc_share_copy(shared, width, output.rank, output.sizes, strides, output.strides)


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
    cdef int64_t indices_width
    cdef bint from_end
    cdef int axis

    def __cinit__(self, cnp.dtype indices_type not None, bint from_end, int axis):
        self.indices_type = index_type(indices_type)
        self.indices_width = cnp.PyDataType_ELSIZE(indices_type)
        self.from_end = from_end
        self.axis = axis

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        cdef int missing, axis
        if input is NULL or input_width != self.indices_width or not 0 <= self.axis < output.rank:
            return False
        missing = output.rank - input.rank
        if missing != 1 and (missing != 0 or input.sizes[self.axis] != 1):
            return False
        for axis in range(output.rank):
            if axis != self.axis and output.sizes[axis] != input.sizes[axis - missing if axis > self.axis else axis]:
                return False
        return True

    cdef str relation(self):
        return (f"indices must have {self.indices_width} bytes and the output's sizes without axis {self.axis}, "
                "or with 1 there")

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

    cdef bint relates(self, int64_t width, int64_t input_width, const Layout *output,
                      const Layout *input) noexcept:
        return output.rank >= 2 and (input is NULL or (input_width == width and same_sizes(output, input)))

    cdef str relation(self):
        return "an output must have 2 or more dimensions, and its input the same sizes"

    cdef dmlc_status share(self, dmlc_shared_plan **shared, int64_t width, const Layout *output, const Layout *input,
                           bint in_place) noexcept:
        return share_band(shared, width, self.begin, self.end, output, input, in_place)


@cython.final
cdef class Tensor:
    """A tensor of a compiled operator: the type and, packed, the layout of arrays that need no further thought."""

    cdef cnp.dtype dtype
    cdef Layout layout

    def __cinit__(self, cnp.dtype dtype not None, const int64_t[:] sizes):
        cdef int axis
        self.dtype = dtype
        self.layout.rank = <int32_t>read_integers(sizes, self.layout.sizes)
        for axis in range(self.layout.rank):
            if self.layout.sizes[axis] < 0:
                raise ValueError(f"sizes must not be negative, got {sizes_of(&self.layout)}")
        if pack_layout(&self.layout, self.width()) < 0:
            raise ValueError(f"sizes must be at most 2^62 bytes in all, got {sizes_of(&self.layout)} of {dtype}")

    cdef int64_t width(self) noexcept:
        return cnp.PyDataType_ELSIZE(self.dtype)

    cdef bint holds(self, object array) noexcept:
        return is_exactly(array, self.dtype, &self.layout)


cdef int check_tensor(str name, Tensor tensor, cnp.ndarray array) except -1:
    """Raise ValueError unless an array has the tensor's sizes and width, or there is neither."""
    cdef Layout layout
    cdef str got = "none"
    if array is not None:
        read_layout(array, &layout)
        if tensor is not None and cnp.PyArray_ITEMSIZE(array) == tensor.width() and same_sizes(&layout, &tensor.layout):
            return 0
        got = f"{sizes_of(&layout)} of {cnp.PyArray_ITEMSIZE(array)} bytes"
    elif tensor is None:
        return 0
    expected = "none" if tensor is None else f"{sizes_of(&tensor.layout)} of {tensor.width()} bytes"
    raise ValueError(f"{name} must be {expected}, got {got}")


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
        cdef int64_t width = output.width()
        element(background, width)
        element(value, width)
        if values is not None and (values.width() != width or not 0 <= on_axis < values.layout.rank
                                   or values.layout.sizes[on_axis] < 2):
            raise ValueError(f"values must have 2 elements of {width} bytes along axis {on_axis}, got "
                             f"{sizes_of(&values.layout)} of {values.width()} bytes")
        operator.check(width, width if input is None else input.width(), &output.layout,
                       NULL if input is None else &input.layout)
        self.operator = operator
        self.output = output
        self.input = input
        self.values = values
        self.background = background
        self.value = value
        self.on_axis = on_axis
        self.runs_in_place = isinstance(operator, DiagonalMatrix)
        self.input_count = (input is not None) + (values is not None)
        ready(operator.share(&self.packed, width, &output.layout,
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
        cdef Layout layout
        copy_layout(&self.output.layout, &layout)
        cdef object output = plain_output(out, &layout, self.output.dtype, source, self.runs_in_place)
        if output is None or (out is not None and values is not None and may_overlap(output, values)):
            return None
        self.run_on(output, source, values)
        return output

    def _run(self, cnp.ndarray output not None, cnp.ndarray source=None, cnp.ndarray values=None):
        """Run on arrays of any strides; ValueError is raised unless they have the tensors' sizes and widths."""
        check_tensor("output", self.output, output)
        check_tensor("input", self.input, source)
        check_tensor("values", self.values, values)
        if not cnp.PyArray_CHKFLAGS(output, cnp.NPY_ARRAY_WRITEABLE):
            raise ValueError("output must be writeable, got a read-only array")
        self.run_on(output, source, values)

    cdef int run_on(self, cnp.ndarray output, cnp.ndarray source, cnp.ndarray values) except -1:
        """Run on arrays that have the tensors' sizes and widths."""
        cdef const char *background = NULL if self.background is None else PyBytes_AS_STRING(self.background)
        cdef const char *value = NULL if self.value is None else PyBytes_AS_STRING(self.value)
        if values is not None:
            background = <const char *>cnp.PyArray_DATA(values)
            # Unsigned sums wrap round where a stride leads nowhere.
            value = <const char *>(<uintptr_t>background + <uintptr_t>cnp.PyArray_STRIDES(values)[self.on_axis])
        cdef void *read = NULL if source is None else cnp.PyArray_DATA(source)
        # Where both begin at the same address, a band runs in place, which is another plan.
        if is_packed(output) and (source is None or is_packed(source)) and read != cnp.PyArray_DATA(output):
            run(self.packed, cnp.PyArray_DATA(output), read, background, value, output, source, values)
        else:
            self.operator.run_on(output, source, background, value, values)
        return 0
