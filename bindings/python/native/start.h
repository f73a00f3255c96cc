/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation at the first use. Another thread may be initialising, and the deferred Python calls that it runs need
   the GIL: no thread waits for the initialisation while holding it. */
#ifndef GPUSTREAM_PYTHON_START_H
#define GPUSTREAM_PYTHON_START_H

#include "common.h"
#include "gil.h"

/* Calls gs_init(). Returns 0, or -1 with the exception set. */
int gs_py_start_slowly(void);

static inline int gs_py_start(void) { return GS_PY_LIKELY(GS_PY_LOAD(gs_py_started)) ? 0 : gs_py_start_slowly(); }

/* start(): initialises the library, and asks it also when it is initialised. */
PyObject *gs_py_start_entry(PyObject *module, PyObject *unused);

/* call_on_init((function, stack)): calls at once if the library is initialised. */
PyObject *gs_py_call_on_init(PyObject *module, PyObject *call);

#endif
