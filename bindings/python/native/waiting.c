/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "hooks.h"

#include <math.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread int gs_py_warned;
long gs_py_pending_callbacks;

int gs_py_warn_in_scope(int torch_looks) {
    int64_t scope = GS_SYNC_SCOPE_TORCH;
    gs_get_option(GS_OPTION_SYNC_DEBUG_SCOPE, &scope);
    if (!torch_looks && scope != GS_SYNC_SCOPE_ALL) return 0;
    PyObject *result = gs_py_call("_debug", "warn_of_sync", "()");
    Py_XDECREF(result);
    return result ? 0 : -1;
}

PyObject *gs_py_warn_of_wait(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return gs_py_warn_of_sync(0) < 0 ? NULL : Py_NewRef(Py_None);
}

PyObject *gs_py_call_after_warning(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count < 1) return PyErr_Format(PyExc_TypeError, "a function is expected"), NULL;
    const int before = gs_py_warned;
    gs_py_warned = 1;
    PyObject *result = PyObject_Vectorcall(arguments[0], arguments + 1, (size_t)count - 1, NULL);
    gs_py_warned = before;
    return result;
}

PyObject *gs_py_callback_returned(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    GS_PY_CHANGED(gs_py_pending_callbacks, -1);
    Py_RETURN_NONE;
}

void gs_py_forget_callbacks(void) { GS_PY_STORE(gs_py_pending_callbacks, 0); }

int gs_py_timeout(PyObject *given, int64_t *out_ns) {
    *out_ns = -1;
    if (!given || given == Py_None) return 0;
    if (PyBool_Check(given) || !(PyFloat_Check(given) || PyIndex_Check(given)))
        return gs_py_wrong_type(NULL, "timeout", "a number of seconds or None", given);
    const double seconds = PyFloat_AsDouble(given);
    if (seconds == -1.0 && PyErr_Occurred()) return -1;
    if (!(seconds >= 0.0)) {
        gs_py_fail_with(GS_ERROR_INVALID_ARGUMENT, "argument 'timeout' must be 0 or more seconds, not %R", given);
        return -1;
    }
    /* Rounded up: only a limit of 0 asks without waiting. Centuries are no limit. */
    if (seconds < (double)(INT64_MAX / 1000000000)) *out_ns = (int64_t)ceil(seconds * 1e9);
    return 0;
}

/* Whether Python handles signals on this thread. Without the module `threading` no other thread has run Python, and the
   process's first thread is its main thread; importing it would take a millisecond. 1, 0, or -1 with the exception set. */
static int on_main_thread(void) {
    static __thread signed char known; /* 0: not yet; 1: it is; 2: it is not */
    if (GS_PY_LIKELY(known != 0)) return known == 1;
    PyObject *name = PyUnicode_FromString("threading");
    PyObject *threading = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    if (!threading) return PyErr_Occurred() ? -1 : getpid() == (pid_t)syscall(SYS_gettid);
    PyObject *thread = PyObject_CallMethod(threading, "main_thread", NULL);
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    const unsigned long number = ident && ident != Py_None ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_DECREF(threading);
    if (PyErr_Occurred()) return -1;
    known = number == PyThread_get_thread_ident() ? 1 : 2;
    return known == 1;
}

enum { FIRST_WAIT_NS = 10000000 }; /* how long the main thread is deaf to signals */

