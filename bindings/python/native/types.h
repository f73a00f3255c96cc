/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the extension's classes. A class statement would make them known to the garbage collector, and every object
   dearer by what that costs. They refer to nothing, so that is not needed; classes that users derive are collected. */
#ifndef GPUSTREAM_PYTHON_TYPES_H
#define GPUSTREAM_PYTHON_TYPES_H

#include "common.h"

/* A class of objects of `size` bytes, which users may derive from. `base`: NULL for object; `flags`: beside the usual ones,
   Py_TPFLAGS_HAVE_GC for objects that refer to others; `call`: NULL, or what a call of exactly this class does. `name` is the
   one that users see, with the module. */
PyTypeObject *gs_py_make_type(const char *name, size_t size, unsigned long flags, PyTypeObject *base,
                              PyType_Slot *slots, vectorcallfunc call);

#endif
