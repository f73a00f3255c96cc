/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_dot.h"

#include "convert.h"
#include "errors.h"
#include "gil.h"

#include <stdlib.h>
#include <string.h>

/* Grown without Python: the calls may run without the GIL. */
typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static gs_status_t append(void *arg, const char *piece, size_t bytes) {
    text *whole = arg;
    if (whole->capacity - whole->size < bytes) {
        const size_t capacity = 2 * whole->capacity + bytes;
        char *more = realloc(whole->bytes, capacity);
        if (!more) return GS_ERROR_OUT_OF_MEMORY;
        whole->bytes = more;
        whole->capacity = capacity;
    }
    memcpy(whole->bytes + whole->size, piece, bytes);
    whole->size += bytes;
    return GS_OK;
}

PyObject *gs_py_graph_dot(PyObject *module, PyObject *graph) {
    (void)module;
    uint64_t number;
    gs_status_t status;
    text whole = {NULL, 0, 0};
    if (gs_py_uint64("graph_dot", "graph", graph, &number) < 0) return NULL;
    GS_PY_DRIVER(status = gs_graph_write_dot((gs_graph_t)(uintptr_t)number, append, &whole));
    PyObject *result = NULL;
    if (status == GS_OK)
        result = PyBytes_FromStringAndSize(whole.bytes, (Py_ssize_t)whole.size);
    else
        gs_py_fail(status);
    free(whole.bytes);
    return result;
}
