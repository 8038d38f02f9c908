# Many arrays into one. Each is read through a window of its own, by its size and the alignment, and all run as one: one
# call, one team of threads. Short rows are there before plans for them are found.

cdef dict ALIGNMENTS = {"start": 0, "end": 1, "center": 2}

cdef enum:
    # Batches of less are moved as they are looked at, where no plan is needed. Beyond, threads are worth the plans,
    # unless there is one thread or the items are little: to find the plan of one takes as long as to move 10 KB.
    AT_ONCE_BYTES = 256 * 1024
    MOST_AT_ONCE_BYTES = 8 * 1024 * 1024
    LITTLE_ITEM_BYTES = 16 * 1024

    # So many elements dmlc_copy moves without a plan.
    FEW_ELEMENTS = 192

    # They are counted in 32 bits, the masks with them.
    MOST_MEMBERS = 1 << 30

cdef unsigned char TRUE = 1


# Plans that are to run together.
cdef struct Runs:
    int64_t room
    int32_t count
    int64_t bytes
    void *memory
    const dmlc_plan **plans
    dmlc_shared_plan **shared  # NULL where a plan is the one before it
    dmlc_operands *operands


cdef int runs_reserve(Runs *runs) except -1:
    """Room for as many as there can be, once it is known that there are any."""
    cdef int64_t each = sizeof(dmlc_operands) + sizeof(dmlc_plan *) + sizeof(dmlc_shared_plan *)
    runs.memory = malloc(<size_t>(runs.room * each))
    if runs.memory is NULL:
        raise MemoryError
    runs.operands = <dmlc_operands *>runs.memory
    runs.plans = <const dmlc_plan **>(runs.operands + runs.room)
    runs.shared = <dmlc_shared_plan **>(runs.plans + runs.room)
    return 0


cdef void runs_add(Runs *runs, const dmlc_plan *plan, dmlc_shared_plan *owned, char *output, const void *input,
                   const void *value) noexcept:
    cdef dmlc_operands *operands = &runs.operands[runs.count]
    operands.output = output
    operands.input = input
    operands.values[0] = value
    operands.values[1] = NULL
    runs.plans[runs.count] = plan
    runs.shared[runs.count] = owned
    runs.bytes += min(dmlc_plan_bytes(plan), INT64_MAX - runs.bytes)
    runs.count += 1


cdef void runs_run(Runs *runs, tuple rows, cnp.ndarray batch) noexcept:
    """Run them; the arrays are held while the GIL is released."""
    cdef object held = None
    if runs.count == 0:
        return
    if runs.bytes >= RELEASE_BYTES:
        held = hold_all(batch, None, None, rows)
    if held is None:
        dmlc_run_many(runs.plans, runs.operands, runs.count, 0)
        return
    with nogil:
        dmlc_run_many(runs.plans, runs.operands, runs.count, 0)


cdef void runs_end(Runs *runs) noexcept:
    cdef int32_t i
    for i in range(runs.count):
        dmlc_share_release(runs.shared[i])
    free(runs.memory)


# What the items of a batch have in common.
cdef struct Items:
    Layout item       # sizes, and strides in the batch
    int64_t step      # from item to item, in bytes
    int64_t width
    int mode
    int align
    bint at_once      # packed, and moved without a plan
    const void *value
    # The plan of the layout that was met last; neighbours mostly are alike.
    Layout seen
    const dmlc_plan *plan


cdef void items_begin(Items *items, const Layout *batch, int axis, int64_t width, int mode, int align,
                      const void *value) noexcept:
    """The items lie along an axis of the batch."""
    cdef int64_t packed = width
    cdef int i, place
    items.item.rank = batch.rank - 1
    items.step = batch.strides[axis]
    items.width = width
    items.mode = mode
    items.align = align
    items.value = value
    items.plan = NULL
    items.at_once = batch.sizes[axis] <= MOST_AT_ONCE_BYTES
    for i in range(batch.rank - 2, -1, -1):
        place = i if i < axis else i + 1
        items.item.sizes[i] = batch.sizes[place]
        items.item.strides[i] = batch.strides[place]
        if items.at_once:
            items.at_once = items.item.sizes[i] == 1 or items.item.strides[i] == packed
            # In this order the product fits.
            items.at_once = items.at_once and 0 < items.item.sizes[i] <= MOST_AT_ONCE_BYTES // packed
            packed *= items.item.sizes[i] if items.at_once else 1
    if items.at_once and packed * batch.sizes[axis] > AT_ONCE_BYTES:
        items.at_once = packed * batch.sizes[axis] <= MOST_AT_ONCE_BYTES and (
            packed <= LITTLE_ITEM_BYTES or dmlc_threads() == 1)


cdef int64_t window_start(int64_t size, int64_t wanted, int align) noexcept:
    """Where a window of ``wanted`` elements stands on so many; half an element too much is at its end."""
    if align == 0:
        return 0
    return size - wanted if align == 1 else (size - wanted) // 2


