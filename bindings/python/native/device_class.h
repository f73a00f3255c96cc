/* SPDX-License-Identifier: Apache-2.0 */
/* The class gpustream.Device: a type and an index, immutable. What its arguments mean is for the package to say
   (_devices.py); what it said of a word is kept, once the backend is chosen. */
#ifndef GPUSTREAM_PYTHON_DEVICE_CLASS_H
#define GPUSTREAM_PYTHON_DEVICE_CLASS_H

#include "common.h"

extern GS_PY_HIDDEN PyTypeObject *gs_py_device_type;

/* Makes the class. Returns 0 or -1. */
int gs_py_make_device_type(void);

/* New reference to the object of a stream's or event's device. One serves all who ask. */
PyObject *gs_py_device_object(gs_device_t number);

/* device_of_parts(type, index): a Device without asking what they mean. */
PyObject *gs_py_device_of_parts(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* The gs_device_t of a Device that was used as an argument before; -1: not known. */
int32_t gs_py_known_device_number(PyObject *device);
void gs_py_know_device_number(PyObject *device, int32_t number);

/* In a forked child, where asking fails. */
void gs_py_forget_devices(void);

#endif
