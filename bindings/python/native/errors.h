/* SPDX-License-Identifier: Apache-2.0 */
/* From a status to a Python exception. The package makes the exception; what is read here is the library's record of the
   failure, before any other call replaces it. */
#ifndef GPUSTREAM_PYTHON_ERRORS_H
#define GPUSTREAM_PYTHON_ERRORS_H

#include "common.h"

/* Sets the exception for a status that a call on this thread has just returned. */
void gs_py_fail(gs_status_t status);

/* The same for a failure that the extension found itself; the text is in PyUnicode_FromFormat()'s format. */
void gs_py_fail_with(gs_status_t status, const char *format, ...);

/* Keeps the current exception as what this thread's next gs_py_fail() raises. Returns 0 if one is kept already; the
   current exception is then left as it is. */
int gs_py_keep_failure(void);
int gs_py_has_kept_failure(void);

/* A failure in a deallocator: goes to sys.unraisablehook and leaves the current exception as it is. */
void gs_py_report_unraisable(gs_status_t status);

/* (exception, object): hands the exception to sys.unraisablehook. Python code cannot do that itself: the interpreter's
   own hook accepts only what the interpreter passes. */
PyObject *gs_py_write_unraisable(PyObject *module, PyObject *arguments);

static inline PyObject *gs_py_none_or_fail(gs_status_t status) {
    if (GS_PY_LIKELY(status == GS_OK)) Py_RETURN_NONE;
    gs_py_fail(status);
    return NULL;
}

static inline PyObject *gs_py_bool_or_fail(gs_status_t status, int32_t value) {
    if (GS_PY_LIKELY(status == GS_OK)) return PyBool_FromLong(value);
    gs_py_fail(status);
    return NULL;
}

/* 0, or -1 with the exception set. */
static inline int gs_py_check(gs_status_t status) {
    if (GS_PY_LIKELY(status == GS_OK)) return 0;
    gs_py_fail(status);
    return -1;
}

/* A property's getter: `result` of what `call`, which fills the `declared` variable, has left there. */
#define GS_PY_GETTER(name, declared, call, result)                                                                     \
    static PyObject *name(PyObject *self, void *unused) {                                                              \
        (void)unused;                                                                                                  \
        declared;                                                                                                      \
        return gs_py_check(call) < 0 ? NULL : (result);                                                                \
    }

#endif
