# Arrays as the items of a batch. Each is read through a window of its own, by its size and the alignment, and all run
# as one: one call, one team of threads. Short rows are there before plans for them are found.

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
    int byte          # what each byte of the value is, or -1 if they differ
    # The plan of the layout that was met last; neighbours mostly are alike.
    Layout seen
    const dmlc_plan *plan


cdef int byte_of(int64_t width, const void *value) noexcept:
    """What each byte of an element is, 0 where there is none; -1 if they differ."""
    cdef const unsigned char *bytes = <const unsigned char *>value
    if value is NULL:
        return 0
    return bytes[0] if memcmp(bytes, bytes + 1, <size_t>(width - 1)) == 0 else -1


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
    items.byte = byte_of(width, value)
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


cdef void fill_packed(const Items *items, char *to, int64_t bytes) noexcept:
    cdef int64_t filled, more
    if items.byte >= 0:
        memset(to, items.byte, <size_t>bytes)
        return
    if bytes == 0:
        return
    memcpy(to, items.value, <size_t>items.width)
    filled = items.width
    while filled < bytes:
        more = min(filled, bytes - filled)
        memcpy(to + filled, to, <size_t>more)
        filled += more


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
    fill_packed(items, to, before * inner)
    memcpy(to + before * inner, source + first * inner, <size_t>(inside * inner))
    before += inside
    fill_packed(items, to + before * inner, (wanted - before) * inner)
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
