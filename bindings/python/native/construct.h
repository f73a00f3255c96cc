// SPDX-License-Identifier: Apache-2.0
// What a call of a class that users derived makes. Calls of the classes themselves come by their vectorcall.
//
// torch's classes are made by __new__, and so is every object here: a subclass's __init__ need not call this one.
// Python's usual way is an __init__ of other arguments, which passes some of them on. So where a subclass has an
// __init__ and __new__ was not told anything on purpose, what __new__ makes is a guess: the first arguments that are
// passed on to __init__ here correct it.

// Marked in the link of SWIG's chains of objects, of which there are none (gs_py_tidy): hot paths ask for `own`.
static inline int gs_py_is_guess(PyObject *self) { return ((SwigPyObject *)self)->next != NULL; }
static inline void gs_py_set_guess(PyObject *self, int guess) { ((SwigPyObject *)self)->next = guess ? self : NULL; }

// Wrong arguments, no such device, no backend: all that other arguments could cure.
static int gs_py_may_be_cured(void) {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
           PyErr_ExceptionMatches(PyExc_OverflowError) || PyErr_ExceptionMatches(PyExc_RuntimeError);
}

// `by_new`, `by_init`: whether a subclass has its own.
static PyObject *gs_py_new(PyTypeObject *type, swig_type_info *kind, int by_new, int by_init,
                           int (*fill)(PyObject *self, PyObject *tuple, PyObject *dict), PyObject *tuple,
                           PyObject *dict) {
    SwigPyObject *self = (SwigPyObject *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->ty = kind;
    const int told = by_new && (PyTuple_GET_SIZE(tuple) > 0 || (dict && PyDict_GET_SIZE(dict) > 0));
    const int guess = by_init && !told;
    if (fill((PyObject *)self, tuple, dict) == 0) {
        gs_py_set_guess((PyObject *)self, guess);
    } else if (guess && gs_py_may_be_cured()) {
        PyErr_Clear(); // they are for the subclass's __init__, which has to pass on others
    } else {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}
