/* SPDX-License-Identifier: Apache-2.0 */
#include "device_class.h"

#include "arguments.h"
#include "gil.h"
#include "hooks.h"
#include "types.h"

#include <structmember.h>

PyTypeObject *gs_py_device_type;

typedef struct device {
    PyObject ob_base;
    PyObject *type, *index; /* str; int or None. NULL: not made yet, or by a subclass's __init__ that calls no other */
    int32_t number;         /* gs_device_t; -1: not known */
} device;

enum { WORDS = 4, KEPT = 64, HIGHEST_ORDINAL = 65535 };

/* Words that came with an index, and the type that each means. */
static struct {
    PyObject *given, *type;
} words[WORDS];
static PyObject *kept[KEPT]; /* objects of the default backend's first devices */

static gs_py_signature parameters = {.function = "Device", .positional = 2, .count = 2, .names = {"type", "index"}};

/* ---- from the arguments ----------------------------------------------------------------------------------------- */

/* Takes the references. */
static PyObject *fill(PyObject *self, PyObject *type, PyObject *index) {
    device *made = (device *)self;
    made->index = index;
    made->number = -1;
    GS_PY_STORE(made->type, type); /* last: who sees it sees the others */
    return self;
}

static int is_ordinal(PyObject *index) {
    int overflow = 0;
    if (!PyLong_CheckExact(index)) return 0;
    const long number = PyLong_AsLongAndOverflow(index, &overflow);
    return overflow == 0 && number >= 0 && number <= HIGHEST_ORDINAL;
}

static PyObject *known_type(PyObject *word) {
    for (int i = 0; i < WORDS; ++i)
        if (GS_PY_LOAD(words[i].given) == word) return words[i].type;
    return NULL;
}

static void know_word(PyObject *word, PyObject *type) {
    int place = 0;
    GS_PY_LOCK(GS_PY_WORD_TABLE);
    while (place < WORDS && words[place].given && words[place].given != word) ++place;
    if (place < WORDS && !words[place].given) {
        Py_INCREF(word);
        Py_INCREF(type);
        words[place].type = type;
        GS_PY_STORE(words[place].given, word);
    }
    GS_PY_UNLOCK(GS_PY_WORD_TABLE);
}

/* New references to both. Returns 0 or -1. */
static int read_parts(PyObject *const *given, PyObject **out_type, PyObject **out_index) {
    PyObject *word = given[0], *index = given[1];
    const int usual = word && index && PyUnicode_CheckExact(word) && is_ordinal(index);
    PyObject *type = usual ? known_type(word) : NULL;
    if (GS_PY_LIKELY(type != NULL)) {
        *out_type = type;
        *out_index = index;
    } else {
        PyObject *parts = gs_py_call("_devices", "parts", "(OO)", word ? word : Py_None, index ? index : Py_None);
        if (!parts) return -1;
        if (!PyArg_ParseTuple(parts, "UO", out_type, out_index)) return Py_DECREF(parts), -1;
        Py_INCREF(*out_type);
        Py_INCREF(*out_index);
        Py_DECREF(parts);
        if (usual && GS_PY_LOAD(gs_py_started) && PyUnicode_CHECK_INTERNED(word)) know_word(word, *out_type);
        return 0;
    }
    Py_INCREF(type);
    Py_INCREF(index);
    return 0;
}

static PyObject *make(PyTypeObject *class, PyObject *type, PyObject *index) {
    PyObject *self = class->tp_alloc(class, 0);
    if (self) return fill(self, type, index);
    Py_DECREF(type);
    Py_DECREF(index);
    return NULL;
}

static PyObject *device_vectorcall(PyObject *class, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    PyObject *given[2], *type, *index;
    if (gs_py_bind(&parameters, arguments, PyVectorcall_NARGS(nargsf), names, given) < 0) return NULL;
    return read_parts(given, &type, &index) < 0 ? NULL : make((PyTypeObject *)class, type, index);
}

/* The arguments are __init__'s, which a derived class may replace. */
static PyObject *device_new(PyTypeObject *class, PyObject *tuple, PyObject *dict) {
    (void)tuple, (void)dict;
    PyObject *self = class->tp_alloc(class, 0);
    return self ? fill(self, NULL, NULL) : NULL;
}

static int device_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    PyObject *given[2], *type, *index;
    if (gs_py_bind_tuple(&parameters, tuple, dict, given) < 0 || read_parts(given, &type, &index) < 0) return -1;
    int done = 0;
    GS_PY_OBJECT_LOCK(self);
    if (!((device *)self)->type) {
        fill(self, type, index);
        done = 1;
    }
    GS_PY_OBJECT_UNLOCK();
    if (done) return 0;
    Py_DECREF(type);
    Py_DECREF(index);
    PyErr_SetString(PyExc_AttributeError, "a Device is immutable: __init__ cannot be called again");
    return -1;
}

static void device_dealloc(PyObject *self) {
    PyTypeObject *class = Py_TYPE(self);
    Py_XDECREF(((device *)self)->type);
    Py_XDECREF(((device *)self)->index);
    class->tp_free(self);
    Py_DECREF(class);
}

/* ---- as a value ------------------------------------------------------------------------------------------------- */

