/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <string.h>

#ifdef Py_GIL_DISABLED

PyMutex gs_py_mutexes[GS_PY_TABLES];

void gs_py_forget_locks(void) { memset(gs_py_mutexes, 0, sizeof gs_py_mutexes); }

#else

void gs_py_forget_locks(void) {}

#endif
