// SPDX-License-Identifier: Apache-2.0
// The methods of streams that take optional or named arguments, those that block, and the context manager.

static gs_py_signature gs_py_record_event_arguments = {.function = "record_event", .positional = 1, .names = {"event"}};
static gs_py_signature gs_py_wait_event_arguments = {
    .function = "wait_event", .required = 1, .positional = 1, .names = {"event"}};
static gs_py_signature gs_py_wait_stream_arguments = {
    .function = "wait_stream", .required = 1, .positional = 1, .names = {"stream"}};
static gs_py_signature gs_py_current_stream_arguments = {
    .function = "current_stream", .positional = 1, .names = {"device"}};
static gs_py_signature gs_py_synchronize_arguments = {.function = "synchronize", .positional = 1, .names = {"device"}};
static gs_py_signature gs_py_default_stream_arguments = {
    .function = "default_stream", .positional = 1, .names = {"device"}};

// A new event of the class that goes with the stream's, without timing.
static PyObject *gs_py_event_beside(PyObject *stream) {
    gs_event_t event;
    const gs_status_t status = gs_event_create(0, &event);
    if (status != GS_OK) return gs_py_fail(status), NULL;
    const int usual = PyType_IsSubtype(Py_TYPE(stream), gs_py_stream_type);
    return gs_py_wrap(usual ? gs_py_event_type : gs_py_event_base, event, GS_PY_OWNED);
}

static PyObject *gs_py_record_event(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *event = NULL;
    if (SWIGPY_LIKELY(count <= 1 && !names))
        event = count == 1 ? arguments[0] : NULL;
    else if (gs_py_bind(&gs_py_record_event_arguments, arguments, count, names, &event) < 0)
        return NULL;
    if (!event || event == Py_None) {
        event = gs_py_event_beside(self);
        if (!event) return NULL;
    } else if (!gs_py_is_event(event)) {
        return gs_py_wrong_type("record_event", "event", "Event or None", event), NULL;
    } else {
        Py_INCREF(event);
    }
    gs_stream_t stream = gs_py_stream(self);
    if (((SwigPyObject *)event)->own != GS_PY_OWNED && gs_py_may_record(event, &stream) < 0) {
        Py_DECREF(event);
        return NULL;
    }
    gs_event_t handle = gs_py_event(event);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_record_event(stream, handle));
    if (SWIGPY_LIKELY(status == GS_OK)) return event;
    gs_py_fail(status);
    Py_DECREF(event);
    return NULL;
}

static PyObject *gs_py_wait_event(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *event;
    if (SWIGPY_LIKELY(count == 1 && !names))
        event = arguments[0];
    else if (gs_py_bind(&gs_py_wait_event_arguments, arguments, count, names, &event) < 0)
        return NULL;
    if (!gs_py_is_event(event)) return gs_py_wrong_type("wait_event", "event", "Event", event), NULL;
    gs_stream_t stream = gs_py_stream(self);
    gs_event_t handle = gs_py_event(event);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_wait_event(stream, handle));
    return gs_py_none_or_fail(status);
}

