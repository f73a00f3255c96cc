/* SPDX-License-Identifier: Apache-2.0 */
/* The base of gpustream.ExternalStream: a stream of another library, which keeps its owner alive (owner.h). */
#ifndef GPUSTREAM_PYTHON_FOREIGN_STREAM_H
#define GPUSTREAM_PYTHON_FOREIGN_STREAM_H

#include "common.h"

/* from_native() of module.h in C. known: the library has a wrap of the stream already, whose owner it keeps. */
PyObject *gs_py_wrap_native(PyTypeObject *type, gs_device_t device, uintptr_t native, PyObject *owner, int known);

/* Streams of other libraries where a stream is expected, fast: an object whose wrapper lives gets that one.

   Only objects with the method __cuda_stream__() are handled here; for all others, and for the default streams, the
   package's hook decides. gs_py_stream_from_other() of objects.h is here too. */

/* New reference to the stream for another library's object, or NULL with the exception set. */
PyObject *gs_py_wrapper_of(PyObject *given, const char *name);

#endif
