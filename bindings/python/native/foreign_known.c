/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_known.h"

#include "hooks.h"

enum { SETS = 16, WAYS = 4, PER_THREAD = 2 };

static size_t set_of(uint64_t native) { return (size_t)(native * UINT64_C(0x9E3779B97F4A7C15) >> 60) * WAYS; }
static unsigned next_way; /* that gives way in a full set */

#ifndef Py_GIL_DISABLED
/* A raw handle has its place in one set. */
static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    gs_py_foreign_stream *wrapper; /* NULL: free */
} places[SETS * WAYS];

PyObject *gs_py_find_foreign(uint64_t native, PyObject *given, int *out_known) {
    const size_t first = set_of(native);
    *out_known = 0;
    for (size_t at = first; at < first + WAYS; ++at) {
        gs_py_foreign_stream *wrapper = places[at].wrapper;
        /* One whose reference was taken from it stands for nothing any more. */
        if (!wrapper || places[at].native != native || !wrapper->base.own) continue;
        *out_known = 1;
        if (places[at].given != given) continue;
        Py_INCREF(wrapper);
        return (PyObject *)wrapper;
    }
    return NULL;
}

void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native) {
    if (!given || native <= PER_THREAD || Py_TYPE(wrapper) != gs_py_external_type) return;
    const size_t first = set_of(native);
    size_t at = first;
    while (at < first + WAYS && places[at].wrapper) ++at;
    if (at == first + WAYS) { /* the newest is the likeliest to be asked for */
        at = first + next_way++ % WAYS;
        gs_py_forget_foreign(places[at].wrapper);
    }
    places[at].given = given;
    places[at].native = native;
    places[at].wrapper = wrapper;
    wrapper->place = at + 1;
}

void gs_py_forget_foreign(gs_py_foreign_stream *wrapper) {
    if (wrapper->place) places[wrapper->place - 1].wrapper = NULL;
    wrapper->place = 0;
}
#else
/* A raw handle has its place in one set. */
static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    PyObject *weak;                /* of the wrapper; NULL: free */
    gs_py_foreign_stream *wrapper; /* which forgets itself before its memory ends */
} places[SETS * WAYS];

/* The weak reference, which the caller drops without the lock. */
static PyObject *empty(size_t at) {
    PyObject *weak = places[at].weak;
    places[at].weak = NULL;
    if (weak) places[at].wrapper->place = 0;
    return weak;
}

PyObject *gs_py_find_foreign(uint64_t native, PyObject *given, int *out_known) {
    const size_t first = set_of(native);
    PyObject *found = NULL;
    *out_known = 0;
    GS_PY_LOCK(GS_PY_FOREIGN_TABLE);
    for (size_t at = first; at < first + WAYS && !found; ++at)
        if (places[at].native == native && places[at].given == given) found = gs_py_referent(places[at].weak);
    GS_PY_UNLOCK(GS_PY_FOREIGN_TABLE);
    /* One whose reference was taken from it stands for nothing any more. */
    if (!found || gs_py_own(found)) return found;
    Py_DECREF(found);
    return NULL;
}

void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native) {
    if (!given || native <= PER_THREAD || Py_TYPE(wrapper) != gs_py_external_type) return;
    PyObject *weak = PyWeakref_NewRef((PyObject *)wrapper, NULL), *before = NULL;
    if (!weak) return PyErr_Clear(); /* no memory: the object gets another wrapper when it comes again */
    const size_t first = set_of(native);
    size_t at = first;
    GS_PY_LOCK(GS_PY_FOREIGN_TABLE);
    while (at < first + WAYS && places[at].weak) ++at;
    if (at == first + WAYS) { /* the newest is the likeliest to be asked for */
        at = first + next_way++ % WAYS;
        before = empty(at);
    }
    places[at].given = given;
    places[at].native = native;
    places[at].wrapper = wrapper;
    wrapper->place = at + 1;
    places[at].weak = weak;
    GS_PY_UNLOCK(GS_PY_FOREIGN_TABLE);
    Py_XDECREF(before);
}

void gs_py_forget_foreign(gs_py_foreign_stream *wrapper) {
    PyObject *weak = NULL;
    GS_PY_LOCK(GS_PY_FOREIGN_TABLE);
    if (wrapper->place) weak = empty(wrapper->place - 1);
    GS_PY_UNLOCK(GS_PY_FOREIGN_TABLE);
    Py_XDECREF(weak);
}
#endif
