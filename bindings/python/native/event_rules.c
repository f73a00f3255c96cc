/* SPDX-License-Identifier: Apache-2.0 */
#include "event_rules.h"

#include "convert.h"
#include "description.h"
#include "errors.h"

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
