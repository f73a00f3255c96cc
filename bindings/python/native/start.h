// SPDX-License-Identifier: Apache-2.0
// The first use. Another thread may be initialising, and the deferred Python calls it runs need the GIL: so nobody
// waits for the initialisation while holding it.

// gs_py_started is in gil.h; the library itself checks everything again.
static __thread int gs_py_starting; // this thread is inside gs_init()

static int gs_py_start_slowly(void) {
    if (gs_py_starting) return 0; // a deferred call uses the library: it is initialised far enough
    gs_status_t status;
    gs_py_starting = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = gs_init();
    Py_END_ALLOW_THREADS;
    gs_py_starting = 0;
    if (status != GS_OK) {
        gs_py_fail(status);
        return -1;
    }
    gs_py_started = 1;
    return 0;
}

static inline int gs_py_start(void) { return SWIGPY_LIKELY(gs_py_started) ? 0 : gs_py_start_slowly(); }

static PyObject *gs_py_start_entry(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (gs_py_start_slowly() < 0) return NULL;
    Py_RETURN_NONE;
}

// Runs one deferred call; `arg` is a tuple (function, stack of the caller), whose reference is ours.
static gs_status_t gs_py_run_deferred(void *arg) {
    PyObject *call = arg;
    const PyGILState_STATE state = PyGILState_Ensure();
    gs_status_t status = GS_OK;
    PyObject *result = PyObject_CallObject(gs_py_hook_deferred, call);
    if (!result) {
        status = GS_ERROR_SYSTEM;
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyErr_NormalizeException(&type, &value, &traceback);
        if (gs_py_starting && !gs_py_deferred_failure) {
            if (traceback) PyException_SetTraceback(value, traceback);
            Py_XINCREF(value);
            gs_py_deferred_failure = value;
        } else { // a thread of another language initialises
            PyErr_Restore(type, value, traceback);
            type = value = traceback = NULL;
            PyErr_WriteUnraisable(call);
        }
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
    }
    Py_XDECREF(result);
    Py_DECREF(call);
    PyGILState_Release(state);
    return status;
}

// (function, stack): calls it at once if the library is initialised.
static PyObject *gs_py_call_on_init(PyObject *module, PyObject *call) {
    (void)module;
    if (!PyTuple_Check(call)) return PyErr_Format(PyExc_TypeError, "a tuple is expected"), NULL;
    Py_INCREF(call);
    const int nested = gs_py_starting;
    gs_py_starting = 1; // if it is called at once, its exception is ours
    const gs_status_t status = gs_call_on_init(gs_py_run_deferred, call);
    gs_py_starting = nested;
    if (status != GS_OK) {
        if (!gs_py_deferred_failure) Py_DECREF(call); // refused, not run
        gs_py_fail(status);
        return NULL;
    }
    Py_RETURN_NONE;
}