static PyObject *gs_py_wait_stream(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *other, *owner;
    gs_stream_t stream;
    if (SWIGPY_LIKELY(count == 1 && !names))
        other = arguments[0];
    else if (gs_py_bind(&gs_py_wait_stream_arguments, arguments, count, names, &other) < 0)
        return NULL;
    if (gs_py_stream_from(other, "stream", &stream, &owner) < 0) return NULL;
    gs_stream_t waiting = gs_py_stream(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_wait_stream(waiting, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *gs_py_stream_query(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    int32_t done;
    GS_PY_DRIVER(status = gs_stream_query(stream, &done));
    return gs_py_bool_or_fail(status, done);
}

static PyObject *gs_py_stream_synchronize_now(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    GS_PY_BLOCKING(status = gs_stream_synchronize(stream));
    return gs_py_none_or_fail(status);
}
static PyMethodDef gs_py_stream_synchronize_def = {"synchronize", gs_py_stream_synchronize_now, METH_NOARGS, NULL};

static PyObject *gs_py_stream_synchronize(PyObject *self, PyObject *unused) {
    if (gs_py_warn_of_sync(1) < 0) return NULL;
    if (gs_py_pending_callbacks != 0) return gs_py_after_callbacks(&gs_py_stream_synchronize_def, self);
    return gs_py_stream_synchronize_now(self, unused);
}

static PyObject *gs_py_device_synchronize_now(PyObject *device, PyObject *unused) {
    (void)unused;
    const gs_device_t number = (gs_device_t)PyLong_AsLong(device);
    gs_status_t status;
    GS_PY_BLOCKING(status = gs_device_synchronize(number));
    return gs_py_none_or_fail(status);
}
static PyMethodDef gs_py_device_synchronize_def = {"synchronize", gs_py_device_synchronize_now, METH_NOARGS, NULL};

static void gs_py_outlived(PyObject *stream);

static inline void gs_py_became_current(PyObject *stream) {
    if (SWIGPY_LIKELY(Py_TYPE(stream) == gs_py_stream_type))
        gs_py_know(stream);
    else
        gs_py_outlived(stream);
}

static PyObject *gs_py_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    uint64_t scope;
    const gs_status_t status = gs_push_current_stream(gs_py_stream(self), &scope);
    if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), NULL;
    gs_py_became_current(self);
    Py_INCREF(self);
    return self;
}

// Put into the type as a plain function, not as a method: what is to be ended is the thread's innermost scope, which
// needs no object, and so none is bound. Arguments are ignored, however many.
static PyObject *gs_py_exit(PyObject *unused, PyObject *const *arguments, Py_ssize_t count) {
    (void)unused, (void)arguments, (void)count;
    return gs_py_none_or_fail(gs_pop_current_stream(0));
}
static PyMethodDef gs_py_exit_def = {"__exit__", (PyCFunction)(void (*)(void))gs_py_exit, METH_FASTCALL, NULL};

// One device, from the arguments of current_stream() and default_stream().
static int gs_py_only_device(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                             gs_device_t *out) {
    PyObject *given = NULL;
    if ((count != 0 || names) && gs_py_bind(signature, arguments, count, names, &given) < 0) return -1;
    return gs_py_device(given, "device", out);
}

static PyObject *gs_py_current_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_device_t device = GS_DEVICE_CURRENT;
    gs_stream_t stream;
    if (SWIGPY_UNLIKELY(count != 0 || names) &&
        gs_py_only_device(&gs_py_current_stream_arguments, arguments, count, names, &device) < 0)
        return NULL;
    if (gs_py_start() < 0) return NULL;
    const gs_status_t status = gs_current_stream(device, &stream);
    if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), NULL;
    return gs_py_object_of(stream);
}

// (stream): the same as gs_set_current_stream, and current_stream() gives this object from now on.
static PyObject *gs_py_set_current_stream(PyObject *module, PyObject *stream) {
    (void)module;
    if (!gs_py_is_stream(stream)) return gs_py_wrong_type("set_stream", "stream", "Stream", stream), NULL;
    const gs_status_t status = gs_set_current_stream(gs_py_stream(stream));
    if (status == GS_OK) gs_py_became_current(stream);
    return gs_py_none_or_fail(status);
}

static PyObject *gs_py_default_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_device_t device;
    gs_stream_t stream;
    if (gs_py_only_device(&gs_py_default_stream_arguments, arguments, count, names, &device) < 0 || gs_py_start() < 0)
        return NULL;
    const gs_status_t status = gs_default_stream(device, &stream);
    if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), NULL;
    return gs_py_object_of(stream);
}

static PyObject *gs_py_device_synchronize(PyObject *module, PyObject *const *arguments, Py_ssize_t count,
                                          PyObject *names) {
    (void)module;
    gs_device_t device;
    if (gs_py_only_device(&gs_py_synchronize_arguments, arguments, count, names, &device) < 0 || gs_py_start() < 0)
        return NULL;
    if (gs_py_warn_of_sync(0) < 0) return NULL;
    PyObject *number = PyLong_FromLong(device);
    if (!number) return NULL;
    PyObject *result = gs_py_pending_callbacks != 0 ? gs_py_after_callbacks(&gs_py_device_synchronize_def, number)
                                                    : gs_py_device_synchronize_now(number, NULL);
    Py_DECREF(number);
    return result;
}

static PyMethodDef gs_py_stream_methods[] = {
    {"record_event", (PyCFunction)(void (*)(void))gs_py_record_event, METH_FASTCALL | METH_KEYWORDS,
     gs_py_doc_record_event},
    {"wait_event", (PyCFunction)(void (*)(void))gs_py_wait_event, METH_FASTCALL | METH_KEYWORDS, gs_py_doc_wait_event},
    {"wait_stream", (PyCFunction)(void (*)(void))gs_py_wait_stream, METH_FASTCALL | METH_KEYWORDS,
     gs_py_doc_wait_stream},
    {"query", gs_py_stream_query, METH_NOARGS, gs_py_doc_stream_query},
    {"synchronize", gs_py_stream_synchronize, METH_NOARGS, gs_py_doc_stream_synchronize},
    {"close", gs_py_stream_close, METH_NOARGS, gs_py_doc_stream_close},
    {"__enter__", gs_py_enter, METH_NOARGS, gs_py_doc_enter},
    {NULL, NULL, 0, NULL}};
