/* SPDX-License-Identifier: Apache-2.0 */
/* The event classes: gpustream.generic.Event, and gpustream.Event, which derives from it and differs in its parameters. */
#ifndef GPUSTREAM_PYTHON_EVENT_H
#define GPUSTREAM_PYTHON_EVENT_H

#include "common.h"

/* Makes both classes (objects.h). Returns 0 or -1. */
int gs_py_make_event_types(void);

#endif
