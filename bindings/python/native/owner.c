/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include "errors.h"
#include "gil.h"
#include "shutdown.h"

/* Runs when the last use of the stream has ended, on the thread that gave the last reference back. */
static void release_cell(void *cell) {
    if (gs_py_is_shutting_down()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)cell);
    PyGILState_Release(state);
}

int gs_py_adopt(gs_device_t device, uintptr_t native, PyObject *owner, PyObject **out_cell, gs_stream_t *out) {
    gs_status_t status;
    *out_cell = NULL;
    if (owner && native > 2) { /* 0 to 2 are the default streams, which have no owner */
        PyObject *cell = PyCell_New(NULL);
        if (!cell) return -1;
        Py_INCREF(cell);
        GS_PY_DRIVER(status = gs_stream_from_native_owned(device, native, release_cell, cell, out));
        if (status == GS_OK) return *out_cell = cell, 0;
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
    PyObject *cell = stream->cell;
    if (!cell) return;
    stream->cell = NULL;
    PyCell_SET(cell, stream->owner);
    stream->owner = NULL;
    Py_DECREF(cell);
}

void gs_py_outlives(PyObject *object) {
    if (PyObject_TypeCheck(object, gs_py_foreign_stream_type)) gs_py_hand_owner_over((gs_py_foreign_stream *)object);
}

void gs_py_give_up(PyObject *object) {
    gs_py_object *given = gs_py_object_of(object);
    if (!given->own) return;
    if (gs_py_is_stream(object)) gs_py_unknow(object);
    given->handle = NULL;
    given->own = GS_PY_BORROWED;
}
