/* SPDX-License-Identifier: Apache-2.0 */
#include "notifications.h"

#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "objects.h"

#include <pthread.h>

/* On the stack of the driver's thread. */
typedef struct held {
    struct held *next;
    uint64_t ticket;
    int returned;
} held;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static held *oldest;
static int closed;

static void append(held *one) {
    held **end = &oldest;
    while (*end) end = &(*end)->next;
    *end = one;
}

static void take_out(const held *one) {
    held **place = &oldest;
    while (*place != one) place = &(*place)->next;
    *place = one->next;
}

/* On a thread of the driver. Announced under the mutex: two launches with one ticket are let go in the order of their
   notes. */
static void hold(void *ticket) {
    held own = {NULL, (uint64_t)(uintptr_t)ticket, 0};
    pthread_mutex_lock(&mutex);
    if (!closed && gs_py_host_announce(own.ticket) == 0) {
        append(&own);
        while (!own.returned && !closed) pthread_cond_wait(&changed, &mutex);
        take_out(&own);
    }
    pthread_mutex_unlock(&mutex);
}

PyObject *gs_py_host_holder(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return gs_py_unsigned((uintptr_t)hold);
}

PyObject *gs_py_launch_held(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t ticket;
    if (count != 3 || !gs_py_is_stream(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "a stream, a ticket and a function are expected"), NULL;
    if (gs_py_uint64("launch_held", "ticket", arguments[1], &ticket) < 0) return NULL;
    gs_stream_t stream = gs_py_stream(arguments[0]);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_launch_host(stream, hold, (void *)(uintptr_t)ticket));
    if (status != GS_OK) return gs_py_none_or_fail(status);
    /* The stream keeps the function, too: after a failure the driver drops its call silently. */
    if (gs_py_keep_in_stream(stream, arguments[2]) < 0) {
        PyErr_Clear();
        Py_INCREF(arguments[2]); /* permanently: it is in the stream, and will be called */
    }
    Py_RETURN_NONE;
}

PyObject *gs_py_host_let_go(PyObject *module, PyObject *number) {
    (void)module;
    uint64_t ticket;
    if (gs_py_uint64("host_let_go", "ticket", number, &ticket) < 0) return NULL;
    pthread_mutex_lock(&mutex);
    held *one = oldest;
    while (one && (one->ticket != ticket || one->returned)) one = one->next;
    if (one) one->returned = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    Py_RETURN_NONE;
}

void gs_py_let_all_go(void) {
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void gs_py_forget_held(void) {
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&changed, NULL);
    oldest = NULL;
}
