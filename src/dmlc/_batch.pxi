# stack, collate and pad_sequence: what they are given becomes arrays of one dtype, then the items of a batch.

cdef dict ALIGNMENTS = {"start": 0, "end": 1, "center": 2}
cdef dict SIDES = {"right": 0, "left": 1}  # where a sequence is padded, and how that aligns it


cdef bint are_plain(tuple items) noexcept:
    """Whether all are arrays that are read where they are."""
    cdef void *dtype = NULL  # of the one before
    cdef Py_ssize_t i
    cdef object item
    for i in range(PyTuple_GET_SIZE(items)):
        item = <object>PyTuple_GET_ITEM(items, i)
        if not cnp.PyArray_CheckExact(item):
            return False
        if (<PyArrayObject_fields *>item).descr != dtype and not is_movable((<cnp.ndarray>item).descr):
            return False
        dtype = (<PyArrayObject_fields *>item).descr
    return True


cdef int check_rest(int64_t i, cnp.ndarray row, cnp.ndarray first) except -1:
    """Raise unless a sequence's elements are like the first one's."""
    cdef int axis
    cdef bint agrees = 0 < cnp.PyArray_NDIM(row) == cnp.PyArray_NDIM(first)
    for axis in range(1, cnp.PyArray_NDIM(row) if agrees else 0):
        agrees = agrees and cnp.PyArray_DIMS(row)[axis] == cnp.PyArray_DIMS(first)[axis]
    if not agrees:
        raise ValueError(f"pad_sequence: arrays[{i}] must have shape (length, *rest) with rest {shape_of(first)[1:]}, "
                         f"got {shape_of(row)}")
    return 0


cdef tuple converted(str function, object values):
    """What a batch is made of, and arrays of its memory. A plain ndarray stands for itself in both.

    What pad_sequence takes is judged as it comes: of what claims any length no more is read than is right.
    """
    cdef list given = []
    cdef list rows = []
    cdef cnp.ndarray row
    cdef object entries = items_of(values)
    if entries is None:
        entries = arguments.entries_of_batch(function, values)
    for value in entries:
        row = known_array(value)
        if row is None:
            row = array_of_any(function, f"arrays[{len(rows)}]", value)
        if function == "pad_sequence":
            check_rest(len(rows), row, rows[0] if rows else row)
        given.append(value)
        rows.append(row)
    return tuple(given), tuple(rows)


cdef cnp.dtype dtype_of_batch(str function, tuple rows, bint native, bint *is_one):
    """The one that NumPy promotes all to, and whether all have it; if it is to be native, as NumPy would have it."""
    cdef cnp.dtype dtype = (<cnp.ndarray>rows[0]).descr
    cdef object row
    is_one[0] = not native or cnp.PyDataType_ISNOTSWAPPED(dtype) and cnp.PyTypeNum_ISNUMBER(dtype.type_num)
    for row in rows:
        is_one[0] = is_one[0] and (<PyArrayObject_fields *>row).descr == <void *>dtype
    return dtype if is_one[0] else arguments.common_dtype(function, rows, native)


cdef int judge_settled(str function, Py_ssize_t i, const Layout *row, Layout *item, int first) except -1:
    """Raise unless a row is as the items were: of their rank, and of their sizes from an axis on; the others grow."""
    cdef int axis
    cdef bint agrees = row.rank == item.rank
    for axis in range(row.rank if agrees else 0):
        if axis < first:
            item.sizes[axis] = max(item.sizes[axis], row.sizes[axis])
        else:
            agrees = agrees and row.sizes[axis] == item.sizes[axis]
    if not agrees:
        raise ValueError(f"{function}: arrays[{i}] must stay as it is while other arguments are converted, got shape "
                         f"{sizes_of(row)}")
    return 0


cdef tuple settle_rows(str function, tuple given, tuple rows, cnp.dtype dtype, bint is_one, Layout *item, int first):
    """The rows as they are by now, converted to the dtype unless it is the one they had.

    The item has the rank and, from the axis ``first`` on, the sizes of each; before, it gets the largest sizes. From
    here on no other code runs until the rows are in the batch.
    """
    cdef Layout layout
    cdef list settled = None
    cdef Py_ssize_t i
    cdef int axis
    cdef cnp.ndarray row
    if not is_one:
        given, rows = arguments.promoted(given, rows, dtype)
    for axis in range(first):
        item.sizes[axis] = 0
    for i in range(PyTuple_GET_SIZE(rows)):
        row = <cnp.ndarray>PyTuple_GET_ITEM(rows, i)
        value = <object>PyTuple_GET_ITEM(given, i)
        if value is not row and cnp.PyArray_Check(value) or not read_plain(row, dtype, item.rank, &layout):
            if settled is None:
                settled = list(rows)
            settled[i] = settle(function, f"arrays[{i}]", value, row, dtype, cnp.PyArray_NDIM(row), &layout)
        judge_settled(function, i, &layout, item, first)
    return rows if settled is None else tuple(settled)


