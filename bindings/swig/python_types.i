// SPDX-License-Identifier: Apache-2.0
// How the header's types and parameter names become Python values.

// ---- failures -------------------------------------------------------------------------------
%typemap(out) gs_status_t {
    if ($1 != GS_OK) {
        gs_py_fail($1);
        SWIG_fail;
    }
    $result = SWIG_Py_Void();
}

// ---- inputs ---------------------------------------------------------------------------------
%typemap(in) gs_device_t {
    if (gs_py_device_number($input, "$1_name", &$1) < 0) SWIG_fail;
}

%typemap(in) gs_stream_t (PyObject *owner = NULL) {
    if ($input == Py_None)
        $1 = GS_STREAM_CURRENT;
    else if (gs_py_stream_from($input, "$1_name", &$1, &owner) < 0)
        SWIG_fail;
}
%typemap(freearg) gs_stream_t { Py_XDECREF(owner$argnum); }

%typemap(in) gs_event_t {
    if (!gs_py_is_event($input)) {
        PyErr_Format(PyExc_TypeError, "argument '$1_name' must be Event, not %s", Py_TYPE($input)->tp_name);
        SWIG_fail;
    }
    $1 = gs_py_event($input);
}

%define GS_SIGNED_NUMBER(type, least, most)
%typemap(in) type {
    int64_t number;
    if (gs_py_signed_number($input, "$1_name", least, most, &number) < 0) SWIG_fail;
    $1 = ($1_ltype)number;
}
%enddef
GS_SIGNED_NUMBER(int32_t, INT32_MIN, INT32_MAX)
GS_SIGNED_NUMBER(uint32_t, 0, UINT32_MAX)

%typemap(in) uint64_t, size_t, uintptr_t {
    uint64_t number;
    if (gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    $1 = ($1_ltype)number;
}

%typemap(in) const char *name {
    $1 = ($1_ltype)gs_py_text($input, "$1_name");
    if (!$1) SWIG_fail;
}
%typemap(freearg) const char *name "";

%define GS_NUMBER_AS_POINTER(type)
%typemap(in) type {
    uint64_t number = 0;
    if ($input != Py_None && gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    $1 = ($1_ltype)(uintptr_t)number;
}
%enddef
GS_NUMBER_AS_POINTER(gs_module_t)
GS_NUMBER_AS_POINTER(gs_kernel_t)
GS_NUMBER_AS_POINTER(void *pointer)
GS_NUMBER_AS_POINTER(void *dst)
GS_NUMBER_AS_POINTER(const void *src)
GS_NUMBER_AS_POINTER(void **arguments)

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

%typemap(in) const gs_stream_triple_t * (gs_stream_triple_t triple) {
    if (gs_py_triple($input, &triple) < 0) SWIG_fail;
    $1 = &triple;
}
%typemap(in) const gs_ipc_handle_t * (gs_ipc_handle_t handle) {
    if (gs_py_ipc_handle($input, &handle) < 0) SWIG_fail;
    $1 = &handle;
}
%typemap(in) const gs_launch_config_t * (gs_launch_config_t config) {
    if (gs_py_launch_config($input, &config) < 0) SWIG_fail;
    $1 = &config;
}

// ---- results --------------------------------------------------------------------------------
// GS_RESULT(pattern, type, expression): an output becomes the result; several become a list.
%define GS_RESULT(pattern, type, expression)
%typemap(in, numinputs = 0) pattern (type value) { $1 = ($1_ltype)&value; }
%typemap(argout) pattern {
    $result = SWIG_Python_AppendOutput($result, expression, 1);
    if (!$result) SWIG_fail;
}
%enddef

// Every pointer to a number is an output; some numbers are truths.
GS_RESULT(int32_t *, int32_t, PyLong_FromLong(*$1))
GS_RESULT(uint32_t *, uint32_t, PyLong_FromUnsignedLong(*$1))
GS_RESULT(int64_t *, int64_t, PyLong_FromLongLong(*$1))
GS_RESULT(uint64_t *, uint64_t, PyLong_FromUnsignedLongLong(*$1))
GS_RESULT(double *, double, PyFloat_FromDouble(*$1))
GS_RESULT(uintptr_t *, uintptr_t, gs_py_unsigned(*$1))
GS_RESULT(int32_t *GS_TRUTH, int32_t, PyBool_FromLong(*$1))
GS_RESULT(const char **, const char *, PyUnicode_FromString(*$1))
GS_RESULT(void **out_pointer, void *, gs_py_unsigned((uintptr_t)*$1))
GS_RESULT(gs_device_t *, gs_device_t, PyLong_FromLong(*$1))
GS_RESULT(gs_backend_t *, gs_backend_t, PyLong_FromLong(*$1))
GS_RESULT(gs_module_t *, gs_module_t, gs_py_unsigned((uintptr_t)*$1))
GS_RESULT(gs_kernel_t *, gs_kernel_t, gs_py_unsigned((uintptr_t)*$1))
GS_RESULT(gs_stream_t *, gs_stream_t, gs_py_wrap(gs_py_stream_type, *$1, GS_PY_OWNED))
GS_RESULT(gs_event_t *, gs_event_t, gs_py_wrap(gs_py_event_type, *$1, GS_PY_OWNED))
GS_RESULT(gs_stream_triple_t *out_triple, gs_stream_triple_t,
          Py_BuildValue("(Lii)", (long long)$1->id, (int)$1->device_index, (int)$1->device_type))
GS_RESULT(gs_ipc_handle_t *out_handle, gs_ipc_handle_t, PyBytes_FromStringAndSize((const char *)$1->data, sizeof $1->data))

%define GS_SIZED_RESULT(pattern, type, expression)
%typemap(in, numinputs = 0) pattern (type value) {
    memset(&value, 0, sizeof value);
    value.struct_size = sizeof value;
    $1 = &value;
}
%typemap(argout) pattern {
    $result = SWIG_Python_AppendOutput($result, expression, 1);
    if (!$result) SWIG_fail;
}
%enddef
GS_SIZED_RESULT(gs_error_info_t *, gs_error_info_t, gs_py_error_info($1))
GS_SIZED_RESULT(gs_stats_t *, gs_stats_t, gs_py_stats($1))
GS_SIZED_RESULT(gs_device_info_t *, gs_device_info_t, gs_py_device_info($1))
GS_SIZED_RESULT(gs_inventory_entry_t *, gs_inventory_entry_t, gs_py_inventory_entry($1))

%apply int32_t *GS_TRUTH { int32_t *out_done, int32_t *out_equal, int32_t *out_capturing, int32_t *out_initialized,
                           int32_t *out_available, int32_t *out_can_access };
