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
    if (!PyArg_ParseTuple(functions, "OOOOOOOOOO!OOOO", &given.error, &given.stream, &given.device, &given.log,
                          &given.deferred, &given.waiting, &given.device_object, &given.device_parts,
                          &given.required_device, &PyType_Type, &given.external, &given.event, &given.long_wait,
                          &given.spins, &given.sync_text))
        return -1;
    replace(&gs_py_hook.error, given.error);
    replace(&gs_py_hook.stream, given.stream);
    replace(&gs_py_hook.device, given.device);
    replace(&gs_py_hook.log, given.log);
    replace(&gs_py_hook.deferred, given.deferred);
    replace(&gs_py_hook.waiting, given.waiting);
    replace(&gs_py_hook.device_object, given.device_object);
    replace(&gs_py_hook.device_parts, given.device_parts);
    replace(&gs_py_hook.required_device, given.required_device);
    replace(&gs_py_hook.external, given.external);
    replace(&gs_py_hook.event, given.event);
    replace(&gs_py_hook.long_wait, given.long_wait);
    replace(&gs_py_hook.spins, given.spins);
    replace(&gs_py_hook.sync_text, given.sync_text);
    return 0;
}