cdef tuple rows_apart(str function, tuple rows, cnp.ndarray memory):
    """The rows, copied where memory is about to be written over them; there is none if it is None."""
    cdef Layout layout
    cdef const char *first
    cdef list apart = None
    cdef Py_ssize_t i
    cdef cnp.ndarray row
    cdef cnp.ndarray other
    if memory is None:
        return rows
    for i in range(len(rows)):
        row = <cnp.ndarray>rows[i]
        if cnp.PyArray_SIZE(row) == 0:
            continue
        read_layout(row, &layout)
        first = <const char *>cnp.PyArray_DATA(row)
        other = apart_from(function, row, &layout, &first, memory)
        if other is not row:
            if apart is None:
                apart = list(rows)
            apart[i] = other
    return rows if apart is None else tuple(apart)


cdef object batched(str function, object out, cnp.ndarray memory, tuple rows, cnp.dtype dtype, Layout *item,
                    tuple sizes, int place, int mode, int align, const void *value, int mask_rank):
    """The batch of items along a new axis, and its mask if it is to have axes.

    ``sizes`` are the item's where they may not fit into its layout.
    """
    cdef Layout batch, marks
    cdef cnp.ndarray mask = None
    cdef tuple exact = insert_axis(item, place, <int64_t>len(rows), None, sizes, &batch)
    cdef cnp.ndarray result = result_of(function, memory, &batch, dtype, exact)
    if mask_rank > 0:
        copy_layout(&batch, &marks)
        marks.rank = mask_rank
        mask = result_of(function, None, &marks, BOOL, None if exact is None else exact[:mask_rank])
    write_batch(rows_apart(function, rows, memory), result, place, mode, align, value, mask)
    out = finish(out, result)
    return out if mask is None else (out, mask)


cdef int check_alike(tuple rows, Layout *item) except -1:
    """Raise unless all have the sizes of the first."""
    cdef cnp.ndarray row
    read_layout(<cnp.ndarray>rows[0], item)
    for row in rows:
        if not has_sizes(row, item):
            raise ValueError("all input arrays must have the same shape")
    return 0


def stack(arrays, axis=0, *, out=None):
    cdef Layout item
    cdef bint is_one
    cdef tuple given = items_of(arrays)
    cdef tuple rows = given
    if given is None or not are_plain(given):
        given, rows = converted("stack", arrays)
    if not rows:
        raise ValueError("need at least one array to stack")
    check_alike(rows, &item)
    cdef int place = axis_of("stack", axis, item.rank + 1)
    cdef cnp.dtype dtype = dtype_of_batch("stack", rows, True, &is_one)
    cdef cnp.ndarray memory = memory_of("stack", out)
    rows = settle_rows("stack", given, rows, dtype, is_one, &item, 0)
    return batched("stack", out, memory, rows, dtype, &item, None, place, CONSTANT, 0, NULL, 0)


cdef int check_ranks(tuple rows) except -1:
    cdef int rank = cnp.PyArray_NDIM(<cnp.ndarray>rows[0])
    cdef Py_ssize_t i
    for i in range(len(rows)):
        if cnp.PyArray_NDIM(<cnp.ndarray>rows[i]) != rank:
            raise ValueError(f"collate: arrays[{i}] must have as many dimensions as arrays[0], {rank}, got "
                             f"{cnp.PyArray_NDIM(<cnp.ndarray>rows[i])}")
    return 0


cdef int check_extents(tuple rows, const Layout *item, object mode) except -1:
    """Raise where an item would go on from no element."""
    cdef Py_ssize_t i
    cdef int axis
    for i in range(len(rows)):
        for axis in range(item.rank):
            if cnp.PyArray_DIMS(<cnp.ndarray>rows[i])[axis] == 0 and item.sizes[axis] > 0:
                raise ValueError(
                    f"collate: arrays[{i}] must have an element along axis {axis} to be extended to "
                    f"{item.sizes[axis]} in mode {mode!r}, got shape {shape_of(<cnp.ndarray>rows[i])}")
    return 0


