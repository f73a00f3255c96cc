/* SPDX-License-Identifier: Apache-2.0 */
/* What the synchronizing calls have in common: they let other Python threads run, warn in sync debug mode "warn", can
   have a time limit, can be interrupted by signals, and return only after the callbacks of add_done_callback() that
   precede the point they wait for.

   Only the main thread handles signals, and no signal ends a wait inside the library. So the main thread waits there for
   a short time only, and leaves the rest to the package, which waits in slices for an entry of a queue (_waits.py). In
   GS_WAIT_DRIVER it spends that time asking where a driver would spin: a nap may end late. */
#ifndef GPUSTREAM_PYTHON_WAITING_H
#define GPUSTREAM_PYTHON_WAITING_H

#include "threads.h"

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

/* Warns if the scope asks for it. With the scope "torch" only `torch_looks` warns, which is Stream.synchronize(). -1: a
   filter made the warning an error. */
int gs_py_warn_in_scope(int torch_looks);

/* For waits that the package makes of several calls of the flat layer, each of which the library would warn of:
   warn_of_wait() warns once, and call_after_warning(function, *arguments) makes a call whose warning is dropped. */
PyObject *gs_py_warn_of_wait(PyObject *module, PyObject *unused);
PyObject *gs_py_call_after_warning(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

static inline int64_t gs_py_sync_mode(void) {
    int64_t mode = GS_SYNC_DEBUG_DEFAULT;
    gs_get_option(GS_OPTION_SYNC_DEBUG_MODE, &mode);
    return mode;
}

static inline int gs_py_warn_of_sync(int torch_looks) {
    return GS_PY_LIKELY(gs_py_sync_mode() != GS_SYNC_DEBUG_WARN) ? 0 : gs_py_warn_in_scope(torch_looks);
}

/* How many callbacks are in streams or running (notifications.h counts those). */
extern GS_PY_HIDDEN long gs_py_pending_callbacks;

/* callback_returned(): one less is in streams or running. */
PyObject *gs_py_callback_returned(PyObject *module, PyObject *unused);

/* In a forked child. */
void gs_py_forget_callbacks(void);

/* A time limit in seconds as nanoseconds; -1, without limit, for NULL and None. Returns 0, or -1 with the exception set. */
int gs_py_timeout(PyObject *given, int64_t *out_ns);

/* One kind of synchronizing call: gs_stream_synchronize_for() and its like. */
typedef struct gs_py_wait_kind {
    gs_status_t (*wait)(uintptr_t what, int64_t timeout_ns);
    uintptr_t (*what)(PyObject *object); /* the handle or device that an object stands for */
    int (*is_spun_for)(uintptr_t what);  /* whether the driver would spin; -1: exception */
} gs_py_wait_kind;

/* Whether a device's driver spins while it waits. 1, 0, or -1 with the exception set. */
int gs_py_spins(gs_device_t device);

/* Waits for an object of the kind. New reference to None, or NULL with the exception set. While callbacks are pending the
   package makes the call and waits for those as well. */
PyObject *gs_py_wait(const gs_py_wait_kind *kind, PyObject *object, int64_t timeout_ns);

/* The arguments of a method synchronize(timeout=None). Returns 0, or -1 with the exception set. */
int gs_py_only_timeout(PyObject *const *arguments, Py_ssize_t count, PyObject *names, int64_t *out_ns);

#endif
