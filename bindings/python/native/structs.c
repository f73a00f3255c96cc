/* SPDX-License-Identifier: Apache-2.0 */
#include "structs.h"

#include "convert.h"
#include "objects.h"

#include <string.h>

/* ---- to Python -------------------------------------------------------------------------------------------------- */

static PyObject *number_at(const char *at, gs_py_field_kind kind) {
    switch (kind) {
    case GS_PY_INT32: return PyLong_FromLong(*(const int32_t *)at);
    case GS_PY_UINT32: return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case GS_PY_INT64: return PyLong_FromLongLong(*(const int64_t *)at);
    case GS_PY_DOUBLE: return PyFloat_FromDouble(*(const double *)at);
    default: return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    }
}

static size_t size_of(gs_py_field_kind kind) { return kind == GS_PY_INT32 || kind == GS_PY_UINT32 ? 4 : 8; }

PyObject *gs_py_field_value(const void *place, const gs_py_field *field) {
    const char *at = place;
    if (field->kind == GS_PY_CHARACTERS)
        return PyUnicode_DecodeUTF8(at, (Py_ssize_t)strnlen(at, field->size), "replace");
    if (field->kind == GS_PY_BYTES) return PyBytes_FromStringAndSize(at, (Py_ssize_t)field->size);
    if (field->kind == GS_PY_TEXT) return Py_BuildValue("z", *(const char *const *)at);
    const size_t size = size_of(field->kind), count = field->size / size;
    if (count == 1) return number_at(at, field->kind);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; ++i) {
        PyObject *number = number_at(at + i * size, field->kind);
        if (number)
            PyList_SET_ITEM(list, (Py_ssize_t)i, number);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *gs_py_struct_to_dict(const void *from, const gs_py_struct *kind) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < kind->count; ++i) {
        const gs_py_field *field = &kind->fields[i];
        PyObject *value = gs_py_field_value((const char *)from + field->offset, field);
        if (!value || PyDict_SetItemString(dict, field->name, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* ---- from Python ------------------------------------------------------------------------------------------------ */

static int store_number(PyObject *given, const gs_py_field *field, char *at) {
    int64_t number = 0;
    int result = 0;
    switch (field->kind) {
    case GS_PY_INT32: result = gs_py_signed_number(given, field->name, INT32_MIN, INT32_MAX, &number); break;
    case GS_PY_UINT32: result = gs_py_signed_number(given, field->name, 0, UINT32_MAX, &number); break;
    case GS_PY_INT64: return gs_py_signed_number(given, field->name, INT64_MIN, INT64_MAX, (int64_t *)at);
    case GS_PY_DOUBLE:
        *(double *)at = PyFloat_AsDouble(given);
        return *(double *)at == -1.0 && PyErr_Occurred() ? -1 : 0;
    case GS_PY_EVENT: return gs_py_event_from(given, NULL, field->name, (gs_event_t *)at);
    default: return gs_py_unsigned_number(given, field->name, (uint64_t *)at);
    }
    const uint32_t bits = (uint32_t)number;
    memcpy(at, &bits, sizeof bits);
    return result;
}

static int copy_bytes(PyObject *given, const char *name, void *out, size_t size) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(given)) return gs_py_wrong_type(NULL, name, "bytes", given);
    if (PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) < 0) return -1;
    const int right = view.len == (Py_ssize_t)size;
    if (right)
        memcpy(out, view.buf, size);
    else
        PyErr_Format(PyExc_ValueError, "argument '%s' must have %zu bytes, not %zd", name, size, view.len);
    PyBuffer_Release(&view);
    return right ? 0 : -1;
}

static int store_bytes(PyObject *given, const gs_py_field *field, char *at) {
    if (field->kind == GS_PY_CHARACTERS) {
        const char *text = gs_py_text(given, field->name);
        if (!text) return -1;
        if (strlen(text) < field->size) return strcpy(at, text), 0;
        return PyErr_Format(PyExc_ValueError, "'%s' is too long", field->name), -1;
    }
    return copy_bytes(given, field->name, at, field->size);
}

