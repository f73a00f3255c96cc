/* SPDX-License-Identifier: Apache-2.0 */
/* The stream classes: gpustream.generic.Stream, and gpustream.Stream, which derives from it and differs in its
   parameters. */
#ifndef GPUSTREAM_PYTHON_STREAM_H
#define GPUSTREAM_PYTHON_STREAM_H

#include "common.h"

/* Makes both classes (objects.h). Returns 0 or -1. */
int gs_py_make_stream_types(void);

/* For classes that derive from them in C. */
void gs_py_stream_dealloc(PyObject *self);
PyObject *gs_py_stream_close(PyObject *self, PyObject *unused);

#endif
