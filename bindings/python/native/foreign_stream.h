// SPDX-License-Identifier: Apache-2.0
// The class of streams of others (gpustream.ExternalStream derives from it), which keep their owner alive.
//
// The library keeps the owner as long as it uses the stream, which may be longer than the object lives (a current
// stream). But the garbage collector does not see what the library keeps, and an owner that keeps its object would stay
// for ever. So the owner is the object's, which the collector sees, and the library keeps an empty cell. The object
// puts the owner into it when it ends, or when the stream becomes current or others get to know it: from then on the
// collector may not run the owner's __del__, even if only a cycle is left, since the library may use the stream. It
// does not say when that has ended, so the owner does not come back, and one that keeps such an object does stay.

typedef struct gs_py_foreign {
    SwigPyObject base;
    PyObject *owner; // NULL: the caller keeps the stream alive
    PyObject *cell;  // what the library keeps; NULL where it knew the driver's stream already and so keeps nothing
} gs_py_foreign;

static PyTypeObject *gs_py_foreign_type;

// Runs when nobody uses a foreign stream any more, on whichever thread gave the last reference back.
static void gs_py_release_cell(void *cell) {
    if (gs_mailbox_is_closed(&gs_py_mailbox)) return; // the interpreter ends: it may never give the GIL out again
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)cell);
    PyGILState_Release(state);
}

static void gs_py_hand_owner_over(PyObject *self) {
    gs_py_foreign *foreign = (gs_py_foreign *)self;
    PyObject *cell = foreign->cell;
    if (!cell) return;
    foreign->cell = NULL;
    PyCell_SET(cell, foreign->owner);
    foreign->owner = NULL;
    Py_DECREF(cell);
}

// The stream may be used longer than the object lives.
static void gs_py_outlived(PyObject *stream) {
    if (PyObject_TypeCheck(stream, gs_py_foreign_type)) gs_py_hand_owner_over(stream);
}

static PyObject *gs_py_foreign_close(PyObject *self, PyObject *unused) {
    gs_py_hand_owner_over(self);
    PyObject *result = gs_py_stream_close(self, unused);
    Py_CLEAR(((gs_py_foreign *)self)->owner);
    return result;
}

static int gs_py_foreign_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((gs_py_foreign *)self)->owner);
    return 0;
}

// For the collector, which calls it where the owner is only kept by what it keeps itself.
static int gs_py_foreign_clear(PyObject *self) {
    PyObject *result = gs_py_foreign_close(self, NULL);
    if (!result) PyErr_WriteUnraisable(NULL);
    Py_XDECREF(result);
    return 0;
}

static void gs_py_foreign_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    gs_py_hand_owner_over(self);
    PyObject *owner = ((gs_py_foreign *)self)->owner;
    gs_py_stream_dealloc(self);
    Py_XDECREF(owner);
}

static PyMethodDef gs_py_foreign_methods[] = {{"close", gs_py_foreign_close, METH_NOARGS, gs_py_doc_stream_close},
                                              {NULL, NULL, 0, NULL}};
static PyType_Slot gs_py_foreign_slots[] = {{Py_tp_dealloc, (void *)gs_py_foreign_dealloc},
                                            {Py_tp_traverse, (void *)gs_py_foreign_traverse},
                                            {Py_tp_clear, (void *)gs_py_foreign_clear},
                                            {Py_tp_free, (void *)PyObject_GC_Del},
                                            {Py_tp_methods, gs_py_foreign_methods},
                                            {0, NULL}};
static PyType_Spec gs_py_foreign_spec = {.name = "gpustream._core.ForeignStream",
                                         .basicsize = sizeof(gs_py_foreign),
                                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                         .slots = gs_py_foreign_slots};

// The stream and the owner become the object's. `cell`: what the library keeps, or NULL; borrowed.
static PyObject *gs_py_wrap_foreign(PyTypeObject *type, gs_stream_t stream, PyObject *owner, PyObject *cell) {
    PyObject *object = gs_py_wrap(type, stream, GS_PY_OWNED);
    if (!object) return NULL;
    gs_py_foreign *foreign = (gs_py_foreign *)object;
    Py_XINCREF(owner);
    Py_XINCREF(cell);
    foreign->owner = owner;
    foreign->cell = cell;
    return object;
}
