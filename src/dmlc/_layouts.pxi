# Layouts: sizes and strides, of arrays and of what is to be made, and what they say about each other.

cdef enum:
    MOST_DIMENSIONS = 64

# Numbers farther from 0 are taken for this one, which is beyond any element; a size of it does not fit anywhere.
cdef extern from *:
    """
    #define DMLC_FARTHEST ((int64_t)1 << 62)
    """
    const int64_t FARTHEST "DMLC_FARTHEST"


# Sizes and strides in bytes, as the core takes them.
cdef struct Layout:
    int32_t rank
    int64_t sizes[MOST_DIMENSIONS]
    int64_t strides[MOST_DIMENSIONS]
    int64_t bytes  # of a packed array, -1 for too many: as pack_layout says


cdef void read_layout(cnp.ndarray array, Layout *layout) noexcept:
    cdef int axis
    layout.rank = cnp.PyArray_NDIM(array)
    for axis in range(layout.rank):
        layout.sizes[axis] = cnp.PyArray_DIMS(array)[axis]
        layout.strides[axis] = cnp.PyArray_STRIDES(array)[axis]


cdef void copy_layout(const Layout *layout, Layout *to) noexcept:
    """Copy what there is: the whole struct is a kilobyte."""
    cdef int axis
    to.rank = layout.rank
    for axis in range(layout.rank):
        to.sizes[axis] = layout.sizes[axis]
        to.strides[axis] = layout.strides[axis]


cdef void copy_sizes(const Layout *layout, Layout *to) noexcept:
    """The same without strides, which are still to be given."""
    cdef int axis
    to.rank = layout.rank
    for axis in range(layout.rank):
        to.sizes[axis] = layout.sizes[axis]


cdef tuple sizes_of(const Layout *layout):
    return tuple([layout.sizes[axis] for axis in range(layout.rank)])


cdef tuple strides_of(const Layout *layout):
    return tuple([layout.strides[axis] for axis in range(layout.rank)])


cdef bint sizes_agree(const Layout *one, const Layout *other, int first) noexcept:
    """Whether sizes agree from an axis on, of layouts of one rank."""
    cdef int axis
    for axis in range(first, one.rank):
        if one.sizes[axis] != other.sizes[axis]:
            return False
    return True


cdef bint same_sizes(const Layout *first, const Layout *second) noexcept:
    return first.rank == second.rank and sizes_agree(first, second, 0)


cdef int64_t pack_layout(Layout *layout, int64_t width) noexcept:
    """Give sizes that are not negative the strides of a C-contiguous array; return its bytes, or -1 for too many.

    They are too many as well where one size is 2^62 or more, of an array without elements too.
    """
    cdef int64_t bytes = width
    cdef int axis
    layout.bytes = -1
    for axis in range(layout.rank - 1, -1, -1):
        layout.strides[axis] = bytes
        if dmlc_product(max(bytes, 1), layout.sizes[axis], FARTHEST) == FARTHEST:
            return -1
        bytes *= layout.sizes[axis]
    layout.bytes = bytes
    return bytes


cdef bint is_empty(const Layout *layout) noexcept:
    # The product of sizes that are claimed by repeating elements may be beyond 64 bits.
    cdef int axis
    for axis in range(layout.rank):
        if layout.sizes[axis] == 0:
            return True
    return False


cdef bint same_steps(const Layout *first, const Layout *second) noexcept:
    """Whether layouts of the same sizes go the same ways: where an axis has one element, its stride goes nowhere."""
    cdef int axis
    for axis in range(first.rank):
        if first.sizes[axis] > 1 and first.strides[axis] != second.strides[axis]:
            return False
    return True


cdef inline bint is_packed(cnp.ndarray array) noexcept:
    return cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS)


