// SPDX-License-Identifier: Apache-2.0
// What the synchronizing calls have in common: they let other Python threads run, warn in sync debug mode "warn", and
// return only after the callbacks of launch_host_func() that precede the point they wait for.

// The library's own copy of the warning is dropped while this thread is in one of them: Python has issued its own.
static __thread int gs_py_warned;

#define GS_PY_BLOCKING(call)                                                                                           \
    do {                                                                                                               \
        Py_BEGIN_ALLOW_THREADS;                                                                                        \
        gs_py_warned = 1;                                                                                              \
        call;                                                                                                          \
        gs_py_warned = 0;                                                                                              \
        Py_END_ALLOW_THREADS;                                                                                          \
    } while (0)

// The warning names the line that called the method, since no Python frame lies between. -1: a filter made it an error.
static int gs_py_warn_of_sync(int torch_looks) {
    int32_t mode = GS_SYNC_DEBUG_DEFAULT, scope = GS_SYNC_SCOPE_TORCH;
    gs_get_sync_debug_mode(&mode);
    if (SWIGPY_LIKELY(mode != GS_SYNC_DEBUG_WARN)) return 0;
    gs_get_sync_debug_scope(&scope);
    if (!torch_looks && scope != GS_SYNC_SCOPE_ALL) return 0;
    return PyErr_WarnEx(PyExc_UserWarning, "called a synchronizing CUDA operation", 1);
}

// How many callbacks have been put into streams and have not returned yet. Counted by _callbacks.py, with the GIL held.
static long gs_py_pending_callbacks;

static PyObject *gs_py_set_pending_callbacks(PyObject *module, PyObject *number) {
    (void)module;
    const long value = PyLong_AsLong(number);
    if (value == -1 && PyErr_Occurred()) return NULL;
    gs_py_pending_callbacks = value;
    Py_RETURN_NONE;
}

static PyObject *gs_py_after_callbacks(PyMethodDef *definition, PyObject *self) {
    PyObject *call = PyCFunction_New(definition, self);
    if (!call) return NULL;
    PyObject *result = PyObject_CallOneArg(gs_py_hook_waiting, call);
    Py_DECREF(call);
    return result;
}
