/* SPDX-License-Identifier: Apache-2.0 */
/* What the synchronizing calls have in common: they let other Python threads run, warn in sync debug mode "warn", and
   return only after the callbacks of launch_host_func() that precede the point they wait for. */
#ifndef GPUSTREAM_PYTHON_WAITING_H
#define GPUSTREAM_PYTHON_WAITING_H

#include "common.h"

/* This thread is inside such a call, for which Python has issued the warning: the library's own copy is dropped. */
extern GS_PY_HIDDEN __thread int gs_py_warned;

#define GS_PY_BLOCKING(call)                                                                                           \
    do {                                                                                                               \
        int *const warned = &gs_py_warned;                                                                             \
        Py_BEGIN_ALLOW_THREADS;                                                                                        \
        *warned = 1;                                                                                                   \
        call;                                                                                                          \
        *warned = 0;                                                                                                   \
        Py_END_ALLOW_THREADS;                                                                                          \
    } while (0)

/* Warns if the scope asks for it, naming the line that called the method, as no Python frame lies between. With the
   scope "torch" only `torch_looks` warns, which is Stream.synchronize(). -1: a filter made the warning an error. */
int gs_py_warn_in_scope(int torch_looks);

static inline int32_t gs_py_sync_mode(void) {
    int32_t mode = GS_SYNC_DEBUG_DEFAULT;
    gs_get_sync_debug_mode(&mode);
    return mode;
}

static inline int gs_py_warn_of_sync(int torch_looks) {
    return GS_PY_LIKELY(gs_py_sync_mode() != GS_SYNC_DEBUG_WARN) ? 0 : gs_py_warn_in_scope(torch_looks);
}

/* How many callbacks are in streams or running. _callbacks.py counts them, with the GIL held. */
extern GS_PY_HIDDEN long gs_py_pending_callbacks;

/* set_pending_callbacks(number) */
PyObject *gs_py_set_pending_callbacks(PyObject *module, PyObject *number);

/* Has the package make a synchronizing call while callbacks are pending, and wait for those as well. */
PyObject *gs_py_wait_around(PyMethodDef *definition, PyObject *self);

#endif
