/* SPDX-License-Identifier: Apache-2.0 */
#include "arrays.h"

#include "convert.h"
#include "objects.h"

static gs_py_field field_of(const char *name, const gs_py_array *array) {
    return (gs_py_field){name, 0, (uint32_t)array->size, array->kind};
}

/* Takes the reference. */
static int keep(PyObject *kept, PyObject *object) {
    if (!object) return -1;
    const int result = PyList_Append(kept, object);
    Py_DECREF(object);
    return result;
}

static int store_element(PyObject *given, const char *name, const gs_py_array *array, void *place, PyObject *kept) {
    gs_stream_t stream;
    gs_event_t event;
    PyObject *owner;
    switch (array->element) {
    case GS_PY_ELEMENT_STREAM:
        if (given == Py_None) return *(gs_stream_t *)place = GS_STREAM_CURRENT, 0;
        if (gs_py_stream_from(given, name, &stream, &owner) < 0) return -1;
        *(gs_stream_t *)place = stream;
        return owner ? keep(kept, owner) : 0;
    case GS_PY_ELEMENT_EVENT:
        if (gs_py_event_from(given, NULL, name, &event) < 0) return -1;
        return *(gs_event_t *)place = event, 0;
    case GS_PY_ELEMENT_FIELD: {
        const gs_py_field field = field_of(name, array);
        return gs_py_field_store(given, &field, place);
    }
    default: return keep(kept, gs_py_struct_from(given, name, array->type, place));
    }
}

static PyObject *element_value(const void *place, const gs_py_array *array) {
    switch (array->element) {
    case GS_PY_ELEMENT_STREAM: return gs_py_wrap_stream(gs_py_stream_type, *(const gs_stream_t *)place, GS_PY_OWNED);
    case GS_PY_ELEMENT_EVENT: return gs_py_wrap_event(gs_py_event_type, *(const gs_event_t *)place, GS_PY_OWNED);
    case GS_PY_ELEMENT_FIELD: {
        const gs_py_field field = field_of("", array);
        return gs_py_field_value(place, &field);
    }
    default: return gs_py_struct_to_dict(place, array->type);
    }
}

int gs_py_array_from(PyObject *given, const char *name, const gs_py_array *array, void **out, size_t *count,
                     PyObject **kept) {
    *out = NULL;
    *count = 0;
    PyObject *items = gs_py_sequence(given, name);
    if (!items) return -1;
    *kept = PyList_New(0);
    int result = *kept && PyList_Append(*kept, items) == 0 ? 0 : -1;
    const size_t length = (size_t)PyTuple_GET_SIZE(items);
    if (result == 0) result = gs_py_array_for(length, array, out);
    for (size_t i = 0; result == 0 && i < length; ++i)
        result =
            store_element(PyTuple_GET_ITEM(items, (Py_ssize_t)i), name, array, (char *)*out + i * array->size, *kept);
    Py_DECREF(items);
    *count = length;
    return result;
}

int gs_py_array_for(size_t capacity, const gs_py_array *array, void **out) {
    *out = capacity ? PyMem_Calloc(capacity, array->size) : NULL;
    return capacity && !*out ? (PyErr_NoMemory(), -1) : 0;
}

void gs_py_free_array(void *elements, PyObject *kept) {
    PyMem_Free(elements);
    Py_XDECREF(kept);
}

PyObject *gs_py_array_to_list(const void *elements, size_t count, const gs_py_array *array) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; ++i) {
        PyObject *value = element_value((const char *)elements + i * array->size, array);
        if (value)
            PyList_SET_ITEM(list, (Py_ssize_t)i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}
