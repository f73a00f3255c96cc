/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include "objects.h"

static PyTypeObject *make(PyType_Spec *spec, PyTypeObject *base) {
    if (!base) return (PyTypeObject *)PyType_FromSpec(spec);
    PyObject *bases = PyTuple_Pack(1, base);
    if (!bases) return NULL;
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpecWithBases(spec, bases);
    Py_DECREF(bases);
    return type;
}

PyTypeObject *gs_py_make_type(const char *name, PyTypeObject *base, PyType_Slot *slots, vectorcallfunc call) {
    PyType_Spec spec = {.name = name,
                        .basicsize = sizeof(gs_py_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    PyTypeObject *type = make(&spec, base);
    if (type) type->tp_vectorcall = call; /* derived classes do not inherit it */
    return type;
}

PyTypeObject *gs_py_make_collected_type(const char *name, int size, PyTypeObject *base, PyType_Slot *slots) {
    PyType_Spec spec = {.name = name,
                        .basicsize = size,
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        .slots = slots};
    return make(&spec, base);
}
