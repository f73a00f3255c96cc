/* SPDX-License-Identifier: Apache-2.0 */
/* Who keeps the owner of another library's stream alive.

   The library keeps the owner as long as it uses the stream, which may be longer than the Python object lives (a current
   stream). But the garbage collector does not see what the library keeps: an owner that keeps its object would never be
   collected. So the owner belongs to the object, which the collector sees, and the library keeps an empty cell. The
   object puts the owner into the cell when it ends, or when the stream becomes current or its handle is given out. From
   then on the collector may not finalize the owner, even if only a cycle is left, since the library may use the stream;
   the library does not report when that has ended, so an owner that keeps such an object stays. */
#ifndef GPUSTREAM_PYTHON_OWNER_H
#define GPUSTREAM_PYTHON_OWNER_H

#include "known_streams.h"

/* The driver's stream as a gs_stream_t. `owner` may be NULL. *out_cell: new reference to what the library keeps; NULL
   without an owner, and where the library knows the stream already: another object then keeps it alive. Returns 0, or -1
   with the exception set. */
int gs_py_adopt(gs_device_t device, uintptr_t native, PyObject *owner, PyObject **out_cell, gs_stream_t *out);

/* The same for a stream that the library knows already, so that another object keeps the owner. */
int gs_py_adopt_known(gs_device_t device, uintptr_t native, gs_stream_t *out);

/* Puts the owner into the cell. Does nothing the second time. */
void gs_py_hand_owner_over(gs_py_foreign_stream *stream);

/* For any stream or event that may now be used longer than its object lives. */
void gs_py_outlives(PyObject *object);

/* For a stream or event whose reference a call has just taken from the object, which is closed from then on. Objects that
   had none stay as they are. Under the object's lock, which the call was made under. */
void gs_py_give_up(PyObject *object);

/* For a stream that this thread has just made current. */
static inline void gs_py_became_current(PyObject *stream) {
    if (GS_PY_LIKELY(Py_TYPE(stream) == gs_py_stream_type))
        gs_py_know(stream);
    else
        gs_py_outlives(stream);
}

#endif
