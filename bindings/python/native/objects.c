/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include "convert.h"

PyTypeObject *gs_py_generic_stream_type, *gs_py_generic_event_type;
PyTypeObject *gs_py_stream_type, *gs_py_event_type;
PyTypeObject *gs_py_foreign_stream_type;

PyMemberDef gs_py_object_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(gs_py_object, weak_references), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

PyObject *gs_py_wrap_stream(PyTypeObject *type, gs_stream_t stream, int own) {
    PyObject *self = type->tp_alloc(type, 0);
    if (GS_PY_LIKELY(self != NULL)) {
        gs_py_object_of(self)->handle = stream;
        gs_py_object_of(self)->own = own;
    } else if (own) {
        gs_stream_destroy(stream);
    }
    return self;
}

PyObject *gs_py_wrap_event(PyTypeObject *type, gs_event_t event, int own) {
    PyObject *self = type->tp_alloc(type, 0);
    if (GS_PY_LIKELY(self != NULL)) {
        gs_py_object_of(self)->handle = event;
        gs_py_object_of(self)->own = own;
    } else if (own) {
        gs_event_destroy(event);
    }
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
