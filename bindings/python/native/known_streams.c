/* SPDX-License-Identifier: Apache-2.0 */
#include "known_streams.h"

#include "errors.h"

static PyObject *kept_streams; /* list: one for each device whose default stream was asked for */

/* New reference to the kept object of a stream, or NULL without an exception. Under the table's lock. */
static PyObject *find_kept(gs_stream_t stream) {
    for (Py_ssize_t i = 0; kept_streams && i < PyList_GET_SIZE(kept_streams); ++i) {
        PyObject *object = PyList_GET_ITEM(kept_streams, i);
        if (gs_py_stream(object) == stream) return Py_INCREF(object), object;
    }
    return NULL;
}

static int append(PyObject *object) {
    if (!kept_streams && !(kept_streams = PyList_New(0))) return -1;
    gs_py_object_of(object)->own = GS_PY_KEPT;
    return PyList_Append(kept_streams, object);
}

/* Takes the reference of a new object. The object that is kept for its stream, which another thread may just have made; NULL
   with the exception set. */
static PyObject *keep(PyObject *object) {
    GS_PY_LOCK(GS_PY_KEPT_TABLE);
    PyObject *found = find_kept(gs_py_stream(object));
    const int result = found ? 0 : append(object);
    GS_PY_UNLOCK(GS_PY_KEPT_TABLE);
    if (!found && result == 0) return object;
    Py_DECREF(object);
    return found;
}

PyObject *gs_py_make_known(gs_stream_t stream) {
    GS_PY_LOCK(GS_PY_KEPT_TABLE);
    PyObject *object = find_kept(stream);
    GS_PY_UNLOCK(GS_PY_KEPT_TABLE);
    if (!object) {
        int64_t id;
        gs_status_t status = gs_stream_id(stream, &id);
        if (status == GS_OK) status = gs_stream_retain(stream);
        if (gs_py_check(status) < 0) return NULL;
        object = gs_py_wrap_stream(gs_py_stream_type, stream, GS_PY_OWNED);
        if (object && id == 0) object = keep(object);
    }
    if (object) gs_py_know(object);
    return object;
}

#ifdef Py_GIL_DISABLED

/* A thread may ask for an object whose last reference another thread is giving back, so a pointer alone will not do. */
static struct {
    const void *stream;
    PyObject *object; /* compared, never used */
    PyObject *weak;   /* NULL: free */
} places[GS_PY_KNOWN_STREAMS];

static unsigned place_of(const void *stream) { return (unsigned)((uintptr_t)stream % GS_PY_KNOWN_STREAMS); }

/* What was there before. Under the place's lock. */
static PyObject *fill(unsigned at, const void *stream, PyObject *object, PyObject *weak) {
    PyObject *before = places[at].weak;
    places[at].stream = stream;
    GS_PY_STORE(places[at].object, object);
    places[at].weak = weak;
    return before;
}

void gs_py_know(PyObject *object) {
    const void *stream = gs_py_stream(object);
    const unsigned at = place_of(stream);
    if (Py_TYPE(object) != gs_py_stream_type || GS_PY_LOAD(places[at].object) == object) return;
    PyObject *weak = PyWeakref_NewRef(object, NULL);
    if (!weak) return PyErr_Clear(); /* no memory: the stream gets another object when it is asked for */
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    /* Who closes it takes the handle away first, and then the entry. */
    if (gs_py_stream(object) == stream) weak = fill(at, stream, object, weak);
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
    Py_XDECREF(weak);
}

void gs_py_unknow(PyObject *object, const void *stream) {
    const unsigned at = place_of(stream);
    PyObject *weak = NULL;
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    if (places[at].object == object) weak = fill(at, NULL, NULL, NULL);
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
    Py_XDECREF(weak);
}

PyObject *gs_py_known_object(gs_stream_t stream) {
    const unsigned at = place_of(stream);
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    PyObject *object = places[at].stream == stream ? gs_py_referent(places[at].weak) : NULL;
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
    if (GS_PY_LIKELY(object && gs_py_stream(object) == stream && gs_py_own(object))) return object;
    Py_XDECREF(object);
    return gs_py_make_known(stream);
}

#else

PyObject *gs_py_known_streams[GS_PY_KNOWN_STREAMS];

#endif
