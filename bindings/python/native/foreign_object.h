/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries where a stream is expected, fast: an object whose wrapper lives gets that one.

   Only objects with the method __cuda_stream__() are handled here; for all others, and for the default streams, the
   package's hook decides. gs_py_stream_from_other() of objects.h is here too. */
#ifndef GPUSTREAM_PYTHON_FOREIGN_OBJECT_H
#define GPUSTREAM_PYTHON_FOREIGN_OBJECT_H

#include "common.h"

/* New reference to the stream for another library's object, or NULL with the exception set. */
PyObject *gs_py_wrapper_of(PyObject *given, const char *name);

#endif
