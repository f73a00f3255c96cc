/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GPUSTREAM_PYTHON_GRAPH_DOT_H
#define GPUSTREAM_PYTHON_GRAPH_DOT_H

#include "common.h"

/* graph_dot(graph): the graph in the language of Graphviz (bytes). */
PyObject *gs_py_graph_dot(PyObject *module, PyObject *graph);

#endif
