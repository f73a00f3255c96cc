/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_known.h"

#include "foreign_stream.h"
#include "hooks.h"
#include "start.h"

enum { PLACES = 64, PER_THREAD = 2 };

static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    gs_py_foreign_stream *wrapper; /* NULL: free */
} places[PLACES];

static size_t place_of(uint64_t native) { return (size_t)(native * UINT64_C(0x9E3779B97F4A7C15) >> 58) % PLACES; }

static PyObject *protocol_name; /* "__cuda_stream__", interned */

/* 1: given names a stream by its method; 0: the hook has to look at it; -1: the method raised. */
static int ask(PyObject *given, uint64_t *out_native) {
    if (GS_PY_UNLIKELY(!protocol_name) && !(protocol_name = PyUnicode_InternFromString("__cuda_stream__"))) return -1;
    if (PyType_Check(given)) return 0; /* has its instances' methods */
    PyObject *method = _PyType_Lookup(Py_TYPE(given), protocol_name);
    if (!method || !PyType_HasFeature(Py_TYPE(method), Py_TPFLAGS_METHOD_DESCRIPTOR)) return 0;
    PyObject *answer = PyObject_CallMethodNoArgs(given, protocol_name);
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
    const int asked = ask(given, &native);
    if (asked < 0) return NULL;
    if (!asked) return PyObject_CallFunction(gs_py_hook.stream, "Os", given, name);
    const size_t at = place_of(native);
    gs_py_foreign_stream *wrapper = places[at].wrapper;
    /* One whose reference was taken from it stands for nothing any more. */
    const int known = wrapper && places[at].native == native && wrapper->base.own;
    if (GS_PY_LIKELY(known && places[at].given == given)) return Py_INCREF(wrapper), (PyObject *)wrapper;
    if (gs_py_start() < 0) return NULL;
    /* A wrapper of another object lives: the library knows the stream, and keeps that object's. */
    return gs_py_wrap_native((PyTypeObject *)gs_py_hook.external, GS_DEVICE_NONE, (uintptr_t)native, given, known);
}

void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native) {
    const size_t at = place_of(native);
    if (!given || native <= PER_THREAD || places[at].wrapper || (PyObject *)Py_TYPE(wrapper) != gs_py_hook.external)
        return;
    places[at].given = given;
    places[at].native = native;
    places[at].wrapper = wrapper;
    wrapper->place = at + 1;
}

void gs_py_forget_foreign(gs_py_foreign_stream *wrapper) {
    if (wrapper->place) places[wrapper->place - 1].wrapper = NULL;
    wrapper->place = 0;
}
