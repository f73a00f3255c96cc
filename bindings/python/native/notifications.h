/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications of gs_stream_notify(), which come on the library's own threads. Those never wait for the GIL: a
   notification goes into a mailbox that a Python thread empties (_callbacks.py). */
#ifndef GPUSTREAM_PYTHON_NOTIFICATIONS_H
#define GPUSTREAM_PYTHON_NOTIFICATIONS_H

#include "common.h"

/* In both functions an entry is in the register, a dict by tickets, from before the library may call until the thread that
   serves the note takes it out; not if they fail. All of that is one call: Ctrl-C, which Python raises between two
   calls, must not leave one without the other. */

/* notify(stream, ticket, register, entry): a note when the stream's work so far is done. There is one register, which is
   gs_py_callbacks. */
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

#endif
