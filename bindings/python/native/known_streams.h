// SPDX-License-Identifier: Apache-2.0
// Which object already stands for a stream: current_stream() and default_stream() give that one instead of making
// another for each call. The GIL guards all of it.
//
// An entry is borrowed: an object takes itself out when it ends, is closed or gives its reference away, so being known
// keeps no stream alive. Default streams never end; an object of each is kept for good.

enum { GS_PY_KNOWN_STREAMS = 64 };
static PyObject *gs_py_known_streams[GS_PY_KNOWN_STREAMS]; // by the low bits of the handle, which are the slot's number
static PyObject *gs_py_kept_streams; // list, one for each device whose default stream was asked for

static inline PyObject **gs_py_known_place(const void *stream) {
    return &gs_py_known_streams[(uintptr_t)stream % GS_PY_KNOWN_STREAMS];
}

// Only of the usual class: what current_stream() gives does not depend on who made the stream current.
static inline void gs_py_know(PyObject *object) {
    if (SWIGPY_LIKELY(Py_TYPE(object) == gs_py_stream_type)) *gs_py_known_place(gs_py_pointer(object)) = object;
}

static inline void gs_py_unknow(PyObject *object) {
    PyObject **place = gs_py_known_place(gs_py_pointer(object));
    if (*place == object) *place = NULL;
}

// Borrowed, or NULL. An object that owns no reference would let its stream end.
static inline PyObject *gs_py_known(gs_stream_t stream) {
    PyObject *object = *gs_py_known_place(stream);
    return SWIGPY_LIKELY(object && gs_py_pointer(object) == (void *)stream && ((SwigPyObject *)object)->own) ? object
                                                                                                             : NULL;
}

// New reference to a kept object of that stream, or NULL without an exception.
static PyObject *gs_py_kept(gs_stream_t stream) {
    for (Py_ssize_t i = 0; gs_py_kept_streams && i < PyList_GET_SIZE(gs_py_kept_streams); ++i) {
        PyObject *object = PyList_GET_ITEM(gs_py_kept_streams, i);
        if (gs_py_pointer(object) == (void *)stream) return Py_INCREF(object), object;
    }
    return NULL;
}

static int gs_py_keep(PyObject *object) {
    if (!gs_py_kept_streams && !(gs_py_kept_streams = PyList_New(0))) return -1;
    ((SwigPyObject *)object)->own = GS_PY_KEPT;
    return PyList_Append(gs_py_kept_streams, object);
}

// The object that nobody has: the caller's thread holds the stream, or it is a default stream.
static PyObject *gs_py_make_known(gs_stream_t stream) {
    PyObject *object = gs_py_kept(stream);
    if (!object) {
        int64_t id;
        gs_status_t status = gs_stream_id(stream, &id);
        if (status == GS_OK) status = gs_stream_retain(stream);
        if (status != GS_OK) return gs_py_fail(status), NULL;
        object = gs_py_wrap(gs_py_stream_type, stream, GS_PY_OWNED);
        if (object && id == 0 && gs_py_keep(object) < 0) Py_CLEAR(object);
    }
    if (object) gs_py_know(object);
    return object;
}

static inline PyObject *gs_py_object_of(gs_stream_t stream) {
    PyObject *object = gs_py_known(stream);
    if (SWIGPY_UNLIKELY(!object)) return gs_py_make_known(stream);
    Py_INCREF(object);
    return object;
}
