/* SPDX-License-Identifier: Apache-2.0 */
#include "provisional.h"

#include "objects.h"

/* Whether other arguments could cure the error: an argument is wrong, or the device or backend is missing. */
static int may_be_cured(void) {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
           PyErr_ExceptionMatches(PyExc_OverflowError) || PyErr_ExceptionMatches(PyExc_RuntimeError);
}

PyObject *gs_py_new_object(PyTypeObject *type, int own_new, int own_init, gs_py_fill fill, PyObject *tuple,
                           PyObject *dict) {
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return NULL;
    const int has_arguments = PyTuple_GET_SIZE(tuple) > 0 || (dict && PyDict_GET_SIZE(dict) > 0);
    const int provisional = own_init && !(own_new && has_arguments);
    if (fill(self, tuple, dict) == 0) {
        gs_py_object_of(self)->provisional = provisional;
    } else if (provisional && may_be_cured()) {
        PyErr_Clear(); /* the arguments are for the subclass's __init__, which passes on others */
    } else {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}
