/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "hooks.h"
#include "known_streams.h"
#include "module.h"
#include "owner.h"
#include "waiting.h"

static gs_py_signature current_stream_parameters = GS_PY_ONE_OPTIONAL("current_stream", "device");
static gs_py_signature current_raw_stream_parameters = GS_PY_ONE_OPTIONAL("current_raw_stream", "device");
static gs_py_signature default_stream_parameters = GS_PY_ONE_OPTIONAL("default_stream", "device");
static gs_py_signature set_stream_parameters = GS_PY_ONE_REQUIRED("set_stream", "stream");
static gs_py_signature set_device_parameters = GS_PY_ONE_REQUIRED("set_device", "device");
static gs_py_signature synchronize_parameters = {
    .function = "synchronize", .positional = 2, .count = 2, .names = {"device", "timeout"}};

/* The one parameter of this file's functions. */
static int read_device(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                       gs_device_t *out) {
    PyObject *given = NULL;
    *out = GS_DEVICE_CURRENT;
    if (GS_PY_LIKELY(count == 0 && !names)) return gs_py_start();
    if (gs_py_bind_one(signature, arguments, count, names, &given) < 0) return -1;
    return gs_py_device(given, "device", out) < 0 ? -1 : gs_py_start();
}

PyObject *gs_py_current_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_device_t device;
    gs_stream_t stream;
    if (read_device(&current_stream_parameters, arguments, count, names, &device) < 0) return NULL;
    return gs_py_check(gs_current_stream(device, &stream)) < 0 ? NULL : gs_py_known_object(stream);
}

PyObject *gs_py_current_raw_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_device_t device;
    uintptr_t native;
    if (read_device(&current_raw_stream_parameters, arguments, count, names, &device) < 0) return NULL;
    return gs_py_check(gs_current_native(device, &native)) < 0 ? NULL : gs_py_unsigned(native);
}

PyObject *gs_py_default_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_device_t device;
    gs_stream_t stream;
    if (read_device(&default_stream_parameters, arguments, count, names, &device) < 0) return NULL;
    return gs_py_check(gs_default_stream(device, &stream)) < 0 ? NULL : gs_py_known_object(stream);
}

static PyObject *make_current(PyObject *stream) {
    if (gs_py_check(gs_set_current_stream(gs_py_stream(stream))) < 0) return NULL;
    gs_py_became_current(stream);
    Py_RETURN_NONE;
}

PyObject *gs_py_set_stream(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    PyObject *given, *owner;
    gs_stream_t stream;
    if (gs_py_bind_one(&set_stream_parameters, arguments, count, names, &given) < 0) return NULL;
    if (given == Py_None) Py_RETURN_NONE;
    if (gs_py_stream_from(given, "stream", &stream, &owner) < 0) return NULL;
    PyObject *result = make_current(owner ? owner : given);
    Py_XDECREF(owner);
    return result;
}

PyObject *gs_py_set_device(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    PyObject *given;
    gs_device_t device;
    gs_status_t status;
    if (gs_py_bind_one(&set_device_parameters, arguments, count, names, &given) < 0) return NULL;
    if (GS_PY_LIKELY(PyLong_CheckExact(given))) {
        if (gs_py_device(given, "device", &device) < 0) return NULL;
    } else {
        PyObject *number = gs_py_call("_devices", "required", "(O)", given);
        const int result = number ? gs_py_device_number(number, "device", &device) : -1;
        Py_XDECREF(number);
        if (result < 0) return NULL;
    }
    if (device < 0) Py_RETURN_NONE;
    GS_PY_FIRST_USE(status = gs_set_current_device(device));
    return gs_py_none_or_fail(status);
}

PyObject *gs_py_current_device(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_device_t device;
    if (gs_py_start() < 0 || gs_py_check(gs_current_device(&device)) < 0) return NULL;
    return PyLong_FromLong(device);
}

PyObject *gs_py_device_count(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    int32_t count;
    gs_status_t status;
    GS_PY_FIRST_USE(status = gs_device_count(GS_BACKEND_DEFAULT, &count));
    return gs_py_check(status) < 0 ? NULL : PyLong_FromLong(count);
}

static uintptr_t device_of(PyObject *number) { return (uintptr_t)(intptr_t)PyLong_AsLong(number); }
static gs_status_t wait_for(uintptr_t device, int64_t timeout_ns) {
    return timeout_ns < 0 ? gs_device_synchronize((gs_device_t)(intptr_t)device)
                          : gs_device_synchronize_for((gs_device_t)(intptr_t)device, timeout_ns);
}
static int is_spun_for(uintptr_t device) { return gs_py_spins((gs_device_t)(intptr_t)device); }
static const gs_py_wait_kind kind = {wait_for, device_of, is_spun_for};

PyObject *gs_py_synchronize(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    PyObject *given[2] = {NULL, NULL};
    gs_device_t device = GS_DEVICE_CURRENT;
    int64_t timeout_ns = -1;
    if (count != 0 || names) {
        if (gs_py_bind(&synchronize_parameters, arguments, count, names, given) < 0) return NULL;
        if (given[0] && gs_py_device(given[0], "device", &device) < 0) return NULL;
        if (gs_py_timeout(given[1], &timeout_ns) < 0) return NULL;
    }
    if (gs_py_start() < 0 || gs_py_warn_of_sync(0) < 0) return NULL;
    PyObject *number = PyLong_FromLong(device);
    if (!number) return NULL;
    PyObject *result = gs_py_wait(&kind, number, timeout_ns);
    Py_DECREF(number);
    return result;
}
