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

#endif
