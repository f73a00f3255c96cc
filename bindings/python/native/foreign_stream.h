/* SPDX-License-Identifier: Apache-2.0 */
/* The base of gpustream.ExternalStream: a stream of another library, which keeps its owner alive (owner.h). */
#ifndef GPUSTREAM_PYTHON_FOREIGN_STREAM_H
#define GPUSTREAM_PYTHON_FOREIGN_STREAM_H

#include "objects.h"

/* from_native() of module.h in C. known: the library has a wrap of the stream already, whose owner it keeps. */
PyObject *gs_py_wrap_native(PyTypeObject *type, gs_device_t device, uintptr_t native, PyObject *owner, int known);

/* Streams of other libraries where a stream is expected, fast: an object whose wrapper lives gets that one.

   Only objects with the method __cuda_stream__() are handled here; for all others, and for the default streams, the
   package's hook decides. gs_py_stream_from_other() of objects.h is here too. */

/* New reference to the stream for another library's object, or NULL with the exception set. */
PyObject *gs_py_wrapper_of(PyObject *given, const char *name);

/* Which wrapper already stands for an object of another library. The GIL guards the table; without one it has a lock and
   weak references. An entry is borrowed: a wrapper removes itself when it ends or is closed. Its owner lives as long as it, so no other object has the owner's address. */

/* New reference to the live wrapper of `given` for this raw stream; NULL without an exception if there is none. *out_known:
   whether some object's wrapper of the raw stream lives, and
   goes on living until the caller has adopted the stream; without the GIL that is never known. */
PyObject *gs_py_find_foreign(uint64_t native, PyObject *given, int *out_known);

/* For a new wrapper of a stream that belongs to `given`, which may be NULL. Where four others are known that share its part of the
   table, one of them is forgotten. */
void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native);

/* For a wrapper that ends or is closed. */
void gs_py_forget_foreign(gs_py_foreign_stream *wrapper);

#endif