cdef void fill_packed(char *to, int64_t bytes, int64_t width, const void *value) noexcept:
    cdef int64_t filled, more
    if value is NULL or width == 1:
        memset(to, 0 if value is NULL else (<const unsigned char *>value)[0], <size_t>bytes)
        return
    if bytes == 0:
        return
    memcpy(to, value, <size_t>width)
    filled = width
    while filled < bytes:
        more = min(filled, bytes - filled)
        memcpy(to + filled, to, <size_t>more)
        filled += more


cdef bint sizes_agree(const Layout *one, const Layout *other, int first) noexcept:
    """Whether sizes agree from an axis on, of layouts of one rank."""
    cdef int axis
    for axis in range(first, one.rank):
        if one.sizes[axis] != other.sizes[axis]:
            return False
    return True


cdef bint needs_plan(const Items *items, const Layout *input, bint packed) noexcept:
    """Whether an item is more than a few elements, or than packed rows of which at most the number differs."""
    cdef int64_t elements = 1
    cdef int axis
    cdef bint whole = sizes_agree(&items.item, input, 0)
    if items.at_once and packed and (whole or items.mode == 0 and sizes_agree(&items.item, input, 1)):
        return False
    if not whole:
        return True
    for axis in range(input.rank):
        if elements > FEW_ELEMENTS:
            return True
        elements *= min(input.sizes[axis], FEW_ELEMENTS + 1)
    return elements > FEW_ELEMENTS


cdef int plan_item(Items *items, Runs *runs, char *to, const Layout *input, const char *source) except -1:
    """Have an item run with the others."""
    cdef dmlc_shared_plan *shared = NULL
    cdef int64_t start[MOST_DIMENSIONS]
    cdef int axis
    cdef size_t bytes = <size_t>input.rank * sizeof(int64_t)
    if runs.memory is NULL:
        runs_reserve(runs)
    if (items.plan is NULL or memcmp(input.sizes, items.seen.sizes, bytes) != 0
            or memcmp(input.strides, items.seen.strides, bytes) != 0):
        if sizes_agree(&items.item, input, 0):
            ready(dmlc_share_copy(&shared, items.width, input.rank, input.sizes, input.strides, items.item.strides))
        else:
            for axis in range(input.rank):
                start[axis] = window_start(input.sizes[axis], items.item.sizes[axis], items.align)
            ready(dmlc_share_window(
                &shared, items.width, input.rank, input.sizes, input.strides, items.item.sizes, items.item.strides,
                start, <dmlc_padding_mode>items.mode))
        copy_layout(input, &items.seen)
        items.plan = shared.plan
    runs_add(runs, items.plan, shared, to, source, items.value)
    return 0


cdef int write_item(const Items *items, char *to, const Layout *input, const char *source, bint packed) except -1:
    """Write an item that needs no plan."""
    cdef int64_t inner = items.width
    cdef int64_t wanted, start, before, first, inside
    cdef int axis
    if not (packed and items.at_once):
        return ready(dmlc_copy(items.width, input.rank, input.sizes, to, items.item.strides, source, input.strides, 1))
    for axis in range(1, input.rank):
        inner *= input.sizes[axis]
    if input.rank == 0 or input.sizes[0] == items.item.sizes[0]:
        memcpy(to, source, <size_t>(inner if input.rank == 0 else inner * input.sizes[0]))
        return 0
    wanted = items.item.sizes[0]
    start = window_start(input.sizes[0], wanted, items.align)
    before = max(0, -start)
    first = max(0, start)
    inside = min(wanted - before, input.sizes[0] - first)
    fill_packed(to, before * inner, items.width, items.value)
    memcpy(to + before * inner, source + first * inner, <size_t>(inside * inner))
    before += inside
    fill_packed(to + before * inner, (wanted - before) * inner, items.width, items.value)
    return 0


cdef bint write_marks(const Items *marks, char *to, const Layout *input) noexcept:
    """Write what is real along one axis; whether it is one."""
    cdef int64_t wanted = marks.item.sizes[0]
    if not marks.at_once or marks.item.rank != 1:
        return False
    memset(to, 0, <size_t>wanted)
    memset(to + max(0, -window_start(input.sizes[0], wanted, marks.align)), 1, <size_t>min(wanted, input.sizes[0]))
    return True


cdef int plan_marks(Items *marks, Runs *runs, char *to, const Layout *input) except -1:
    """A window on an element that repeats without end, as far as the array goes."""
    cdef Layout real
    cdef int axis
    real.rank = marks.item.rank
    for axis in range(real.rank):
        real.sizes[axis] = input.sizes[axis]
        real.strides[axis] = 0
    return plan_item(marks, runs, to, &real, <const char *>&TRUE)


cdef int check_row(const Items *items, cnp.ndarray row, Layout *layout) except -1:
    """Read an array's layout, if it can be an item."""
    read_layout(row, layout)
    if layout.rank != items.item.rank or cnp.PyArray_ITEMSIZE(row) != items.width:
        raise ValueError(f"arrays must have {items.item.rank} dimensions and {items.width} bytes an element, got "
                         f"{layout.rank} and {cnp.PyArray_ITEMSIZE(row)}")
    if not dmlc_reach_fits(layout.rank, layout.sizes, layout.strides):
        raise ValueError(f"arrays must have their elements less than 2^62 bytes apart, got strides "
                         f"{strides_of(layout)} for sizes {sizes_of(layout)}")
    return 0


