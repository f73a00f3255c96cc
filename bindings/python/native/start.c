/* SPDX-License-Identifier: Apache-2.0 */
#include "gil.h"

#include "errors.h"
#include "hooks.h"

static __thread int starting; /* this thread is inside gs_init() */

int gs_py_start_slowly(void) {
    if (starting) return 0; /* a deferred call uses the library, which is initialised far enough for that */
    gs_status_t status;
    starting = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = gs_init();
    Py_END_ALLOW_THREADS;
    starting = 0;
    if (gs_py_check(status) < 0) return -1;
    GS_PY_STORE(gs_py_started, 1);
    return 0;
}

/* After a success gs_init() returns at once, but still refuses in a forked child and in a host function. */
PyObject *gs_py_start_entry(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if ((GS_PY_LOAD(gs_py_started) ? gs_py_check(gs_init()) : gs_py_start_slowly()) < 0) return NULL;
    Py_RETURN_NONE;
}

/* Runs one deferred call; `arg` is the tuple (function, stack of the caller), whose reference is taken. */
static gs_status_t run_deferred(void *arg) {
    PyObject *call = arg;
    const PyGILState_STATE state = PyGILState_Ensure();
    gs_status_t status = GS_OK;
    PyObject *result = gs_py_call("_lazy", "run_deferred", "O", call);
    if (!result) {
        status = GS_ERROR_SYSTEM;
        /* Where a thread of another language initialises there is no Python caller to raise it. */
        if (!starting || !gs_py_keep_failure()) PyErr_WriteUnraisable(call);
    }
    Py_XDECREF(result);
    Py_DECREF(call);
    PyGILState_Release(state);
    return status;
}

PyObject *gs_py_call_on_init(PyObject *module, PyObject *call) {
    (void)module;
    if (!PyTuple_Check(call)) return PyErr_Format(PyExc_TypeError, "a tuple is expected"), NULL;
    Py_INCREF(call);
    const int nested = starting;
    starting = 1; /* if it is called at once, this thread raises its exception */
    const gs_status_t status = gs_call_on_init(run_deferred, call);
    starting = nested;
    if (status == GS_OK) Py_RETURN_NONE;
    if (!gs_py_has_kept_failure()) Py_DECREF(call); /* refused, so run_deferred did not take it */
    gs_py_fail(status);
    return NULL;
}
