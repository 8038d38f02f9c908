# Operators of descriptors, ready to be called.


cdef object plain_output(object out, Layout *layout, cnp.dtype dtype, object source, bint in_place):
    """A new array of the layout's sizes, or ``out`` where it can hold them and is apart from the source, or else None.

    The layout gets the strides. ``in_place`` says whether the output may be the source itself.
    """
    cdef int64_t bytes = pack_layout(layout, cnp.PyDataType_ELSIZE(dtype))
    if bytes <= 0 or layout.rank > MOST_DIMENSIONS:
        return None
    if out is None:
        return new_array(layout, bytes, dtype)
    if not is_exactly(out, dtype, layout) or not cnp.PyArray_CHKFLAGS(out, cnp.NPY_ARRAY_WRITEABLE):
        return None
    if not is_packed(out):
        read_layout(out, layout)
        if not elements_are_distinct(out):
            return None
    if source is not None and may_overlap(out, source) and not (in_place and out is source):
        return None
    return out


@cython.final
cdef class Tensor:
    """A tensor of a compiled operator: the type and, packed, the layout of arrays that need no further thought."""

    cdef cnp.dtype dtype
    cdef Layout layout
    cdef uint64_t alignment  # that arrays are to have, in bytes; 0 for any

    def __cinit__(self, cnp.dtype dtype not None, const int64_t[:] sizes, uint64_t alignment=0):
        cdef int axis
        check_movable("Tensor", "dtype", dtype)
        self.dtype = dtype
        self.alignment = alignment
        self.layout.rank = <int32_t>read_integers(sizes, self.layout.sizes)
        for axis in range(self.layout.rank):
            if self.layout.sizes[axis] < 0:
                raise ValueError(f"sizes must not be negative, got {sizes_of(&self.layout)}")
        if pack_layout(&self.layout, self.width()) < 0:
            raise ValueError(f"sizes must be at most 2^62 bytes in all, got {sizes_of(&self.layout)} of {dtype}")

    cdef int64_t width(self) noexcept:
        return cnp.PyDataType_ELSIZE(self.dtype)

    cdef bint holds(self, object array) noexcept:
        return is_exactly(array, self.dtype, &self.layout) and self.is_aligned(array)

    cdef bint is_aligned(self, object array) noexcept:
        return self.alignment == 0 or <uintptr_t>cnp.PyArray_DATA(<cnp.ndarray>array) % self.alignment == 0


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
        if out is not None and not self.output.is_aligned(output):
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