static PyObject *device_richcompare(PyObject *self, PyObject *other, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, gs_py_device_type))
        Py_RETURN_NOTIMPLEMENTED;
    const device *one = (const device *)self, *two = (const device *)other;
    int equal = self == other;
    if (!equal && GS_PY_LOAD(one->type) && GS_PY_LOAD(two->type)) {
        equal = PyObject_RichCompareBool(one->type, two->type, Py_EQ);
        if (equal > 0) equal = PyObject_RichCompareBool(one->index, two->index, Py_EQ);
        if (equal < 0) return NULL;
    }
    return PyBool_FromLong((operation == Py_EQ) == equal);
}

static Py_hash_t device_hash(PyObject *self) {
    const device *one = (const device *)self;
    if (!GS_PY_LOAD(one->type)) return (Py_hash_t)((uintptr_t)self >> 4);
    const Py_hash_t type = PyObject_Hash(one->type), index = PyObject_Hash(one->index);
    if (type == -1 || index == -1) return -1;
    const Py_hash_t mixed = (Py_hash_t)((size_t)type ^ ((size_t)index + 1) * (size_t)0x9E3779B97F4A7C15u);
    return mixed == -1 ? -2 : mixed;
}

static PyObject *device_str(PyObject *self) {
    const device *one = (const device *)self;
    if (!GS_PY_LOAD(one->type)) return PyUnicode_FromString("none");
    if (one->index == Py_None) return Py_INCREF(one->type), one->type;
    return PyUnicode_FromFormat("%U:%S", one->type, one->index);
}

static PyObject *device_repr(PyObject *self) {
    const device *one = (const device *)self;
    if (!GS_PY_LOAD(one->type)) return PyUnicode_FromString("device()");
    if (one->index == Py_None) return PyUnicode_FromFormat("device(type='%U')", one->type);
    return PyUnicode_FromFormat("device(type='%U', index=%S)", one->type, one->index);
}

static PyObject *device_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    const device *one = (const device *)self;
    if (!GS_PY_LOAD(one->type)) return PyErr_Format(PyExc_TypeError, "the Device was not initialised"), NULL;
    return Py_BuildValue("(O(OO))", gs_py_device_type, one->type, one->index);
}

/* ---- for the rest of the extension ------------------------------------------------------------------------------ */

PyObject *gs_py_device_object(gs_device_t number) {
    const int keep = number >= 0 && number < KEPT;
    PyObject *known = keep ? GS_PY_LOAD(kept[number]) : NULL;
    if (GS_PY_LIKELY(known != NULL)) return Py_INCREF(known), known;
    PyObject *found = gs_py_call("_devices", "of_number", "(i)", (int)number);
    if (!found || !keep) return found;
    found = gs_py_publish(&kept[number], found);
    Py_INCREF(found);
    return found;
}

PyObject *gs_py_device_of_parts(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !PyUnicode_CheckExact(arguments[0]) || !is_ordinal(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "a str and an index are expected"), NULL;
    Py_INCREF(arguments[0]);
    Py_INCREF(arguments[1]);
    return make(gs_py_device_type, arguments[0], arguments[1]);
}

int32_t gs_py_known_device_number(PyObject *object) { return GS_PY_LOAD(((const device *)object)->number); }

void gs_py_know_device_number(PyObject *object, int32_t number) {
    device *one = (device *)object;
    if (GS_PY_LOAD(gs_py_started) && GS_PY_LOAD(one->type) && one->index != Py_None && number >= 0)
        GS_PY_STORE(one->number, number);
}

void gs_py_forget_devices(void) {
    for (int i = 0; i < WORDS; ++i) {
        Py_CLEAR(words[i].given);
        Py_CLEAR(words[i].type);
    }
}

static const char doc[] =
    "Device(type=None, index=None)\n--\n\n"
    "A device: its type, \"cuda\" or \"host\", and its index there. Immutable, hashable, equal by both.\n\n"
    "Device(\"cuda\", 1), Device(\"cuda:1\") and Device(1) are device 1 of the default backend; where that is the "
    "host\n"
    "backend, type says \"host\". Whether there is such a device is not checked.\n\n"
    "Raises:\n"
    "    RuntimeError: the name is malformed, or has an index and another one was given.\n"
    "    gpustream.InvalidDeviceError: the index is negative or above 65535.\n"
    "    ValueError: no backend of this library has that type.\n"
    "    TypeError: index is no int.";

static PyMemberDef members[] = {
    {"type", T_OBJECT_EX, offsetof(device, type), READONLY, "Name of the backend: \"cuda\" or \"host\"."},
    {"index", T_OBJECT_EX, offsetof(device, index), READONLY,
     "Ordinal within the backend (int); None: that backend's current device."},
    {NULL, 0, 0, 0, NULL}};
static PyMethodDef methods[] = {{"__reduce__", device_reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, (void *)doc},
                              {Py_tp_new, (void *)device_new},
                              {Py_tp_init, (void *)device_init},
                              {Py_tp_dealloc, (void *)device_dealloc},
                              {Py_tp_richcompare, (void *)device_richcompare},
                              {Py_tp_hash, (void *)device_hash},
                              {Py_tp_str, (void *)device_str},
                              {Py_tp_repr, (void *)device_repr},
                              {Py_tp_members, members},
                              {Py_tp_methods, methods},
                              {0, NULL}};
int gs_py_make_device_type(void) {
    gs_py_device_type = gs_py_make_type("gpustream.Device", sizeof(device), 0, NULL, slots, device_vectorcall);
    return gs_py_device_type ? 0 : -1;
}
