# cython: language_level=3, freethreading_compatible=True
"""What a Cython author writes: every function of the C API, called without the GIL."""

from libc.stdint cimport int32_t, int64_t

from dmlc.c_api cimport (
    DMLC_BACKGROUND_VALUE, DMLC_INDEX_INT64, DMLC_OK, DMLC_PADDING_REFLECTION, dmlc_has_openmp, dmlc_import, dmlc_isa,
    dmlc_isa_name, dmlc_operands, dmlc_plan, dmlc_plan_bytes, dmlc_plan_diagonal_matrix, dmlc_plan_free,
    dmlc_plan_one_hot, dmlc_plan_padding, dmlc_plan_slice, dmlc_run, dmlc_set_isa, dmlc_set_thread_threads,
    dmlc_set_threads, dmlc_status, dmlc_status_message, dmlc_threads, dmlc_version)

dmlc_import()


cdef int run(dmlc_status status, dmlc_plan *plan, void *output, const void *input,
             const float *values) except -1 nogil:
    """Run and free what was planned, or raise why it could not be."""
    cdef dmlc_operands operands
    if status != DMLC_OK:
        with gil:
            raise ValueError((<bytes>dmlc_status_message(status)).decode())
    operands.output = output
    operands.input = input
    operands.values[0] = values
    operands.values[1] = values + 1
    dmlc_run(plan, &operands, dmlc_threads())
    dmlc_plan_free(plan)
    return 0


cdef int reflect_image(const float[:, :] image, int64_t border, float[:, :] output) except -1 nogil:
    cdef int64_t[2] sizes = [image.shape[0], image.shape[1]]
    cdef int64_t[2] strides = [image.strides[0], image.strides[1]]
    cdef int64_t[2] output_strides = [output.strides[0], output.strides[1]]
    cdef int64_t[2] borders = [border, border]
    cdef float[2] values = [0, 0]
    cdef dmlc_plan *plan = NULL
    cdef dmlc_status status = dmlc_plan_padding(
        &plan, sizeof(float), 2, sizes, strides, output_strides, borders, borders, DMLC_PADDING_REFLECTION)
    return run(status, plan, &output[0, 0], &image[0, 0], values)


def reflect(const float[:, :] image, int64_t border, float[:, :] output):
    with nogil:
        reflect_image(image, border, output)


def reflect_until(const float[:, :] image, int64_t border, float[:, :] output, const int32_t[:] stop, int64_t most):
    """Reflect again and again, the GIL released once, until another thread writes stop[0]; return how often."""
    cdef int64_t runs = 0
    with nogil:
        while stop[0] == 0 and runs < most:
            reflect_image(image, border, output)
            runs += 1
    return runs


def take(const float[:] row, int64_t offset, int64_t step, float[:] output):
    cdef int64_t[1] sizes = [output.shape[0]]
    cdef int64_t[1] strides = [row.strides[0]]
    cdef int64_t[1] output_strides = [output.strides[0]]
    cdef float[2] values = [0, 0]
    cdef dmlc_plan *plan = NULL
    cdef dmlc_status status
    with nogil:
        status = dmlc_plan_slice(&plan, sizeof(float), 1, sizes, strides, output_strides, &offset, &step)
        run(status, plan, &output[0], &row[0], values)


def one_hot(const int64_t[:] indices, float[:, :] output):
    cdef int64_t[2] sizes = [output.shape[0], output.shape[1]]
    cdef int64_t[2] strides = [indices.strides[0], 0]
    cdef int64_t[2] output_strides = [output.strides[0], output.strides[1]]
    cdef float[2] values = [0, 1]
    cdef dmlc_plan *plan = NULL
    cdef dmlc_status status
    with nogil:
        status = dmlc_plan_one_hot(
            &plan, sizeof(float), DMLC_INDEX_INT64, 1, 2, sizes, strides, output_strides, 1)
        run(status, plan, &output[0, 0], &indices[0], values)


def band(int64_t begin, int64_t end, float[:, :] output):
    """Fill the band and return how many bytes the plan says to move."""
    cdef int64_t[2] sizes = [output.shape[0], output.shape[1]]
    cdef int64_t[2] strides = [output.strides[0], output.strides[1]]
    cdef float[2] values = [0, 1]
    cdef dmlc_plan *plan = NULL
    cdef int64_t moved = 0
    cdef dmlc_status status
    with nogil:
        status = dmlc_plan_diagonal_matrix(
            &plan, sizeof(float), 2, sizes, NULL, strides, begin, end, DMLC_BACKGROUND_VALUE)
        if status == DMLC_OK:
            moved = dmlc_plan_bytes(plan)
        run(status, plan, &output[0, 0], NULL, values)
    return moved


def settings():
    """The package's version, OpenMP, best and present instruction set."""
    return (dmlc_version().decode(), dmlc_has_openmp() != 0, dmlc_isa_name(0).decode(), dmlc_isa().decode())


def choose_isa(bytes name):
    return dmlc_set_isa(name) == DMLC_OK


def choose_threads(int32_t process, int32_t thread):
    """Set both and return what counts, and what counted for this thread before."""
    dmlc_set_threads(process)
    before = dmlc_set_thread_threads(thread)
    return dmlc_threads(), before
