/* SPDX-License-Identifier: Apache-2.0 */
/* Which object already stands for a stream: current_stream() and default_stream() return that one instead of making
   another for each call. The GIL guards all of it; without one each place has a lock and a weak reference.

   An entry is borrowed: an object removes itself when it ends, is closed or gives its reference away, so being known
   keeps no stream alive. Default streams never end; one object of each is kept. */
#ifndef GPUSTREAM_PYTHON_KNOWN_STREAMS_H
#define GPUSTREAM_PYTHON_KNOWN_STREAMS_H

#include "objects.h"

/* New reference to an object for a stream that has none in the table. The calling thread holds the stream, or it is a
   default stream. NULL with the exception set. */
PyObject *gs_py_make_known(gs_stream_t stream);

#ifdef Py_GIL_DISABLED

/* As below. */
void gs_py_know(PyObject *object);
void gs_py_unknow(PyObject *object, const void *stream);
PyObject *gs_py_known_object(gs_stream_t stream);

#else

extern GS_PY_HIDDEN PyObject *gs_py_known_streams[GS_PY_KNOWN_STREAMS];

/* By the low bits of the handle, which are the slot's number. */
static inline PyObject **gs_py_known_place(const void *stream) {
    return &gs_py_known_streams[(uintptr_t)stream % GS_PY_KNOWN_STREAMS];
}

/* Only objects of gpustream.Stream itself: what current_stream() returns does not depend on who made it current. */
static inline void gs_py_know(PyObject *object) {
    if (GS_PY_LIKELY(Py_TYPE(object) == gs_py_stream_type)) *gs_py_known_place(gs_py_stream(object)) = object;
}

/* `stream`: the handle that the object has, or had until now. */
static inline void gs_py_unknow(PyObject *object, const void *stream) {
    PyObject **place = gs_py_known_place(stream);
    if (*place == object) *place = NULL;
}

/* New reference to the object that stands for a stream. One that owns no reference of it would let it end. */
static inline PyObject *gs_py_known_object(gs_stream_t stream) {
    PyObject *object = *gs_py_known_place(stream);
    if (GS_PY_UNLIKELY(!object || gs_py_stream(object) != stream || !gs_py_object_of(object)->own))
        return gs_py_make_known(stream);
    Py_INCREF(object);
    return object;
}

#endif

#endif
