// SPDX-License-Identifier: Apache-2.0
// From a status to a Python exception. The package makes it; here is only what must be read before anything else runs.

// The failure of a deferred call, while this thread initialises: it is what the initialising call raises.
static __thread PyObject *gs_py_deferred_failure;

static void gs_py_raise(PyObject *exception) {
    if (!exception) return;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
}

// Sets the exception that belongs to the status which a call on this thread has just returned.
static void gs_py_fail(gs_status_t status) {
    if (gs_py_deferred_failure) {
        PyObject *failure = gs_py_deferred_failure;
        gs_py_deferred_failure = NULL;
        PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
        Py_DECREF(failure);
        return;
    }
    gs_error_info_t info = {.struct_size = sizeof info};
    if (gs_last_error(&info) != GS_OK || info.status != status) {
        // GS_NOT_READY leaves no record.
        memset(&info, 0, sizeof info);
        info.status = status;
    }
    if (!gs_py_hook_error) {
        PyErr_Format(PyExc_RuntimeError, "%s: %s", gs_status_name(status), info.message);
        return;
    }
    gs_py_raise(PyObject_CallFunction(gs_py_hook_error, "iiiisss", (int)status, (int)info.reason, (int)info.backend,
                                      (int)info.native_code, info.function, info.native_function, info.message));
}

// The same for a failure that no call of the library met.
static void gs_py_fail_with(gs_status_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    if (!text) return;
    gs_py_raise(PyObject_CallFunction(gs_py_hook_error, "iiiissO", (int)status, 0, 0, 0, "", "", text));
    Py_DECREF(text);
}

// (exception, object): gives the exception to sys.unraisablehook and raises none, whatever the hook does. Python code
// cannot: the interpreter's own hook takes only what the interpreter itself hands over.
static PyObject *gs_py_write_unraisable(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *exception, *where;
    if (!PyArg_ParseTuple(arguments, "O!O", (PyTypeObject *)PyExc_BaseException, &exception, &where)) return NULL;
    Py_INCREF(Py_TYPE(exception));
    Py_INCREF(exception);
    PyErr_Restore((PyObject *)Py_TYPE(exception), exception, PyException_GetTraceback(exception));
    PyErr_WriteUnraisable(where);
    Py_RETURN_NONE;
}

static PyObject *gs_py_none_or_fail(gs_status_t status) {
    if (SWIGPY_LIKELY(status == GS_OK)) Py_RETURN_NONE;
    gs_py_fail(status);
    return NULL;
}

static PyObject *gs_py_bool_or_fail(gs_status_t status, int32_t value) {
    if (SWIGPY_LIKELY(status == GS_OK)) return PyBool_FromLong(value);
    gs_py_fail(status);
    return NULL;
}
