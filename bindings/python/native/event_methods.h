// SPDX-License-Identifier: Apache-2.0
// The methods of events that take optional or named arguments, and those that block.

static gs_py_signature gs_py_record_arguments = {.function = "record", .positional = 1, .names = {"stream"}};
static gs_py_signature gs_py_wait_arguments = {.function = "wait", .positional = 1, .names = {"stream"}};
static gs_py_signature gs_py_elapsed_arguments = {
    .function = "elapsed_time", .required = 1, .positional = 1, .names = {"end_event"}};

// An optional stream: None and nothing mean the current one.
static int gs_py_optional_stream(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t count,
                                 PyObject *names, gs_stream_t *out, PyObject **out_owner) {
    PyObject *given = NULL;
    *out_owner = NULL;
    if (SWIGPY_LIKELY(count == 1 && !names))
        given = arguments[0];
    else if (gs_py_bind(signature, arguments, count, names, &given) < 0)
        return -1;
    if (SWIGPY_LIKELY(given && gs_py_is_stream(given))) {
        *out = gs_py_stream(given);
        return 0;
    }
    if (!given || given == Py_None) {
        *out = GS_STREAM_CURRENT;
        return gs_py_start();
    }
    return gs_py_stream_from(given, signature->names[0], out, out_owner);
}

static gs_status_t gs_py_backend_of(gs_device_t device, gs_backend_t *out) {
    *out = gs_device_backend(device);
    return *out == GS_BACKEND_DEFAULT ? gs_default_backend(out) : GS_OK;
}

// By gs_backend_t, as torch names device types.
static const char *const gs_py_backend_names[] = {"default", "host", "cuda", "hip"};

// A generic event's backend comes before the current device: its current stream is that of the current device if that
// is of the backend, else that of the backend's first device. 0 or -1.
static int gs_py_typed_current(PyObject *event, gs_stream_t *stream) {
    const gs_backend_t wanted = ((SwigPyObject *)event)->own / GS_PY_TYPED;
    gs_device_t device;
    gs_backend_t backend = wanted;
    if (wanted == 0 || *stream != GS_STREAM_CURRENT) return 0;
    gs_status_t status = gs_current_device(&device);
    if (status == GS_OK) status = gs_py_backend_of(device, &backend);
    if (status == GS_OK && backend != wanted) status = gs_current_stream(gs_device_make(wanted, 0), stream);
    return status == GS_OK ? 0 : (gs_py_fail(status), -1);
}

// What an event that is no plain one refuses to be recorded in. 0 or -1.
static int gs_py_may_record(PyObject *event, gs_stream_t *stream) {
    const int own = ((SwigPyObject *)event)->own;
    if (own & GS_PY_POISONED) {
        gs_event_t none;
        gs_py_fail(gs_event_create(GS_EVENT_TIMING | GS_EVENT_INTERPROCESS, &none));
        return -1;
    }
    if (own < GS_PY_TYPED) return 0;
    if (*stream == GS_STREAM_CURRENT) return gs_py_typed_current(event, stream);
    gs_device_t device;
    gs_backend_t backend;
    gs_status_t status = gs_stream_device(*stream, &device);
    if (status == GS_OK) status = gs_py_backend_of(device, &backend);
    if (status != GS_OK) return gs_py_fail(status), -1;
    if (own / GS_PY_TYPED == backend) return 0;
    gs_py_fail_with(GS_ERROR_NOT_SUPPORTED, "Event device type %s does not match recording stream's device type %s.",
                    gs_py_backend_names[own / GS_PY_TYPED], gs_py_backend_names[backend]);
    return -1;
}

// The same for exporting; a generic event's backend does not matter there.
static PyObject *gs_py_may_export(PyObject *module, PyObject *event) {
    (void)module;
    if (!gs_py_is_event(event)) return gs_py_wrong_type("ipc_handle", "self", "Event", event), NULL;
    gs_event_t none;
    if (((SwigPyObject *)event)->own & GS_PY_POISONED)
        return gs_py_none_or_fail(gs_event_create(GS_EVENT_TIMING | GS_EVENT_INTERPROCESS, &none));
    Py_RETURN_NONE;
}

