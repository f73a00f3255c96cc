/* SPDX-License-Identifier: Apache-2.0 */
/* `with` blocks of streams and StreamContext.

   The interpreter asks the class for __enter__ and __exit__, binds both to the object and calls the first at once. Here
   the bound __exit__ takes the token of the scope that is entered next on its thread by its object: that of its own
   block. So blocks of one object that overlap, as those of two generators may, never end each other's scope.

   The objects that bind come from places of their own and return to them. The garbage collector tracks those
   of objects that it tracks. */
#ifndef GPUSTREAM_PYTHON_ENTER_H
#define GPUSTREAM_PYTHON_ENTER_H

#include "common.h"

/* Stream.__enter__(), and __exit__(*exception), which ends the thread's innermost scope of this stream. */
PyObject *gs_py_enter(PyObject *self, PyObject *unused);
PyObject *gs_py_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/* Enters a scope of `object` that makes `stream` current. Returns 0 or -1. */
int gs_py_enter_scope(PyObject *object, PyObject *stream);

/* What a class's two methods do. `leave` gets the token of its own block, or 0: the innermost scope of the object. */
typedef struct gs_py_scope_methods {
    PyObject *(*enter)(PyObject *object, PyObject *unused);
    PyObject *(*leave)(PyObject *object, uint64_t token);
    size_t tracked; /* where in the object an int says whether the collector tracks it; 0: the collector is asked */
} gs_py_scope_methods;

extern GS_PY_HIDDEN const gs_py_scope_methods gs_py_stream_scope;

/* Replaces the methods __enter__ and __exit__ of a class, which must have both. Returns 0 or -1. */
int gs_py_replace_scope_methods(PyTypeObject *type, const gs_py_scope_methods *methods);

#endif
