/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers as DLPack's tensors. A tensor keeps its buffer until its consumer ends it, on whichever thread. */
#include "buffer.h"

#include "convert.h"
#include "dlpack.h"
#include "shutdown.h"

#include <stdlib.h>

typedef struct tensor_of_buffer {
    union {
        gs_dl_managed old;
        gs_dl_versioned versioned;
    } managed;
    PyObject *buffer;
    int64_t extents[]; /* and, behind them, the distances in elements */
} tensor_of_buffer;

static void end(tensor_of_buffer *tensor) {
    /* An interpreter that is exiting may never give the GIL to another thread; the process's end frees the memory. */
    if (!Py_IsInitialized() || (gs_py_is_shutting_down() && !PyGILState_Check())) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *buffer = tensor->buffer, *type, *value, *traceback;
    free(tensor);
    PyErr_Fetch(&type, &value, &traceback);
    gs_py_buffer_count_export(gs_py_buffer_of(buffer), -1);
    Py_DECREF(buffer);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
}

static void end_old(gs_dl_managed *managed) { end(managed->context); }
static void end_versioned(gs_dl_versioned *managed) { end(managed->context); }

/* Of a capsule that no consumer took. */
static void drop_capsule(PyObject *capsule) {
    PyObject *type, *value, *traceback;
    if (PyCapsule_IsValid(capsule, GS_DL_CAPSULE_USED) || PyCapsule_IsValid(capsule, GS_DL_VERSIONED_USED)) return;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyCapsule_IsValid(capsule, GS_DL_VERSIONED)) {
        gs_dl_versioned *managed = PyCapsule_GetPointer(capsule, GS_DL_VERSIONED);
        managed->deleter(managed);
    } else {
        gs_dl_managed *managed = PyCapsule_GetPointer(capsule, GS_DL_CAPSULE);
        if (managed) managed->deleter(managed);
    }
    PyErr_Restore(type, value, traceback);
}

static tensor_of_buffer *make(gs_py_buffer *self) {
    const size_t axes = (size_t)self->ndim;
    tensor_of_buffer *tensor = calloc(1, sizeof *tensor + 2 * axes * sizeof tensor->extents[0]);
    int64_t step = 1;
    if (!tensor) return (tensor_of_buffer *)PyErr_NoMemory();
    for (size_t i = axes; i-- > 0;) {
        tensor->extents[i] = gs_py_buffer_extent(self, (int)i);
        tensor->extents[axes + i] = step;
        step *= tensor->extents[i];
    }
    tensor->buffer = (PyObject *)self;
    return tensor;
}

static gs_dl_tensor describe(gs_py_buffer *self, tensor_of_buffer *tensor, int64_t device_type, int64_t device_id) {
    return (gs_dl_tensor){.data = self->address,
                          .device_type = (int32_t)device_type,
                          .device_id = (int32_t)device_id,
                          .ndim = self->ndim,
                          .code = self->dtype->code,
                          .bits = self->dtype->bits,
                          .lanes = 1,
                          .shape = tensor->extents,
                          .strides = tensor->extents + self->ndim};
}

PyObject *gs_py_buffer_to_capsule(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    gs_py_buffer *self = gs_py_buffer_of(object);
    int64_t versioned, flags, device_type, device_id;
    if (count != 4) return PyErr_Format(PyExc_TypeError, "four numbers are expected"), NULL;
    if (gs_py_signed_number(arguments[0], "versioned", 0, 1, &versioned) < 0 ||
        gs_py_signed_number(arguments[1], "flags", 0, INT32_MAX, &flags) < 0 ||
        gs_py_signed_number(arguments[2], "device_type", 0, INT32_MAX, &device_type) < 0 ||
        gs_py_signed_number(arguments[3], "device_id", 0, INT32_MAX, &device_id) < 0 || gs_py_buffer_check(self) < 0)
        return NULL;
    tensor_of_buffer *tensor = make(self);
    if (!tensor) return NULL;
    const gs_dl_tensor described = describe(self, tensor, device_type, device_id);
    if (versioned)
        tensor->managed.versioned = (gs_dl_versioned){.major = GS_DL_MAJOR,
                                                      .minor = GS_DL_MINOR,
                                                      .context = tensor,
                                                      .deleter = end_versioned,
                                                      .flags = (uint64_t)flags,
                                                      .tensor = described};
    else
        tensor->managed.old = (gs_dl_managed){.tensor = described, .context = tensor, .deleter = end_old};
    PyObject *capsule = PyCapsule_New(&tensor->managed, versioned ? GS_DL_VERSIONED : GS_DL_CAPSULE, drop_capsule);
    if (!capsule) return free(tensor), NULL;
    Py_INCREF(object);
    gs_py_buffer_count_export(self, 1);
    return capsule;
}
