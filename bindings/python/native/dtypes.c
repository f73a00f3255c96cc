/* SPDX-License-Identifier: Apache-2.0 */
#include "dtypes.h"

#include "convert.h"
#include "dlpack.h"

const gs_py_dtype gs_py_dtype_bytes = {"uint8", "B", "|u1", GS_DL_UINT, 8, 1};

static const gs_py_dtype others[] = {{"bool", "?", "|b1", GS_DL_BOOL, 8, 1},
                                     {"int8", "b", "|i1", GS_DL_INT, 8, 1},
                                     {"int16", "h", "<i2", GS_DL_INT, 16, 2},
                                     {"int32", "i", "<i4", GS_DL_INT, 32, 4},
                                     {"int64", "q", "<i8", GS_DL_INT, 64, 8},
                                     {"uint16", "H", "<u2", GS_DL_UINT, 16, 2},
                                     {"uint32", "I", "<u4", GS_DL_UINT, 32, 4},
                                     {"uint64", "Q", "<u8", GS_DL_UINT, 64, 8},
                                     {"float16", "e", "<f2", GS_DL_FLOAT, 16, 2},
                                     {"float32", "f", "<f4", GS_DL_FLOAT, 32, 4},
                                     {"float64", "d", "<f8", GS_DL_FLOAT, 64, 8},
                                     {"complex64", "Zf", "<c8", GS_DL_COMPLEX, 64, 4},
                                     {"complex128", "Zd", "<c16", GS_DL_COMPLEX, 128, 8},
                                     {"bfloat16", NULL, NULL, GS_DL_BFLOAT, 16, 2}};

/* The type at a place: uint8 first, which nearly all are. NULL after the last one. */
static const gs_py_dtype *at(size_t place) {
    if (place == 0) return &gs_py_dtype_bytes;
    return place <= sizeof others / sizeof *others ? &others[place - 1] : NULL;
}

const gs_py_dtype *gs_py_dtype_named(PyObject *name) {
    if (!PyUnicode_Check(name)) return gs_py_wrong_type(NULL, "dtype", "str", name), NULL;
    for (size_t i = 0; at(i); ++i)
        if (PyUnicode_CompareWithASCIIString(name, at(i)->name) == 0) return at(i);
    PyErr_Format(
        PyExc_ValueError,
        "argument 'dtype': there is no element type %R; they have NumPy's names, as uint8, int32, float32 and bfloat16",
        name);
    return NULL;
}

const gs_py_dtype *gs_py_dtype_of_dlpack(uint8_t code, uint8_t bits, uint16_t lanes) {
    for (size_t i = 0; lanes == 1 && at(i); ++i)
        if (at(i)->code == code && at(i)->bits == bits) return at(i);
    return NULL;
}
