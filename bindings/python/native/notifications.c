/* SPDX-License-Identifier: Apache-2.0 */
#include "notifications.h"

#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "native/mailbox.h"
#include "objects.h"
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>

static gs_mailbox mailbox = GS_MAILBOX_INITIALIZER;

/* The arguments of notify() and defer(). */
enum { STREAM, TICKET, REGISTER, ENTRY, ARGUMENTS };

/* Enters the ticket into the register before the library may call. 0, or -1 with the exception set. */
static int enter(const char *function, PyObject *const *arguments, Py_ssize_t count, uint64_t *out_ticket) {
    if (count != ARGUMENTS || !gs_py_is_stream(arguments[STREAM]) || !PyDict_Check(arguments[REGISTER])) {
        PyErr_Format(PyExc_TypeError, "%s(): a stream, a ticket, a register and an entry are expected", function);
        return -1;
    }
    if (gs_py_uint64(function, "ticket", arguments[TICKET], out_ticket) < 0) return -1;
    return PyDict_SetItem(arguments[REGISTER], arguments[TICKET], arguments[ENTRY]);
}

/* None if the library took it. Else NULL with the exception set, and the register is as before. */
static PyObject *entered_or_not(PyObject *const *arguments, gs_status_t status) {
    if (status != GS_OK && PyDict_DelItem(arguments[REGISTER], arguments[TICKET]) < 0) return NULL;
    return gs_py_none_or_fail(status);
}

PyObject *gs_py_notify(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    gs_note *note = malloc(sizeof *note);
    if (!note) return PyErr_NoMemory();
    if (enter("notify", arguments, count, &ticket) < 0) return free(note), NULL;
    note->mailbox = &mailbox;
    note->ticket = ticket;
    GS_PY_CHANGED(gs_py_pending_callbacks, 1);
    gs_stream_t stream = gs_py_stream(arguments[STREAM]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_notify(stream, gs_mailbox_deliver, note));
    if (status != GS_OK) {
        GS_PY_CHANGED(gs_py_pending_callbacks, -1);
        free(note);
    }
    return entered_or_not(arguments, status);
}

/* On the library's dispatcher thread. */
static void post_deferred(void *ticket) {
    if (gs_py_post((uint64_t)(uintptr_t)ticket) < 0)
        fputs("gpustream: no memory to announce a deferred function, which is not called\n", stderr);
}

PyObject *gs_py_defer(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    if (enter("defer", arguments, count, &ticket) < 0) return NULL;
    gs_stream_t stream = gs_py_stream(arguments[STREAM]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_defer(stream, post_deferred, (void *)(uintptr_t)ticket));
    return entered_or_not(arguments, status);
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
