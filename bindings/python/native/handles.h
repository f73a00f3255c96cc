/* SPDX-License-Identifier: Apache-2.0 */
/* Events from raw handles, and handles as numbers: for other libraries, other languages and tests. */
#ifndef GPUSTREAM_PYTHON_HANDLES_H
#define GPUSTREAM_PYTHON_HANDLES_H

#include "common.h"

/* event_from_native(type, native, device or None): the caller keeps the driver's event alive. */
PyObject *gs_py_event_from_native(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* event_from_ipc(type, device or None, 64 bytes) */
PyObject *gs_py_event_from_ipc(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* borrow_stream(handle), borrow_event(handle): an object that owns no reference. Any number is accepted, for the library
   to check. For tests. */
PyObject *gs_py_borrow_stream(PyObject *module, PyObject *handle);
PyObject *gs_py_borrow_event(PyObject *module, PyObject *handle);

/* handle_of(object) */
PyObject *gs_py_handle_of(PyObject *module, PyObject *object);

/* detach(object): its handle, whose reference is the caller's from now on. */
PyObject *gs_py_detach(PyObject *module, PyObject *object);

#endif
