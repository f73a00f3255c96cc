/* SPDX-License-Identifier: Apache-2.0 */
#include "stream_make.h"

#include "arguments.h"
#include "convert.h"
#include "device_class.h"
#include "errors.h"
#include "gil.h"
#include "objects.h"
#include "owner.h"

static gs_py_signature stream_parameters = {
    .function = "Stream",
    .positional = 2,
    .count = 8,
    .names = {"device", "priority", "stream_id", "device_index", "device_type", "shared", "blocking", "dedicated"}};
static gs_py_signature generic_stream_parameters = {
    .function = "Stream",
    .positional = 1,
    .count = 8,
    .names = {"device", "priority", "stream_id", "device_index", "device_type", "shared", "blocking", "dedicated"}};
static gs_py_signature live_stream_parameters = {.function = "Stream",
                                                 .required = 3,
                                                 .positional = 3,
                                                 .count = 4,
                                                 .names = {"stream_id", "device_index", "device_type", "priority"}};

/* "high" and "low" are the ends of every range. */
static int read_level(PyObject *given, int32_t *out) {
    static const struct {
        const char *name;
        int32_t priority;
    } levels[] = {{"high", INT32_MIN}, {"normal", 0}, {"low", INT32_MAX}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
        if (PyUnicode_CompareWithASCIIString(given, levels[i].name) != 0) continue;
        *out = levels[i].priority;
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "Stream(): argument 'priority' must be an int, 'high', 'normal' or 'low', not %R",
                 given);
    return -1;
}

/* Lower is higher. The library clamps to the device's range, which int32_t is wider than. */
static int read_priority(PyObject *given, int32_t *out) {
    int64_t number = 0;
    if (given && PyUnicode_Check(given)) return read_level(given, out);
    if (given && gs_py_int64("Stream", "priority", given, &number) < 0) return -1;
    *out = number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int32_t)number;
    return 0;
}

static int read_int32(const char *name, PyObject *given, int32_t *out) {
    int64_t number;
    if (gs_py_int64("Stream", name, given, &number) < 0) return -1;
    if (number != (int32_t)number) return gs_py_out_of_range("Stream", name, given);
    *out = (int32_t)number;
    return 0;
}

/* The live stream that three numbers describe. */
static int read_live(PyObject *id, PyObject *index, PyObject *type, gs_stream_t *out) {
    gs_stream_triple_t triple;
    if (!id || !index) {
        PyErr_SetString(PyExc_TypeError, "Stream() needs both stream_id and device_index to name an existing stream");
        return -1;
    }
    if (gs_py_int64("Stream", "stream_id", id, &triple.id) < 0 ||
        read_int32("device_index", index, &triple.device_index) < 0)
        return -1;
    gs_status_t status = GS_OK;
    if (type) {
        if (read_int32("device_type", type, &triple.device_type) < 0) return -1;
    } else {
        status = gs_default_backend(&triple.device_type);
    }
    if (gs_py_start() < 0) return -1;
    if (status == GS_OK) status = gs_stream_unpack(&triple, out);
    return gs_py_check(status);
}

/* From the arguments that start at the sixth. Returns 0 or -1. */
static int read_kind(PyObject *const *given, uint32_t *out) {
    static const struct {
        const char *name;
        uint32_t flag;
    } kinds[] = {{"shared", GS_STREAM_SHARED}, {"blocking", GS_STREAM_BLOCKING}, {"dedicated", GS_STREAM_DEDICATED}};
    *out = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const int on = gs_py_flag("Stream", kinds[i].name, given[i], 0);
        if (on < 0) return -1;
        if (on) *out |= kinds[i].flag;
    }
    return 0;
}

/* From the eight arguments that both classes have. */
static int read_arguments(PyObject *const *given, gs_py_stream_request *out) {
    out->live = NULL;
    if (read_priority(given[1], &out->priority) < 0) return -1;
    if (read_kind(given + 5, &out->flags) < 0) return -1;
    if (given[2] || given[3] || given[4]) {
        if (!out->flags) return read_live(given[2], given[3], given[4], &out->live);
        PyErr_SetString(PyExc_TypeError, "Stream(): shared, blocking and dedicated do not apply to an existing stream");
        return -1;
    }
    return gs_py_device(given[0], "device", &out->device) < 0 ? -1 : gs_py_start();
}

int gs_py_stream_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                              gs_py_stream_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    if (count == 0 && !names) {
        *out = (gs_py_stream_request){NULL, GS_DEVICE_CURRENT, 0, 0};
        return gs_py_start();
    }
    return gs_py_bind(&stream_parameters, arguments, count, names, given) < 0 ? -1 : read_arguments(given, out);
}

int gs_py_stream_request_from_tuple(PyTypeObject *type, PyObject *tuple, PyObject *dict, gs_py_stream_request *out) {
    PyObject *given[GS_PY_MOST_ARGUMENTS];
    const int generic = !PyType_IsSubtype(type, gs_py_stream_type);
    if (generic &&
        PyTuple_GET_SIZE(tuple) == 3) { /* torch.Stream(stream_id, device_index, device_type, *, priority=0) */
        if (gs_py_bind_tuple(&live_stream_parameters, tuple, dict, given) < 0) return -1;
        if (read_priority(given[3], &out->priority) < 0) return -1;
        return read_live(given[0], given[1], given[2], &out->live);
    }
    gs_py_signature *signature = generic ? &generic_stream_parameters : &stream_parameters;
    return gs_py_bind_tuple(signature, tuple, dict, given) < 0 ? -1 : read_arguments(given, out);
}

