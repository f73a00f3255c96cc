/* SPDX-License-Identifier: Apache-2.0 */
#include "event_make.h"

#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "objects.h"

static gs_py_signature event_parameters = {.function = "Event",
                                           .positional = 4,
                                           .count = 4,
                                           .names = {"enable_timing", "blocking", "interprocess", "external"}};
static gs_py_signature generic_event_parameters = {
    .function = "Event",
    .positional = 1,
    .count = 5,
    .names = {"device", "enable_timing", "blocking", "interprocess", "external"}};

/* `given`: the four flags. `timing`: whether time stamps are on where nothing was said about them. */
static int read_flags(PyObject *const *given, int timing, gs_py_event_request *out) {
    static const uint32_t bits[4] = {GS_EVENT_TIMING, GS_EVENT_BLOCKING, GS_EVENT_INTERPROCESS, GS_EVENT_EXTERNAL};
    uint32_t flags = 0;
    for (int i = 3; i >= 0; --i) {
        const int missing = i == 0 && timing && !(flags & GS_EVENT_INTERPROCESS);
        const int set = gs_py_flag("Event", event_parameters.names[i], given[i], missing);
        if (set < 0) return -1;
        if (set) flags |= bits[i];
    }
    out->own = GS_PY_OWNED;
    if ((flags & GS_EVENT_TIMING) && (flags & GS_EVENT_INTERPROCESS)) {
        /* Legal to construct, as with torch; the library refuses it at creation. */
        flags &= ~(uint32_t)GS_EVENT_INTERPROCESS;
        out->own = GS_PY_POISONED;
    }
    out->flags = flags;
    return 0;
}

/* A generic event is meant for the devices of one backend, of which only the kind is kept (torch.Event). */
static int read_generic(PyObject *const *given, gs_py_event_request *out) {
    if (read_flags(given + 1, 1, out) < 0) return -1;
    if (!given[0] || given[0] == Py_None) return 0;
    gs_device_t device;
    if (gs_py_device(given[0], "device", &device) < 0) return -1;
    gs_backend_t backend = gs_device_backend(device);
    if (backend == GS_BACKEND_DEFAULT && gs_py_check(gs_default_backend(&backend)) < 0) return -1;
    out->own = (out->own == GS_PY_POISONED ? GS_PY_POISONED : 0) | (GS_PY_TYPED * (int)backend);
    return 0;
}

int gs_py_event_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names, gs_py_event_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    if (gs_py_bind(&event_parameters, arguments, count, names, given) < 0) return -1;
    return read_flags(given, 0, out);
}

int gs_py_event_request_from_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_event_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    if (PyType_IsSubtype(type, gs_py_event_type))
        return gs_py_bind_tuple(&event_parameters, tuple, dict, given) < 0 ? -1 : read_flags(given, 0, out);
    return gs_py_bind_tuple(&generic_event_parameters, tuple, dict, given) < 0 ? -1 : read_generic(given, out);
}

int gs_py_event_make(PyObject *self, const gs_py_event_request *request, gs_py_had *out_had) {
    gs_event_t event;
    if (gs_py_check(gs_event_create(request->flags, &event)) < 0) return -1;
    *out_had = gs_py_put(self, event, request->own);
    return 0;
}
