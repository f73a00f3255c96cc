/* SPDX-License-Identifier: Apache-2.0 */
/* The classes device, device_of and DeviceGuard: context managers that make a device current for a while.

   One object may be entered again, also on several threads at once: each entry has its own device to go back to. */
#ifndef GPUSTREAM_PYTHON_DEVICE_GUARD_H
#define GPUSTREAM_PYTHON_DEVICE_GUARD_H

#include "common.h"

/* Makes the three classes and adds them to the module. Returns 0 or -1. */
int gs_py_add_device_guards(PyObject *module);

#endif
