/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of the header as Python values: dicts by the names of their fields. Three have shorter forms, as they are
   small or come often: a stream triple is a tuple, a launch configuration too, an IPC handle is bytes. */
#ifndef GPUSTREAM_PYTHON_STRUCTS_H
#define GPUSTREAM_PYTHON_STRUCTS_H

#include "common.h"

typedef enum gs_py_field_kind {
    GS_PY_INT32,
    GS_PY_UINT32,
    GS_PY_INT64,
    GS_PY_UINT64, /* also size_t, addresses and handles */
    GS_PY_DOUBLE,
    GS_PY_EVENT,      /* from an Event; to a number */
    GS_PY_CHARACTERS, /* NUL-terminated, in the struct */
    GS_PY_BYTES,      /* in the struct */
    GS_PY_TEXT        /* const char * */
} gs_py_field_kind;

typedef struct gs_py_field {
    const char *name;
    uint32_t offset;
    uint32_t size; /* bytes; of numbers, of all elements */
    gs_py_field_kind kind;
} gs_py_field;

typedef struct gs_py_struct {
    const char *name;
    size_t size;
    int sized; /* begins with struct_size */
    const gs_py_field *fields;
    size_t count;
} gs_py_struct;

/* One field's value, and back; `at` is the field's place. NULL or -1 with the exception set. */
PyObject *gs_py_field_value(const void *at, const gs_py_field *field);
int gs_py_field_store(PyObject *given, const gs_py_field *field, void *at);

PyObject *gs_py_struct_to_dict(const void *from, const gs_py_struct *kind);

/* From a dict. Fields that it lacks become 0; struct_size is set if the struct has one. Returns what keeps texts and
   events, which the caller releases after the call, or NULL with the exception set. */
PyObject *gs_py_struct_from(PyObject *given, const char *name, const gs_py_struct *kind, void *out);

/* Any bytes-like object of 64 bytes, and of 128. 0 or -1. */
int gs_py_ipc_handle(PyObject *given, gs_ipc_handle_t *out);
int gs_py_token(PyObject *given, gs_token_t *out);

/* (id, device index, device type). 0 or -1. */
int gs_py_triple(PyObject *given, gs_stream_triple_t *out);

#endif
