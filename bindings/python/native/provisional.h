/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of classes that users derive. Calls of the classes themselves come by their vectorcall.

   torch's objects are made by __new__, and so is every object here: a subclass's __init__ need not call this one.
   Python's usual way is an __init__ with parameters of its own, which passes some of them on. So where a subclass has
   an __init__, and __new__ got no arguments from a __new__ of the subclass, the object that __new__ makes is
   provisional: the first arguments that reach __init__ here correct it. */
#ifndef GPUSTREAM_PYTHON_PROVISIONAL_H
#define GPUSTREAM_PYTHON_PROVISIONAL_H

#include "common.h"

/* Fills a new object from the arguments. Returns 0 or -1. */
typedef int (*gs_py_fill)(PyObject *self, PyObject *tuple, PyObject *dict);

/* tp_new: `own_new`, `own_init`: the subclass overrides them. */
PyObject *gs_py_new_object(PyTypeObject *type, int own_new, int own_init, gs_py_fill fill, PyObject *tuple,
                           PyObject *dict);

#endif
