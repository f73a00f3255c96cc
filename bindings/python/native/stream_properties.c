/* SPDX-License-Identifier: Apache-2.0 */
#include "stream_properties.h"

#include "convert.h"
#include "device_class.h"
#include "errors.h"
#include "gil.h"
#include "objects.h"
#include "owner.h"

static PyObject *get_device(PyObject *self, void *unused) {
    (void)unused;
    gs_device_t device;
    return gs_py_check(gs_stream_device(gs_py_stream(self), &device)) < 0 ? NULL : gs_py_device_object(device);
}

static PyObject *get_stream_id(PyObject *self, void *unused) {
    (void)unused;
    int64_t id;
    if (gs_py_check(gs_stream_id(gs_py_stream(self), &id)) < 0) return NULL;
    gs_py_outlives(self);
    return PyLong_FromLongLong(id);
}

static int pack(PyObject *self, gs_stream_triple_t *out) {
    return gs_py_check(gs_stream_pack(gs_py_stream(self), out));
}

static PyObject *get_device_index(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_triple_t triple;
    return pack(self, &triple) < 0 ? NULL : PyLong_FromLong(triple.device_index);
}

static PyObject *get_device_type(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_triple_t triple;
    return pack(self, &triple) < 0 ? NULL : PyLong_FromLong(triple.device_type);
}

static PyObject *get_priority(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_info_t info = {.struct_size = sizeof info};
    return gs_py_check(gs_stream_get_info(gs_py_stream(self), &info)) < 0 ? NULL : PyLong_FromLong(info.priority);
}

static PyObject *get_flags(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_info_t info = {.struct_size = sizeof info};
    return gs_py_check(gs_stream_get_info(gs_py_stream(self), &info)) < 0 ? NULL : PyLong_FromUnsignedLong(info.flags);
}

static PyObject *get_native(PyObject *self, void *unused) {
    (void)unused;
    uintptr_t native;
    return gs_py_check(gs_stream_native(gs_py_stream(self), &native)) < 0 ? NULL : gs_py_unsigned(native);
}

static PyObject *get_parameter(PyObject *self, void *unused) {
    (void)unused;
    uintptr_t native;
    return gs_py_check(gs_stream_native(gs_py_stream(self), &native)) < 0 ? NULL : gs_py_void_pointer(native);
}

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
