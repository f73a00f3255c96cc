/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_object.h"

#include "foreign_known.h"
#include "foreign_stream.h"
#include "hooks.h"
#include "start.h"

enum { PER_THREAD = 2 };

static PyObject *protocol_name; /* "__cuda_stream__", interned */

/* The name; NULL with the exception set. */
static PyObject *make_name(void) {
    PyObject *name = PyUnicode_InternFromString("__cuda_stream__");
    return name ? gs_py_publish(&protocol_name, name) : NULL;
}

/* Whether a class has the method as one of its own kind. */
static int has_method(PyTypeObject *type, PyObject *name) {
#ifdef Py_GIL_DISABLED
    PyObject *method = _PyType_LookupRef(type, name); /* another thread may take it out of the class */
#else
    PyObject *method = _PyType_Lookup(type, name);
#endif
    const int found = method && PyType_HasFeature(Py_TYPE(method), Py_TPFLAGS_METHOD_DESCRIPTOR);
#ifdef Py_GIL_DISABLED
    Py_XDECREF(method);
#endif
    return found;
}

/* 1: given names a stream by its method; 0: the hook has to look at it; -1: the method raised. */
static int ask(PyObject *given, uint64_t *out_native) {
    PyObject *name = GS_PY_LOAD(protocol_name);
    if (GS_PY_UNLIKELY(!name) && !(name = make_name())) return -1;
    if (PyType_Check(given)) return 0; /* has its instances' methods */
    if (!has_method(Py_TYPE(given), name)) return 0;
    PyObject *answer = PyObject_CallMethodNoArgs(given, name);
    if (!answer) return -1;
    int found = 0;
    if (PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) >= 2 && PyLong_CheckExact(PyTuple_GET_ITEM(answer, 0)) &&
        PyLong_CheckExact(PyTuple_GET_ITEM(answer, 1)) && PyLong_AsLong(PyTuple_GET_ITEM(answer, 0)) == 0) {
        *out_native = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(answer, 1));
        found = *out_native > PER_THREAD && *out_native != (uint64_t)-1;
    }
    PyErr_Clear(); /* numbers of other sizes: the hook says what is wrong with them */
    Py_DECREF(answer);
    return found;
}

PyObject *gs_py_wrapper_of(PyObject *given, const char *name) {
    uint64_t native = 0;
    int known = 0;
    const int asked = ask(given, &native);
    if (asked < 0) return NULL;
    if (!asked) return PyObject_CallFunction(gs_py_hook.stream, "Os", given, name);
    PyObject *wrapper = gs_py_find_foreign(native, given, &known);
    if (GS_PY_LIKELY(wrapper != NULL)) return wrapper;
    if (gs_py_start() < 0) return NULL;
    /* A wrapper of another object lives: the library knows the stream, and keeps that object's. */
    return gs_py_wrap_native((PyTypeObject *)gs_py_hook.external, GS_DEVICE_NONE, (uintptr_t)native, given, known);
}

int gs_py_stream_from_other(PyObject *given, const char *name, gs_stream_t *out, PyObject **out_owner) {
    *out_owner = NULL;
    PyObject *wrapped = gs_py_wrapper_of(given, name);
    if (!wrapped) return -1;
    if (!gs_py_is_stream(wrapped)) {
        PyErr_SetString(PyExc_SystemError, "the stream hook returned no stream");
        Py_DECREF(wrapped);
        return -1;
    }
    *out = gs_py_stream(wrapped);
    *out_owner = wrapped;
    return 0;
}