static int store_numbers(PyObject *given, const gs_py_field *field, char *at) {
    const size_t size = size_of(field->kind), count = field->size / size;
    PyObject *items = gs_py_sequence(given, field->name);
    if (!items) return -1;
    int result = 0;
    if ((size_t)PyTuple_GET_SIZE(items) != count) {
        PyErr_Format(PyExc_ValueError, "'%s' must have %zu numbers", field->name, count);
        result = -1;
    }
    for (size_t i = 0; result == 0 && i < count; ++i)
        result = store_number(PyTuple_GET_ITEM(items, (Py_ssize_t)i), field, at + i * size);
    Py_DECREF(items);
    return result;
}

int gs_py_field_store(PyObject *given, const gs_py_field *field, void *at) {
    if (field->kind == GS_PY_CHARACTERS || field->kind == GS_PY_BYTES) return store_bytes(given, field, at);
    if (field->kind == GS_PY_TEXT) {
        if (given == Py_None) return 0;
        *(const char **)at = gs_py_text(given, field->name);
        return *(const char **)at ? 0 : -1;
    }
    return field->size > size_of(field->kind) ? store_numbers(given, field, at) : store_number(given, field, at);
}

static const gs_py_field *find_field(const gs_py_struct *kind, PyObject *key) {
    for (size_t i = 0; PyUnicode_Check(key) && i < kind->count; ++i)
        if (PyUnicode_CompareWithASCIIString(key, kind->fields[i].name) == 0) return &kind->fields[i];
    PyErr_Format(PyExc_TypeError, "%s has no field %R", kind->name, key);
    return NULL;
}

PyObject *gs_py_struct_from(PyObject *given, const char *name, const gs_py_struct *kind, void *out) {
    if (!PyDict_Check(given)) return gs_py_wrong_type(NULL, name, "dict", given), NULL;
    /* A copy: reading a number may run Python code, and another thread may change the dict during the call. */
    PyObject *copy = PyDict_Copy(given), *key, *value;
    Py_ssize_t position = 0;
    memset(out, 0, kind->size);
    if (kind->sized) *(uint32_t *)out = (uint32_t)kind->size;
    while (copy && PyDict_Next(copy, &position, &key, &value)) {
        const gs_py_field *field = find_field(kind, key);
        if (!field || gs_py_field_store(value, field, (char *)out + field->offset) < 0) Py_CLEAR(copy);
    }
    return copy;
}

/* ---- the short forms -------------------------------------------------------------------------------------------- */

int gs_py_ipc_handle(PyObject *given, gs_ipc_handle_t *out) {
    return copy_bytes(given, "handle", out->data, sizeof out->data);
}

int gs_py_token(PyObject *given, gs_token_t *out) { return copy_bytes(given, "data", out->data, sizeof out->data); }

/* Borrows the elements of a tuple of `count`, or returns NULL with TypeError set. */
static PyObject **elements_of(PyObject *given, const char *name, Py_ssize_t count) {
    if (!PyTuple_Check(given)) return gs_py_wrong_type(NULL, name, "tuple", given), NULL;
    if (PyTuple_GET_SIZE(given) == count) return ((PyTupleObject *)given)->ob_item;
    PyErr_Format(PyExc_TypeError, "argument '%s' must have %zd numbers, not %zd", name, count, PyTuple_GET_SIZE(given));
    return NULL;
}

int gs_py_triple(PyObject *given, gs_stream_triple_t *out) {
    PyObject **const elements = elements_of(given, "triple", 3);
    int64_t index, type;
    if (!elements || gs_py_signed_number(elements[0], "id", INT64_MIN, INT64_MAX, &out->id) < 0 ||
        gs_py_signed_number(elements[1], "device_index", INT32_MIN, INT32_MAX, &index) < 0 ||
        gs_py_signed_number(elements[2], "device_type", INT32_MIN, INT32_MAX, &type) < 0)
        return -1;
    out->device_index = (int32_t)index;
    out->device_type = (int32_t)type;
    return 0;
}
