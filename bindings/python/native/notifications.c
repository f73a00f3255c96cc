/* SPDX-License-Identifier: Apache-2.0 */
#include "notifications.h"

#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "native/mailbox.h"
#include "objects.h"
#include "shutdown.h"

#include <stdio.h>
#include <stdlib.h>

static gs_mailbox mailbox = GS_MAILBOX_INITIALIZER;

static int stream_and_ticket(const char *function, PyObject *const *arguments, Py_ssize_t count, uint64_t *out) {
    if (count == 2 && gs_py_is_stream(arguments[0])) return gs_py_uint64(function, "ticket", arguments[1], out);
    PyErr_SetString(PyExc_TypeError, "a stream and a ticket are expected");
    return -1;
}

PyObject *gs_py_notify(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    if (stream_and_ticket("notify", arguments, count, &ticket) < 0) return NULL;
    gs_note *note = malloc(sizeof *note);
    if (!note) return PyErr_NoMemory();
    note->mailbox = &mailbox;
    note->ticket = ticket;
    gs_stream_t stream = gs_py_stream(arguments[0]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_notify(stream, gs_mailbox_deliver, note));
    if (status != GS_OK) free(note);
    return gs_py_none_or_fail(status);
}

/* On the library's dispatcher thread. */
static void post_deferred(void *ticket) {
    if (gs_py_post((uint64_t)(uintptr_t)ticket) < 0)
        fputs("gpustream: no memory to announce a deferred function, which is not called\n", stderr);
}

PyObject *gs_py_defer(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    if (stream_and_ticket("defer", arguments, count, &ticket) < 0) return NULL;
    gs_stream_t stream = gs_py_stream(arguments[0]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_defer(stream, post_deferred, (void *)(uintptr_t)ticket));
    return gs_py_none_or_fail(status);
}

int gs_py_post(uint64_t ticket) {
    gs_note *note = malloc(sizeof *note);
    if (!note) return -1;
    note->mailbox = &mailbox;
    note->ticket = ticket;
    gs_mailbox_deliver(note, GS_OK);
    return 0;
}

PyObject *gs_py_mailbox_wait(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_note *first;
    Py_BEGIN_ALLOW_THREADS;
    first = gs_mailbox_wait(&mailbox);
    Py_END_ALLOW_THREADS;
    if (!first) Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    while (first) {
        gs_note *note = first;
        first = note->next;
        PyObject *pair = list ? Py_BuildValue("(Ki)", (unsigned long long)note->ticket, (int)note->status) : NULL;
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list); /* out of memory; the other notes are freed too */
        Py_XDECREF(pair);
        free(note);
    }
    return list;
}

PyObject *gs_py_mailbox_close(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_py_begin_shutdown();
    gs_mailbox_close(&mailbox);
    Py_RETURN_NONE;
}

void gs_py_forget_notifications(void) { gs_mailbox_after_fork(&mailbox); }
