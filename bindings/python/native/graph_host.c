/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_host.h"

#include "convert.h"
#include "notifications.h"

#include <stdatomic.h>
#include <stdio.h>

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