def collate(arrays, *, shape=None, mode="constant", value=0, align="start", return_mask=False, out=None):
    cdef Layout item
    cdef int64_t wanted[MOST_DIMENSIONS]
    cdef dmlc_element element
    cdef tuple sizes = None
    cdef bint is_one
    cdef int axis
    cdef tuple given = items_of(arrays)
    cdef tuple rows = given
    if given is None or not are_plain(given):
        given, rows = converted("collate", arrays)
    if not rows:
        raise ValueError("collate: arrays must hold at least one array, got none")
    check_ranks(rows)
    item.rank = cnp.PyArray_NDIM(<cnp.ndarray>rows[0])
    cdef int number = read_mode("collate", mode)
    if number != CONSTANT and not is_default(value):
        raise ValueError(f"collate: value must be left out unless mode is 'constant', got mode {mode!r}")
    cdef object alignment = ALIGNMENTS.get(align) if isinstance(align, str) else None
    if alignment is None:
        raise ValueError(f"collate: align must be one of {', '.join(ALIGNMENTS)}, got {align!r}")
    if shape is not None:
        sizes = read_entries("collate", "shape", shape, item.rank, wanted)
        for axis in range(item.rank):
            if wanted[axis] < 0:
                raise ValueError(f"collate: shape[{axis}] must be at least 0, got {printed(sizes[axis])}")
    cdef cnp.dtype dtype = dtype_of_batch("collate", rows, False, &is_one)
    if number == CONSTANT:
        read_element("collate", "value", value, dtype, &element)
    cdef bint masked = return_mask
    cdef cnp.ndarray memory = memory_of("collate", out)
    rows = settle_rows("collate", given, rows, dtype, is_one, &item, item.rank)
    if sizes is not None:
        memcpy(item.sizes, wanted, <size_t>item.rank * sizeof(int64_t))
    if number != CONSTANT:
        check_extents(rows, &item, mode)
    return batched("collate", out, memory, rows, dtype, &item, sizes, 0, number, alignment, &element,
                   item.rank + 1 if masked else 0)


cdef int check_rests(tuple rows, Layout *item) except -1:
    cdef Py_ssize_t i
    read_layout(<cnp.ndarray>rows[0], item)
    for i in range(len(rows)):
        check_rest(i, <cnp.ndarray>rows[i], <cnp.ndarray>rows[0])
    return 0


def pad_sequence(arrays, *, side="right", value=0, multiple_of=1, return_mask=False, out=None):
    cdef Layout item
    cdef dmlc_element element
    cdef tuple sizes = None
    cdef int64_t length
    cdef bint is_one
    cdef tuple given = items_of(arrays)
    cdef tuple rows = given
    if given is None or not are_plain(given):
        given, rows = converted("pad_sequence", arrays)
    if not rows:
        raise ValueError("pad_sequence: arrays must hold at least one array, got none")
    check_rests(rows, &item)
    alignment = SIDES.get(side) if isinstance(side, str) else None
    if alignment is None:
        raise ValueError(f"pad_sequence: side must be 'right' or 'left', got {side!r}")
    multiple_of = index_of("pad_sequence", "multiple_of", multiple_of)
    cdef int64_t multiple = near(multiple_of)
    if multiple < 1:
        raise ValueError(f"pad_sequence: multiple_of must be at least 1, got {printed(multiple_of)}")
    cdef cnp.dtype dtype = dtype_of_batch("pad_sequence", rows, False, &is_one)
    read_element("pad_sequence", "value", value, dtype, &element)
    cdef bint masked = return_mask
    cdef cnp.ndarray memory = memory_of("pad_sequence", out)
    rows = settle_rows("pad_sequence", given, rows, dtype, is_one, &item, 1)
    length = item.sizes[0]
    item.sizes[0] = saturated(length, (multiple - length % multiple) % multiple)
    if item.sizes[0] == FARTHEST:
        sizes = (-(-<object>length // multiple_of) * multiple_of, *sizes_of(&item)[1:])
    return batched("pad_sequence", out, memory, rows, dtype, &item, sizes, 0, CONSTANT, alignment, &element,
                   2 if masked else 0)
