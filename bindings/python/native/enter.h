/* SPDX-License-Identifier: Apache-2.0 */
/* `with stream:`

   The interpreter asks the class for __enter__ and binds it to the stream, which makes a method object for each block.
   For gpustream.Stream that object comes from a place for one and returns to it. The garbage collector does not track
   it; plain streams refer to nothing, so no cycle can go through it. Subclasses get the interpreter's. */
#ifndef GPUSTREAM_PYTHON_ENTER_H
#define GPUSTREAM_PYTHON_ENTER_H

#include "common.h"

/* Stream.__enter__() */
PyObject *gs_py_enter(PyObject *self, PyObject *unused);

/* Adds __exit__ to a class: a plain function and not a method. What ends is the thread's innermost scope, which needs no
   object, so none is bound. It ignores its arguments, however many. Returns 0 or -1. */
int gs_py_add_exit(PyTypeObject *type);

/* Replaces the method __enter__ of a class, which must have it. Returns 0 or -1. */
int gs_py_replace_enter(PyTypeObject *type);

#endif
