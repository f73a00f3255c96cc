/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

gs_py_hooks gs_py_hook;

static void replace(PyObject **place, PyObject *value) {
    PyObject *before = *place;
    Py_INCREF(value);
    *place = value;
    Py_XDECREF(before);
}

int gs_py_hooks_set(PyObject *functions) {
    gs_py_hooks given;
    if (!PyArg_ParseTuple(functions, "OOOOOO", &given.error, &given.stream, &given.device, &given.log, &given.deferred,
                          &given.waiting))
        return -1;
    replace(&gs_py_hook.error, given.error);
    replace(&gs_py_hook.stream, given.stream);
    replace(&gs_py_hook.device, given.device);
    replace(&gs_py_hook.log, given.log);
    replace(&gs_py_hook.deferred, given.deferred);
    replace(&gs_py_hook.waiting, given.waiting);
    return 0;
}
