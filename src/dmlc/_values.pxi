# Integers, elements and dtypes that callers hand over. Python's own are read directly; dmlc.arrays converts or refuses
# the rest.

# Room for one element of any width, aligned for any type.
cdef extern from *:
    """
    typedef union { unsigned char bytes[16]; long double number; int64_t integer; } dmlc_element;
    """
    ctypedef union dmlc_element:
        unsigned char bytes[16]


cdef inline int64_t near(object value) noexcept:
    """A Python integer, or FARTHEST with its sign if it is farther from 0."""
    cdef int overflow = 0
    cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow != 0:
        return FARTHEST * overflow
    return max(-FARTHEST, min(number, FARTHEST))


cdef object index_of(str function, str argument, object value):
    """An integer as Python's own."""
    return value if PyLong_CheckExact(value) else arrays.index(function, argument, value)


cdef inline tuple items_of(object values):
    """What a tuple or a list holds; None of anything else."""
    if type(values) is tuple:
        return values
    return tuple(values) if type(values) is list else None


cdef bint read_integers_of(tuple entries, int64_t *to) noexcept:
    """Read entries as `near` does; whether they are Python's own integers."""
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(entries)):
        if not PyLong_CheckExact(<object>PyTuple_GET_ITEM(entries, i)):
            return False
        to[i] = near(<object>PyTuple_GET_ITEM(entries, i))
    return True


cdef tuple read_entries(str function, str argument, object values, int count, int64_t *to):
    """Read one integer for each of so many axes, as `near` does; return them as they are."""
    cdef tuple entries = items_of(values)
    if entries is None or PyTuple_GET_SIZE(entries) != count or not read_integers_of(entries, to):
        entries = tuple(arrays.entries(function, argument, values, count))
        read_integers_of(entries, to)
    return entries


cdef object ZERO = 0
cdef object ONE = 1

# What callers ask for most: 1 in every type of numbers, and the types' names. NumPy makes them, once.
cdef dmlc_element[cnp.NPY_FLOAT16 + 1] ONES
cdef dict DTYPES = {}


cdef int make_usual() except -1:
    cdef int number
    cdef cnp.dtype dtype
    for number in range(cnp.NPY_FLOAT16 + 1):
        if cnp.PyTypeNum_ISNUMBER(number):
            dtype = cnp.PyArray_DescrFromType(number)
            if is_movable(dtype):
                PyArray_Pack(dtype, &ONES[number], ONE)
                DTYPES[dtype.name] = numpy_dtype(dtype.name)
    return 0


make_usual()


cdef bint read_number(object value, cnp.dtype dtype, dmlc_element *to):
    """Whether it is a number of Python's own that can be assigned to an element."""
    # NumPy takes a tenth of a small pad, or of a small one-hot, to make the usual ones.
    if value is ZERO and cnp.PyTypeNum_ISNUMBER(dtype.type_num):
        memset(to, 0, sizeof(dmlc_element))
        return True
    if value is ONE and cnp.PyTypeNum_ISNUMBER(dtype.type_num) and cnp.PyArray_ISNBO(dtype.byteorder):
        to[0] = ONES[dtype.type_num]
        return True
    if not (PyLong_CheckExact(value) or PyFloat_CheckExact(value) or type(value) is bool or
            PyComplex_CheckExact(value)):
        return False
    try:
        PyArray_Pack(dtype, to, value)
    except Exception:
        return False  # Python says why
    return True


cdef int read_element(str function, str argument, object value, cnp.dtype dtype, dmlc_element *to) except -1:
    """Convert a value to an element as NumPy does when it is assigned."""
    cdef bytes converted
    if not read_number(value, dtype, to):
        converted = arrays.one_element(function, argument, value, dtype)
        memcpy(to, PyBytes_AS_STRING(converted), <size_t>cnp.PyDataType_ELSIZE(dtype))
    return 0


cdef cnp.dtype dtype_of(str function, object value):
    """What NumPy understands by it, of elements that move."""
    cdef PyObject *known = PyDict_GetItemWithError(DTYPES, value) if type(value) is str else NULL
    if known is not NULL:
        return <cnp.dtype>known  # NumPy takes a fifth of a small one-hot to read a name
    cdef cnp.PyArray_Descr *converted = NULL
    PyArray_DescrConverter(value, &converted)
    cdef cnp.dtype dtype = <cnp.dtype>converted
    Py_DECREF(dtype)  # the converter's own
    check_movable(function, "dtype", dtype)
    return dtype
