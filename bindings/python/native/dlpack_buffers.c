/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers as DLPack's tensors. A tensor keeps its buffer until its consumer ends it, on whichever thread. */
#include "buffer.h"

#include "convert.h"
#include "dlpack.h"
#include "gil.h"
#include "objects.h"

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

/* Calls the deleter of the tensor in a capsule of one of two names. It may run Python code. */
static void delete_tensor(PyObject *capsule, const char *versioned_name, const char *name) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        gs_dl_versioned *managed = PyCapsule_GetPointer(capsule, versioned_name);
        if (managed->deleter) managed->deleter(managed);
    } else {
        gs_dl_managed *managed = PyCapsule_GetPointer(capsule, name);
        if (managed && managed->deleter) managed->deleter(managed);
    }
    PyErr_Restore(type, value, traceback);
}

/* Of a capsule that no consumer took. */
static void drop_capsule(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, GS_DL_CAPSULE_USED) || PyCapsule_IsValid(capsule, GS_DL_VERSIONED_USED)) return;
    delete_tensor(capsule, GS_DL_VERSIONED, GS_DL_CAPSULE);
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

/* ---- tensors as buffers --------------------------------------------------------------------------------------------- */

/* What keeps a tensor that was taken: a capsule that is never handed out. */
static const char holder_name[] = "gpustream.tensor", versioned_holder_name[] = "gpustream.versioned_tensor";

static void end_holder(PyObject *holder) { delete_tensor(holder, versioned_holder_name, holder_name); }

/* From here on the tensor is ours to end: its capsule must not. */
static PyObject *take(PyObject *capsule, void *managed, int versioned) {
    PyObject *holder = PyCapsule_New(managed, versioned ? versioned_holder_name : holder_name, NULL);
    if (!holder) return NULL;
    if (PyCapsule_SetName(capsule, versioned ? GS_DL_VERSIONED_USED : GS_DL_CAPSULE_USED) < 0 ||
        PyCapsule_SetDestructor(holder, end_holder) < 0)
        Py_CLEAR(holder);
    return holder;
}

/* Extents go to `shape`, which has MOST_AXES places. Returns the size in bytes, or -1 with BufferError set. */
static Py_ssize_t read_shape(const gs_dl_tensor *tensor, const gs_py_dtype *dtype, Py_ssize_t *shape) {
    Py_ssize_t elements = 1, most = PY_SSIZE_T_MAX / gs_py_dtype_size(dtype);
    if (tensor->ndim < 0 || tensor->ndim > MOST_AXES)
        return PyErr_Format(PyExc_BufferError, "the tensor has %d axes", (int)tensor->ndim), -1;
    for (int i = 0; i < tensor->ndim; ++i) {
        shape[i] = (Py_ssize_t)tensor->shape[i];
        if (shape[i] < 0 || (shape[i] > 0 && elements > most / shape[i]))
            return PyErr_Format(PyExc_BufferError, "the tensor has an axis of %zd elements", shape[i]), -1;
        elements *= shape[i];
    }
    return elements * gs_py_dtype_size(dtype);
}

static int has_gaps(const gs_dl_tensor *tensor, Py_ssize_t bytes) {
    int64_t step = 1;
    if (!tensor->strides || bytes == 0) return 0;
    for (int i = tensor->ndim - 1; i >= 0; --i) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != step) return 1;
        step *= tensor->shape[i];
    }
    return 0;
}

static int place_of(int64_t device_type) {
    return device_type == GS_DL_CPU                                           ? GS_PY_PAGEABLE
           : device_type == GS_DL_CUDA_HOST || device_type == GS_DL_ROCM_HOST ? GS_PY_PINNED
                                                                              : GS_PY_ON_DEVICE;
}

/* The capsule's tensor if it is one that can be read; its name is not changed. NULL with the exception set. */
static const gs_dl_tensor *tensor_in(PyObject *capsule, int *out_versioned, void **out_managed) {
    *out_versioned = PyCapsule_IsValid(capsule, GS_DL_VERSIONED);
    if (*out_versioned) {
        gs_dl_versioned *managed = *out_managed = PyCapsule_GetPointer(capsule, GS_DL_VERSIONED);
        if (managed->major == GS_DL_MAJOR) return &managed->tensor;
        return PyErr_Format(PyExc_BufferError, "the tensor is of DLPack %u.%u, which is not known here", managed->major,
                            managed->minor),
               NULL;
    }
    if (!PyCapsule_IsValid(capsule, GS_DL_CAPSULE))
        return PyErr_Format(PyExc_TypeError,
                            "__dlpack__() returned %s, not a capsule with a tensor that was not taken yet",
                            Py_TYPE(capsule)->tp_name),
               NULL;
    gs_dl_managed *managed = *out_managed = PyCapsule_GetPointer(capsule, GS_DL_CAPSULE);
    return &managed->tensor;
}

/* Under the capsule's lock: only one caller takes a tensor. */
static PyObject *take_tensor(PyObject *const *arguments) {
    Py_ssize_t shape[MOST_AXES];
    int64_t device_type, device_id;
    int versioned;
    void *managed;
    if (gs_py_signed_number(arguments[2], "device_type", INT32_MIN, INT32_MAX, &device_type) < 0 ||
        gs_py_signed_number(arguments[3], "device_id", INT32_MIN, INT32_MAX, &device_id) < 0)
        return NULL;
    const gs_dl_tensor *tensor = tensor_in(arguments[0], &versioned, &managed);
    if (!tensor) return NULL;
    if (tensor->device_type != device_type || tensor->device_id != device_id)
        return PyErr_Format(PyExc_BufferError, "the tensor is on device (%d, %d), not (%lld, %lld) as was said",
                            (int)tensor->device_type, (int)tensor->device_id, (long long)device_type,
                            (long long)device_id);
    const gs_py_dtype *dtype = gs_py_dtype_of_dlpack(tensor->code, tensor->bits, tensor->lanes);
    if (!dtype)
        return PyErr_Format(PyExc_BufferError, "elements of code %d, %d bits and %d lanes are not known here",
                            (int)tensor->code, (int)tensor->bits, (int)tensor->lanes);
    const Py_ssize_t bytes = read_shape(tensor, dtype, shape);
    if (bytes < 0) return NULL;
    if (has_gaps(tensor, bytes)) return PyErr_Format(PyExc_BufferError, "the tensor is not contiguous");
    const int readonly = versioned && (((gs_dl_versioned *)managed)->flags & GS_DL_READ_ONLY) != 0;
    char *address = tensor->data ? (char *)tensor->data + tensor->byte_offset : gs_py_no_memory;
    const int ndim = tensor->ndim;
    PyObject *holder = take(arguments[0], managed, versioned);
    if (!holder) return NULL;
    PyObject *buffer = gs_py_buffer_of_foreign(address, bytes, gs_py_stream(arguments[1]), holder,
                                               place_of(device_type), readonly, dtype, ndim, shape);
    Py_DECREF(holder);
    return buffer;
}

PyObject *gs_py_buffer_from_capsule(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *buffer;
    if (count != 4 || !gs_py_is_stream(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "a capsule, a stream and two numbers are expected"), NULL;
    GS_PY_OBJECT_LOCK(arguments[0]);
    buffer = take_tensor(arguments);
    GS_PY_OBJECT_UNLOCK();
    return buffer;
}