int gs_py_stream_make(const gs_py_stream_request *request, gs_stream_t *out) {
    if ((*out = request->live)) return 0;
    gs_status_t status;
    /* Making a driver stream may wait for device work, and that work for another Python thread. */
    Py_BEGIN_ALLOW_THREADS;
    status = gs_stream_create(request->device, request->priority, request->flags, out);
    Py_END_ALLOW_THREADS;
    return gs_py_check(status);
}

int gs_py_stream_suits(gs_stream_t stream, const gs_py_stream_request *request) {
    gs_device_t wanted = request->device;
    gs_stream_info_t info = {.struct_size = sizeof info};
    if (request->live || gs_stream_get_info(stream, &info) != GS_OK) return 0;
    if (wanted < 0 && gs_current_device(&wanted) != GS_OK) return 0;
    return wanted == info.device && info.priority == request->priority && info.flags == request->flags;
}

GS_PY_GETTER(get_device, gs_device_t device, gs_stream_device(gs_py_stream(self), &device), gs_py_device_object(device))

static PyObject *get_stream_id(PyObject *self, void *unused) {
    (void)unused;
    int64_t id;
    if (gs_py_check(gs_stream_id(gs_py_stream(self), &id)) < 0) return NULL;
    gs_py_outlives(self);
    return PyLong_FromLongLong(id);
}

GS_PY_GETTER(get_device_index, gs_stream_triple_t triple, gs_stream_pack(gs_py_stream(self), &triple),
             PyLong_FromLong(triple.device_index))
GS_PY_GETTER(get_device_type, gs_stream_triple_t triple, gs_stream_pack(gs_py_stream(self), &triple),
             PyLong_FromLong(triple.device_type))
GS_PY_GETTER(get_priority, gs_stream_info_t info = {.struct_size = sizeof info},
             gs_stream_get_info(gs_py_stream(self), &info), PyLong_FromLong(info.priority))
GS_PY_GETTER(get_flags, gs_stream_info_t info = {.struct_size = sizeof info},
             gs_stream_get_info(gs_py_stream(self), &info), PyLong_FromUnsignedLong(info.flags))
GS_PY_GETTER(get_native, uintptr_t native, gs_stream_native(gs_py_stream(self), &native), gs_py_unsigned(native))
GS_PY_GETTER(get_parameter, uintptr_t native, gs_stream_native(gs_py_stream(self), &native), gs_py_void_pointer(native))

static PyObject *get_handle(PyObject *self, void *unused) {
    (void)unused;
    gs_py_outlives(self);
    return gs_py_unsigned((uintptr_t)gs_py_stream(self));
}

static PyObject *get_driver_id(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    uint64_t id;
    GS_PY_DRIVER(status = gs_stream_driver_id(stream, &id));
    return gs_py_check(status) < 0 ? NULL : PyLong_FromUnsignedLongLong(id);
}

static PyObject *get_context(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    uintptr_t context;
    GS_PY_DRIVER(status = gs_stream_context(stream, &context));
    return gs_py_check(status) < 0 ? NULL : gs_py_unsigned(context);
}

PyObject *gs_py_stream_protocol(PyObject *self, PyObject *unused) {
    (void)unused;
    uintptr_t native;
    if (gs_py_check(gs_stream_native(gs_py_stream(self), &native)) < 0) return NULL;
    PyObject *pair = PyTuple_New(2), *version = PyLong_FromLong(0), *number = gs_py_unsigned(native);
    if (!pair || !version || !number) return Py_XDECREF(pair), Py_XDECREF(version), Py_XDECREF(number), NULL;
    PyTuple_SET_ITEM(pair, 0, version);
    PyTuple_SET_ITEM(pair, 1, number);
    return pair;
}

PyObject *gs_py_stream_is_capturing(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    int32_t capturing;
    GS_PY_DRIVER(status = gs_stream_is_capturing(stream, &capturing));
    return gs_py_bool_or_fail(status, capturing);
}

const char gs_py_doc_is_capturing[] =
    "is_capturing($self, /)\n--\n\n"
    "Report whether the stream is being captured into a graph (bool). Never breaks the capture.";
const char gs_py_doc_cuda_stream_protocol[] =
    "__cuda_stream__($self, /)\n--\n\n"
    "(0, driver's handle): the protocol by which CUDA libraries accept each other's streams.";

PyGetSetDef gs_py_generic_stream_properties[] = {
    {"device", get_device, NULL, "Device of the stream. It never changes.", NULL},
    {"stream_id", get_stream_id, NULL,
     "Number that identifies the stream within the process (int): 0 for default streams, 2 for per-thread ones.", NULL},
    {"device_index", get_device_index, NULL, "Ordinal of the device within its backend (int).", NULL},
    {"device_type", get_device_type, NULL, "Backend of the device (int): 1 host, 2 CUDA.", NULL},
    {"priority", get_priority, NULL, "Effective priority (int). Lower is higher.", NULL},
    {"_flags", get_flags, NULL, "GS_STREAM_* of gpustream.h, combined (int).", NULL},
    {"native_handle", get_native, NULL,
     "The driver's handle (int). From then on others may use the stream: keep this object as long.", NULL},
    {"driver_id", get_driver_id, NULL,
     "The driver's own number of the stream (int), as traces and profilers have it. Not for a stream that is being "
     "captured.",
     NULL},
    {"native_context", get_context, NULL,
     "The driver's context of the stream (int), its device's primary one; 0 where the device has none yet.", NULL},
    {"handle", get_handle, NULL, "The gs_stream_t (int), for ctypes calls into libgpustream itself.", NULL},
    {"_as_parameter_", get_parameter, NULL, "The driver's handle as ctypes passes it to a function.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyGetSetDef gs_py_stream_properties[] = {
    {"cuda_stream", get_native, NULL,
     "The cudaStream_t (int); 0 for default streams. From then on others may use it: keep this object as long.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
