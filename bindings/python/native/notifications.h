/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications of gs_stream_notify(), which come on the library's own threads. Those never wait for the GIL: a
   notification goes into a mailbox that a Python thread empties (_callbacks.py). */
#ifndef GPUSTREAM_PYTHON_NOTIFICATIONS_H
#define GPUSTREAM_PYTHON_NOTIFICATIONS_H

#include "common.h"

/* In both functions an entry is in the register, a dict by tickets, from before the library may call until the thread that
   serves the note takes it out; not if they fail. All of that is one call: Ctrl-C, which Python raises between two
   calls, must not leave one without the other. */

/* notify(stream, ticket, register, entry): a note when the stream's work so far is done; counted in
   gs_py_pending_callbacks. */
PyObject *gs_py_notify(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* defer(stream, ticket, register, entry): a note some time after the stream's work so far is done. See gs_stream_defer(). */
PyObject *gs_py_defer(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Posts a note with the status GS_OK. Any thread, without the GIL. 0, or -1: no memory. */
int gs_py_post(uint64_t ticket);

/* mailbox_wait(): waits for notes and returns them as [(ticket, status)], oldest first; None once closed and empty. */
PyObject *gs_py_mailbox_wait(PyObject *module, PyObject *unused);

/* mailbox_close(): at exit. */
PyObject *gs_py_mailbox_close(PyObject *module, PyObject *unused);

/* In a forked child: the mutex may have been held, and what is under way belongs to the parent. */
void gs_py_forget_notifications(void);

/* Python objects that live as long as a graph, its executables and their launches, or a stream's work so far, may use
   them.

   The library reports that end on a thread of its own, which never asks for the GIL: the object goes into a list. The main
   thread empties it between two of its instructions, and so do threads that add to graphs or serve callbacks. An
   object whose graph has announced host functions waits until those have been called. */

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

/* Python functions that hold a stream: Stream.launch_host(). The driver's thread announces the function as graphs'
   functions are announced, and then waits until the thread that serves callbacks has called it. It never
   enters Python, so it survives the interpreter: at exit it is let go.

   The stream goes on only when the function has returned, and the function needs the GIL. As long as there are such
   functions, every call of this package that reaches the driver gives the GIL up (gil.h): else a call that waits inside
   the driver, for room in a full queue say, would wait for the function, and the function for the GIL. */

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
