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
PyObject *gs_py_graph_keep(PyObject *module, PyObject *arguments);

/* stream_keep(stream, object): until the stream's work so far is done. */
PyObject *gs_py_stream_keep(PyObject *module, PyObject *arguments);

/* The same for a handle. 0, or -1 with the exception set: the object is not kept. */
int gs_py_keep_in_stream(gs_stream_t stream, PyObject *object);

/* graph_release_ended(): drops what is in the list. */
PyObject *gs_py_graph_release_ended(PyObject *module, PyObject *unused);

/* In a forked child: what the parent's graphs keep stays. */
void gs_py_forget_kept(void);

/* Python functions in graphs. A node announces its function on a thread of the driver, which never enters Python: it posts a
   note into the mailbox of callbacks (notifications.h), and the thread that serves callbacks calls the function. So the
   work behind the node does not wait for the function. */

/* How many calls were announced, and how many of them have been served. Any thread, with or without the GIL. */
uint64_t gs_py_host_announced(void);
uint64_t gs_py_host_served(void);

/* Announces a call. Any thread, without the GIL. Returns 0, or -1 if memory is out: the function is then not called. */
int gs_py_host_announce(uint64_t ticket);

/* graph_announced(), graph_served_count(): the numbers so far. graph_served(): one more has been served. */
PyObject *gs_py_graph_announced(PyObject *module, PyObject *unused);
PyObject *gs_py_graph_served_count(PyObject *module, PyObject *unused);
PyObject *gs_py_graph_served(PyObject *module, PyObject *unused);

/* In a forked child. */
void gs_py_forget_announced(void);

#endif
