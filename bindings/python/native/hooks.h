/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the package, which the extension calls for everything that is not hot: by the names of the module and the function. */
#ifndef GPUSTREAM_PYTHON_HOOKS_H
#define GPUSTREAM_PYTHON_HOOKS_H

#include "common.h"

extern GS_PY_HIDDEN PyTypeObject *gs_py_external_type; /* gpustream.ExternalStream; NULL until the package is there */

/* set_hooks(function that returns a module of the package, gpustream.ExternalStream). 0, or -1 with the exception set. */
int gs_py_hooks_set(PyObject *arguments);

/* `format` makes the tuple of the arguments, as in Py_BuildValue(). New reference, or NULL with the exception set. */
GS_PY_COLD PyObject *gs_py_call(const char *module, const char *function, const char *format, ...);

#endif
