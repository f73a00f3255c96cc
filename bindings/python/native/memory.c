/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "gil.h"

#include <stddef.h>

/* Size of the statistics without this field and those behind it. */
#define END_AT(field) offsetof(gs_pool_stats_t, field)

static gs_py_signature memory_allocated_parameters = {
    .function = "memory_allocated", .positional = 1, .count = 1, .names = {"device"}};
static gs_py_signature max_memory_allocated_parameters = {
    .function = "max_memory_allocated", .positional = 1, .count = 1, .names = {"device"}};
static gs_py_signature memory_reserved_parameters = {
    .function = "memory_reserved", .positional = 1, .count = 1, .names = {"device"}};
static gs_py_signature max_memory_reserved_parameters = {
    .function = "max_memory_reserved", .positional = 1, .count = 1, .names = {"device"}};

/* Devices that are known without calling Python, which cannot fail. */
static int is_plain(PyObject *given) { return !given || given == Py_None || PyLong_CheckExact(given); }

/* The first bytes of the statistics of the default pool of the one parameter's device: the library asks the driver only for
   numbers that there is room for. They are 0 until the library is initialised: as in
   torch, the device is not looked at then, since what some names mean is known only to an initialised library. */
static int read_stats(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                      size_t size, gs_pool_stats_t *out) {
    PyObject *given = NULL;
    gs_device_t device = GS_DEVICE_CURRENT;
    gs_pool_t pool;
    int32_t initialised;
    /* Usually the library is initialised and everything succeeds. If not, what follows finds out why and says so. */
    if (GS_PY_LIKELY(GS_PY_LOAD(gs_py_started) && count <= 1 && !names && is_plain(count ? arguments[0] : NULL))) {
        gs_py_device(count ? arguments[0] : NULL, "device", &device);
        out->struct_size = (uint32_t)size;
        if (GS_PY_LIKELY(gs_pool_default(device, &pool) == GS_OK && gs_pool_get_stats(pool, out) == GS_OK)) return 0;
    }
    *out = (gs_pool_stats_t){0};
    if (GS_PY_UNLIKELY(count != 0 || names) && gs_py_bind_one(signature, arguments, count, names, &given) < 0)
        return -1;
    if (gs_py_check(gs_is_initialized(&initialised)) < 0) return -1;
    if (!initialised) return 0;
    if (gs_py_device(given, "device", &device) < 0 || gs_py_check(gs_pool_default(device, &pool)) < 0) return -1;
    out->struct_size = (uint32_t)size;
    return gs_py_check(gs_pool_get_stats(pool, out));
}

PyObject *gs_py_memory_allocated(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_pool_stats_t stats;
    if (read_stats(&memory_allocated_parameters, arguments, count, names, END_AT(allocated_peak_bytes), &stats) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(stats.allocated_bytes);
}

PyObject *gs_py_max_memory_allocated(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_pool_stats_t stats;
    if (read_stats(&max_memory_allocated_parameters, arguments, count, names, END_AT(requested_bytes), &stats) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(stats.allocated_peak_bytes);
}

PyObject *gs_py_memory_reserved(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_pool_stats_t stats;
    if (read_stats(&memory_reserved_parameters, arguments, count, names, END_AT(reserved_peak_bytes), &stats) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(stats.reserved_bytes);
}

PyObject *gs_py_max_memory_reserved(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    gs_pool_stats_t stats;
    if (read_stats(&max_memory_reserved_parameters, arguments, count, names, END_AT(limit_bytes), &stats) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(stats.reserved_peak_bytes);
}
