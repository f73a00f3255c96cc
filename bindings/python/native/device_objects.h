/* SPDX-License-Identifier: Apache-2.0 */
/* gpustream.Device objects for the library's numbers. They are immutable, so one serves all who ask. */
#ifndef GPUSTREAM_PYTHON_DEVICE_OBJECTS_H
#define GPUSTREAM_PYTHON_DEVICE_OBJECTS_H

#include "common.h"

/* New reference. The device is a stream's or event's, so its backend is chosen and will not change. */
PyObject *gs_py_device_object(gs_device_t number);

#endif
