/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of streams that every user of a raw handle reads, and is_capturing(). */
#ifndef GPUSTREAM_PYTHON_STREAM_PROPERTIES_H
#define GPUSTREAM_PYTHON_STREAM_PROPERTIES_H

#include "common.h"

extern GS_PY_HIDDEN PyGetSetDef gs_py_generic_stream_properties[]; /* of gpustream.generic.Stream */
extern GS_PY_HIDDEN PyGetSetDef gs_py_stream_properties[];         /* what gpustream.Stream has beyond */

PyObject *gs_py_stream_is_capturing(PyObject *self, PyObject *unused);

/* __cuda_stream__() */
PyObject *gs_py_stream_protocol(PyObject *self, PyObject *unused);

extern GS_PY_HIDDEN const char gs_py_doc_is_capturing[], gs_py_doc_cuda_stream_protocol[];

#endif
