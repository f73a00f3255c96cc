/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_stream.h"

#include "convert.h"
#include "docs.h"
#include "foreign_known.h"
#include "objects.h"
#include "owner.h"
#include "start.h"
#include "stream.h"
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
    gs_py_foreign_stream_type = gs_py_make_collected_type("gpustream._core.ForeignStream", sizeof(gs_py_foreign_stream),
                                                          gs_py_stream_type, slots);
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
