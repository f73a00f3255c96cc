/* SPDX-License-Identifier: Apache-2.0 */
/* The module's functions about a device's streams. */
#ifndef GPUSTREAM_PYTHON_CURRENT_H
#define GPUSTREAM_PYTHON_CURRENT_H

#include "common.h"

PyObject *gs_py_current_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_current_raw_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_default_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* set_stream(stream): current_stream() returns this object from now on. set_device(device) */
PyObject *gs_py_set_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_set_device(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* current_device(), device_count() */
PyObject *gs_py_current_device(PyObject *module, PyObject *unused);
PyObject *gs_py_device_count(PyObject *module, PyObject *unused);
/* existing_device(device): the device's number, if device is None or the int of one that exists. Else the caller gets None
   and checks device itself. */
PyObject *gs_py_existing_device(PyObject *module, PyObject *given);

/* synchronize(device=None, timeout=None) */
PyObject *gs_py_synchronize(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#endif
