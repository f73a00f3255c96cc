/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_stream.h"

#include "convert.h"
#include "docs.h"
#include "gil.h"
#include "hooks.h"
#include "module.h"
#include "objects.h"
#include "owner.h"
#include "types.h"

static gs_py_foreign_stream *foreign(PyObject *self) { return (gs_py_foreign_stream *)self; }

static PyObject *foreign_close(PyObject *self, PyObject *unused) {
    gs_py_forget_foreign(foreign(self));
    gs_py_hand_owner_over(foreign(self));
    PyObject *result = gs_py_stream_close(self, unused);
    PyObject *owner;
    GS_PY_OBJECT_LOCK(self);
    owner = foreign(self)->owner;
    foreign(self)->owner = NULL;
    GS_PY_OBJECT_UNLOCK();
    Py_XDECREF(owner);
    return result;
}

static int foreign_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(foreign(self)->owner);
    return 0;
}

/* The collector calls it where only what the owner keeps keeps the owner. */
static int foreign_clear(PyObject *self) {
    PyObject *result = foreign_close(self, NULL);
    if (!result) PyErr_WriteUnraisable(NULL);
    Py_XDECREF(result);
    return 0;
}

static void foreign_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    gs_py_forget_foreign(foreign(self));
    gs_py_hand_owner_over(foreign(self));
    PyObject *owner = foreign(self)->owner;
    gs_py_stream_dealloc(self);
    Py_XDECREF(owner);
}

static PyMethodDef methods[] = {{"close", foreign_close, METH_NOARGS, gs_py_doc_stream_close}, {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)foreign_dealloc},
                              {Py_tp_traverse, (void *)foreign_traverse},
                              {Py_tp_clear, (void *)foreign_clear},
                              {Py_tp_free, (void *)PyObject_GC_Del},
                              {Py_tp_methods, methods},
                              {0, NULL}};

int gs_py_make_foreign_stream_type(void) {
    gs_py_foreign_stream_type = gs_py_make_type("gpustream._core.ForeignStream", sizeof(gs_py_foreign_stream),
                                                Py_TPFLAGS_HAVE_GC, gs_py_stream_type, slots, NULL);
    return gs_py_foreign_stream_type ? 0 : -1;
}

PyObject *gs_py_wrap_native(PyTypeObject *type, gs_device_t device, uintptr_t native, PyObject *owner, int known) {
    gs_stream_t stream;
    PyObject *cell = NULL;
    if ((known ? gs_py_adopt_known(device, native, &stream) : gs_py_adopt(device, native, owner, &cell, &stream)) < 0)
        return NULL;
    PyObject *self = gs_py_wrap_stream(type, stream, GS_PY_OWNED);
    if (!self) return Py_XDECREF(cell), NULL;
    Py_XINCREF(owner);
    foreign(self)->owner = owner;
    foreign(self)->cell = cell;
    gs_py_know_foreign(foreign(self), owner, native);
    return self;
}

PyObject *gs_py_from_native(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t native;
    gs_device_t device = GS_DEVICE_NONE;
    if (count != 4 || !PyType_Check(arguments[0]) ||
        !PyType_IsSubtype((PyTypeObject *)arguments[0], gs_py_foreign_stream_type))
        return PyErr_Format(PyExc_TypeError, "a stream class, a number, a device and an owner are expected"), NULL;
    if (gs_py_uint64("ExternalStream", "stream_ptr", arguments[1], &native) < 0) return NULL;
    if (arguments[2] != Py_None && gs_py_device(arguments[2], "device", &device) < 0) return NULL;
    if (gs_py_start() < 0) return NULL;
    PyObject *owner = arguments[3] == Py_None ? NULL : arguments[3];
    return gs_py_wrap_native((PyTypeObject *)arguments[0], device, (uintptr_t)native, owner, 0);
}

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
    if (!asked) return gs_py_call("interop", "hook", "(Os)", given, name);
    PyObject *wrapper = gs_py_find_foreign(native, given, &known);
    if (GS_PY_LIKELY(wrapper != NULL)) return wrapper;
    if (gs_py_start() < 0) return NULL;
    /* A wrapper of another object lives: the library knows the stream, and keeps that object's. */
    return gs_py_wrap_native(gs_py_external_type, GS_DEVICE_NONE, (uintptr_t)native, given, known);
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
