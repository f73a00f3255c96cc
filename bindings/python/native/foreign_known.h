/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries where a stream is expected, fast: an object whose wrapper lives gets that one.

   Only objects with the method __cuda_stream__() are handled here; for all others, and for the default streams, the
   package's hook decides. The GIL guards the table. An entry is borrowed: a wrapper removes itself when it ends or is
   closed. Its owner lives as long as it, so no other object has the owner's address. */
#ifndef GPUSTREAM_PYTHON_FOREIGN_KNOWN_H
#define GPUSTREAM_PYTHON_FOREIGN_KNOWN_H

#include "objects.h"

/* New reference to the stream for another library's object, or NULL with the exception set. */
PyObject *gs_py_wrapper_of(PyObject *given, const char *name);

/* For a new wrapper of a stream that belongs to `given`, which may be NULL. */
void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native);

/* For a wrapper that ends or is closed. */
void gs_py_forget_foreign(gs_py_foreign_stream *wrapper);

#endif
