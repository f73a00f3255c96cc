/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "hooks.h"
#include "objects.h"

#include <stddef.h>

static gs_py_signature parameters = {.function = "Buffer",
                                     .required = 1,
                                     .positional = 1,
                                     .count = 5,
                                     .names = {"nbytes", "stream", "device", "pinned", "pool"}};

static int read_bytes(PyObject *given, size_t *out) {
    int overflow;
    if (!PyIndex_Check(given) || PyBool_Check(given)) return gs_py_wrong_type("Buffer", "nbytes", "int", given);
    PyObject *number = PyNumber_Index(given);
    if (!number) return -1;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (GS_PY_LIKELY(overflow == 0 && value >= 0)) {
        Py_DECREF(number);
        *out = (size_t)value;
        return 0;
    }
    gs_py_fail_with(GS_ERROR_INVALID_ARGUMENT, "argument 'nbytes' must be at least 0 and below 2**63, not %R", number);
    Py_DECREF(number);
    return -1;
}

/* The device that a stream belongs to, or the one that stands for the current one. */
static int find_device(const gs_py_buffer_request *request, gs_device_t *out) {
    if (request->stream) return gs_py_check(gs_stream_device(request->stream, out));
    *out = request->device;
    return *out == GS_DEVICE_CURRENT ? gs_py_check(gs_current_device(out)) : 0;
}

/* What a MemPool has on the device, made if it was not used there yet. NULL with the exception set. */
static PyObject *begin_pool(PyObject *given, const gs_py_buffer_request *request) {
    gs_device_t device;
    if (find_device(request, &device) < 0) return NULL;
    PyObject *handle = PyObject_CallMethod(given, "_begin", "i", (int)device);
    PyObject *ended = handle ? PyObject_CallMethod(given, "_end", NULL) : NULL;
    Py_XDECREF(ended);
    if (handle && !ended) Py_CLEAR(handle);
    if (handle || !PyErr_ExceptionMatches(PyExc_AttributeError)) return handle;
    PyErr_Clear();
    gs_py_wrong_type("Buffer", "pool", "a pool", given);
    return NULL;
}

/* Takes the reference; NULL: an exception is set already. */
static int take_handle(PyObject *handle, gs_py_buffer_request *out) {
    uint64_t number;
    if (!handle) return -1;
    const int result = gs_py_uint64("Buffer", "pool", handle, &number);
    Py_DECREF(handle);
    if (result < 0) return -1;
    out->pool = (gs_pool_t)(uintptr_t)number;
    if (out->pool) return 0;
    gs_py_fail_with(GS_ERROR_INVALID_HANDLE, "argument 'pool': there is no pool 0");
    return -1;
}

static int read_pool(PyObject *given, gs_py_buffer_request *out) {
    if (!given || given == Py_None) return 0;
    return take_handle(PyIndex_Check(given) ? Py_NewRef(given) : begin_pool(given, out), out);
}

/* No other pool ever has the number of one that was asked about. */
static int place_in(gs_pool_t pool, int *out) {
    static GS_PY_PER_THREAD gs_pool_t asked;
    static GS_PY_PER_THREAD int answer;
    gs_pool_stats_t stats = {.struct_size = offsetof(gs_pool_stats_t, allocated_bytes)}; /* the flags alone */
    gs_status_t status;
    if (pool != asked) {
        GS_PY_DRIVER(status = gs_pool_get_stats(pool, &stats));
        if (gs_py_check(status) < 0) return -1;
        asked = pool;
        answer = stats.flags & GS_POOL_HOST ? GS_PY_PINNED : GS_PY_ON_DEVICE;
    }
    *out = answer;
    return 0;
}

int gs_py_place_in_current_pool(gs_stream_t stream, int *out) {
    gs_device_t device;
    gs_pool_t current, usual;
    gs_status_t status = gs_stream_device(stream, &device);
    if (status == GS_OK) status = gs_current_pool(device, &current);
    if (status == GS_OK) status = gs_pool_default(device, &usual);
    *out = GS_PY_ON_DEVICE;
    if (gs_py_check(status) < 0) return -1;
    return GS_PY_LIKELY(current == usual) ? 0 : place_in(current, out);
}

static int check_device(const gs_py_buffer_request *request) {
    gs_device_t device;
    if (!request->stream || request->device == GS_DEVICE_CURRENT) return 0;
    if (find_device(request, &device) < 0) return -1;
    if (device == request->device) return 0;
    gs_py_fail_with(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to device %d, not to device %d", (int)device,
                    (int)request->device);
    return -1;
}

static int read_pinned(PyObject *given, gs_py_buffer_request *out) {
    gs_device_t device;
    const int pinned = gs_py_flag("Buffer", "pinned", given, 0);
    if (pinned < 0) return -1;
    if (out->pool) {
        if (place_in(out->pool, &out->place) < 0) return -1;
        if (!given || given == Py_None || pinned == (out->place == GS_PY_PINNED)) return 0;
        gs_py_fail_with(GS_ERROR_INVALID_ARGUMENT, "argument 'pinned' contradicts the pool");
        return -1;
    }
    if (!pinned) return 0;
    out->place = GS_PY_PINNED;
    if (find_device(out, &device) < 0) return -1;
    return take_handle(gs_py_call("_memory_pools", "pinned_pool", "(i)", (int)device), out);
}

static int read_rest(PyObject *const *given, gs_py_buffer_request *out) {
    if (gs_py_device(given[2], "device", &out->device) < 0 || gs_py_start() < 0) return -1;
    if (given[1] && given[1] != Py_None) {
        if (gs_py_stream_from(given[1], "stream", &out->stream, &out->owner) < 0) return -1;
        if (!out->stream) return gs_py_fail_with(GS_ERROR_INVALID_HANDLE, "the stream was closed"), -1;
    }
    if (check_device(out) < 0 || read_pool(given[4], out) < 0) return -1;
    return read_pinned(given[3], out);
}

static int read_all(PyObject *const *given, gs_py_buffer_request *out) {
    if (read_bytes(given[0], &out->bytes) < 0) return -1;
    if (read_rest(given, out) == 0) return 0;
    Py_CLEAR(out->owner);
    return -1;
}

int gs_py_buffer_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                              gs_py_buffer_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    *out = (gs_py_buffer_request){.device = GS_DEVICE_CURRENT};
    if (GS_PY_LIKELY(count == 1 && !names)) return read_bytes(arguments[0], &out->bytes) < 0 ? -1 : gs_py_start();
    return gs_py_bind(&parameters, arguments, count, names, given) < 0 ? -1 : read_all(given, out);
}

int gs_py_buffer_request_from_tuple(PyObject *tuple, PyObject *dict, gs_py_buffer_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    *out = (gs_py_buffer_request){.device = GS_DEVICE_CURRENT};
    return gs_py_bind_tuple(&parameters, tuple, dict, given) < 0 ? -1 : read_all(given, out);
}
