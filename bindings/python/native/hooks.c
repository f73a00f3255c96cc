/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <stdarg.h>

PyTypeObject *gs_py_external_type;
static PyObject *load;

int gs_py_hooks_set(PyObject *arguments) {
    if (!PyArg_ParseTuple(arguments, "OO!", &load, &PyType_Type, &gs_py_external_type)) return -1;
    Py_INCREF(load);
    Py_INCREF(gs_py_external_type);
    return 0;
}

PyObject *gs_py_call(const char *module, const char *function, const char *format, ...) {
    va_list values;
    va_start(values, format);
    PyObject *arguments = Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *found = arguments ? PyObject_CallFunction(load, "s", module) : NULL;
    PyObject *called = found ? PyObject_GetAttrString(found, function) : NULL;
    PyObject *result = called ? PyObject_CallObject(called, arguments) : NULL;
    Py_XDECREF(called);
    Py_XDECREF(found);
    Py_XDECREF(arguments);
    return result;
}
