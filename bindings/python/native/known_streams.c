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

/* New reference to an object for a stream that has none in the table. */
static PyObject *make_known(gs_stream_t stream) {
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

/* ---- the objects of one place, the one that was asked for last first. All under the place's lock. ----------------- */

gs_py_object *gs_py_known_streams[GS_PY_KNOWN_STREAMS];

static void take_out(unsigned at, const gs_py_object *object) {
    gs_py_object **link = &gs_py_known_streams[at];
    while (*link && *link != object) link = &(*link)->next_known;
    if (*link) GS_PY_STORE(*link, object->next_known);
}

static void put_first(unsigned at, gs_py_object *object) {
    take_out(at, object);
    object->next_known = gs_py_known_streams[at];
    GS_PY_STORE(gs_py_known_streams[at], object);
}

#ifdef Py_GIL_DISABLED

/* Another thread may be giving the object's last reference back, so its address alone will not do. -1: no memory. */
static int prepare(gs_py_object *object) {
    if (GS_PY_LOAD(object->weak)) return 0;
    PyObject *made = PyWeakref_NewRef((PyObject *)object, NULL);
    return made ? (gs_py_publish(&object->weak, made), 0) : (PyErr_Clear(), -1);
}

static PyObject *reference_to(const gs_py_object *object) { return gs_py_referent(object->weak); }

#else

static int prepare(gs_py_object *object) { return (void)object, 0; }
static PyObject *reference_to(gs_py_object *object) { return Py_INCREF(object), (PyObject *)object; }

#endif

void gs_py_know_first(PyObject *self) {
    gs_py_object *object = gs_py_object_of(self);
    const void *stream = gs_py_stream(self);
    const unsigned at = gs_py_known_place(stream);
    if (prepare(object) < 0) return; /* the stream gets another object when it is asked for */
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    /* Who closes it takes the handle away first, and then the entry. */
    if (gs_py_stream(self) == stream) put_first(at, object);
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
}

void gs_py_unknow(PyObject *object, const void *stream) {
    const unsigned at = gs_py_known_place(stream);
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    take_out(at, gs_py_object_of(object));
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
}

PyObject *gs_py_find_known(gs_stream_t stream) {
    const unsigned at = gs_py_known_place(stream);
    PyObject *found = NULL;
    GS_PY_LOCK(GS_PY_PLACE_TABLE + at);
    for (gs_py_object *at_hand = gs_py_known_streams[at]; at_hand && !found; at_hand = at_hand->next_known) {
        if (gs_py_stream((PyObject *)at_hand) != stream || !gs_py_own((PyObject *)at_hand)) continue;
        found = reference_to(at_hand);
        if (found) put_first(at, at_hand);
    }
    GS_PY_UNLOCK(GS_PY_PLACE_TABLE + at);
    return found ? found : make_known(stream);
}
