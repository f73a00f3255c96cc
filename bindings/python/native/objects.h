/* SPDX-License-Identifier: Apache-2.0 */
/* How streams and events look in memory, and which classes they have. */
#ifndef GPUSTREAM_PYTHON_OBJECTS_H
#define GPUSTREAM_PYTHON_OBJECTS_H

#include "threads.h"

#include <structmember.h> /* PyMemberDef, before Python 3.12 */

/* Who owns the handle. */
enum {
    GS_PY_BORROWED = 0, /* another owner; also of an object that was closed */
    GS_PY_OWNED = 1,    /* the object has one reference: the only value on hot paths */
    GS_PY_POISONED = 2, /* owned; an event of contradicting flags, whose first use must fail */
    GS_PY_KEPT = 4,     /* owned and never given back: a default stream, whose object all callers share */
    GS_PY_TYPED = 16    /* owned; times the backend that a generic event is meant for */
};

typedef struct gs_py_object {
    PyObject ob_base;
    void *handle; /* gs_stream_t or gs_event_t. NULL: closed, or not made yet; the library answers INVALID_HANDLE */
    int own;
    int provisional; /* __new__ made it from arguments that were perhaps meant for a subclass's __init__ */
    PyObject *weak_references;
    struct gs_py_object *next_known; /* known_streams.c */
#ifdef Py_GIL_DISABLED
    PyObject *weak; /* to itself, once it is known */
#endif
} gs_py_object;

/* A stream of another library (owner.h). */
typedef struct gs_py_foreign_stream {
    gs_py_object base;
    PyObject *owner; /* NULL: the caller keeps the stream alive */
    PyObject *cell;  /* what the library keeps; NULL where it knew the driver's stream already and so keeps nothing */
    size_t place;    /* in foreign_known.c, counted from 1; 0: none */
} gs_py_foreign_stream;

/* gpustream.generic.Stream and .Event; gpustream.Stream and .Event, which derive from them; and the base of
   gpustream.ExternalStream, which derives from gpustream.Stream. */
extern GS_PY_HIDDEN PyTypeObject *gs_py_generic_stream_type, *gs_py_generic_event_type;
extern GS_PY_HIDDEN PyTypeObject *gs_py_stream_type, *gs_py_event_type;
extern GS_PY_HIDDEN PyTypeObject *gs_py_foreign_stream_type;

/* For the classes' slots. */
extern GS_PY_HIDDEN PyMemberDef gs_py_object_members[];

static inline gs_py_object *gs_py_object_of(PyObject *object) { return (gs_py_object *)object; }
static inline gs_stream_t gs_py_stream(PyObject *object) {
    return (gs_stream_t)GS_PY_LOAD(gs_py_object_of(object)->handle);
}
static inline gs_event_t gs_py_event(PyObject *object) {
    return (gs_event_t)GS_PY_LOAD(gs_py_object_of(object)->handle);
}
static inline int gs_py_own(PyObject *object) { return GS_PY_LOAD(gs_py_object_of(object)->own); }

static inline int gs_py_is_stream(PyObject *object) {
    return GS_PY_LIKELY(Py_TYPE(object) == gs_py_stream_type) ||
           PyType_IsSubtype(Py_TYPE(object), gs_py_generic_stream_type);
}
static inline int gs_py_is_event(PyObject *object) {
    return GS_PY_LIKELY(Py_TYPE(object) == gs_py_event_type) ||
           PyType_IsSubtype(Py_TYPE(object), gs_py_generic_event_type);
}

/* What an object had. */
typedef struct gs_py_had {
    void *handle;
    int own;
} gs_py_had;

/* Sets an object's handle. What it had is the caller's to end, and no other thread's. An object that is kept stays as
   it is, which the answer says. */
static inline gs_py_had gs_py_put(PyObject *self, void *handle, int own) {
    gs_py_object *object = gs_py_object_of(self);
    gs_py_had had;
    GS_PY_OBJECT_LOCK(self);
    had.handle = object->handle;
    had.own = object->own;
    if (had.own != GS_PY_KEPT) {
        GS_PY_STORE(object->handle, handle);
        GS_PY_STORE(object->own, own);
    }
    GS_PY_OBJECT_UNLOCK();
    return had;
}

/* A new object for a handle, whose reference becomes the object's, or is given back on failure. */
PyObject *gs_py_wrap_stream(PyTypeObject *type, gs_stream_t stream, int own);
PyObject *gs_py_wrap_event(PyTypeObject *type, gs_event_t event, int own);

/* The end of tp_dealloc: the memory, and the reference to the class. */
void gs_py_free_object(PyObject *self);

/* Where a stream is expected. *out_owner is a new reference that keeps the wrapper of another library's stream, else
   NULL. The slow form is for everything but this package's streams. Returns 0 or -1. */
int gs_py_stream_from_other(PyObject *given, const char *name, gs_stream_t *out, PyObject **out_owner);

static inline int gs_py_stream_from(PyObject *given, const char *name, gs_stream_t *out, PyObject **out_owner) {
    if (GS_PY_UNLIKELY(!gs_py_is_stream(given))) return gs_py_stream_from_other(given, name, out, out_owner);
    *out_owner = NULL;
    *out = gs_py_stream(given);
    return 0;
}

/* Where an event is expected; names as in convert.h. Returns 0, or -1 with TypeError set. */
void gs_py_not_an_event(PyObject *given, const char *function, const char *name);

static inline int gs_py_event_from(PyObject *given, const char *function, const char *name, gs_event_t *out) {
    if (GS_PY_LIKELY(gs_py_is_event(given))) return *out = gs_py_event(given), 0;
    gs_py_not_an_event(given, function, name);
    return -1;
}

/* Construction of classes that users derive. Calls of the classes themselves come by their vectorcall.

   torch's objects are made by __new__, and so is every object here: a subclass's __init__ need not call this one.
   Python's usual way is an __init__ with parameters of its own, which passes some of them on. So where a subclass has
   an __init__, and __new__ got no arguments from a __new__ of the subclass, the object that __new__ makes is
   provisional: the first arguments that reach __init__ here correct it. */

/* Fills a new object from the arguments. Returns 0 or -1. */
typedef int (*gs_py_fill)(PyObject *self, PyObject *tuple, PyObject *dict);

/* tp_new: `own_new`, `own_init`: the subclass overrides them. */
PyObject *gs_py_new_object(PyTypeObject *type, int own_new, int own_init, gs_py_fill fill, PyObject *tuple,
                           PyObject *dict);

#endif
