/* SPDX-License-Identifier: Apache-2.0 */
#include "host_hold.h"

#include "convert.h"
#include "graph_host.h"

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
