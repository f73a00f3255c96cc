/* SPDX-License-Identifier: Apache-2.0 */
/* What the extension module has beside the flat functions that SWIG generates. */
#ifndef GPUSTREAM_PYTHON_MODULE_H
#define GPUSTREAM_PYTHON_MODULE_H

#include "common.h"

/* Before anything is made: whether the module can be imported in this process. 0 or -1. */
int gs_py_may_import(void);

/* Adds classes, functions and constants. 0 or -1. */
int gs_py_fill_module(PyObject *module);

#endif
