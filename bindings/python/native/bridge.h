/* SPDX-License-Identifier: Apache-2.0 */
/* Bridges whose functions are written in Python. Any thread may come to them, also one that never ran Python. */
#ifndef GPUSTREAM_PYTHON_BRIDGE_H
#define GPUSTREAM_PYTHON_BRIDGE_H

#include "common.h"

/* bridge_register(name, get, set, set_device): the number of a bridge of the default backend. The last two may be None. */
PyObject *gs_py_bridge_register(PyObject *module, PyObject *arguments);

/* bridge_unregister(number): returns once no thread is inside its functions. */
PyObject *gs_py_bridge_unregister(PyObject *module, PyObject *number);

/* gs_dlpack_current_work_stream() with the exception that DLPack's table demands beside -1; the caller needs no GIL. */
int gs_py_dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream);

#endif
