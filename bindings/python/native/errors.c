/* SPDX-License-Identifier: Apache-2.0 */
#include "errors.h"

#include "hooks.h"

#include <stdarg.h>
#include <string.h>

/* What a deferred call raised while this thread initialises: the initialising call raises it in turn. */
static __thread PyObject *kept_failure;

/* Takes the reference; NULL: an exception is set already. */
static void raise_exception(PyObject *exception) {
    if (!exception) return;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
}

void gs_py_fail(gs_status_t status) {
    if (kept_failure) {
        PyObject *failure = kept_failure;
        kept_failure = NULL;
        raise_exception(failure);
        return;
    }
    gs_error_info_t info = {.struct_size = sizeof info};
    if (gs_last_error(&info) != GS_OK || info.status != status) {
        /* GS_NOT_READY leaves no record. */
        memset(&info, 0, sizeof info);
        info.status = status;
        info.device = GS_DEVICE_NONE;
    }
    if (!gs_py_external_type) {
        PyErr_Format(PyExc_RuntimeError, "%s: %s", gs_status_name(status), info.message);
        return;
    }
    raise_exception(gs_py_call("errors", "make", "(iiiisssisKKi)", (int)status, (int)info.reason, (int)info.backend,
                               (int)info.native_code, info.function, info.native_function, info.message,
                               (int)info.sticky, info.origin, (unsigned long long)(uintptr_t)info.stream,
                               (unsigned long long)(uintptr_t)info.event, (int)info.device));
}

void gs_py_fail_with(gs_status_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    if (!text) return;
    raise_exception(gs_py_call("errors", "fail", "(iO)", (int)status, text));
    Py_DECREF(text);
}

int gs_py_keep_failure(void) {
    if (kept_failure) return 0;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    kept_failure = value;
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return 1;
}

int gs_py_has_kept_failure(void) { return kept_failure != NULL; }

void gs_py_report_unraisable(gs_status_t status) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    gs_py_fail(status);
    PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, traceback);
}

PyObject *gs_py_write_unraisable(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *exception, *where;
    if (!PyArg_ParseTuple(arguments, "O!O", (PyTypeObject *)PyExc_BaseException, &exception, &where)) return NULL;
    Py_INCREF(Py_TYPE(exception));
    Py_INCREF(exception);
    PyErr_Restore((PyObject *)Py_TYPE(exception), exception, PyException_GetTraceback(exception));
    PyErr_WriteUnraisable(where);
    Py_RETURN_NONE;
}
