/* SPDX-License-Identifier: Apache-2.0 */
/* Binds positional and keyword arguments to the parameters of a METH_FASTCALL | METH_KEYWORDS function or of a
   constructor. */
#ifndef GPUSTREAM_PYTHON_ARGUMENTS_H
#define GPUSTREAM_PYTHON_ARGUMENTS_H

#include "common.h"

enum { GS_PY_MOST_ARGUMENTS = 8 };

typedef struct gs_py_signature {
    const char *function;
    int required;   /* how many of the first parameters must be given */
    int positional; /* how many may be given without their name */
    int count;      /* of names */
    const char *names[GS_PY_MOST_ARGUMENTS];
    PyObject *interned[GS_PY_MOST_ARGUMENTS]; /* the names as str, made at the first call with keywords */
} gs_py_signature;

/* A signature of one parameter. */
#define GS_PY_ONE_OPTIONAL(called, name)                                                                               \
    {                                                                                                                  \
        .function = called, .positional = 1, .count = 1, .names = { name }                                             \
    }
#define GS_PY_ONE_REQUIRED(called, name)                                                                               \
    {                                                                                                                  \
        .function = called, .required = 1, .positional = 1, .count = 1, .names = { name }                              \
    }

/* Fills out[] with borrowed references, NULL where an argument was not given. Returns 0, or -1 with TypeError set. */
int gs_py_bind(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t given, PyObject *names,
               PyObject **out);

/* The same for tp_new and tp_init, which get a tuple and a dict. */
int gs_py_bind_tuple(gs_py_signature *signature, PyObject *tuple, PyObject *dict, PyObject **out);

/* One parameter, given by position or by name. A call by position costs no more than the test for it. */
static inline int gs_py_bind_one(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t given,
                                 PyObject *names, PyObject **out) {
    if (GS_PY_UNLIKELY(given != 1 || names)) return gs_py_bind(signature, arguments, given, names, out);
    *out = arguments[0];
    return 0;
}

#endif
