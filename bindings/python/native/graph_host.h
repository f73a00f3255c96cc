/* SPDX-License-Identifier: Apache-2.0 */
/* Python functions in graphs. A node announces its function on a thread of the driver, which never enters Python: it posts a
   note into the mailbox of callbacks (notifications.h), and the thread that serves callbacks calls the function. So the
   work behind the node does not wait for the function. */
#ifndef GPUSTREAM_PYTHON_GRAPH_HOST_H
#define GPUSTREAM_PYTHON_GRAPH_HOST_H

#include "common.h"

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