cdef int write_batch(tuple rows, cnp.ndarray batch, int axis, int mode, int align, const void *value,
                     cnp.ndarray mask) except -1:
    """Write arrays into the items of a batch along an axis; and the mask of what is theirs.

    They share no memory with the batch. The mask, if there is one, is new and has the batch's first sizes: it says what
    is real along these. The rows are looked at once more, as arrays that overlap may have let other threads run;
    ValueError is raised, and nothing written, if they do not fit.
    """
    cdef Layout layout, input
    cdef Items items, marks
    cdef Runs runs
    cdef char *to = <char *>cnp.PyArray_DATA(batch)
    cdef char *mark = NULL
    cdef const char *nothing = b"\0"
    cdef cnp.ndarray row
    cdef Py_ssize_t count = len(rows)
    cdef Py_ssize_t i
    cdef Py_ssize_t planned = 0
    read_layout(batch, &layout)
    if axis >= layout.rank or layout.sizes[axis] != count or count > MOST_MEMBERS:
        raise ValueError(f"batch must have {count} items along axis {axis}, and at most {MOST_MEMBERS}, got sizes "
                         f"{sizes_of(&layout)}")
    items_begin(&items, &layout, axis, cnp.PyArray_ITEMSIZE(batch), mode, align, value)
    if mask is not None:
        read_layout(mask, &input)
        items_begin(&marks, &input, 0, 1, 0, align, nothing)
        mark = <char *>cnp.PyArray_DATA(mask)
    runs.room = count if mask is None else 2 * count
    runs.count = 0
    runs.bytes = 0
    runs.memory = NULL
    try:
        # All that can fail is done before anything is written.
        for i in range(count):
            row = <cnp.ndarray>rows[i]
            check_row(&items, row, &input)
            if needs_plan(&items, &input, is_packed(row)):
                plan_item(&items, &runs, to + i * items.step, &input, <const char *>cnp.PyArray_DATA(row))
                planned += 1
            if mark is not NULL and not (marks.at_once and marks.item.rank == 1):
                plan_marks(&marks, &runs, mark + i * marks.step, &input)
        for i in range(count):
            row = <cnp.ndarray>rows[i]
            if planned == count and (mark is NULL or not (marks.at_once and marks.item.rank == 1)):
                break
            read_layout(row, &input)
            if not needs_plan(&items, &input, is_packed(row)):
                write_item(&items, to + i * items.step, &input, <const char *>cnp.PyArray_DATA(row), is_packed(row))
            if mark is not NULL:
                write_marks(&marks, mark + i * marks.step, &input)
        runs_run(&runs, rows, batch)
    finally:
        runs_end(&runs)
    return 0


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
        raise ValueError(f"pad_sequence: arrays[{i}] must have shape (length, *{shape_of(first)[1:]}), got "
                         f"{shape_of(row)}")
    return 0


cdef tuple converted(str function, object values):
    """What a batch is made of, and arrays of its memory; NumPy's own and no other is both.

    What pad_sequence takes is judged as it comes: of what claims any length no more is read than is right.
    """
    cdef list given = []
    cdef list rows = []
    cdef cnp.ndarray row
    cdef object entries = items_of(values)
    if entries is None:
        entries = arguments.entries_of_batch(function, values)
    for value in entries:
        row = little_tensor(value)
        if row is None:
            row = array_of(function, f"arrays[{len(rows)}]", value)
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
    cdef object row
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
                raise ValueError(f"collate: shape[{axis}] must be at least 0, got {sizes[axis]}")
    cdef cnp.dtype dtype = dtype_of_batch("collate", rows, False, &is_one)
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
    if side not in ("right", "left"):
        raise ValueError(f"pad_sequence: side must be 'right' or 'left', got {side!r}")
    multiple_of = index_of("pad_sequence", "multiple_of", multiple_of)
    cdef int64_t multiple = near(multiple_of)
    if multiple < 1:
        raise ValueError(f"pad_sequence: multiple_of must be at least 1, got {multiple_of}")
    cdef cnp.dtype dtype = dtype_of_batch("pad_sequence", rows, False, &is_one)
    read_element("pad_sequence", "value", value, dtype, &element)
    cdef bint masked = return_mask
    cdef cnp.ndarray memory = memory_of("pad_sequence", out)
    rows = settle_rows("pad_sequence", given, rows, dtype, is_one, &item, 1)
    length = item.sizes[0]
    item.sizes[0] = saturated(length, (multiple - length % multiple) % multiple)
    if item.sizes[0] == FARTHEST:
        sizes = (-(-<object>length // multiple_of) * multiple_of, *sizes_of(&item)[1:])
    return batched("pad_sequence", out, memory, rows, dtype, &item, sizes, 0, CONSTANT, side == "left", &element,
                   2 if masked else 0)
