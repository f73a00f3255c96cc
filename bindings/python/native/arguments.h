// SPDX-License-Identifier: Apache-2.0
// Positional and keyword arguments of the METH_FASTCALL | METH_KEYWORDS entries, and of constructors.

enum {
    GS_PY_MOST_ARGUMENTS = 8,
    GS_PY_NO_DEVICE = INT32_MAX // no such device, says the library
};

typedef struct gs_py_signature {
    const char *function;
    int required;   // so many of the first must be given
    int positional; // so many may be given without their name
    const char *names[GS_PY_MOST_ARGUMENTS + 1];
    PyObject *interned[GS_PY_MOST_ARGUMENTS]; // filled at the first call with keywords
} gs_py_signature;

static int gs_py_count(const gs_py_signature *signature) {
    int count = 0;
    while (signature->names[count]) ++count;
    return count;
}

static int gs_py_intern(gs_py_signature *signature, int count) {
    for (int i = 0; i < count; ++i) {
        if (signature->interned[i]) continue;
        signature->interned[i] = PyUnicode_InternFromString(signature->names[i]);
        if (!signature->interned[i]) return -1;
    }
    return 0;
}

static int gs_py_bind_keyword(gs_py_signature *signature, int count, PyObject *name, PyObject *value, PyObject **out) {
    int index = -1;
    for (int i = 0; i < count && index < 0; ++i)
        if (signature->interned[i] == name) index = i;
    for (int i = 0; i < count && index < 0; ++i) {
        const int equal = PyObject_RichCompareBool(signature->interned[i], name, Py_EQ);
        if (equal < 0) return -1;
        if (equal) index = i;
    }
    if (index < 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", signature->function, name);
        return -1;
    }
    if (out[index]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", signature->function,
                     signature->names[index]);
        return -1;
    }
    out[index] = value;
    return 0;
}

static int gs_py_bind_positional(const gs_py_signature *signature, int count, PyObject *const *arguments,
                                 Py_ssize_t given, PyObject **out) {
    if (given > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s but %zd were given",
                     signature->function, signature->positional, signature->positional == 1 ? "" : "s", given);
        return -1;
    }
    for (int i = 0; i < count; ++i) out[i] = i < given ? arguments[i] : NULL;
    return 0;
}

static int gs_py_check_required(const gs_py_signature *signature, PyObject **out) {
    for (int i = 0; i < signature->required; ++i) {
        if (out[i]) continue;
        PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", signature->function, signature->names[i]);
        return -1;
    }
    return 0;
}

// Fills out[] with borrowed references, NULL where an argument was not given. 0 or -1.
static int gs_py_bind(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t given, PyObject *names,
                      PyObject **out) {
    const int count = gs_py_count(signature);
    if (gs_py_bind_positional(signature, count, arguments, given, out) < 0) return -1;
    if (names && PyTuple_GET_SIZE(names) > 0) {
        if (gs_py_intern(signature, count) < 0) return -1;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
            if (gs_py_bind_keyword(signature, count, PyTuple_GET_ITEM(names, i), arguments[given + i], out) < 0)
                return -1;
    }
    return gs_py_check_required(signature, out);
}

// The same for tp_new and tp_init, which get a tuple and a dict.
static int gs_py_bind_tuple(gs_py_signature *signature, PyObject *tuple, PyObject *dict, PyObject **out) {
    const int count = gs_py_count(signature);
    if (gs_py_bind_positional(signature, count, &PyTuple_GET_ITEM(tuple, 0), PyTuple_GET_SIZE(tuple), out) < 0)
        return -1;
    if (dict && PyDict_GET_SIZE(dict) > 0) {
        if (gs_py_intern(signature, count) < 0) return -1;
        PyObject *name, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(dict, &position, &name, &value))
            if (gs_py_bind_keyword(signature, count, name, value, out) < 0) return -1;
    }
    return gs_py_check_required(signature, out);
}

static int gs_py_wrong_type(const char *function, const char *name, const char *wanted, PyObject *given) {
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", function, name, wanted,
                 Py_TYPE(given)->tp_name);
    return -1;
}

// A flag. Numbers are taken as well, since torch takes them; what has a truth value only by accident is not.
static int gs_py_flag(const gs_py_signature *signature, int index, PyObject *given, int missing) {
    if (!given) return missing;
    if (given == Py_False) return 0;
    if (given == Py_True) return 1;
    if (PyLong_Check(given)) return PyObject_IsTrue(given);
    return gs_py_wrong_type(signature->function, signature->names[index], "bool", given);
}

// 0 or -1. bool is an int in Python, but no number of anything here.
static int gs_py_int64(const char *function, const char *name, PyObject *given, int64_t *out) {
    if (PyBool_Check(given) || !PyIndex_Check(given)) return gs_py_wrong_type(function, name, "int", given);
    PyObject *number = PyNumber_Index(given);
    if (!number) return -1;
    const long long value = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_OverflowError, "%s(): argument '%s' is out of range", function, name);
        return -1;
    }
    *out = value;
    return 0;
}

static int gs_py_uint64(const char *function, const char *name, PyObject *given, uint64_t *out) {
    if (PyBool_Check(given) || !PyIndex_Check(given)) return gs_py_wrong_type(function, name, "int", given);
    PyObject *number = PyNumber_Index(given);
    if (!number) return -1;
    const unsigned long long value = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_OverflowError, "%s(): argument '%s' must be 0 or more and fit in 64 bits", function, name);
        return -1;
    }
    *out = value;
    return 0;
}

// Where a device is expected. Any negative int and None mean the current device; names and foreign objects are the
// package's business. `most`: the highest int that is taken; higher ones are no device.
static int gs_py_device_up_to(long most, PyObject *given, const char *name, gs_device_t *out) {
    *out = GS_DEVICE_CURRENT;
    if (!given || given == Py_None) return 0;
    if (PyLong_CheckExact(given)) {
        int overflow = 0;
        const long number = PyLong_AsLongAndOverflow(given, &overflow);
        if (number < 0 && overflow <= 0) return 0;
        *out = overflow > 0 || number > most ? GS_PY_NO_DEVICE : (gs_device_t)number;
        return 0;
    }
    PyObject *number = PyObject_CallFunction(gs_py_hook_device, "Os", given, name);
    if (!number) return -1;
    *out = (gs_device_t)PyLong_AsLong(number);
    Py_DECREF(number);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

// What a user gives: ints are ordinals. Those that the library takes for another backend's devices are too high.
static int gs_py_device(PyObject *given, const char *name, gs_device_t *out) {
    return gs_py_device_up_to(65535, given, name, out);
}

// What the package itself passes on: ints are what the library gave it.
static int gs_py_device_number(PyObject *given, const char *name, gs_device_t *out) {
    return gs_py_device_up_to(INT32_MAX, given, name, out);
}

// Where a stream is expected. *out_owner is a new reference that keeps a foreign stream's wrapper, else NULL.
static int gs_py_stream_from(PyObject *given, const char *name, gs_stream_t *out, PyObject **out_owner) {
    *out_owner = NULL;
    if (SWIGPY_LIKELY(gs_py_is_stream(given))) {
        *out = gs_py_stream(given);
        return 0;
    }
    PyObject *wrapped = PyObject_CallFunction(gs_py_hook_stream, "Os", given, name);
    if (!wrapped) return -1;
    if (!gs_py_is_stream(wrapped)) {
        PyErr_SetString(PyExc_SystemError, "the stream hook gave no stream");
        Py_DECREF(wrapped);
        return -1;
    }
    *out = gs_py_stream(wrapped);
    *out_owner = wrapped;
    return 0;
}
