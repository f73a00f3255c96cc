/* SPDX-License-Identifier: Apache-2.0 */
/* The element types that a Buffer can be viewed as, with their names in the protocols for arrays. */
#ifndef GPUSTREAM_PYTHON_DTYPES_H
#define GPUSTREAM_PYTHON_DTYPES_H

#include "common.h"

typedef struct gs_py_dtype {
    const char *name;    /* as NumPy's */
    const char *format;  /* of the buffer protocol; NULL: it has none */
    const char *typestr; /* of the array interfaces; NULL: they have none */
    uint8_t code;        /* of DLPack */
    uint8_t bits;
    uint8_t alignment; /* bytes */
} gs_py_dtype;

enum { MOST_AXES = 64 };

/* Single bytes: what a new buffer has. */
extern GS_PY_HIDDEN const gs_py_dtype gs_py_dtype_bytes;

static inline Py_ssize_t gs_py_dtype_size(const gs_py_dtype *dtype) { return dtype->bits / 8; }

/* By its name; NULL with ValueError set, or TypeError if it is no str. */
const gs_py_dtype *gs_py_dtype_named(PyObject *name);

/* By DLPack's numbers; NULL without an exception: it is not known here. */
const gs_py_dtype *gs_py_dtype_of_dlpack(uint8_t code, uint8_t bits, uint16_t lanes);

#endif