cdef tuple insert_axis(const Layout *layout, int place, int64_t size, object exact, tuple sizes, Layout *to):
    """Give ``to`` the layout's sizes with one more at a place.

    Return None, or all sizes as a tuple where they do not fit: where there are too many dimensions, or one is FARTHEST.
    The tuple has ``exact`` for the new size and ``sizes`` for the others, where these are not None.
    """
    cdef int axis
    cdef bint fits = layout.rank < MOST_DIMENSIONS
    to.rank = layout.rank + 1
    for axis in range(min(to.rank, MOST_DIMENSIONS)):
        to.sizes[axis] = size if axis == place else layout.sizes[axis - 1 if axis > place else axis]
        fits = fits and to.sizes[axis] != FARTHEST
    if fits:
        return None
    if sizes is None:
        sizes = sizes_of(layout)
    return (*sizes[:place], size if exact is None else exact, *sizes[place:])


cdef inline bint has_sizes(cnp.ndarray array, const Layout *layout) noexcept:
    """Whether an array is of these sizes."""
    if cnp.PyArray_NDIM(array) != layout.rank:
        return False
    cdef int axis
    for axis in range(layout.rank):
        if cnp.PyArray_DIMS(array)[axis] != layout.sizes[axis]:
            return False
    return True


cdef inline bint is_exactly(object array, cnp.dtype dtype, const Layout *layout) noexcept:
    """Whether it is an array of this very dtype and these sizes."""
    if not cnp.PyArray_CheckExact(array) or (<PyArrayObject_fields *>array).descr != <void *>dtype:
        return False
    return has_sizes(<cnp.ndarray>array, layout)


cpdef bint same_layout(cnp.ndarray first, cnp.ndarray second) except -1:
    """Whether the elements of one are the other's, of two arrays whose shapes agree where their ranks do."""
    cdef int axis
    if first is None or second is None:
        raise TypeError("arrays must not be None")
    if cnp.PyArray_NDIM(first) != cnp.PyArray_NDIM(second):
        return False
    for axis in range(cnp.PyArray_NDIM(first)):
        if (cnp.PyArray_DIMS(first)[axis] > 1
                and cnp.PyArray_STRIDES(first)[axis] != cnp.PyArray_STRIDES(second)[axis]):
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
    cdef int64_t step, size, place, further
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
        # The least integer has no absolute value, and a step of 0 is above the reach of elements that have no bytes.
        if steps[axis] <= 0 or steps[axis] <= reach:
            return False
        further = dmlc_product(sizes[axis] - 1, steps[axis], INT64_MAX - reach)
        if further == INT64_MAX - reach:
            return False
        reach += further
    return True


def offsets_fit(cnp.ndarray array not None):
    """Whether no element lies 2^62 bytes or more from the first: then sums of sizes and strides need no care."""
    cdef Layout layout
    read_layout(array, &layout)
    return is_empty(&layout) or dmlc_reach_fits(layout.rank, layout.sizes, layout.strides)


cdef void read_reach(cnp.ndarray array, uintptr_t *first, uintptr_t *end) noexcept:
    """The addresses from the lowest byte of an array that is not empty to after its highest.

    Unsigned, as those of an array that reaches further than there is memory wrap round: they mean nothing, and it is
    refused where it is planned for.
    """
    cdef uintptr_t reach
    cdef int axis
    first[0] = <uintptr_t>cnp.PyArray_DATA(array)
    end[0] = first[0] + <uintptr_t>cnp.PyArray_ITEMSIZE(array)
    for axis in range(cnp.PyArray_NDIM(array)):
        reach = <uintptr_t>(cnp.PyArray_DIMS(array)[axis] - 1) * <uintptr_t>cnp.PyArray_STRIDES(array)[axis]
        if cnp.PyArray_STRIDES(array)[axis] < 0:
            first[0] += reach
        else:
            end[0] += reach


cdef bint may_overlap(cnp.ndarray one, cnp.ndarray other) noexcept:
    """Whether the two reach into each other; of an empty array the answer means nothing."""
    cdef uintptr_t first, end, other_first, other_end
    read_reach(one, &first, &end)
    read_reach(other, &other_first, &other_end)
    return first < other_end and other_first < end
