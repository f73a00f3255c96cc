/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "known_streams.h"
#include "module.h"
#include "objects.h"
#include "owner.h"
#include "start.h"
#include "structs.h"

static PyTypeObject *event_class(PyObject *given) {
    if (PyType_Check(given) && PyType_IsSubtype((PyTypeObject *)given, gs_py_generic_event_type))
        return (PyTypeObject *)given;
    return NULL;
}

PyObject *gs_py_event_from_native(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t native;
    gs_device_t device;
    gs_event_t event;
    gs_status_t status;
    PyTypeObject *type = count == 3 ? event_class(arguments[0]) : NULL;
    if (!type) return PyErr_Format(PyExc_TypeError, "an event class, a number and a device are expected"), NULL;
    if (gs_py_uint64("Event._from_native", "native", arguments[1], &native) < 0) return NULL;
    if (gs_py_device(arguments[2], "device", &device) < 0 || gs_py_start() < 0) return NULL;
    GS_PY_DRIVER(status = gs_event_from_native(device, (uintptr_t)native, &event));
    return gs_py_check(status) < 0 ? NULL : gs_py_wrap_event(type, event, GS_PY_OWNED);
}

PyObject *gs_py_event_from_ipc(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    gs_device_t device;
    gs_event_t event;
    gs_ipc_handle_t handle;
    gs_status_t status;
    PyTypeObject *type = count == 3 ? event_class(arguments[0]) : NULL;
    if (!type) return PyErr_Format(PyExc_TypeError, "an event class, a device and a handle are expected"), NULL;
    if (gs_py_ipc_handle(arguments[2], &handle) < 0) return NULL;
    if (gs_py_device_number(arguments[1], "device", &device) < 0 || gs_py_start() < 0) return NULL;
    GS_PY_DRIVER(status = gs_event_ipc_open(device, &handle, &event));
    return gs_py_check(status) < 0 ? NULL : gs_py_wrap_event(type, event, GS_PY_OWNED);
}

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

PyObject *gs_py_handle_of(PyObject *module, PyObject *object) {
    (void)module;
    if (!gs_py_is_stream(object) && !gs_py_is_event(object))
        return PyErr_Format(PyExc_TypeError, "a stream or an event is expected"), NULL;
    gs_py_outlives(object);
    return gs_py_unsigned((uintptr_t)GS_PY_LOAD(gs_py_object_of(object)->handle));
}

PyObject *gs_py_detach(PyObject *module, PyObject *object) {
    PyObject *handle = gs_py_handle_of(module, object);
    if (!handle || gs_py_own(object) == GS_PY_KEPT) return handle; /* references to a default stream are not counted */
    if (gs_py_is_stream(object)) gs_py_unknow(object, gs_py_stream(object));
    GS_PY_STORE(gs_py_object_of(object)->own, GS_PY_BORROWED);
    return handle;
}
