/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "threads.h"

static int intern_names(gs_py_signature *signature, int count) {
    if (GS_PY_LOAD(signature->interned[count - 1])) return 0;
    for (int i = 0; i < count; ++i) {
        if (GS_PY_LOAD(signature->interned[i])) continue;
        PyObject *name = PyUnicode_InternFromString(signature->names[i]);
        if (!name) return -1;
        gs_py_publish(&signature->interned[i], name);
    }
    return 0;
}

static int bind_keyword(gs_py_signature *signature, int count, PyObject *name, PyObject *value, PyObject **out) {
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

static int bind_positional(const gs_py_signature *signature, int count, PyObject *const *arguments, Py_ssize_t given,
                           PyObject **out) {
    if (given > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s but %zd were given",
                     signature->function, signature->positional, signature->positional == 1 ? "" : "s", given);
        return -1;
    }
    for (int i = 0; i < count; ++i) out[i] = i < given ? arguments[i] : NULL;
    return 0;
}

static int check_required(const gs_py_signature *signature, PyObject **out) {
    for (int i = 0; i < signature->required; ++i) {
        if (out[i]) continue;
        PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", signature->function, signature->names[i]);
        return -1;
    }
    return 0;
}

int gs_py_bind(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t given, PyObject *names,
               PyObject **out) {
    const int count = signature->count;
    if (bind_positional(signature, count, arguments, given, out) < 0) return -1;
    if (names && PyTuple_GET_SIZE(names) > 0) {
        if (intern_names(signature, count) < 0) return -1;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
            if (bind_keyword(signature, count, PyTuple_GET_ITEM(names, i), arguments[given + i], out) < 0) return -1;
    }
    return check_required(signature, out);
}

int gs_py_bind_tuple(gs_py_signature *signature, PyObject *tuple, PyObject *dict, PyObject **out) {
    const int count = signature->count;
    if (bind_positional(signature, count, &PyTuple_GET_ITEM(tuple, 0), PyTuple_GET_SIZE(tuple), out) < 0) return -1;
    if (dict && PyDict_GET_SIZE(dict) > 0) {
        if (intern_names(signature, count) < 0) return -1;
        PyObject *name, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(dict, &position, &name, &value))
            if (bind_keyword(signature, count, name, value, out) < 0) return -1;
    }
    return check_required(signature, out);
}
