// SPDX-License-Identifier: Apache-2.0
// How the extension's objects look, and what the other files of this folder share. Part of the one translation unit
// that SWIG generates: SwigPyObject is private to it.
//
// A Stream or Event is a SwigPyObject whose ptr is the gs_* handle. An object that was closed, or never initialised,
// has ptr NULL, which the library answers with GS_ERROR_INVALID_HANDLE like any other handle that is none.

#ifndef SWIG_HEAPTYPES
#error "the deallocators below give back the reference that an object holds on its heap type"
#endif

// SwigPyObject.own of our objects. SWIG itself only asks whether it equals SWIG_POINTER_OWN.
enum {
    GS_PY_BORROWED = 0,             // the handle belongs to somebody else
    GS_PY_OWNED = SWIG_POINTER_OWN, // one reference of the handle is ours: the only value on the hot paths
    GS_PY_POISONED = 2,             // owned; an event of contradicting flags, whose first use must fail
    GS_PY_KEPT = 4,                 // owned, for good: a default stream that everybody shares
    GS_PY_TYPED = 16                // owned; times the backend that a generic event is meant for
};

// The classes: what SWIG generated (gpustream.generic), and what is derived from it (gpustream).
static PyTypeObject *gs_py_stream_base, *gs_py_event_base;
static PyTypeObject *gs_py_stream_type, *gs_py_event_type;

// Functions of the package, for everything that is not hot.
static PyObject
    *gs_py_hook_error; // (status, reason, native_code, function, native_function, message, origin) -> exception
static PyObject *gs_py_hook_stream;   // (foreign object, name of the argument) -> Stream
static PyObject *gs_py_hook_device;   // (object, name of the argument) -> int
static PyObject *gs_py_hook_log;      // (level, text)
static PyObject *gs_py_hook_deferred; // (function, stack)
static PyObject *gs_py_hook_waiting;  // (function that synchronizes): while callbacks are pending

static inline void *gs_py_pointer(PyObject *object) { return ((SwigPyObject *)object)->ptr; }
static inline gs_stream_t gs_py_stream(PyObject *object) { return (gs_stream_t)gs_py_pointer(object); }
static inline gs_event_t gs_py_event(PyObject *object) { return (gs_event_t)gs_py_pointer(object); }

static inline int gs_py_is(PyObject *object, PyTypeObject *usual, PyTypeObject *base) {
    PyTypeObject *type = Py_TYPE(object);
    return SWIGPY_LIKELY(type == usual) || PyType_IsSubtype(type, base);
}
static inline int gs_py_is_stream(PyObject *object) { return gs_py_is(object, gs_py_stream_type, gs_py_stream_base); }
static inline int gs_py_is_event(PyObject *object) { return gs_py_is(object, gs_py_event_type, gs_py_event_base); }

// A new object of a type that needs no more than a handle. The handle's reference becomes the object's, also on failure.
static PyObject *gs_py_wrap(PyTypeObject *type, void *handle, int own) {
    const int stream =
        type == gs_py_stream_type || (type != gs_py_event_type && PyType_IsSubtype(type, gs_py_stream_base));
    SwigPyObject *object = (SwigPyObject *)type->tp_alloc(type, 0);
    if (SWIGPY_LIKELY(object != NULL)) {
        object->ptr = handle;
        object->ty = stream ? SWIGTYPE_p_gs_stream : SWIGTYPE_p_gs_event;
        object->own = own;
    } else if (own && stream) {
        gs_stream_destroy((gs_stream_t)handle);
    } else if (own) {
        gs_event_destroy((gs_event_t)handle);
    }
    return (PyObject *)object;
}

// A raw handle of the driver as Python shows it.
static inline PyObject *gs_py_unsigned(uintptr_t value) { return PyLong_FromUnsignedLongLong(value); }
