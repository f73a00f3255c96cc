/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the place of the GIL in an interpreter without one (docs/adr/0031-without-the-gil.md). With the GIL all of it is
   nothing: plain reads and writes, no locks. */
#ifndef GPUSTREAM_PYTHON_THREADS_H
#define GPUSTREAM_PYTHON_THREADS_H

#include "common.h"

/* The tables that have a lock. */
enum {
    GS_PY_FOREIGN_TABLE, /* foreign_known.c */
    GS_PY_KEPT_TABLE,    /* known_streams.c */
    GS_PY_WORD_TABLE,    /* device_class.c */
    GS_PY_PLACE_TABLE,   /* known_streams.c: one for each of the places */
    GS_PY_KNOWN_STREAMS = 64,
    GS_PY_TABLES = GS_PY_PLACE_TABLE + GS_PY_KNOWN_STREAMS
};

#ifdef Py_GIL_DISABLED

/* Words that threads read and write without a lock. Who sees a value sees what was written before it. */
#define GS_PY_LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define GS_PY_STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define GS_PY_CHANGED(place, change) __atomic_add_fetch(&(place), (change), __ATOMIC_ACQ_REL)

/* Of caches that are as good for one thread as for all. */
#define GS_PY_PER_THREAD __thread

/* A table's lock. Nothing that runs Python code happens under one. */
extern GS_PY_HIDDEN PyMutex gs_py_mutexes[GS_PY_TABLES];
#define GS_PY_LOCK(table) PyMutex_Lock(&gs_py_mutexes[table])
#define GS_PY_UNLOCK(table) PyMutex_Unlock(&gs_py_mutexes[table])

/* One object's lock, as the interpreter has it for its own objects. A thread that waits for another lock, or gives its turn to
   the interpreter up, lets go of it as it would of the GIL. */
#define GS_PY_OBJECT_LOCK(object) Py_BEGIN_CRITICAL_SECTION(object)
#define GS_PY_OBJECT_UNLOCK() Py_END_CRITICAL_SECTION()

/* Makes a place that was NULL refer to an object permanently. Takes the reference; returns what the place refers to then. */
static inline PyObject *gs_py_publish(PyObject **place, PyObject *made) {
    PyObject *found = NULL;
    if (__atomic_compare_exchange_n(place, &found, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
    Py_DECREF(made);
    return found;
}

/* What a weak reference refers to, as a new reference; NULL if the object is gone or the weak reference is NULL. */
static inline PyObject *gs_py_referent(PyObject *weak) {
    PyObject *object = NULL;
    return weak && PyWeakref_GetRef(weak, &object) > 0 ? object : NULL;
}

#else

#define GS_PY_LOAD(place) (place)
#define GS_PY_STORE(place, value) ((place) = (value))
#define GS_PY_CHANGED(place, change) ((place) += (change))
#define GS_PY_PER_THREAD
#define GS_PY_LOCK(table) ((void)0)
#define GS_PY_UNLOCK(table) ((void)0)
#define GS_PY_OBJECT_LOCK(object) {
#define GS_PY_OBJECT_UNLOCK() }

static inline PyObject *gs_py_publish(PyObject **place, PyObject *made) {
    if (!*place) return *place = made;
    Py_DECREF(made);
    return *place;
}

#endif

/* In a forked child: locks that threads of the parent held are free. */
void gs_py_forget_locks(void);

#endif
