// SPDX-License-Identifier: Apache-2.0
// How streams begin and end.

static gs_py_signature gs_py_stream_arguments = {
    .function = "Stream",
    .positional = 2,
    .names = {"device", "priority", "stream_id", "device_index", "device_type", "shared"}};
static gs_py_signature gs_py_generic_stream_arguments = {
    .function = "Stream",
    .positional = 1,
    .names = {"device", "priority", "stream_id", "device_index", "device_type", "shared"}};
static gs_py_signature gs_py_stream_triple_arguments = {
    .function = "Stream",
    .required = 3,
    .positional = 3,
    .names = {"stream_id", "device_index", "device_type", "priority"}};

// Lower is higher; the library clamps to the device's range, which int32_t is wider than.
static int gs_py_priority(PyObject *given, int32_t *out) {
    int64_t number = 0;
    if (given && gs_py_int64("Stream", "priority", given, &number) < 0) return -1;
    *out = number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int32_t)number;
    return 0;
}

static int gs_py_small(const char *name, PyObject *given, int32_t *out) {
    int64_t number;
    if (gs_py_int64("Stream", name, given, &number) < 0) return -1;
    if (number != (int32_t)number) {
        PyErr_Format(PyExc_OverflowError, "Stream(): argument '%s' is out of range", name);
        return -1;
    }
    *out = (int32_t)number;
    return 0;
}

// The stream that a live object described by its three numbers.
static int gs_py_stream_unpack(PyObject *id, PyObject *index, PyObject *type, gs_stream_t *out) {
    gs_stream_triple_t triple;
    if (!id || !index) {
        PyErr_SetString(PyExc_TypeError, "Stream() needs both stream_id and device_index to name an existing stream");
        return -1;
    }
    if (gs_py_int64("Stream", "stream_id", id, &triple.id) < 0 ||
        gs_py_small("device_index", index, &triple.device_index) < 0)
        return -1;
    gs_status_t status = GS_OK;
    if (type) {
        if (gs_py_small("device_type", type, &triple.device_type) < 0) return -1;
    } else {
        status = gs_default_backend(&triple.device_type);
    }
    if (gs_py_start() < 0) return -1;
    if (status == GS_OK) status = gs_stream_unpack(&triple, out);
    return status == GS_OK ? 0 : (gs_py_fail(status), -1);
}

// Making a driver stream may wait for device work, and that work for another Python thread.
static gs_status_t gs_py_create(gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out) {
    gs_status_t status;
    Py_BEGIN_ALLOW_THREADS;
    status = gs_stream_create(device, priority, flags, out);
    Py_END_ALLOW_THREADS;
    return status;
}

// From the six arguments of the two classes.
static int gs_py_stream_make(PyObject *const *given, gs_stream_t *out) {
    gs_device_t device;
    int32_t priority;
    if (gs_py_priority(given[1], &priority) < 0) return -1;
    const int shared = gs_py_flag(&gs_py_stream_arguments, 5, given[5], 0);
    if (shared < 0) return -1;
    if (given[2] || given[3] || given[4]) {
        if (!shared) return gs_py_stream_unpack(given[2], given[3], given[4], out);
        PyErr_SetString(PyExc_TypeError, "Stream(): shared does not apply to an existing stream");
        return -1;
    }
    if (gs_py_device(given[0], "device", &device) < 0 || gs_py_start() < 0) return -1;
    const gs_status_t status = gs_py_create(device, priority, shared ? GS_STREAM_SHARED : 0, out);
    return SWIGPY_LIKELY(status == GS_OK) ? 0 : (gs_py_fail(status), -1);
}

static int gs_py_stream_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    SwigPyObject *object = (SwigPyObject *)self;
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    gs_stream_t stream;
    int32_t priority;
    if (object->ptr) return 0; // __new__ has done it
    const int usual = PyType_IsSubtype(Py_TYPE(self), gs_py_stream_type);
    if (!usual && PyTuple_GET_SIZE(tuple) == 3) { // torch.Stream(stream_id, device_index, device_type, *, priority=0)
        if (gs_py_bind_tuple(&gs_py_stream_triple_arguments, tuple, dict, given) < 0) return -1;
        if (gs_py_priority(given[3], &priority) < 0 || gs_py_stream_unpack(given[0], given[1], given[2], &stream) < 0)
            return -1;
    } else {
        if (gs_py_bind_tuple(usual ? &gs_py_stream_arguments : &gs_py_generic_stream_arguments, tuple, dict, given) < 0)
            return -1;
        if (gs_py_stream_make(given, &stream) < 0) return -1;
    }
    object->ptr = stream;
    object->own = GS_PY_OWNED;
    return 0;
}

// See gs_py_event_new.
static PyObject *gs_py_stream_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    SwigPyObject *self = (SwigPyObject *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->ty = SWIGTYPE_p_gs_stream;
    const int by_new = type->tp_new != gs_py_stream_new;
    const int explicit_arguments = PyTuple_GET_SIZE(tuple) > 0 || (dict && PyDict_GET_SIZE(dict) > 0);
    if (by_new && (type->tp_init == gs_py_stream_init || explicit_arguments) &&
        gs_py_stream_init((PyObject *)self, tuple, dict) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *gs_py_stream_vectorcall(PyObject *callable, PyObject *const *arguments, size_t flags,
                                         PyObject *names) {
    gs_stream_t stream;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (SWIGPY_LIKELY(count == 0 && !names)) {
        if (gs_py_start() < 0) return NULL;
        const gs_status_t status = gs_py_create(GS_DEVICE_CURRENT, 0, 0, &stream);
        if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), NULL;
    } else {
        PyObject *given[GS_PY_MOST_ARGUMENTS];
        if (gs_py_bind(&gs_py_stream_arguments, arguments, count, names, given) < 0) return NULL;
        if (gs_py_stream_make(given, &stream) < 0) return NULL;
    }
    return gs_py_wrap((PyTypeObject *)callable, stream, GS_PY_OWNED);
}

static void gs_py_stream_dealloc(PyObject *self) {
    SwigPyObject *object = (SwigPyObject *)self;
    gs_py_unknow(self); // before any other code runs, which could get it back by current_stream()
    if (SWIGPY_UNLIKELY(object->weakreflist != NULL)) PyObject_ClearWeakRefs(self);
    if (object->own && object->ptr) {
        gs_stream_t stream = (gs_stream_t)object->ptr;
        gs_status_t status;
        GS_PY_DRIVER(status = gs_stream_destroy(stream));
        if (SWIGPY_UNLIKELY(status != GS_OK)) gs_py_report_destroy(status);
    }
    gs_py_free(self);
}

static PyObject *gs_py_stream_close(PyObject *self, PyObject *unused) {
    (void)unused;
    SwigPyObject *object = (SwigPyObject *)self;
    gs_stream_t stream = (gs_stream_t)object->ptr;
    const int own = object->own;
    if (own == GS_PY_KEPT) Py_RETURN_NONE; // others have the same object
    gs_py_unknow(self);
    object->ptr = NULL;
    object->own = GS_PY_BORROWED;
    if (!stream || !own) Py_RETURN_NONE;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_destroy(stream));
    return gs_py_none_or_fail(status);
}
