/* SPDX-License-Identifier: Apache-2.0 */
#include "notifications.h"

#include "errors.h"
#include "gil.h"
#include "objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct kept {
    struct kept *next;
    PyObject *object;
    uint64_t announced; /* when the library let go of it: what must be served before it goes */
} kept;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static kept *list, **list_end = &list;
static uint64_t handed; /* gs_check_handover(): who frees an object knows what the thread knew that let go of it */

/* The next one that may go; NULL: none. They go in the order in which they came. */
static kept *take(void) {
    pthread_mutex_lock(&mutex);
    kept *one = list;
    if (one && one->announced <= gs_py_host_served())
        list = one->next;
    else
        one = NULL;
    if (!list) list_end = &list;
    pthread_mutex_unlock(&mutex);
    return one;
}

static void release_ended(void) {
    kept *one;
    while ((one = take()) != NULL) {
        PyObject *object = one->object;
        free(one);
        gs_check_handover(&handed);
        Py_DECREF(object); /* may run code that comes here again */
    }
}

static int run_pending(void *unused) {
    (void)unused;
    release_ended();
    return 0;
}

/* On the library's thread. */
static void release(void *arg) {
    if (gs_py_is_shutting_down()) return; /* the object stays, as there may be no interpreter to destroy it */
    kept *one = arg;
    one->next = NULL;
    one->announced = gs_py_host_announced();
    gs_check_handover(&handed);
    pthread_mutex_lock(&mutex);
    *list_end = one;
    list_end = &one->next;
    pthread_mutex_unlock(&mutex);
    /* When the interpreter's list of pending calls is full, the next one takes this along. */
    Py_AddPendingCall(run_pending, NULL);
}

static kept *keep(PyObject *object) {
    release_ended();
    kept *one = malloc(sizeof *one);
    if (!one) return PyErr_NoMemory(), NULL;
    one->object = object;
    Py_INCREF(object);
    return one;
}

/* None if the library took it, else NULL with the exception set. */
static PyObject *kept_or_not(kept *one, gs_status_t status) {
    if (status == GS_OK) Py_RETURN_NONE;
    gs_py_fail(status);
    Py_DECREF(one->object);
    free(one);
    return NULL;
}

PyObject *gs_py_graph_keep(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long graph;
    PyObject *thing;
    gs_status_t status;
    if (!PyArg_ParseTuple(arguments, "KO", &graph, &thing)) return NULL;
    kept *one = keep(thing);
    if (!one) return NULL;
    GS_PY_DRIVER(status = gs_graph_keep((gs_graph_t)(uintptr_t)graph, release, one));
    return kept_or_not(one, status);
}

int gs_py_keep_in_stream(gs_stream_t stream, PyObject *object) {
    gs_status_t status;
    kept *one = keep(object);
    if (!one) return -1;
    GS_PY_DRIVER(status = gs_stream_defer(stream, release, one));
    PyObject *result = kept_or_not(one, status);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

PyObject *gs_py_stream_keep(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *stream, *thing;
    if (!PyArg_ParseTuple(arguments, "O!O", gs_py_generic_stream_type, &stream, &thing)) return NULL;
    if (gs_py_keep_in_stream(gs_py_stream(stream), thing) < 0) return NULL;
    Py_RETURN_NONE;
}

PyObject *gs_py_graph_release_ended(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    release_ended();
    Py_RETURN_NONE;
}

void gs_py_forget_kept(void) {
    pthread_mutex_init(&mutex, NULL);
    list = NULL;
    list_end = &list;
}

static atomic_uint_fast64_t announced, served;

uint64_t gs_py_host_announced(void) { return atomic_load(&announced); }
uint64_t gs_py_host_served(void) { return atomic_load(&served); }

/* Counted before it is posted: who has seen the work done and waits for what was announced then waits for this, too. */
int gs_py_host_announce(uint64_t ticket) {
    atomic_fetch_add(&announced, 1);
    if (gs_py_post(ticket) == 0) return 0;
    atomic_fetch_add(&served, 1);
    fputs("gpustream: no memory to announce a host function, which is not called\n", stderr);
    return -1;
}

PyObject *gs_py_graph_announced(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(gs_py_host_announced());
}

PyObject *gs_py_graph_served_count(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(gs_py_host_served());
}

PyObject *gs_py_graph_served(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    atomic_fetch_add(&served, 1);
    Py_RETURN_NONE;
}

void gs_py_forget_announced(void) {
    atomic_store(&announced, 0);
    atomic_store(&served, 0);
}
