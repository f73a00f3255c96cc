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

// What arguments ask for.
typedef struct gs_py_stream_wish {
    gs_stream_t live; // a reference to this one, or NULL: a new one
    gs_device_t device;
    int32_t priority;
    uint32_t flags;
} gs_py_stream_wish;

// From the six arguments of the two classes.
static int gs_py_stream_ask(PyObject *const *given, gs_py_stream_wish *out) {
    out->live = NULL;
    if (gs_py_priority(given[1], &out->priority) < 0) return -1;
    const int shared = gs_py_flag(&gs_py_stream_arguments, 5, given[5], 0);
    if (shared < 0) return -1;
    out->flags = shared ? GS_STREAM_SHARED : 0;
    if (given[2] || given[3] || given[4]) {
        if (!shared) return gs_py_stream_unpack(given[2], given[3], given[4], &out->live);
        PyErr_SetString(PyExc_TypeError, "Stream(): shared does not apply to an existing stream");
        return -1;
    }
    return gs_py_device(given[0], "device", &out->device) < 0 ? -1 : gs_py_start();
}

static int gs_py_stream_ask_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_stream_wish *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    const int usual = PyType_IsSubtype(type, gs_py_stream_type);
    if (!usual && PyTuple_GET_SIZE(tuple) == 3) { // torch.Stream(stream_id, device_index, device_type, *, priority=0)
        if (gs_py_bind_tuple(&gs_py_stream_triple_arguments, tuple, dict, given) < 0) return -1;
        if (gs_py_priority(given[3], &out->priority) < 0) return -1;
        return gs_py_stream_unpack(given[0], given[1], given[2], &out->live);
    }
    gs_py_signature *signature = usual ? &gs_py_stream_arguments : &gs_py_generic_stream_arguments;
    return gs_py_bind_tuple(signature, tuple, dict, given) < 0 ? -1 : gs_py_stream_ask(given, out);
}

static int gs_py_stream_make(const gs_py_stream_wish *wish, gs_stream_t *out) {
    if ((*out = wish->live)) return 0;
    const gs_status_t status = gs_py_create(wish->device, wish->priority, wish->flags, out);
    return SWIGPY_LIKELY(status == GS_OK) ? 0 : (gs_py_fail(status), -1);
}

static int gs_py_stream_fill(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_stream_wish wish;
    gs_stream_t stream;
    if (gs_py_stream_ask_tuple(Py_TYPE(self), tuple, dict, &wish) < 0 || gs_py_stream_make(&wish, &stream) < 0)
        return -1;
    ((SwigPyObject *)self)->ptr = stream;
    ((SwigPyObject *)self)->own = GS_PY_OWNED;
    return 0;
}

// Whether a stream is what another call asks for, so that there is no need for another. In doubt it is not.
static int gs_py_stream_suits(gs_stream_t stream, const gs_py_stream_wish *wish) {
    gs_device_t device, wanted = wish->device;
    int32_t priority;
    uint32_t flags;
    if (wish->live || gs_stream_device(stream, &device) != GS_OK) return 0;
    if (wanted < 0 && gs_current_device(&wanted) != GS_OK) return 0;
    return wanted == device && gs_stream_priority(stream, &priority) == GS_OK && priority == wish->priority &&
           gs_stream_flags(stream, &flags) == GS_OK && !((flags ^ wish->flags) & GS_STREAM_SHARED);
}

static int gs_py_stream_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    SwigPyObject *object = (SwigPyObject *)self;
    gs_py_stream_wish wish;
    if (!object->ptr) return gs_py_stream_fill(self, tuple, dict);
    if (!gs_py_is_guess(self)) return 0; // __new__ has done it
    gs_stream_t before = object->own ? gs_py_stream(self) : NULL;
    if (gs_py_stream_ask_tuple(Py_TYPE(self), tuple, dict, &wish) < 0) return -1;
    gs_py_set_guess(self, 0);
    if (gs_py_stream_suits(gs_py_stream(self), &wish)) return 0;
    gs_stream_t stream;
    if (gs_py_stream_make(&wish, &stream) < 0) return -1;
    object->ptr = stream;
    object->own = GS_PY_OWNED;
    gs_status_t status = GS_OK;
    if (before) GS_PY_DRIVER(status = gs_stream_destroy(before));
    return status == GS_OK ? 0 : (gs_py_fail(status), -1);
}

static PyObject *gs_py_stream_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    return gs_py_new(type, SWIGTYPE_p_gs_stream, type->tp_new != gs_py_stream_new, type->tp_init != gs_py_stream_init,
                     gs_py_stream_fill, tuple, dict);
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
        gs_py_stream_wish wish;
        if (gs_py_bind(&gs_py_stream_arguments, arguments, count, names, given) < 0) return NULL;
        if (gs_py_stream_ask(given, &wish) < 0 || gs_py_stream_make(&wish, &stream) < 0) return NULL;
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
