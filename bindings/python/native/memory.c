/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "gil.h"

#include <stddef.h>

/* Size of the statistics without this field and those behind it. */
#define END_AT(field) offsetof(gs_pool_stats_t, field)

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

/* The entry of a name: the number `field`, for which the statistics are read up to `next`. */
#define NUMBER(name, field, next)                                                                                      \
    static gs_py_signature name##_parameters = GS_PY_ONE_OPTIONAL(#name, "device");                                    \
    PyObject *gs_py_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {          \
        (void)module;                                                                                                  \
        gs_pool_stats_t stats;                                                                                         \
        if (read_stats(&name##_parameters, arguments, count, names, END_AT(next), &stats) < 0) return NULL;            \
        return PyLong_FromUnsignedLongLong(stats.field);                                                               \
    }
NUMBER(memory_allocated, allocated_bytes, allocated_peak_bytes)
NUMBER(max_memory_allocated, allocated_peak_bytes, requested_bytes)
NUMBER(memory_reserved, reserved_bytes, reserved_peak_bytes)
NUMBER(max_memory_reserved, reserved_peak_bytes, limit_bytes)
