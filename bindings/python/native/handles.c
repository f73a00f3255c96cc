/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"
#include "known_streams.h"
#include "module.h"
#include "objects.h"
#include "owner.h"

PyObject *gs_py_borrow_stream(PyObject *module, PyObject *handle) {
    (void)module;
    uint64_t number;
    if (gs_py_uint64("borrow_stream", "handle", handle, &number) < 0) return NULL;
    return gs_py_wrap_stream(gs_py_stream_type, (gs_stream_t)(uintptr_t)number, GS_PY_BORROWED);
}

PyObject *gs_py_borrow_event(PyObject *module, PyObject *handle) {
    (void)module;
    uint64_t number;
    if (gs_py_uint64("borrow_event", "handle", handle, &number) < 0) return NULL;
    return gs_py_wrap_event(gs_py_event_type, (gs_event_t)(uintptr_t)number, GS_PY_BORROWED);
}

PyObject *gs_py_detach(PyObject *module, PyObject *object) {
    (void)module;
    if (!gs_py_is_stream(object) && !gs_py_is_event(object))
        return PyErr_Format(PyExc_TypeError, "a stream or an event is expected"), NULL;
    gs_py_outlives(object);
    PyObject *handle = gs_py_unsigned((uintptr_t)GS_PY_LOAD(gs_py_object_of(object)->handle));
    if (!handle || gs_py_own(object) == GS_PY_KEPT) return handle; /* references to a default stream are not counted */
    if (gs_py_is_stream(object)) gs_py_unknow(object, gs_py_stream(object));
    GS_PY_STORE(gs_py_object_of(object)->own, GS_PY_BORROWED);
    return handle;
}
