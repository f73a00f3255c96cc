/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include "convert.h"

PyTypeObject *gs_py_generic_stream_type, *gs_py_generic_event_type;
PyTypeObject *gs_py_stream_type, *gs_py_event_type;
PyTypeObject *gs_py_foreign_stream_type;

PyMemberDef gs_py_object_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(gs_py_object, weak_references), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyObject *wrap(PyTypeObject *type, void *handle, int own) {
    PyObject *self = type->tp_alloc(type, 0);
    if (GS_PY_UNLIKELY(!self)) return NULL;
    gs_py_object_of(self)->handle = handle;
    gs_py_object_of(self)->own = own;
    return self;
}

PyObject *gs_py_wrap_stream(PyTypeObject *type, gs_stream_t stream, int own) {
    PyObject *self = wrap(type, stream, own);
    if (!self && own) gs_stream_destroy(stream);
    return self;
}

PyObject *gs_py_wrap_event(PyTypeObject *type, gs_event_t event, int own) {
    PyObject *self = wrap(type, event, own);
    if (!self && own) gs_event_destroy(event);
    return self;
}

void gs_py_free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
#ifdef Py_GIL_DISABLED
    Py_XDECREF(gs_py_object_of(self)->weak);
#endif
    type->tp_free(self);
    Py_DECREF(type);
}

void gs_py_not_an_event(PyObject *given, const char *function, const char *name) {
    gs_py_wrong_type(function, name, "Event", given);
}

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
