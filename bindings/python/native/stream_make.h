/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a stream class to a gs_stream_t. Functions return 0, or -1 with the exception set. */
#ifndef GPUSTREAM_PYTHON_STREAM_MAKE_H
#define GPUSTREAM_PYTHON_STREAM_MAKE_H

#include "common.h"

typedef struct gs_py_stream_request {
    gs_stream_t live; /* a reference to this one is asked for; NULL: a new stream */
    gs_device_t device;
    int32_t priority;
    uint32_t flags; /* GS_STREAM_* */
} gs_py_stream_request;

/* gpustream.Stream(...), called directly. */
int gs_py_stream_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names, gs_py_stream_request *out);

/* Any class: gpustream.Stream or gpustream.generic.Stream decide by what they take. */
int gs_py_stream_request_from_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_stream_request *out);

/* The stream that is asked for; its reference is the caller's. */
int gs_py_stream_make(const gs_py_stream_request *request, gs_stream_t *out);

/* Whether a stream is what is asked for, so that no other has to be made. In doubt it is not. */
int gs_py_stream_suits(gs_stream_t stream, const gs_py_stream_request *request);

/* The properties of streams that every user of a raw handle reads, and is_capturing(). */

extern GS_PY_HIDDEN PyGetSetDef gs_py_generic_stream_properties[]; /* of gpustream.generic.Stream */
extern GS_PY_HIDDEN PyGetSetDef gs_py_stream_properties[];         /* what gpustream.Stream has beyond */

PyObject *gs_py_stream_is_capturing(PyObject *self, PyObject *unused);

/* __cuda_stream__() */
PyObject *gs_py_stream_protocol(PyObject *self, PyObject *unused);

extern GS_PY_HIDDEN const char gs_py_doc_is_capturing[], gs_py_doc_cuda_stream_protocol[];

#endif
