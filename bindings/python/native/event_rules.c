/* SPDX-License-Identifier: Apache-2.0 */
#include "event_rules.h"

#include "arguments.h"
#include "convert.h"
#include "description.h"
#include "device_class.h"
#include "errors.h"
#include "objects.h"

static gs_backend_t meant_for(PyObject *event) { return gs_py_own(event) / GS_PY_TYPED; }

static gs_status_t backend_of(gs_device_t device, gs_backend_t *out) {
    *out = gs_device_backend(device);
    return *out == GS_BACKEND_DEFAULT ? gs_default_backend(out) : GS_OK;
}

/* What the library answers to contradicting flags. */
static gs_status_t contradiction(void) {
    gs_event_t none;
    return gs_event_create(GS_EVENT_TIMING | GS_EVENT_INTERPROCESS, &none);
}

int gs_py_resolve_current(PyObject *event, gs_stream_t *stream) {
    const gs_backend_t wanted = meant_for(event);
    gs_device_t device;
    gs_backend_t backend = wanted;
    if (wanted == GS_BACKEND_DEFAULT || *stream != GS_STREAM_CURRENT) return 0;
    gs_status_t status = gs_current_device(&device);
    if (status == GS_OK) status = backend_of(device, &backend);
    if (status == GS_OK && backend != wanted) status = gs_current_stream(gs_device_make(wanted, 0), stream);
    return gs_py_check(status);
}

int gs_py_may_record_unusual(PyObject *event, gs_stream_t *stream) {
    const int own = gs_py_own(event);
    if (own & GS_PY_POISONED) return gs_py_check(contradiction());
    if (own < GS_PY_TYPED) return 0;
    if (*stream == GS_STREAM_CURRENT) return gs_py_resolve_current(event, stream);
    gs_device_t device;
    gs_backend_t backend;
    gs_status_t status = gs_stream_device(*stream, &device);
    if (status == GS_OK) status = backend_of(device, &backend);
    if (gs_py_check(status) < 0) return -1;
    if (meant_for(event) == backend) return 0;
    gs_py_fail_with(GS_ERROR_NOT_SUPPORTED, "Event device type %s does not match recording stream's device type %s.",
                    gs_py_backend_name(meant_for(event)), gs_py_backend_name(backend));
    return -1;
}

PyObject *gs_py_may_export(PyObject *module, PyObject *event) {
    (void)module;
    if (!gs_py_is_event(event)) return gs_py_wrong_type("ipc_handle", "self", "Event", event), NULL;
    if (gs_py_own(event) & GS_PY_POISONED) return gs_py_none_or_fail(contradiction());
    Py_RETURN_NONE;
}

/* The backend that an event is bound to, else the one that it is meant for; GS_BACKEND_DEFAULT: any. */
static gs_backend_t backend_of_event(PyObject *event) {
    gs_device_t device;
    gs_backend_t backend;
    if (gs_event_device(gs_py_event(event), &device) == GS_OK && device != GS_DEVICE_NONE &&
        backend_of(device, &backend) == GS_OK)
        return backend;
    return meant_for(event);
}

/* torch checks the device types first. The library does not know what an event is meant for and checks backends after
   two other conditions, so the types are compared where one of the three failed. */
void gs_py_fail_to_elapse(PyObject *start, PyObject *end, gs_status_t status) {
    if (status == GS_ERROR_TIMING_DISABLED || status == GS_ERROR_NOT_RECORDED || status == GS_ERROR_NOT_SUPPORTED) {
        const gs_backend_t one = backend_of_event(start), other = backend_of_event(end);
        if (one != other && one != GS_BACKEND_DEFAULT && other != GS_BACKEND_DEFAULT) {
            gs_py_fail_with(GS_ERROR_NOT_SUPPORTED, "Event device type %s does not match other's device type %s.",
                            gs_py_backend_name(one), gs_py_backend_name(other));
            return;
        }
    }
    gs_py_fail(status);
}

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

GS_PY_GETTER(get_device, gs_device_t device, gs_event_device(gs_py_event(self), &device),
             device == GS_DEVICE_NONE ? Py_NewRef(Py_None) : gs_py_device_object(device))
GS_PY_GETTER(get_event_id, uint64_t id, gs_event_id(gs_py_event(self), &id), PyLong_FromUnsignedLongLong(id))
GS_PY_GETTER(get_flags, gs_event_info_t info = {.struct_size = sizeof info},
             gs_event_get_info(gs_py_event(self), &info), PyLong_FromUnsignedLong(info.flags))
GS_PY_GETTER(get_native, uintptr_t native, gs_event_native(gs_py_event(self), &native), gs_py_unsigned(native))
GS_PY_GETTER(get_parameter, uintptr_t native, gs_event_native(gs_py_event(self), &native), gs_py_void_pointer(native))

static PyObject *get_handle(PyObject *self, void *unused) {
    (void)unused;
    return gs_py_unsigned((uintptr_t)gs_py_event(self));
}

PyGetSetDef gs_py_generic_event_properties[] = {
    {"device", get_device, NULL,
     "Device that the event is bound to by its first record or its export; None until then.", NULL},
    {"event_id", get_event_id, NULL,
     "The driver's handle (int), 0 until the first record or export. Use cuda_event to hand it to others.", NULL},
    {"_flags", get_flags, NULL, "GS_EVENT_* of gpustream.h, combined (int).", NULL},
    {"native_handle", get_native, NULL,
     "The driver's handle (int), 0 until the first record or export. From then on others may use the event.", NULL},
    {"handle", get_handle, NULL, "The gs_event_t (int), for ctypes calls into libgpustream itself.", NULL},
    {"_as_parameter_", get_parameter, NULL, "The driver's handle as ctypes passes it to a function.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyGetSetDef gs_py_event_properties[] = {
    {"cuda_event", get_native, NULL,
     "The cudaEvent_t (int), 0 until the first record or export. From then on others may use the event.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
