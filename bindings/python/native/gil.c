/* SPDX-License-Identifier: Apache-2.0 */
#include "gil.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int gs_py_releases_gil;
int gs_py_started;
static int setting; /* GPUSTREAM_GIL=release */

int gs_py_read_gil_setting(PyObject *module) {
    const char *word = getenv("GPUSTREAM_GIL");
    setting = word && strcmp(word, "release") == 0;
    gs_py_releases_gil = setting;
    return PyModule_AddIntConstant(module, "gives_up_gil", setting);
}

void gs_py_set_holding(long number) { GS_PY_STORE(gs_py_releases_gil, setting || number != 0); }

PyObject *gs_py_set_holding_from(PyObject *module, PyObject *number) {
    (void)module;
    const long value = PyLong_AsLong(number);
    if (value == -1 && PyErr_Occurred()) return NULL;
    gs_py_set_holding(value);
    Py_RETURN_NONE;
}

static atomic_int begun;

void gs_py_begin_shutdown(void) { atomic_store(&begun, 1); }

int gs_py_is_shutting_down(void) { return atomic_load(&begun); }

#ifdef Py_GIL_DISABLED

PyMutex gs_py_mutexes[GS_PY_TABLES];

void gs_py_forget_locks(void) { memset(gs_py_mutexes, 0, sizeof gs_py_mutexes); }

#else

void gs_py_forget_locks(void) {}

#endif
