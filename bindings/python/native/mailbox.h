// SPDX-License-Identifier: Apache-2.0
// What the library says on threads of its own: notifications and log messages. Those threads never wait for the GIL. A
// notification goes into a mailbox that a Python thread empties; a message goes into a list that the main thread empties
// at its next safe point.
#include "native/mailbox.h"

typedef struct gs_py_message {
    struct gs_py_message *next;
    int32_t level;
    char text[]; // NUL-terminated
} gs_py_message;

static gs_mailbox gs_py_mailbox = GS_MAILBOX_INITIALIZER;
static pthread_mutex_t gs_py_messages_mutex = PTHREAD_MUTEX_INITIALIZER;
static gs_py_message *gs_py_messages, **gs_py_messages_end = &gs_py_messages;

// (stream, ticket)
static PyObject *gs_py_notify(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    if (count != 2 || !gs_py_is_stream(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "a stream and a ticket are expected"), NULL;
    if (gs_py_uint64("notify", "ticket", arguments[1], &ticket) < 0) return NULL;
    gs_note *note = malloc(sizeof *note);
    if (!note) return PyErr_NoMemory();
    note->mailbox = &gs_py_mailbox;
    note->ticket = ticket;
    gs_stream_t stream = gs_py_stream(arguments[0]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_notify(stream, gs_mailbox_deliver, note));
    if (status != GS_OK) free(note);
    return gs_py_none_or_fail(status);
}

// Waits for notes and gives them as [(ticket, status)], in the order in which they came; None once closed and empty.
static PyObject *gs_py_mailbox_wait(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_note *first;
    Py_BEGIN_ALLOW_THREADS;
    first = gs_mailbox_wait(&gs_py_mailbox);
    Py_END_ALLOW_THREADS;
    if (!first) Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    while (first) {
        gs_note *note = first;
        first = note->next;
        PyObject *pair = list ? Py_BuildValue("(Ki)", (unsigned long long)note->ticket, (int)note->status) : NULL;
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list); // out of memory; the rest is freed all the same
        Py_XDECREF(pair);
        free(note);
    }
    return list;
}

static PyObject *gs_py_mailbox_close(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_mailbox_close(&gs_py_mailbox);
    Py_RETURN_NONE;
}

// In a forked child: the mutex may have been held, and what is under way belongs to the parent.
static PyObject *gs_py_mailbox_forget(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_mailbox_after_fork(&gs_py_mailbox);
    pthread_mutex_init(&gs_py_messages_mutex, NULL);
    gs_py_messages = NULL;
    gs_py_messages_end = &gs_py_messages;
    gs_py_pending_callbacks = 0;
    Py_RETURN_NONE;
}

// Runs on the main thread, between two of its instructions.
static int gs_py_show_messages(void *unused) {
    (void)unused;
    pthread_mutex_lock(&gs_py_messages_mutex);
    gs_py_message *first = gs_py_messages;
    gs_py_messages = NULL;
    gs_py_messages_end = &gs_py_messages;
    pthread_mutex_unlock(&gs_py_messages_mutex);
    while (first) {
        gs_py_message *message = first;
        first = message->next;
        PyObject *result = PyObject_CallFunction(gs_py_hook_log, "is", (int)message->level, message->text);
        if (!result) PyErr_WriteUnraisable(gs_py_hook_log); // a filter made an error of the warning: nobody called
        Py_XDECREF(result);
        free(message);
    }
    return 0;
}

// gs_set_log_callback(): any thread, with or without the GIL, and gpustream may not be called.
static void gs_py_log(void *unused, int32_t level, const char *text) {
    (void)unused;
    if (gs_py_warned && level == GS_LOG_WARNING && strstr(text, "called a synchronizing")) return;
    const size_t length = strlen(text) + 1;
    gs_py_message *message = malloc(sizeof *message + length);
    if (!message || gs_mailbox_is_closed(&gs_py_mailbox)) {
        free(message);
        fprintf(stderr, "gpustream: %s\n", text);
        return;
    }
    message->next = NULL;
    message->level = level;
    memcpy(message->text, text, length);
    pthread_mutex_lock(&gs_py_messages_mutex);
    *gs_py_messages_end = message;
    gs_py_messages_end = &message->next;
    pthread_mutex_unlock(&gs_py_messages_mutex);
    // When the interpreter's list of pending calls is full, the next message takes this one along.
    Py_AddPendingCall(gs_py_show_messages, NULL);
}
