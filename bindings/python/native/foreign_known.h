/* SPDX-License-Identifier: Apache-2.0 */
/* Which wrapper already stands for an object of another library. The GIL guards the table; without one it has a lock and
   weak references. An entry is borrowed: a wrapper removes itself when it ends or is closed. Its owner lives as long as it, so no other object has the owner's address. */
#ifndef GPUSTREAM_PYTHON_FOREIGN_KNOWN_H
#define GPUSTREAM_PYTHON_FOREIGN_KNOWN_H

#include "objects.h"

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
