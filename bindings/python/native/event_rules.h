/* SPDX-License-Identifier: Apache-2.0 */
/* What Python's events know beyond the library's: an event may have contradicting flags, which torch reports at the first
   use, and a generic event may be meant for one backend. Functions return 0, or -1 with the exception set. */
#ifndef GPUSTREAM_PYTHON_EVENT_RULES_H
#define GPUSTREAM_PYTHON_EVENT_RULES_H

#include "objects.h"

/* Whether an event that is not just GS_PY_OWNED may be recorded. The current stream may become that of the backend that
   the event is meant for. */
int gs_py_may_record_unusual(PyObject *event, gs_stream_t *stream);

static inline int gs_py_may_record(PyObject *event, gs_stream_t *stream) {
    return GS_PY_LIKELY(gs_py_own(event) == GS_PY_OWNED) ? 0 : gs_py_may_record_unusual(event, stream);
}

/* A generic event's backend comes before the current device: GS_STREAM_CURRENT becomes the current stream of the current
   device if that is of the backend, else that of the backend's first device. */
int gs_py_resolve_current(PyObject *event, gs_stream_t *stream);

/* may_export(event): raises if its flags contradict each other. A generic event's backend does not matter here. */
PyObject *gs_py_may_export(PyObject *module, PyObject *event);

/* Sets the exception for a failed gs_event_elapsed_ms(). */
void gs_py_fail_to_elapse(PyObject *start, PyObject *end, gs_status_t status);

/* From the arguments of an event class to a gs_event_t. Functions return 0, or -1 with the exception set. */

typedef struct gs_py_event_request {
    uint32_t flags; /* GS_EVENT_* */
    int own;        /* of the object (objects.h) */
} gs_py_event_request;

/* gpustream.Event(...), called directly. */
int gs_py_event_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names, gs_py_event_request *out);

/* Any class: gpustream.Event or gpustream.generic.Event decide by what they take. */
int gs_py_event_request_from_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_event_request *out);

/* The properties of events. */

extern GS_PY_HIDDEN PyGetSetDef gs_py_generic_event_properties[]; /* of gpustream.generic.Event */
extern GS_PY_HIDDEN PyGetSetDef gs_py_event_properties[];         /* what gpustream.Event has beyond */

#endif
