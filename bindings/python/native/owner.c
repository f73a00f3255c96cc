/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include "errors.h"
#include "gil.h"

/* Runs when the last use of the stream has ended, on the thread that gave the last reference back. */
static void release_cell(void *cell) {
    if (gs_py_is_shutting_down()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)cell);
    PyGILState_Release(state);
}

#ifdef Py_GIL_DISABLED
/* For a stream that has an owner already. The object that keeps that one may end on another thread before this one has a
   reference, and the owner with it: only with a reference the library's answer stays true. Takes both references of the cell. */
static int adopt_beside(gs_device_t device, uintptr_t native, PyObject *cell, PyObject **out_cell, gs_stream_t *out) {
    gs_stream_t again;
    gs_status_t status = GS_ERROR_INVALID_ARGUMENT;
    const int result = gs_py_adopt_known(device, native, out);
    if (result == 0) GS_PY_DRIVER(status = gs_stream_from_native_owned(device, native, release_cell, cell, &again));
    if (status == GS_OK) {
        *out_cell = cell;
        return gs_py_check(gs_stream_destroy(again));
    }
    Py_DECREF(cell);
    Py_DECREF(cell);
    return result;
}
#endif

int gs_py_adopt(gs_device_t device, uintptr_t native, PyObject *owner, PyObject **out_cell, gs_stream_t *out) {
    gs_status_t status;
    *out_cell = NULL;
    if (owner && native > 2) { /* 0 to 2 are the default streams, which have no owner */
        PyObject *cell = PyCell_New(NULL);
        if (!cell) return -1;
        Py_INCREF(cell);
        GS_PY_DRIVER(status = gs_stream_from_native_owned(device, native, release_cell, cell, out));
        if (status == GS_OK) return *out_cell = cell, 0;
#ifdef Py_GIL_DISABLED
        if (status == GS_ERROR_INVALID_ARGUMENT) return adopt_beside(device, native, cell, out_cell, out);
#endif
        Py_DECREF(cell);
        Py_DECREF(cell);
        if (status != GS_ERROR_INVALID_ARGUMENT) return gs_py_check(status);
    }
    return gs_py_adopt_known(device, native, out);
}

int gs_py_adopt_known(gs_device_t device, uintptr_t native, gs_stream_t *out) {
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_from_native(device, native, out));
    return gs_py_check(status);
}

void gs_py_hand_owner_over(gs_py_foreign_stream *stream) {
    PyObject *cell;
    GS_PY_OBJECT_LOCK(stream);
    cell = stream->cell;
    if (cell) {
        stream->cell = NULL;
        PyCell_SET(cell, stream->owner);
        stream->owner = NULL;
    }
    GS_PY_OBJECT_UNLOCK();
    Py_XDECREF(cell);
}

void gs_py_outlives(PyObject *object) {
    if (PyObject_TypeCheck(object, gs_py_foreign_stream_type)) gs_py_hand_owner_over((gs_py_foreign_stream *)object);
}

void gs_py_give_up(PyObject *object) {
    gs_py_object *given = gs_py_object_of(object);
    const void *handle = given->handle;
    if (!given->own) return;
    GS_PY_STORE(given->handle, NULL);
    GS_PY_STORE(given->own, GS_PY_BORROWED);
    if (gs_py_is_stream(object)) gs_py_unknow(object, handle);
}
