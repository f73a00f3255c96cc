// SPDX-License-Identifier: Apache-2.0
// The class of streams of others (gpustream.ExternalStream derives from it), which keep their owner alive.
//
// The library keeps the owner as long as it uses the stream, which may be longer than the object lives (a current
// stream). But the garbage collector does not see what the library keeps, and an owner that keeps its object would stay
// for ever. So the owner is the object's, which the collector sees, until the object gives its stream back; the library
// keeps an empty cell, into which the object then puts the owner.

typedef struct gs_py_foreign {
    SwigPyObject base;
    PyObject *owner; // NULL: the caller keeps the stream alive
    PyObject *cell;  // what the library keeps; NULL where it knew the driver's stream already and so keeps nothing
} gs_py_foreign;

static PyTypeObject *gs_py_foreign_type;

// Runs when nobody uses a foreign stream any more, on whichever thread gave the last reference back.
static void gs_py_release_cell(void *cell) {
    if (gs_py_mailbox_closed) return; // the interpreter ends: it may never give the GIL out again
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)cell);
    PyGILState_Release(state);
}

// To be called before the object's reference to its stream goes elsewhere.
static void gs_py_hand_owner_over(PyObject *self) {
    gs_py_foreign *foreign = (gs_py_foreign *)self;
    PyObject *cell = foreign->cell;
    if (!cell) return;
    foreign->cell = NULL;
    PyCell_SET(cell, foreign->owner);
    foreign->owner = NULL;
    Py_DECREF(cell);
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

// Ends the stream of an object that only a cycle keeps, while the owner is as it was: the library may use it still, and
// then the owner and what it refers to come back to life.
static void gs_py_foreign_finalize(PyObject *self) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = gs_py_foreign_close(self, NULL);
    if (!result) PyErr_WriteUnraisable(NULL);
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
}

// Where a subclass's __del__ took the place of the function above.
static int gs_py_foreign_clear(PyObject *self) {
    gs_py_foreign_finalize(self);
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
                                            {Py_tp_finalize, (void *)gs_py_foreign_finalize},
                                            {Py_tp_free, (void *)PyObject_GC_Del},
                                            {Py_tp_methods, gs_py_foreign_methods},
                                            {0, NULL}};
static PyType_Spec gs_py_foreign_spec = {.name = "gpustream._core.ForeignStream",
                                         .basicsize = sizeof(gs_py_foreign),
                                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                                                  Py_TPFLAGS_HAVE_FINALIZE,
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
