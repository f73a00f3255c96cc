/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

PyTypeObject *gs_py_make_type(const char *name, size_t size, unsigned long flags, PyTypeObject *base,
                              PyType_Slot *slots, vectorcallfunc call) {
    PyType_Spec spec = {.name = name,
                        .basicsize = (int)size,
                        .flags = (unsigned int)(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | flags),
                        .slots = slots};
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;
    PyTypeObject *type = bases || !base ? (PyTypeObject *)PyType_FromSpecWithBases(&spec, bases) : NULL;
    Py_XDECREF(bases);
    if (type) type->tp_vectorcall = call; /* derived classes do not inherit it */
    return type;
}
