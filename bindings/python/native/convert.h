/* SPDX-License-Identifier: Apache-2.0 */
/* Python values as C values. Functions return 0, or -1 with the exception set.

   `function` is what the user called, for the message. The flat functions that SWIG generates are called by functions of
   the package that have other names but the same parameters, so their messages name the parameter only: NULL. */
#ifndef GPUSTREAM_PYTHON_CONVERT_H
#define GPUSTREAM_PYTHON_CONVERT_H

#include "common.h"

/* TypeError: "f(): argument 'name' must be `wanted`, not <type of given>". Returns -1. */
int gs_py_wrong_type(const char *function, const char *name, const char *wanted, PyObject *given);
/* OverflowError; function: NULL, or the name that the text begins with. */
int gs_py_out_of_range(const char *function, const char *name, PyObject *given);

/* A flag; `missing` if it was not given. Numbers are accepted as torch accepts them; other objects are not, although
   each has a truth value. Returns 0, 1 or -1. */
int gs_py_flag_from(const char *function, const char *name, PyObject *given);

static inline int gs_py_flag(const char *function, const char *name, PyObject *given, int missing) {
    return !given ? missing : given == Py_False ? 0 : given == Py_True ? 1 : gs_py_flag_from(function, name, given);
}

/* Numbers. bool is an int in Python, but no number of anything here. */
int gs_py_int64_in(const char *function, const char *name, PyObject *given, int64_t least, int64_t most, int64_t *out);
int gs_py_uint64(const char *function, const char *name, PyObject *given, uint64_t *out);

#define gs_py_int64(function, name, given, out) gs_py_int64_in(function, name, given, INT64_MIN, INT64_MAX, out)
#define gs_py_signed_number(given, name, least, most, out) gs_py_int64_in(NULL, name, given, least, most, out)
#define gs_py_unsigned_number(given, name, out) gs_py_uint64(NULL, name, given, out)

/* A str as UTF-8, which lives as long as `given`. NULL with TypeError set, or ValueError if it contains a null
   character, where C would take it to end. */
const char *gs_py_text(PyObject *given, const char *name);

/* A new tuple of a sequence's elements: converting an element may run Python code, which could change a list. Only what
   has a length is a sequence, since an iterator may be endless. NULL with the exception set. */
PyObject *gs_py_sequence(PyObject *given, const char *name);

/* A device. None and any negative int mean the current device; names and objects of other libraries go to the package.
   gs_py_device() takes what a user passes: ints are ordinals, so those by which the library numbers other backends'
   devices are too high. gs_py_device_number() takes what the library returned. */
int gs_py_device(PyObject *given, const char *name, gs_device_t *out);
int gs_py_device_number(PyObject *given, const char *name, gs_device_t *out);

/* A raw handle or address as Python shows it. */
static inline PyObject *gs_py_unsigned(uintptr_t value) { return PyLong_FromUnsignedLongLong(value); }

/* The same as a ctypes.c_void_p; ctypes is imported by then or for it. */
PyObject *gs_py_void_pointer(uintptr_t value);

#endif
