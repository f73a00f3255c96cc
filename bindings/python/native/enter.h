// SPDX-License-Identifier: Apache-2.0
// `with stream:` asks the class for __enter__ and binds it to the stream, which makes an object of its own for each block.
// The one made here comes from a place for one and returns to it. It is no garbage collector's business, so it is for
// plain streams only: nothing can hang on those, and so no cycle can go through it. Others get the interpreter's.

typedef struct gs_py_bound_enter {
    PyObject ob_base; // PyObject_HEAD
    vectorcallfunc call;
    PyObject *stream;
} gs_py_bound_enter;

static gs_py_bound_enter *gs_py_spare_enter; // an object without references
static PyObject *gs_py_plain_enter;          // the method as everybody else sees it

static PyObject *gs_py_call_enter(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) {
    (void)arguments;
    if (PyVectorcall_NARGS(flags) != 0 || (names && PyTuple_GET_SIZE(names) != 0))
        return PyErr_Format(PyExc_TypeError, "__enter__() takes no arguments"), NULL;
    return gs_py_enter(((gs_py_bound_enter *)callable)->stream, NULL);
}

static void gs_py_end_enter(PyObject *self) {
    gs_py_bound_enter *bound = (gs_py_bound_enter *)self;
    PyObject *stream = bound->stream;
    bound->stream = NULL;
    if (gs_py_spare_enter)
        PyObject_Free(bound);
    else
        gs_py_spare_enter = bound;
    Py_DECREF(stream);
}

static PyMemberDef gs_py_bound_members[] = {
    {"__self__", T_OBJECT_EX, offsetof(gs_py_bound_enter, stream), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyTypeObject gs_py_bound_enter_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.bound_enter",
    .tp_basicsize = sizeof(gs_py_bound_enter),
    .tp_dealloc = gs_py_end_enter,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(gs_py_bound_enter, call),
    .tp_members = gs_py_bound_members,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

static PyObject *gs_py_bind_enter(PyObject *descriptor, PyObject *stream, PyObject *type) {
    (void)descriptor;
    if (!stream) return Py_INCREF(gs_py_plain_enter), gs_py_plain_enter;
    if (SWIGPY_UNLIKELY(Py_TYPE(stream) != gs_py_stream_type))
        return Py_TYPE(gs_py_plain_enter)->tp_descr_get(gs_py_plain_enter, stream, type);
    gs_py_bound_enter *bound = gs_py_spare_enter;
    if (SWIGPY_LIKELY(bound != NULL)) {
        gs_py_spare_enter = NULL;
        PyObject_Init((PyObject *)bound, &gs_py_bound_enter_type);
    } else {
        bound = PyObject_New(gs_py_bound_enter, &gs_py_bound_enter_type);
        if (!bound) return NULL;
    }
    bound->call = gs_py_call_enter;
    Py_INCREF(stream);
    bound->stream = stream;
    return (PyObject *)bound;
}

static PyTypeObject gs_py_enter_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.enter",
    .tp_basicsize = sizeof(PyObject),
    .tp_descr_get = gs_py_bind_enter,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

// In place of the method __enter__ of the usual class, which has it already.
static int gs_py_add_enter(PyTypeObject *type) {
    if (PyType_Ready(&gs_py_bound_enter_type) < 0 || PyType_Ready(&gs_py_enter_type) < 0) return -1;
    gs_py_plain_enter = PyDict_GetItemString(type->tp_dict, "__enter__");
    if (!gs_py_plain_enter) return PyErr_SetString(PyExc_SystemError, "no method __enter__"), -1;
    Py_INCREF(gs_py_plain_enter);
    PyObject *descriptor = PyObject_New(PyObject, &gs_py_enter_type);
    if (!descriptor) return -1;
    const int result = PyDict_SetItemString(type->tp_dict, "__enter__", descriptor);
    Py_DECREF(descriptor);
    return result;
}
