/* SPDX-License-Identifier: Apache-2.0 */
/* Counted arrays of the flat functions: sequences in, lists out. */
#ifndef GPUSTREAM_PYTHON_ARRAYS_H
#define GPUSTREAM_PYTHON_ARRAYS_H

#include "structs.h"

/* What the elements are. */
typedef enum gs_py_element {
    GS_PY_ELEMENT_STREAM,
    GS_PY_ELEMENT_EVENT,
    GS_PY_ELEMENT_FIELD, /* a number or a text, as in a struct */
    GS_PY_ELEMENT_STRUCT
} gs_py_element;

typedef struct gs_py_array {
    gs_py_element element;
    gs_py_field_kind kind;    /* of GS_PY_ELEMENT_FIELD */
    const gs_py_struct *type; /* of GS_PY_ELEMENT_STRUCT */
    size_t size;              /* of one element, bytes */
} gs_py_array;

/* An array from a sequence; gs_py_free_array() ends it. *kept is what it refers to. 0 or -1. */
int gs_py_array_from(PyObject *given, const char *name, const gs_py_array *array, void **out, size_t *count,
                     PyObject **kept);

/* Zeroed memory for `capacity` elements. 0 or -1. */
int gs_py_array_for(size_t capacity, const gs_py_array *array, void **out);

void gs_py_free_array(void *elements, PyObject *kept);

/* A list of the first elements. References to streams and events become the objects'. */
PyObject *gs_py_array_to_list(const void *elements, size_t count, const gs_py_array *array);

#endif
