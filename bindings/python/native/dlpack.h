/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of DLPack 1.0 (dlpack.h of dmlc/dlpack), and the capsules that carry them. */
#ifndef GPUSTREAM_PYTHON_DLPACK_H
#define GPUSTREAM_PYTHON_DLPACK_H

#include "common.h"

enum { GS_DL_INT = 0, GS_DL_UINT = 1, GS_DL_FLOAT = 2, GS_DL_BFLOAT = 4, GS_DL_COMPLEX = 5, GS_DL_BOOL = 6 };
enum { GS_DL_CPU = 1, GS_DL_CUDA_HOST = 3, GS_DL_ROCM_HOST = 11 };
enum { GS_DL_MAJOR = 1, GS_DL_MINOR = 0 };
enum { GS_DL_READ_ONLY = 1, GS_DL_IS_COPIED = 2 };

typedef struct gs_dl_tensor {
    void *data;
    int32_t device_type;
    int32_t device_id;
    int32_t ndim;
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: without gaps */
    uint64_t byte_offset;
} gs_dl_tensor;

/* Before DLPack 1.0. */
typedef struct gs_dl_managed {
    gs_dl_tensor tensor;
    void *context;
    void (*deleter)(struct gs_dl_managed *self);
} gs_dl_managed;

typedef struct gs_dl_versioned {
    uint32_t major, minor; /* the rest may differ under another major */
    void *context;
    void (*deleter)(struct gs_dl_versioned *self);
    uint64_t flags;
    gs_dl_tensor tensor;
} gs_dl_versioned;

/* Names of capsules: the consumer that takes the tensor renames the capsule, whose destructor then leaves it alone. */
#define GS_DL_CAPSULE "dltensor"
#define GS_DL_CAPSULE_USED "used_dltensor"
#define GS_DL_VERSIONED "dltensor_versioned"
#define GS_DL_VERSIONED_USED "used_dltensor_versioned"

/* Buffer._to_capsule(versioned, flags, device_type, device_id): a capsule that keeps the buffer. */
PyObject *gs_py_buffer_to_capsule(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/* buffer_from_capsule(capsule, stream, device_type, device_id): a buffer of the capsule's memory, which takes
   the capsule. */
PyObject *gs_py_buffer_from_capsule(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

#endif
