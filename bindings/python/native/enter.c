/* SPDX-License-Identifier: Apache-2.0 */
#include "enter.h"

#include "errors.h"
#include "owner.h"

PyObject *gs_py_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    uint64_t scope;
    if (gs_py_check(gs_push_current_stream(gs_py_stream(self), &scope)) < 0) return NULL;
    gs_py_became_current(self);
    Py_INCREF(self);
    return self;
}

static PyObject *leave(PyObject *unused, PyObject *const *arguments, Py_ssize_t count) {
    (void)unused, (void)arguments, (void)count;
    return gs_py_none_or_fail(gs_pop_current_stream(0));
}
static PyMethodDef exit_definition = {"__exit__", GS_PY_FAST(leave), METH_FASTCALL, NULL};

static int add_to_class(PyTypeObject *type, const char *name, PyObject *value) {
    if (!value) return -1;
    const int result = PyDict_SetItemString(type->tp_dict, name, value);
    Py_DECREF(value);
    PyType_Modified(type);
    return result;
}

int gs_py_add_exit(PyTypeObject *type) {
    return add_to_class(type, "__exit__", PyCFunction_New(&exit_definition, NULL));
}

typedef struct bound_enter {
    PyObject ob_base;
    vectorcallfunc call;
    PyObject *stream;
} bound_enter;

static bound_enter *spare;     /* an object without references */
static PyObject *plain_method; /* what the class had */

static PyObject *call_bound(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    (void)arguments;
    if (PyVectorcall_NARGS(nargsf) != 0 || (names && PyTuple_GET_SIZE(names) != 0))
        return PyErr_Format(PyExc_TypeError, "__enter__() takes no arguments"), NULL;
    return gs_py_enter(((bound_enter *)callable)->stream, NULL);
}

static void bound_dealloc(PyObject *self) {
    bound_enter *bound = (bound_enter *)self;
    PyObject *stream = bound->stream;
    bound->stream = NULL;
    if (spare)
        PyObject_Free(bound);
    else
        spare = bound;
    Py_DECREF(stream);
}

static PyMemberDef bound_members[] = {{"__self__", T_OBJECT_EX, offsetof(bound_enter, stream), READONLY, NULL},
                                      {NULL, 0, 0, 0, NULL}};

static PyTypeObject bound_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.bound_enter",
    .tp_basicsize = sizeof(bound_enter),
    .tp_dealloc = bound_dealloc,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(bound_enter, call),
    .tp_members = bound_members,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

static PyObject *bind(PyObject *descriptor, PyObject *stream, PyObject *type) {
    (void)descriptor;
    if (!stream) return Py_INCREF(plain_method), plain_method;
    if (GS_PY_UNLIKELY(Py_TYPE(stream) != gs_py_stream_type))
        return Py_TYPE(plain_method)->tp_descr_get(plain_method, stream, type);
    bound_enter *bound = spare;
    if (GS_PY_LIKELY(bound != NULL)) {
        spare = NULL;
        PyObject_Init((PyObject *)bound, &bound_type);
    } else {
        bound = PyObject_New(bound_enter, &bound_type);
        if (!bound) return NULL;
    }
    bound->call = call_bound;
    Py_INCREF(stream);
    bound->stream = stream;
    return (PyObject *)bound;
}

static PyTypeObject descriptor_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.enter",
    .tp_basicsize = sizeof(PyObject),
    .tp_descr_get = bind,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

int gs_py_replace_enter(PyTypeObject *type) {
    if (PyType_Ready(&bound_type) < 0 || PyType_Ready(&descriptor_type) < 0) return -1;
    plain_method = PyDict_GetItemString(type->tp_dict, "__enter__");
    if (!plain_method) return PyErr_SetString(PyExc_SystemError, "no method __enter__"), -1;
    Py_INCREF(plain_method);
    return add_to_class(type, "__enter__", PyObject_New(PyObject, &descriptor_type));
}
