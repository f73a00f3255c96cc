// SPDX-License-Identifier: Apache-2.0
// How the header's types become Python values: rules, which python_api.i (generated) applies by name. Later typemaps win.

// ---- who holds the GIL (bindings/python/native/gil.h) ---------------------------------------
%nothread;
%define GS_RELEASES_GIL(function)
%thread function;
%enddef
%define GS_MAY_RELEASE_GIL(function)
%exception function {
    GS_PY_DRIVER($action);
}
%enddef
%define GS_RELEASES_GIL_AT_FIRST(function)
%exception function {
    GS_PY_FIRST_USE($action);
}
%enddef

// ---- failures -------------------------------------------------------------------------------
%typemap(out) gs_status_t {
    if ($1 != GS_OK) {
        gs_py_fail($1);
        SWIG_fail;
    }
    $result = SWIG_Py_Void();
}

// ---- inputs ---------------------------------------------------------------------------------
// Any pointer that no other rule takes, also to a function: an address (int), NULL for `None`.
%typemap(in) SWIGTYPE *, SWIGTYPE **, SWIGTYPE ((*)(ANY)), void *, const void *, void ** {
    uint64_t number = 0;
    if ($input != Py_None && gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    $1 = ($1_ltype)(uintptr_t)number;
}

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
    if (gs_py_event_from($input, NULL, "$1_name", &$1) < 0) SWIG_fail;
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
GS_SIGNED_NUMBER(int64_t, INT64_MIN, INT64_MAX)

%typemap(in) uint64_t, size_t, uintptr_t {
    uint64_t number;
    if (gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    $1 = ($1_ltype)number;
}

%typemap(in) const char * {
    $1 = ($1_ltype)gs_py_text($input, "$1_name");
    if (!$1) SWIG_fail;
}
%typemap(in) const char *GS_OPTIONAL {
    if ($input != Py_None && !($1 = ($1_ltype)gs_py_text($input, "$1_name"))) SWIG_fail;
}
%typemap(freearg) const char *, const char *GS_OPTIONAL "";

// ---- results: an output becomes the result, several become a list ----------------------------
%define GS_ARGOUT(pattern, expression)
%typemap(argout) pattern {
    $result = SWIG_Python_AppendOutput($result, expression, 1);
    if (!$result) SWIG_fail;
}
%enddef

%define GS_RESULT(pattern, type, expression)
%typemap(in, numinputs = 0) pattern (type value) { $1 = ($1_ltype)&value; }
GS_ARGOUT(%arg(pattern), %arg(expression))
%enddef

GS_RESULT(int32_t *, int32_t, PyLong_FromLong(*$1))
GS_RESULT(uint32_t *, uint32_t, PyLong_FromUnsignedLong(*$1))
GS_RESULT(int64_t *, int64_t, PyLong_FromLongLong(*$1))
GS_RESULT(uint64_t *, uint64_t, PyLong_FromUnsignedLongLong(*$1))
GS_RESULT(size_t *, size_t, PyLong_FromSize_t(*$1))
GS_RESULT(double *, double, PyFloat_FromDouble(*$1))
GS_RESULT(uintptr_t *, uintptr_t, gs_py_unsigned(*$1))
GS_RESULT(int32_t *GS_TRUTH, int32_t, PyBool_FromLong(*$1))
GS_RESULT(const char **, const char *, PyUnicode_FromString(*$1))
GS_RESULT(void **GS_ADDRESS, void *, gs_py_unsigned((uintptr_t)*$1))
GS_RESULT(gs_device_t *, gs_device_t, PyLong_FromLong(*$1))
GS_RESULT(gs_backend_t *, gs_backend_t, PyLong_FromLong(*$1))
GS_RESULT(gs_status_t *, gs_status_t, PyLong_FromLong(*$1))
GS_RESULT(gs_stream_t *, gs_stream_t, gs_py_wrap_stream(gs_py_stream_type, *$1, GS_PY_OWNED))
GS_RESULT(gs_event_t *, gs_event_t, gs_py_wrap_event(gs_py_event_type, *$1, GS_PY_OWNED))

// A number that the call reads and writes.
%define GS_NUMBER_INOUT(type, name)
%typemap(in) type *name (type value) {
    uint64_t number;
    if (gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    value = (type)number;
    $1 = &value;
}
GS_ARGOUT(type *name, PyLong_FromUnsignedLongLong((uint64_t)*$1))
%enddef

// ---- handles that are numbers in Python ------------------------------------------------------
%define GS_NUMBER_HANDLE(type)
%typemap(in) type {
    uint64_t number = 0;
    if ($input != Py_None && gs_py_unsigned_number($input, "$1_name", &number) < 0) SWIG_fail;
    $1 = ($1_ltype)(uintptr_t)number;
}
GS_RESULT(type *, type, gs_py_unsigned((uintptr_t)*$1))
%enddef

// ---- structs: dicts by the names of their fields ---------------------------------------------
%define GS_STRUCT(type, description)
%typemap(in) const type * (type value, PyObject *kept = NULL) {
    kept = gs_py_struct_from($input, "$1_name", &description, &value);
    if (!kept) SWIG_fail;
    $1 = &value;
}
%typemap(freearg) const type * { Py_XDECREF(kept$argnum); }
%typemap(in, numinputs = 0) type * (type value) {
    memset(&value, 0, sizeof value);
    $1 = &value;
}
GS_ARGOUT(type *, gs_py_struct_to_dict($1, &description))
%typemap(argout) const type * "";
%enddef

%define GS_SIZED_STRUCT(type, description)
GS_STRUCT(type, description)
%typemap(in, numinputs = 0) type * (type value) {
    memset(&value, 0, sizeof value);
    value.struct_size = sizeof value;
    $1 = &value;
}
%enddef

// ---- counted arrays: a sequence in; out, a capacity in and a list out -------------------------
%define GS_ARRAY_IN(type, name, count, description)
%typemap(in) (const type *name, size_t count) (void *elements = NULL, PyObject *kept = NULL) {
    static const gs_py_array array = description;
    size_t length;
    if (gs_py_array_from($input, "$1_name", &array, &elements, &length, &kept) < 0) SWIG_fail;
    $1 = ($1_ltype)elements;
    $2 = length;
}
%typemap(argout) (const type *name, size_t count) "";
%typemap(freearg) (const type *name, size_t count) { gs_py_free_array(elements$argnum, kept$argnum); }
%enddef

// The library writes how many there are, which may be more than fit.
%define GS_ARRAY_OUT(type, name, capacity, total, description)
%typemap(in) (type *name, size_t capacity, size_t *total) (void *elements = NULL, size_t written = 0) {
    static const gs_py_array array = description;
    uint64_t number;
    if (gs_py_unsigned_number($input, "$2_name", &number) < 0) SWIG_fail;
    if (gs_py_array_for((size_t)number, &array, &elements) < 0) SWIG_fail;
    $1 = ($1_ltype)elements;
    $2 = (size_t)number;
    $3 = &written;
}
%typemap(freearg) (type *name, size_t capacity, size_t *total) { gs_py_free_array(elements$argnum, NULL); }
%typemap(argout) (type *name, size_t capacity, size_t *total) {
    static const gs_py_array array = description;
    const size_t fitting = *$3 < $2 ? *$3 : $2;
    PyObject *list = gs_py_array_to_list($1, fitting, &array);
    if ($result == Py_None && list) {
        // As the first result SWIG would take the list for that of all results, and append to it.
        Py_DECREF($result);
        $result = PyList_New(1);
        if ($result)
            PyList_SET_ITEM($result, 0, list);
        else
            Py_DECREF(list);
    } else {
        $result = SWIG_Python_AppendOutput($result, list, 1);
    }
    if ($result) $result = SWIG_Python_AppendOutput($result, PyLong_FromSize_t(*$3), 1);
    if (!$result) SWIG_fail;
}
%enddef

// As GS_ARRAY_OUT, with another input between the capacity and the total. elements, room: SWIG's variables for the array
// and its capacity.
%define GS_ARRAY_OUT_AROUND(type, name, capacity, total, between_type, between, elements, room, description)
%typemap(in) (type *name, size_t capacity) {
    static const gs_py_array array = description;
    uint64_t number;
    void *made = NULL;
    if (gs_py_unsigned_number($input, "$2_name", &number) < 0) SWIG_fail;
    if (gs_py_array_for((size_t)number, &array, &made) < 0) SWIG_fail;
    $1 = ($1_ltype)made;
    $2 = (size_t)number;
}
%typemap(freearg) (type *name, size_t capacity) { gs_py_free_array($1, NULL); }
%typemap(argout) (type *name, size_t capacity) "";
%typemap(in) (between_type between, size_t *total) (size_t written = 0) {
    int64_t number;
    if (gs_py_signed_number($input, "$1_name", INT64_MIN, INT64_MAX, &number) < 0) SWIG_fail;
    $1 = ($1_ltype)number;
    $2 = &written;
}
%typemap(argout) (between_type between, size_t *total) {
    static const gs_py_array array = description;
    PyObject *list = gs_py_array_to_list(elements, *$2 < room ? *$2 : room, &array);
    // None is the result so far. A list beside it would be taken for the list of results.
    Py_DECREF($result);
    $result = list ? PyList_New(1) : NULL;
    if ($result)
        PyList_SET_ITEM($result, 0, list);
    else
        Py_XDECREF(list);
    if ($result) $result = SWIG_Python_AppendOutput($result, PyLong_FromSize_t(*$2), 1);
    if (!$result) SWIG_fail;
}
%enddef

// As long as an array that goes in; length: SWIG's variable for that. A check comes after all inputs are there.
%define GS_ARRAY_OUT_BESIDE(type, name, length, description)
%typemap(in, numinputs = 0) type *name "";
%typemap(check) type *name (void *elements = NULL) {
    static const gs_py_array array = description;
    if (gs_py_array_for(length, &array, &elements) < 0) SWIG_fail;
    $1 = ($1_ltype)elements;
}
%typemap(freearg) type *name { gs_py_free_array($1, NULL); }
%typemap(argout) type *name {
    static const gs_py_array array = description;
    $result = SWIG_Python_AppendOutput($result, gs_py_array_to_list($1, length, &array), 1);
    if (!$result) SWIG_fail;
}
%enddef

// Counted text: a str in; out, a capacity in, and a str and its full length out.
%define GS_TEXT_IN(name, count)
%typemap(in) (const char *name, size_t count) {
    Py_ssize_t length;
    $1 = PyUnicode_Check($input) ? ($1_ltype)PyUnicode_AsUTF8AndSize($input, &length) : NULL;
    if (!$1) {
        if (!PyErr_Occurred()) gs_py_wrong_type(NULL, "$1_name", "str", $input);
        SWIG_fail;
    }
    $2 = (size_t)length;
}
%typemap(freearg) (const char *name, size_t count) "";
%enddef
%define GS_TEXT_OUT(name, capacity, total)
%typemap(in) (char *name, size_t capacity, size_t *total) (char *text = NULL, size_t written = 0) {
    uint64_t number;
    if (gs_py_unsigned_number($input, "$2_name", &number) < 0) SWIG_fail;
    text = number < PY_SSIZE_T_MAX ? PyMem_Calloc((size_t)number + 1, 1) : NULL;
    if (!text) {
        PyErr_NoMemory();
        SWIG_fail;
    }
    $1 = text;
    $2 = (size_t)number;
    $3 = &written;
}
%typemap(freearg) (char *name, size_t capacity, size_t *total) { PyMem_Free(text$argnum); }
%typemap(argout) (char *name, size_t capacity, size_t *total) {
    $result = SWIG_Python_AppendOutput($result, PyUnicode_DecodeUTF8($1, (Py_ssize_t)strlen($1), "replace"), 1);
    if ($result) $result = SWIG_Python_AppendOutput($result, PyLong_FromSize_t(*$3), 1);
    if (!$result) SWIG_fail;
}
%enddef
