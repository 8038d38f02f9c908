/* What a C author writes: one function of two buffers. */
#include <Python.h>

#include <dmlc_python.h>

/* reflect(input, output, rows, columns, border): rows of bytes, mirrored on all sides. */
static PyObject *reflect(PyObject *module, PyObject *arguments)
{
    Py_buffer input, output;
    long long rows, columns, border;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*w*LLL", &input, &output, &rows, &columns, &border))
        return NULL;
    const int64_t sizes[] = {rows, columns}, borders[] = {border, border};
    const int64_t input_strides[] = {columns, 1}, output_strides[] = {columns + 2 * border, 1};
    const dmlc_operands operands = {output.buf, input.buf, {NULL, NULL}};
    dmlc_plan *plan;
    dmlc_status status = DMLC_INVALID_ARGUMENT;
    if (input.len == rows * columns && output.len == (rows + 2 * border) * (columns + 2 * border)) {
        Py_BEGIN_ALLOW_THREADS status = dmlc_plan_padding(&plan, 1, 2, sizes, input_strides, output_strides, borders,
                                                          borders, DMLC_PADDING_REFLECTION);
        if (status == DMLC_OK) {
            dmlc_run(plan, &operands, dmlc_threads());
            dmlc_plan_free(plan);
        }
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&input);
    PyBuffer_Release(&output);
    if (status != DMLC_OK)
        return PyErr_Format(PyExc_ValueError, "reflect: %s", dmlc_status_message(status));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"reflect", reflect, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static int execute(PyObject *module)
{
    (void)module;
    return dmlc_import();
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "c_user", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_c_user(void) { return PyModuleDef_Init(&definition); }
