/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the extension's classes. A class statement would make them known to the garbage collector, and every object
   dearer by what that costs. They refer to nothing, so that is not needed; classes that users derive are collected. */
#ifndef GPUSTREAM_PYTHON_TYPES_H
#define GPUSTREAM_PYTHON_TYPES_H

#include "common.h"

/* A class of gs_py_object objects. `base`: NULL for object; `call`: NULL, or what a call of exactly this class does.
   `name` is the one that users see, with the module. */
PyTypeObject *gs_py_make_type(const char *name, PyTypeObject *base, PyType_Slot *slots, vectorcallfunc call);

/* One that refers to other objects, of `size` bytes. */
PyTypeObject *gs_py_make_collected_type(const char *name, int size, PyTypeObject *base, PyType_Slot *slots);

#endif
