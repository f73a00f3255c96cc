/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of an event class to a gs_event_t. Functions return 0, or -1 with the exception set. */
#ifndef GPUSTREAM_PYTHON_EVENT_MAKE_H
#define GPUSTREAM_PYTHON_EVENT_MAKE_H

#include "objects.h"

typedef struct gs_py_event_request {
    uint32_t flags; /* GS_EVENT_* */
    int own;        /* of the object (objects.h) */
} gs_py_event_request;

/* gpustream.Event(...), called directly. */
int gs_py_event_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names, gs_py_event_request *out);

/* Any class: gpustream.Event or gpustream.generic.Event decide by what they take. */
int gs_py_event_request_from_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_event_request *out);

/* The object gets the new event; what it had before is the caller's. */
int gs_py_event_make(PyObject *self, const gs_py_event_request *request, gs_py_had *out_had);

#endif
