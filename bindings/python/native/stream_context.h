/* SPDX-License-Identifier: Apache-2.0 */
/* StreamContext(stream) and stream(stream): a stream as a context manager; None leaves the current stream as it is. */
#ifndef GPUSTREAM_PYTHON_STREAM_CONTEXT_H
#define GPUSTREAM_PYTHON_STREAM_CONTEXT_H

#include "common.h"

extern GS_PY_HIDDEN PyTypeObject *gs_py_stream_context_type;

/* stream(stream): StreamContext(stream) */
PyObject *gs_py_stream_function(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* Returns 0 or -1. */
int gs_py_make_stream_context_type(void);

#endif
