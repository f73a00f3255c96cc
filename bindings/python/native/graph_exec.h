/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs as Python objects: the base of gpustream.GraphExec, and of gpustream.CUDAGraph. The package's classes
   derive from these and do everything but the launch. */
#ifndef GPUSTREAM_PYTHON_GRAPH_EXEC_H
#define GPUSTREAM_PYTHON_GRAPH_EXEC_H

#include "common.h"

extern GS_PY_HIDDEN PyTypeObject *gs_py_graph_exec_type, *gs_py_cuda_graph_type;

/* Makes both classes. Returns 0 or -1. */
int gs_py_make_graph_types(void);

/* graph_dot(graph): the graph in the language of Graphviz (bytes). */
PyObject *gs_py_graph_dot(PyObject *module, PyObject *graph);

#endif
