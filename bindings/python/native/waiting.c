/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include "hooks.h"

__thread int gs_py_warned;
long gs_py_pending_callbacks;

int gs_py_warn_in_scope(int torch_looks) {
    int32_t scope = GS_SYNC_SCOPE_TORCH;
    gs_get_sync_debug_scope(&scope);
    if (!torch_looks && scope != GS_SYNC_SCOPE_ALL) return 0;
    return PyErr_WarnEx(PyExc_UserWarning, "called a synchronizing CUDA operation", 1);
}

PyObject *gs_py_set_pending_callbacks(PyObject *module, PyObject *number) {
    (void)module;
    const long value = PyLong_AsLong(number);
    if (value == -1 && PyErr_Occurred()) return NULL;
    gs_py_pending_callbacks = value;
    Py_RETURN_NONE;
}

PyObject *gs_py_wait_around(PyMethodDef *definition, PyObject *self) {
    PyObject *call = PyCFunction_New(definition, self);
    if (!call) return NULL;
    PyObject *result = PyObject_CallOneArg(gs_py_hook.waiting, call);
    Py_DECREF(call);
    return result;
}
