/* SPDX-License-Identifier: Apache-2.0 */
/* The capsule by which other extensions reach this one (gpustream_python.h). */
#ifndef GPUSTREAM_PYTHON_C_API_H
#define GPUSTREAM_PYTHON_C_API_H

#include "common.h"

/* Adds C_API to the module. Returns 0 or -1. */
int gs_py_add_c_api(PyObject *module);

/* dlpack_function(): the address (int) of the function for a DLPackExchangeAPI. */
PyObject *gs_py_dlpack_function(PyObject *module, PyObject *unused);

/* library_file(): the file of libgpustream that serves this process. */
PyObject *gs_py_library_file(PyObject *module, PyObject *unused);

#endif