int gs_py_spins(gs_device_t device) {
    enum { MOST = 16 };
    static signed char known[MOST]; /* by backend: 0: not asked yet; 1: it does; 2: it does not */
    gs_backend_t backend = gs_device_backend(device);
    if (backend == GS_BACKEND_DEFAULT && gs_default_backend(&backend) != GS_OK) return 0;
    if (backend < 0 || backend >= MOST) return 0;
    signed char answer_known = GS_PY_LOAD(known[backend]);
    if (answer_known == 0) {
        PyObject *answer = gs_py_call("_backends", "spins", "(i)", (int)backend);
        const int truth = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        if (truth < 0) return -1;
        answer_known = truth ? 1 : 2;
        GS_PY_STORE(known[backend], answer_known);
    }
    return answer_known == 1;
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Without the GIL. */
static gs_status_t spin_a_little(const gs_py_wait_kind *kind, uintptr_t what) {
    const int64_t end = now_ns() + FIRST_WAIT_NS;
    gs_status_t status;
    while ((status = kind->wait(what, 0)) == GS_ERROR_TIMEOUT && now_ns() < end) sched_yield();
    return status;
}

/* The main thread's. 0, or -1 with the exception set. */
static int wait_a_little(const gs_py_wait_kind *kind, uintptr_t what, gs_status_t *out) {
    int64_t mode = GS_WAIT_ADAPTIVE;
    GS_PY_BLOCKING(*out = kind->wait(what, 0));
    if (*out != GS_ERROR_TIMEOUT) return 0;
    gs_get_option(GS_OPTION_WAIT_MODE, &mode);
    const int spins = mode == GS_WAIT_DRIVER ? kind->is_spun_for(what) : 0;
    if (spins < 0) return -1;
    GS_PY_BLOCKING(*out = spins ? spin_a_little(kind, what) : kind->wait(what, FIRST_WAIT_NS));
    return 0;
}

static PyObject *wait_for_work(const gs_py_wait_kind *kind, PyObject *object, int64_t timeout_ns) {
    gs_status_t status;
    const uintptr_t what = kind->what(object);
    const int in_slices = timeout_ns < 0 || timeout_ns > FIRST_WAIT_NS ? on_main_thread() : 0;
    if (in_slices < 0) return NULL;
    if (!in_slices)
        GS_PY_BLOCKING(status = kind->wait(what, timeout_ns));
    else if (wait_a_little(kind, what, &status) < 0)
        return NULL;
    if (GS_PY_LIKELY(status == GS_OK) || !in_slices) return gs_py_none_or_fail(status);
    if (status == GS_ERROR_TIMEOUT)
        return gs_py_call("_waits", "long_wait", "(OL)", object,
                          (long long)(timeout_ns < 0 ? -1 : timeout_ns - FIRST_WAIT_NS));
    if (status == GS_ERROR_NOT_SUPPORTED && timeout_ns < 0) /* an old driver waits for a device without a limit only */
        GS_PY_BLOCKING(status = kind->wait(what, -1));
    return gs_py_none_or_fail(status);
}

/* `call`: (kind, object, timeout). */
static PyObject *wait_packed(PyObject *call, PyObject *unused) {
    (void)unused;
    const gs_py_wait_kind *kind = PyLong_AsVoidPtr(PyTuple_GET_ITEM(call, 0));
    return wait_for_work(kind, PyTuple_GET_ITEM(call, 1), PyLong_AsLongLong(PyTuple_GET_ITEM(call, 2)));
}

static PyMethodDef packed_definition = {"synchronize", wait_packed, METH_NOARGS, NULL};

PyObject *gs_py_wait(const gs_py_wait_kind *kind, PyObject *object, int64_t timeout_ns) {
    if (GS_PY_LIKELY(GS_PY_LOAD(gs_py_pending_callbacks) == 0)) return wait_for_work(kind, object, timeout_ns);
    PyObject *packed = Py_BuildValue("(NOL)", PyLong_FromVoidPtr((void *)kind), object, (long long)timeout_ns);
    PyObject *call = packed ? PyCFunction_New(&packed_definition, packed) : NULL;
    PyObject *result = call ? gs_py_call("_callbacks", "wait_around", "(OL)", call, (long long)timeout_ns) : NULL;
    Py_XDECREF(call);
    Py_XDECREF(packed);
    return result;
}

int gs_py_only_timeout(PyObject *const *arguments, Py_ssize_t count, PyObject *names, int64_t *out_ns) {
    static gs_py_signature parameters = GS_PY_ONE_OPTIONAL("synchronize", "timeout");
    PyObject *given = NULL;
    if ((count != 0 || names) && gs_py_bind(&parameters, arguments, count, names, &given) < 0) return -1;
    return gs_py_timeout(given, out_ns);
}
