"""dmlc.h for Cython: call dmlc_import() once, then its functions, with the GIL or without.

    from dmlc.c_api cimport dmlc_import, dmlc_plan, dmlc_plan_padding, ...

    dmlc_import()

Compile with dmlc.get_include() among the include directories; there is nothing to link. The header says what each
function does, under the same name.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from "dmlc_python.h":
    int dmlc_import() except -1

cdef extern from "dmlc_python.h" nogil:
    enum:
        DMLC_VERSION_MAJOR
        DMLC_VERSION_MINOR
        DMLC_VERSION_PATCH
        DMLC_MAXIMUM_RANK

    ctypedef enum dmlc_status:
        DMLC_OK
        DMLC_INVALID_ARGUMENT
        DMLC_OVERFLOW
        DMLC_OUT_OF_MEMORY

    ctypedef enum dmlc_padding_mode:
        DMLC_PADDING_CONSTANT
        DMLC_PADDING_EDGE
        DMLC_PADDING_REFLECTION
        DMLC_PADDING_SYMMETRIC
        DMLC_PADDING_WRAP

    ctypedef enum dmlc_index_type:
        DMLC_INDEX_INT8
        DMLC_INDEX_INT16
        DMLC_INDEX_INT32
        DMLC_INDEX_INT64
        DMLC_INDEX_UINT8
        DMLC_INDEX_UINT16
        DMLC_INDEX_UINT32
        DMLC_INDEX_UINT64

    ctypedef enum dmlc_band_background:
        DMLC_BACKGROUND_VALUE
        DMLC_BACKGROUND_INPUT
        DMLC_BACKGROUND_KEEP

    ctypedef struct dmlc_plan:
        pass

    ctypedef struct dmlc_operands:
        void *output
        const void *input
        const void *values[2]

    const char *dmlc_version()
    const char *dmlc_status_message(dmlc_status status)

    dmlc_status dmlc_plan_padding(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes, const int64_t *input_strides,
        const int64_t *output_strides, const int64_t *start, const int64_t *end, dmlc_padding_mode mode)
    dmlc_status dmlc_plan_window(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *input_sizes, const int64_t *input_strides,
        const int64_t *output_sizes, const int64_t *output_strides, const int64_t *start, dmlc_padding_mode mode)
    dmlc_status dmlc_plan_slice(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *output_sizes, const int64_t *input_strides,
        const int64_t *output_strides, const int64_t *offsets, const int64_t *steps)
    dmlc_status dmlc_plan_one_hot(
        dmlc_plan **plan, int64_t width, dmlc_index_type index_type, int32_t from_end, int32_t rank,
        const int64_t *output_sizes, const int64_t *indices_strides, const int64_t *output_strides, int32_t axis)
    dmlc_status dmlc_plan_diagonal_matrix(
        dmlc_plan **plan, int64_t width, int32_t rank, const int64_t *sizes, const int64_t *input_strides,
        const int64_t *output_strides, int64_t begin, int64_t end, dmlc_band_background background)

    void dmlc_plan_free(dmlc_plan *plan)
    int64_t dmlc_plan_bytes(const dmlc_plan *plan)
    void dmlc_run(const dmlc_plan *plan, const dmlc_operands *operands, int32_t threads)
    void dmlc_run_many(
        const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads)
    dmlc_status dmlc_copy(
        int64_t width, int32_t rank, const int64_t *sizes, void *output, const int64_t *output_strides,
        const void *input, const int64_t *input_strides, int32_t threads)

    int32_t dmlc_threads()
    void dmlc_set_threads(int32_t threads)
    int32_t dmlc_set_thread_threads(int32_t threads)
    int32_t dmlc_has_openmp()

    const char *dmlc_isa_name(int32_t index)
    const char *dmlc_isa()
    dmlc_status dmlc_set_isa(const char *name)
