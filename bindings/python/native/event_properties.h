/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of events. */
#ifndef GPUSTREAM_PYTHON_EVENT_PROPERTIES_H
#define GPUSTREAM_PYTHON_EVENT_PROPERTIES_H

#include "common.h"

extern GS_PY_HIDDEN PyGetSetDef gs_py_generic_event_properties[]; /* of gpustream.generic.Event */
extern GS_PY_HIDDEN PyGetSetDef gs_py_event_properties[];         /* what gpustream.Event has beyond */

#endif
