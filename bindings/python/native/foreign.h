// SPDX-License-Identifier: Apache-2.0
// Streams and events of others.

// The driver's stream with a cell that the library keeps. *out_cell becomes NULL where it knows the stream already:
// there somebody else keeps the stream alive.
static gs_status_t gs_py_adopt(gs_device_t device, uintptr_t native, PyObject **out_cell, gs_stream_t *out) {
    gs_status_t status = GS_ERROR_INVALID_ARGUMENT;
    PyObject *cell = *out_cell;
    if (cell && native > 2) {
        Py_INCREF(cell);
        GS_PY_DRIVER(status = gs_stream_from_native_owned(device, native, gs_py_release_cell, cell, out));
        if (status == GS_OK) return status;
        Py_DECREF(cell);
    }
    Py_CLEAR(*out_cell);
    if (status == GS_ERROR_INVALID_ARGUMENT) GS_PY_DRIVER(status = gs_stream_from_native(device, native, out));
    return status;
}

// (type, native, device or None, owner or None) -> object of the type
static PyObject *gs_py_from_native(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t native;
    gs_device_t device = GS_DEVICE_NONE;
    gs_stream_t stream;
    if (count != 4 || !PyType_Check(arguments[0]) ||
        !PyType_IsSubtype((PyTypeObject *)arguments[0], gs_py_foreign_type))
        return PyErr_Format(PyExc_TypeError, "a stream class, a number, a device and an owner are expected"), NULL;
    if (gs_py_uint64("ExternalStream", "stream_ptr", arguments[1], &native) < 0) return NULL;
    if (arguments[2] != Py_None && gs_py_device(arguments[2], "device", &device) < 0) return NULL;
    if (gs_py_start() < 0) return NULL;
    PyObject *owner = arguments[3] == Py_None ? NULL : arguments[3];
    PyObject *cell = NULL;
    if (owner && !(cell = PyCell_New(NULL))) return NULL;
    const gs_status_t status = gs_py_adopt(device, (uintptr_t)native, &cell, &stream);
    if (status != GS_OK) return gs_py_fail(status), NULL;
    PyObject *object = gs_py_wrap_foreign((PyTypeObject *)arguments[0], stream, owner, cell);
    Py_XDECREF(cell);
    return object;
}

// (type, native, device or None) -> event; the caller keeps the driver's event alive.
static PyObject *gs_py_event_from_native(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t native;
    gs_device_t device;
    gs_event_t event;
    if (count != 3 || !PyType_Check(arguments[0]) || !PyType_IsSubtype((PyTypeObject *)arguments[0], gs_py_event_base))
        return PyErr_Format(PyExc_TypeError, "an event class, a number and a device are expected"), NULL;
    if (gs_py_uint64("Event._from_native", "native", arguments[1], &native) < 0) return NULL;
    if (gs_py_device(arguments[2], "device", &device) < 0 || gs_py_start() < 0) return NULL;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_from_native(device, (uintptr_t)native, &event));
    if (status != GS_OK) return gs_py_fail(status), NULL;
    return gs_py_wrap((PyTypeObject *)arguments[0], event, GS_PY_OWNED);
}

// (type, device or None, 64 bytes) -> event
static PyObject *gs_py_event_from_ipc(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    gs_device_t device;
    gs_event_t event;
    gs_ipc_handle_t handle;
    if (count != 3 || !PyType_Check(arguments[0]) || !PyType_IsSubtype((PyTypeObject *)arguments[0], gs_py_event_base))
        return PyErr_Format(PyExc_TypeError, "an event class, a device and a handle are expected"), NULL;
    if (gs_py_ipc_handle(arguments[2], &handle) < 0) return NULL;
    if (gs_py_device_number(arguments[1], "device", &device) < 0 || gs_py_start() < 0) return NULL;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_ipc_open(device, &handle, &event));
    if (status != GS_OK) return gs_py_fail(status), NULL;
    return gs_py_wrap((PyTypeObject *)arguments[0], event, GS_PY_OWNED);
}

// (handle) -> a Stream or Event that borrows it. Any number is taken: the library judges it. For tests.
static PyObject *gs_py_borrow_stream(PyObject *module, PyObject *handle) {
    (void)module;
    uint64_t number;
    if (gs_py_uint64("borrow_stream", "handle", handle, &number) < 0) return NULL;
    return gs_py_wrap(gs_py_stream_type, (void *)(uintptr_t)number, GS_PY_BORROWED);
}
static PyObject *gs_py_borrow_event(PyObject *module, PyObject *handle) {
    (void)module;
    uint64_t number;
    if (gs_py_uint64("borrow_event", "handle", handle, &number) < 0) return NULL;
    return gs_py_wrap(gs_py_event_type, (void *)(uintptr_t)number, GS_PY_BORROWED);
}

static PyObject *gs_py_handle_of(PyObject *module, PyObject *object) {
    (void)module;
    if (!gs_py_is_stream(object) && !gs_py_is_event(object))
        return PyErr_Format(PyExc_TypeError, "a stream or an event is expected"), NULL;
    gs_py_outlived(object);
    return gs_py_unsigned((uintptr_t)gs_py_pointer(object));
}

// (object) -> handle; from now on the reference is the caller's. For tests, and for giving objects to other languages.
static PyObject *gs_py_detach(PyObject *module, PyObject *object) {
    PyObject *handle = gs_py_handle_of(module, object);
    if (!handle) return NULL;
    if (((SwigPyObject *)object)->own == GS_PY_KEPT)
        return handle; // of a default stream there are references without end
    if (gs_py_is_stream(object)) gs_py_unknow(object);
    ((SwigPyObject *)object)->own = GS_PY_BORROWED;
    return handle;
}
