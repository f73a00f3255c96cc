/* SPDX-License-Identifier: Apache-2.0 */
/* Python functions that hold a stream: Stream.launch_host(). The driver's thread announces the function as graphs'
   functions are announced (graph_keep.h), and then waits until the thread that serves callbacks has called it. It never
   enters Python, so it survives the interpreter: at exit it is let go.

   The stream goes on only when the function has returned, and the function needs the GIL. As long as there are such
   functions, every call of this package that reaches the driver gives the GIL up (gil.h): else a call that waits inside
   the driver, for room in a full queue say, would wait for the function, and the function for the GIL. */
#ifndef GPUSTREAM_PYTHON_HOST_HOLD_H
#define GPUSTREAM_PYTHON_HOST_HOLD_H

#include "common.h"

/* host_holder(): address (int) of the native function, whose argument is the ticket. */
PyObject *gs_py_host_holder(PyObject *module, PyObject *unused);

/* launch_held(stream, ticket, function): puts the native function into the stream, which keeps the Python function until it has
   been called. One call, as notify() is. */
PyObject *gs_py_launch_held(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* host_let_go(ticket): the function has returned; the oldest thread that waits for the ticket goes on. */
PyObject *gs_py_host_let_go(PyObject *module, PyObject *ticket);

/* At exit: every thread that waits goes on, and none waits from then on. */
void gs_py_let_all_go(void);

/* In a forked child, where the threads that wait are not. */
void gs_py_forget_held(void);

#endif
