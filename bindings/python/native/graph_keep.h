/* SPDX-License-Identifier: Apache-2.0 */
/* Python objects that live as long as a graph, its executables and their launches, or a stream's work so far, may use
   them.

   The library reports that end on a thread of its own, which never asks for the GIL: the object goes into a list. The main
   thread empties it between two of its instructions, and so do threads that add to graphs or serve callbacks. An
   object whose graph has announced host functions waits until those have been called. */
#ifndef GPUSTREAM_PYTHON_GRAPH_KEEP_H
#define GPUSTREAM_PYTHON_GRAPH_KEEP_H

#include "common.h"

/* graph_keep(graph, object) */
PyObject *gs_py_graph_keep(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* stream_keep(stream, object): until the stream's work so far is done. */
PyObject *gs_py_stream_keep(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* The same for a handle. 0, or -1 with the exception set: the object is not kept. */
int gs_py_keep_in_stream(gs_stream_t stream, PyObject *object);

/* graph_release_ended(): drops what is in the list. */
PyObject *gs_py_graph_release_ended(PyObject *module, PyObject *unused);

/* In a forked child: what the parent's graphs keep stays. */
void gs_py_forget_kept(void);

#endif
