// SPDX-License-Identifier: Apache-2.0
// How events begin and end. The generic and the usual class have the same slots and differ in their arguments.

static gs_py_signature gs_py_event_arguments = {
    .function = "Event", .positional = 4, .names = {"enable_timing", "blocking", "interprocess", "external"}};
static gs_py_signature gs_py_generic_event_arguments = {
    .function = "Event", .positional = 1, .names = {"device", "enable_timing", "blocking", "interprocess", "external"}};

typedef struct gs_py_event_wish {
    uint32_t flags;
    int own;
} gs_py_event_wish;

// `given`: the four flags as they were passed. `timing`: what is meant where nothing was said about it.
static int gs_py_event_flags(const gs_py_signature *signature, int first, PyObject *const *given, int timing,
                             gs_py_event_wish *out) {
    static const uint32_t bits[4] = {GS_EVENT_TIMING, GS_EVENT_BLOCKING, GS_EVENT_INTERPROCESS, GS_EVENT_EXTERNAL};
    uint32_t flags = 0;
    for (int i = 3; i >= 0; --i) {
        const int missing = i == 0 && timing && !(flags & GS_EVENT_INTERPROCESS);
        const int set = gs_py_flag(signature, first + i, given[i], missing);
        if (set < 0) return -1;
        if (set) flags |= bits[i];
    }
    out->own = GS_PY_OWNED;
    if ((flags & GS_EVENT_TIMING) && (flags & GS_EVENT_INTERPROCESS)) {
        // Legal to construct, as with torch; the library would refuse it here.
        flags &= ~(uint32_t)GS_EVENT_INTERPROCESS;
        out->own = GS_PY_POISONED;
    }
    out->flags = flags;
    return 0;
}

// A generic event is meant for the devices of one backend, of which only the kind is kept (torch.Event).
static int gs_py_generic_event_wish(PyObject *const *given, gs_py_event_wish *out) {
    if (gs_py_event_flags(&gs_py_generic_event_arguments, 1, given + 1, 1, out) < 0) return -1;
    if (!given[0] || given[0] == Py_None) return 0;
    gs_device_t device;
    if (gs_py_device(given[0], "device", &device) < 0) return -1;
    gs_backend_t backend = gs_device_backend(device);
    if (backend == GS_BACKEND_DEFAULT) {
        const gs_status_t status = gs_default_backend(&backend);
        if (status != GS_OK) return gs_py_fail(status), -1;
    }
    out->own = (out->own == GS_PY_POISONED ? GS_PY_POISONED : 0) | (GS_PY_TYPED * (int)backend);
    return 0;
}

static int gs_py_event_ask_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_event_wish *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    if (PyType_IsSubtype(type, gs_py_event_type)) {
        if (gs_py_bind_tuple(&gs_py_event_arguments, tuple, dict, given) < 0) return -1;
        return gs_py_event_flags(&gs_py_event_arguments, 0, given, 0, out);
    }
    if (gs_py_bind_tuple(&gs_py_generic_event_arguments, tuple, dict, given) < 0) return -1;
    return gs_py_generic_event_wish(given, out);
}

static int gs_py_event_make(PyObject *self, const gs_py_event_wish *wish) {
    SwigPyObject *object = (SwigPyObject *)self;
    gs_event_t event;
    const gs_status_t status = gs_event_create(wish->flags, &event);
    if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), -1;
    object->ptr = event;
    object->ty = SWIGTYPE_p_gs_event;
    object->own = wish->own;
    return 0;
}

static int gs_py_event_fill(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_event_wish wish;
    return gs_py_event_ask_tuple(Py_TYPE(self), tuple, dict, &wish) < 0 ? -1 : gs_py_event_make(self, &wish);
}

static int gs_py_event_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_event_wish wish;
    if (!gs_py_pointer(self)) return gs_py_event_fill(self, tuple, dict);
    if (!gs_py_is_guess(self)) return 0; // __new__ has done it
    gs_event_t before = gs_py_event(self);
    const int own = ((SwigPyObject *)self)->own;
    uint32_t flags;
    if (gs_py_event_ask_tuple(Py_TYPE(self), tuple, dict, &wish) < 0) return -1;
    gs_py_set_guess(self, 0);
    if (own == wish.own && gs_event_flags(before, &flags) == GS_OK && flags == wish.flags) return 0;
    if (gs_py_event_make(self, &wish) < 0) return -1;
    gs_status_t status = GS_OK;
    if (own) GS_PY_DRIVER(status = gs_event_destroy(before));
    return status == GS_OK ? 0 : (gs_py_fail(status), -1);
}

static PyObject *gs_py_event_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    return gs_py_new(type, SWIGTYPE_p_gs_event, type->tp_new != gs_py_event_new, type->tp_init != gs_py_event_init,
                     gs_py_event_fill, tuple, dict);
}

// What Event(...) calls, without a tuple, a dict and two slots in between.
static PyObject *gs_py_event_vectorcall(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
    PyTypeObject *type = (PyTypeObject *)callable;
    gs_py_event_wish wish = {0, GS_PY_OWNED};
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (SWIGPY_UNLIKELY(count != 0 || names)) {
        PyObject *given[GS_PY_MOST_ARGUMENTS];
        if (gs_py_bind(&gs_py_event_arguments, arguments, count, names, given) < 0) return NULL;
        if (gs_py_event_flags(&gs_py_event_arguments, 0, given, 0, &wish) < 0) return NULL;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (!self || SWIGPY_LIKELY(gs_py_event_make(self, &wish) == 0)) return self;
    Py_DECREF(self);
    return NULL;
}

static void gs_py_report_destroy(gs_status_t status) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    gs_py_fail(status);
    PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, traceback);
}

static void gs_py_free(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((SwigPyObject *)self)->swigdict);
    type->tp_free(self);
    Py_DECREF(type);
}

static void gs_py_event_dealloc(PyObject *self) {
    SwigPyObject *object = (SwigPyObject *)self;
    if (SWIGPY_UNLIKELY(object->weakreflist != NULL)) PyObject_ClearWeakRefs(self);
    if (object->own && object->ptr) {
        gs_event_t event = (gs_event_t)object->ptr;
        gs_status_t status;
        GS_PY_DRIVER(status = gs_event_destroy(event));
        if (SWIGPY_UNLIKELY(status != GS_OK)) gs_py_report_destroy(status);
    }
    gs_py_free(self);
}

// Ends the object's reference before the object ends. A second call does nothing.
static PyObject *gs_py_event_close(PyObject *self, PyObject *unused) {
    (void)unused;
    SwigPyObject *object = (SwigPyObject *)self;
    gs_event_t event = (gs_event_t)object->ptr;
    const int own = object->own;
    object->ptr = NULL;
    object->own = GS_PY_BORROWED;
    if (!event || !own) Py_RETURN_NONE;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_destroy(event));
    return gs_py_none_or_fail(status);
}
