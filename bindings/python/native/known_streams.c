/* SPDX-License-Identifier: Apache-2.0 */
#include "known_streams.h"

#include "errors.h"

PyObject *gs_py_known_streams[GS_PY_KNOWN_STREAMS];
static PyObject *kept_streams; /* list: one for each device whose default stream was asked for */

/* New reference to the kept object of a stream, or NULL without an exception. */
static PyObject *find_kept(gs_stream_t stream) {
    for (Py_ssize_t i = 0; kept_streams && i < PyList_GET_SIZE(kept_streams); ++i) {
        PyObject *object = PyList_GET_ITEM(kept_streams, i);
        if (gs_py_stream(object) == stream) return Py_INCREF(object), object;
    }
    return NULL;
}

static int keep(PyObject *object) {
    if (!kept_streams && !(kept_streams = PyList_New(0))) return -1;
    gs_py_object_of(object)->own = GS_PY_KEPT;
    return PyList_Append(kept_streams, object);
}

PyObject *gs_py_make_known(gs_stream_t stream) {
    PyObject *object = find_kept(stream);
    if (!object) {
        int64_t id;
        gs_status_t status = gs_stream_id(stream, &id);
        if (status == GS_OK) status = gs_stream_retain(stream);
        if (gs_py_check(status) < 0) return NULL;
        object = gs_py_wrap_stream(gs_py_stream_type, stream, GS_PY_OWNED);
        if (object && id == 0 && keep(object) < 0) Py_CLEAR(object);
    }
    if (object) gs_py_know(object);
    return object;
}
