# Operators on arrays. What an array cannot carry, paddings or a band's borders, is the operator; sizes and strides are
# the arrays' own. Both together make a plan, which is shared with whoever needs the same.


cdef int check_width(bytes value, int64_t width) except -1:
    if value is None or PyBytes_GET_SIZE(value) != width:
        raise ValueError(f"a value must have the element's {width} bytes, got {value!r}")
    return 0


cdef const void *element(bytes value, int64_t width) except? NULL:
    if value is None:
        return NULL
    check_width(value, width)
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
        check_movable(type(self).__name__, "array", output.descr)
        if input is not None:
            check_movable(type(self).__name__, "array", input.descr)
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
