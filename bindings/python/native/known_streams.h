/* SPDX-License-Identifier: Apache-2.0 */
/* Which object already stands for a stream: current_stream() and default_stream() return that one instead of making
   another for each call. The GIL guards all of it; without one each place has a lock, and each object a weak reference.

   An entry is borrowed: an object removes itself when it ends, is closed or gives its reference away, so being known
   keeps no stream alive. Default streams never end; one object of each is kept. */
#ifndef GPUSTREAM_PYTHON_KNOWN_STREAMS_H
#define GPUSTREAM_PYTHON_KNOWN_STREAMS_H

#include "objects.h"

extern GS_PY_HIDDEN gs_py_object *gs_py_known_streams[GS_PY_KNOWN_STREAMS];

/* By the low bits of the handle, which are the slot's number. Streams that share a place share a list. */
static inline unsigned gs_py_known_place(const void *stream) {
    return (unsigned)((uintptr_t)stream % GS_PY_KNOWN_STREAMS);
}

/* Makes it the object that stands for its stream. */
void gs_py_know_first(PyObject *object);

/* Only objects of gpustream.Stream itself: what current_stream() returns does not depend on who made it current. */
static inline void gs_py_know(PyObject *object) {
    if (Py_TYPE(object) != gs_py_stream_type) return;
    if (GS_PY_UNLIKELY(GS_PY_LOAD(gs_py_known_streams[gs_py_known_place(gs_py_stream(object))]) !=
                       gs_py_object_of(object)))
        gs_py_know_first(object);
}

/* `stream`: the handle that the object has, or had until now. */
void gs_py_unknow(PyObject *object, const void *stream);

/* New reference to the object that stands for a stream, made where there is none; NULL with the exception set. The calling
   thread holds the stream, or it is a default stream. */
PyObject *gs_py_find_known(gs_stream_t stream);

static inline PyObject *gs_py_known_object(gs_stream_t stream) {
#ifndef Py_GIL_DISABLED
    gs_py_object *first = gs_py_known_streams[gs_py_known_place(stream)];
    /* One that owns no reference of the stream would let it end. */
    if (GS_PY_LIKELY(first && first->handle == stream && first->own)) return Py_INCREF(first), (PyObject *)first;
#endif
    return gs_py_find_known(stream);
}

#endif
