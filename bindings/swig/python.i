// SPDX-License-Identifier: Apache-2.0
// The Python extension gpustream._core: every function of the header under its own name, as a flat function. The classes
// and what SWIG cannot express (optional and named arguments at speed, callbacks) are in bindings/python/native.
%module(package="gpustream") _core

%{
#include <string.h>
#include "arrays.h"
#include "common.h"
#include "convert.h"
#include "description.h"
#include "errors.h"
#include "gil.h"
#include "module.h"
#include "objects.h"
#include "owner.h"
#include "structs.h"
%}

%include "python_rules.i"
%include "python_api.i"

// Given back when the object ends, so there is nothing for Python to call.
%ignore gs_stream_retain;
%ignore gs_stream_destroy;
%ignore gs_event_retain;
%ignore gs_event_destroy;
// Borrowed from the library; current_stream() takes a reference.
%ignore gs_current_stream;

// Streams of other libraries whose Python objects may end before the library's use of the stream does (owner.h).
%define GS_OUTLIVES_OBJECT(function)
%exception function {
    $action
    gs_py_outlives(swig_obj[0]);
}
%enddef
GS_OUTLIVES_OBJECT(gs_set_current_stream)
GS_OUTLIVES_OBJECT(gs_push_current_stream)
GS_OUTLIVES_OBJECT(gs_exchange_current_stream)
GS_OUTLIVES_OBJECT(gs_stream_id)

// The caller's reference ends, which is the object's: it is closed then, and no other thread ends the same reference.
%define GS_GIVES_OBJECT_UP(function)
%exception function {
    GS_PY_OBJECT_LOCK(swig_obj[0]);
    $action
    if (result == GS_OK) gs_py_give_up(swig_obj[0]);
    GS_PY_OBJECT_UNLOCK();
}
%enddef
GS_GIVES_OBJECT_UP(gs_stream_into_native)
GS_GIVES_OBJECT_UP(gs_event_into_native)

// Structs that are small or come often have shorter forms than a dict.
%typemap(freearg) const gs_stream_triple_t *, const gs_ipc_handle_t *, const gs_token_t * "";
%typemap(in) const gs_stream_triple_t * (gs_stream_triple_t value) {
    if (gs_py_triple($input, &value) < 0) SWIG_fail;
    $1 = &value;
}
GS_ARGOUT(gs_stream_triple_t *, Py_BuildValue("(Lii)", (long long)$1->id, (int)$1->device_index, (int)$1->device_type))
%typemap(in) const gs_ipc_handle_t * (gs_ipc_handle_t value) {
    if (gs_py_ipc_handle($input, &value) < 0) SWIG_fail;
    $1 = &value;
}
GS_ARGOUT(gs_ipc_handle_t *, PyBytes_FromStringAndSize((const char *)$1->data, sizeof $1->data))
%typemap(in) const gs_token_t * (gs_token_t value) {
    if (gs_py_token($input, &value) < 0) SWIG_fail;
    $1 = &value;
}
GS_ARGOUT(gs_token_t *, PyBytes_FromStringAndSize((const char *)$1->data, sizeof $1->data))

// An image is bytes; a str is the path of a file that holds one.
%typemap(in) (const void *image, size_t bytes) (Py_buffer view = {0}, PyObject *path = NULL) {
    if (PyUnicode_Check($input) || !PyObject_CheckBuffer($input)) {
        if (!PyUnicode_FSConverter($input, &path)) SWIG_fail;
        $1 = PyBytes_AS_STRING(path);
        $2 = 0;
    } else {
        if (PyObject_GetBuffer($input, &view, PyBUF_SIMPLE) < 0) SWIG_fail;
        if (view.len == 0) {
            PyErr_SetString(PyExc_ValueError, "the image is empty");
            SWIG_fail;
        }
        $1 = view.buf;
        $2 = (size_t)view.len;
    }
}
%typemap(freearg) (const void *image, size_t bytes) {
    Py_XDECREF(path$argnum);
    if (view$argnum.obj) PyBuffer_Release(&view$argnum);
}

%init %{
    if (gs_py_may_import() < 0) return -1;
%}

%include "gpustream.i"

%init %{
    // Of SWIG's proxy classes, which this module has none of.
    if (PyObject_DelAttrString(m, "SWIG_PyInstanceMethod_New") < 0 ||
        PyObject_DelAttrString(m, "SWIG_PyStaticMethod_New") < 0 || gs_py_fill_module(m) < 0)
        return -1;
%}
