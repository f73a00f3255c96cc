/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"

#include "device_class.h"
#include "hooks.h"
#include "threads.h"

#include <string.h>

enum {
    HIGHEST_ORDINAL = 65535,
    NO_DEVICE = INT32_MAX /* the library answers it with "no such device" */
};

int gs_py_wrong_type(const char *function, const char *name, const char *wanted, PyObject *given) {
    const char *type = Py_TYPE(given)->tp_name;
    if (function)
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", function, name, wanted, type);
    else
        PyErr_Format(PyExc_TypeError, "argument '%s' must be %s, not %s", name, wanted, type);
    return -1;
}

int gs_py_flag_from(const char *function, const char *name, PyObject *given) {
    return PyLong_Check(given) ? PyObject_IsTrue(given) : gs_py_wrong_type(function, name, "bool", given);
}

/* New reference to an int. */
static PyObject *index_of(const char *function, const char *name, PyObject *given) {
    if (PyIndex_Check(given) && !PyBool_Check(given)) return PyNumber_Index(given);
    gs_py_wrong_type(function, name, "int", given);
    return NULL;
}

int gs_py_out_of_range(const char *function, const char *name, PyObject *given) {
    if (function)
        PyErr_Format(PyExc_OverflowError, "%s(): argument '%s' is out of range: %S", function, name, given);
    else
        PyErr_Format(PyExc_OverflowError, "argument '%s' is out of range: %S", name, given);
    return -1;
}

int gs_py_int64_in(const char *function, const char *name, PyObject *given, int64_t least, int64_t most, int64_t *out) {
    int overflow;
    PyObject *number = index_of(function, name, given);
    if (!number) return -1;
    *out = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    return overflow || *out < least || *out > most ? gs_py_out_of_range(function, name, given) : 0;
}

int gs_py_uint64(const char *function, const char *name, PyObject *given, uint64_t *out) {
    PyObject *number = index_of(function, name, given);
    if (!number) return -1;
    *out = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return *out == (uint64_t)-1 && PyErr_Occurred() ? gs_py_out_of_range(function, name, given) : 0;
}

const char *gs_py_text(PyObject *given, const char *name) {
    Py_ssize_t length;
    if (!PyUnicode_Check(given)) return gs_py_wrong_type(NULL, name, "str", given), NULL;
    const char *text = PyUnicode_AsUTF8AndSize(given, &length);
    if (!text || strlen(text) == (size_t)length) return text;
    PyErr_Format(PyExc_ValueError, "argument '%s' contains a null character", name);
    return NULL;
}

PyObject *gs_py_sequence(PyObject *given, const char *name) {
    if (PySequence_Check(given) && Py_TYPE(given)->tp_as_sequence->sq_length) return PySequence_Tuple(given);
    gs_py_wrong_type(NULL, name, "a sequence", given);
    return NULL;
}

/* As PyLong_AsLongAndOverflow, without a call where the number is small. */
static inline long long_of(PyObject *number, int *overflow) {
#if PY_VERSION_HEX >= 0x030C0000
    if (GS_PY_LIKELY(PyUnstable_Long_IsCompact((PyLongObject *)number))) {
        *overflow = 0;
        return (long)PyUnstable_Long_CompactValue((PyLongObject *)number);
    }
#endif
    return PyLong_AsLongAndOverflow(number, overflow);
}

static inline int device_up_to(long most, PyObject *given, const char *name, gs_device_t *out) {
    *out = GS_DEVICE_CURRENT;
    if (!given || given == Py_None) return 0;
    if (PyLong_CheckExact(given)) {
        int overflow;
        const long number = long_of(given, &overflow);
        if (number < 0 && overflow <= 0) return 0;
        *out = overflow > 0 || number > most ? NO_DEVICE : (gs_device_t)number;
        return 0;
    }
    const int is_device = Py_TYPE(given) == gs_py_device_type;
    if (is_device && (*out = gs_py_known_device_number(given)) >= 0) return 0;
    PyObject *number = gs_py_call("_devices", "to_number", "(Os)", given, name);
    if (!number) return -1;
    *out = (gs_device_t)PyLong_AsLong(number);
    Py_DECREF(number);
    if (is_device) gs_py_know_device_number(given, *out);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

int gs_py_device(PyObject *given, const char *name, gs_device_t *out) {
    return device_up_to(HIGHEST_ORDINAL, given, name, out);
}

int gs_py_device_number(PyObject *given, const char *name, gs_device_t *out) {
    return device_up_to(INT32_MAX, given, name, out);
}

PyObject *gs_py_void_pointer(uintptr_t value) {
    static PyObject *kept;
    PyObject *type = GS_PY_LOAD(kept);
    if (GS_PY_UNLIKELY(!type)) {
        PyObject *ctypes = PyImport_ImportModule("ctypes");
        type = ctypes ? PyObject_GetAttrString(ctypes, "c_void_p") : NULL;
        Py_XDECREF(ctypes);
        if (!type) return NULL;
        type = gs_py_publish(&kept, type);
    }
    PyObject *number = gs_py_unsigned(value);
    PyObject *result = number ? PyObject_CallOneArg(type, number) : NULL;
    Py_XDECREF(number);
    return result;
}
