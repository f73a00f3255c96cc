// SPDX-License-Identifier: Apache-2.0
// Numbers and names as SWIG's functions take them. Those are called by functions of the package that have other names
// but the same parameters: so messages name the parameter only.

static PyObject *gs_py_index(PyObject *given, const char *name) {
    if (PyIndex_Check(given) && !PyBool_Check(given)) return PyNumber_Index(given);
    return PyErr_Format(PyExc_TypeError, "argument '%s' must be int, not %s", name, Py_TYPE(given)->tp_name), NULL;
}

static int gs_py_out_of_range(const char *name) {
    PyErr_Format(PyExc_OverflowError, "argument '%s' is out of range", name);
    return -1;
}

static int gs_py_signed_number(PyObject *given, const char *name, int64_t least, int64_t most, int64_t *out) {
    int overflow;
    PyObject *number = gs_py_index(given, name);
    if (!number) return -1;
    *out = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    return overflow || *out < least || *out > most ? gs_py_out_of_range(name) : 0;
}

static int gs_py_unsigned_number(PyObject *given, const char *name, uint64_t *out) {
    PyObject *number = gs_py_index(given, name);
    if (!number) return -1;
    *out = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return *out == (uint64_t)-1 && PyErr_Occurred() ? gs_py_out_of_range(name) : 0;
}

static const char *gs_py_text(PyObject *given, const char *name) {
    if (PyUnicode_Check(given)) return PyUnicode_AsUTF8(given);
    return PyErr_Format(PyExc_TypeError, "argument '%s' must be str, not %s", name, Py_TYPE(given)->tp_name), NULL;
}