static PyObject *gs_py_record(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    gs_stream_t stream;
    PyObject *owner;
    if (gs_py_optional_stream(&gs_py_record_arguments, arguments, count, names, &stream, &owner) < 0) return NULL;
    const int plain = ((SwigPyObject *)self)->own == GS_PY_OWNED;
    if (SWIGPY_UNLIKELY(!plain) && gs_py_may_record(self, &stream) < 0) {
        Py_XDECREF(owner);
        return NULL;
    }
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_record(event, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *gs_py_wait(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    gs_stream_t stream;
    PyObject *owner;
    if (gs_py_optional_stream(&gs_py_wait_arguments, arguments, count, names, &stream, &owner) < 0) return NULL;
    if (SWIGPY_UNLIKELY(stream == GS_STREAM_CURRENT) && gs_py_typed_current(self, &stream) < 0) return NULL;
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_wait(event, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

// The backend that an event is bound to, else the one that it is meant for; GS_BACKEND_DEFAULT: any.
static gs_backend_t gs_py_event_backend(PyObject *event) {
    gs_device_t device;
    gs_backend_t backend;
    if (gs_event_device(gs_py_event(event), &device) == GS_OK && device != GS_DEVICE_NONE &&
        gs_py_backend_of(device, &backend) == GS_OK)
        return backend;
    return ((SwigPyObject *)event)->own / GS_PY_TYPED;
}

// torch looks at the device types before all else. The library does not know what an event is meant for, and looks at
// backends after two other things; so this is asked when one of the three was wrong.
static void gs_py_fail_to_elapse(PyObject *start, PyObject *end, gs_status_t status) {
    if (status == GS_ERROR_TIMING_DISABLED || status == GS_ERROR_NOT_RECORDED || status == GS_ERROR_NOT_SUPPORTED) {
        const gs_backend_t one = gs_py_event_backend(start), other = gs_py_event_backend(end);
        if (one != other && one != GS_BACKEND_DEFAULT && other != GS_BACKEND_DEFAULT) {
            gs_py_fail_with(GS_ERROR_NOT_SUPPORTED, "Event device type %s does not match other's device type %s.",
                            gs_py_backend_names[one], gs_py_backend_names[other]);
            return;
        }
    }
    gs_py_fail(status);
}

static PyObject *gs_py_elapsed(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given;
    double milliseconds;
    gs_status_t status;
    if (SWIGPY_LIKELY(count == 1 && !names))
        given = arguments[0];
    else if (gs_py_bind(&gs_py_elapsed_arguments, arguments, count, names, &given) < 0)
        return NULL;
    if (!gs_py_is_event(given)) return gs_py_wrong_type("elapsed_time", "end_event", "Event", given), NULL;
    gs_event_t start = gs_py_event(self), end = gs_py_event(given);
    GS_PY_DRIVER(status = gs_event_elapsed_ms(start, end, &milliseconds));
    if (SWIGPY_LIKELY(status == GS_OK)) return PyFloat_FromDouble(milliseconds);
    gs_py_fail_to_elapse(self, given, status);
    return NULL;
}

static PyObject *gs_py_event_query(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    int32_t done;
    GS_PY_DRIVER(status = gs_event_query(event, &done));
    return gs_py_bool_or_fail(status, done);
}

static PyObject *gs_py_event_synchronize_now(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_BLOCKING(status = gs_event_synchronize(event));
    return gs_py_none_or_fail(status);
}
static PyMethodDef gs_py_event_synchronize_def = {"synchronize", gs_py_event_synchronize_now, METH_NOARGS, NULL};

static PyObject *gs_py_event_synchronize(PyObject *self, PyObject *unused) {
    uint64_t recorded = 0;
    // Nothing is said about an event that was never recorded, as nothing is waited for.
    if (gs_event_id(gs_py_event(self), &recorded) == GS_OK && recorded != 0 && gs_py_warn_of_sync(0) < 0) return NULL;
    if (gs_py_pending_callbacks != 0) return gs_py_after_callbacks(&gs_py_event_synchronize_def, self);
    return gs_py_event_synchronize_now(self, unused);
}

static PyMethodDef gs_py_event_methods[] = {
    {"record", (PyCFunction)(void (*)(void))gs_py_record, METH_FASTCALL | METH_KEYWORDS, gs_py_doc_record},
    {"wait", (PyCFunction)(void (*)(void))gs_py_wait, METH_FASTCALL | METH_KEYWORDS, gs_py_doc_wait},
    {"elapsed_time", (PyCFunction)(void (*)(void))gs_py_elapsed, METH_FASTCALL | METH_KEYWORDS, gs_py_doc_elapsed_time},
    {"query", gs_py_event_query, METH_NOARGS, gs_py_doc_event_query},
    {"synchronize", gs_py_event_synchronize, METH_NOARGS, gs_py_doc_event_synchronize},
    {"close", gs_py_event_close, METH_NOARGS, gs_py_doc_event_close},
    {NULL, NULL, 0, NULL}};
