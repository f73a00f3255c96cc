/* SPDX-License-Identifier: Apache-2.0 */
#include "event_properties.h"

#include "convert.h"
#include "device_class.h"
#include "errors.h"
#include "objects.h"

static PyObject *get_device(PyObject *self, void *unused) {
    (void)unused;
    gs_device_t device;
    if (gs_py_check(gs_event_device(gs_py_event(self), &device)) < 0) return NULL;
    if (device == GS_DEVICE_NONE) Py_RETURN_NONE;
    return gs_py_device_object(device);
}

static PyObject *get_event_id(PyObject *self, void *unused) {
    (void)unused;
    uint64_t id;
    return gs_py_check(gs_event_id(gs_py_event(self), &id)) < 0 ? NULL : PyLong_FromUnsignedLongLong(id);
}

static PyObject *get_flags(PyObject *self, void *unused) {
    (void)unused;
    gs_event_info_t info = {.struct_size = sizeof info};
    return gs_py_check(gs_event_get_info(gs_py_event(self), &info)) < 0 ? NULL : PyLong_FromUnsignedLong(info.flags);
}

static PyObject *get_native(PyObject *self, void *unused) {
    (void)unused;
    uintptr_t native;
    return gs_py_check(gs_event_native(gs_py_event(self), &native)) < 0 ? NULL : gs_py_unsigned(native);
}

static PyObject *get_parameter(PyObject *self, void *unused) {
    (void)unused;
    uintptr_t native;
    return gs_py_check(gs_event_native(gs_py_event(self), &native)) < 0 ? NULL : gs_py_void_pointer(native);
}

static PyObject *get_handle(PyObject *self, void *unused) {
    (void)unused;
    return gs_py_unsigned((uintptr_t)gs_py_event(self));
}

PyGetSetDef gs_py_generic_event_properties[] = {
    {"device", get_device, NULL,
     "Device that the event is bound to by its first record or its export; None until then.", NULL},
    {"event_id", get_event_id, NULL,
     "The driver's handle (int), 0 until the first record or export. Use cuda_event to hand it to others.", NULL},
    {"_flags", get_flags, NULL, "GS_EVENT_* of gpustream.h, combined (int).", NULL},
    {"native_handle", get_native, NULL,
     "The driver's handle (int), 0 until the first record or export. From then on others may use the event.", NULL},
    {"handle", get_handle, NULL, "The gs_event_t (int), for ctypes calls into libgpustream itself.", NULL},
    {"_as_parameter_", get_parameter, NULL, "The driver's handle as ctypes passes it to a function.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyGetSetDef gs_py_event_properties[] = {
    {"cuda_event", get_native, NULL,
     "The cudaEvent_t (int), 0 until the first record or export. From then on others may use the event.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
