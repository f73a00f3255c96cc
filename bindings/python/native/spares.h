/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that have no references and wait to be used again, in place of one allocation and one free for each. They keep
   their class, and the reference to it. For classes that are never freed. The GIL guards them; without one there are none, as
   the interpreter's own allocator has such lists for each thread. */
#ifndef GPUSTREAM_PYTHON_SPARES_H
#define GPUSTREAM_PYTHON_SPARES_H

#include "common.h"

enum { GS_PY_MOST_SPARES = 8 };

#ifdef Py_GIL_DISABLED

typedef struct gs_py_spares {
    char none;
} gs_py_spares;

static inline PyObject *gs_py_spares_take(gs_py_spares *all) { return (void)all, NULL; }
static inline int gs_py_spares_give(gs_py_spares *all, PyObject *object) { return (void)all, (void)object, 0; }

#else

typedef struct gs_py_spares {
    PyObject *objects[GS_PY_MOST_SPARES];
    int count;
} gs_py_spares;

/* New reference to one, without an exception NULL. Its class is set, so that only the reference is to be made again. */
static inline PyObject *gs_py_spares_take(gs_py_spares *all) {
    if (GS_PY_UNLIKELY(all->count == 0)) return NULL;
    PyObject *object = all->objects[--all->count];
#if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
    _Py_NewReference(object);
#else
    Py_SET_REFCNT(object, 1);
#endif
    return object;
}

/* Whether there was room; then the list owns the object, which the collector does not track. */
static inline int gs_py_spares_give(gs_py_spares *all, PyObject *object) {
    if (GS_PY_UNLIKELY(all->count == GS_PY_MOST_SPARES)) return 0;
    all->objects[all->count++] = object;
    return 1;
}

#endif

#endif
