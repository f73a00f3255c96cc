/* SPDX-License-Identifier: Apache-2.0 */
#include "gil.h"

#include <stdlib.h>
#include <string.h>

int gs_py_releases_gil;
int gs_py_started;

int gs_py_read_gil_setting(PyObject *module) {
    const char *word = getenv("GPUSTREAM_GIL");
    gs_py_releases_gil = word && strcmp(word, "release") == 0;
    return PyModule_AddIntConstant(module, "gives_up_gil", gs_py_releases_gil);
}
