/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

gs_py_hooks gs_py_hook;

int gs_py_hooks_set(PyObject *functions) {
    gs_py_hooks given;
    if (!PyArg_ParseTuple(functions, "OOOOOOOOOO!OOOO", &given.error, &given.stream, &given.device, &given.log,
                          &given.deferred, &given.waiting, &given.device_object, &given.device_parts,
                          &given.required_device, &PyType_Type, &given.external, &given.event, &given.long_wait,
                          &given.spins, &given.warn_of_sync))
        return -1;
    PyObject **const places = (PyObject **)&gs_py_hook, **const values = (PyObject **)&given;
    for (size_t i = 0; i < sizeof given / sizeof *places; ++i) {
        PyObject *before = places[i];
        places[i] = Py_NewRef(values[i]);
        Py_XDECREF(before);
    }
    return 0;
}
