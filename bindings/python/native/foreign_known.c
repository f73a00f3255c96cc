/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_stream.h"

#include "hooks.h"

enum { SETS = 16, WAYS = 4, PER_THREAD = 2 };

static size_t set_of(uint64_t native) { return (size_t)(native * UINT64_C(0x9E3779B97F4A7C15) >> 60) * WAYS; }
static unsigned next_way; /* that gives way in a full set */

/* A raw handle has its place in one set. */
static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    gs_py_foreign_stream *wrapper; /* which forgets itself before its memory ends; NULL: free */
    PyObject *weak;                /* to it, without the GIL; else NULL */
} places[SETS * WAYS];

#ifdef Py_GIL_DISABLED

enum { STAYS = 0 };

/* Another thread may be giving the wrapper's last reference back, so its address alone will not do. -1: no memory. */
static int prepare(gs_py_foreign_stream *wrapper, PyObject **out_weak) {
    *out_weak = PyWeakref_NewRef((PyObject *)wrapper, NULL);
    return *out_weak ? 0 : (PyErr_Clear(), -1);
}
static PyObject *reference_to(size_t at) { return gs_py_referent(places[at].weak); }

#else

enum { STAYS = 1 };

static int prepare(gs_py_foreign_stream *wrapper, PyObject **out_weak) { return (void)wrapper, *out_weak = NULL, 0; }
static PyObject *reference_to(size_t at) { return Py_NewRef((PyObject *)places[at].wrapper); }

#endif

/* The weak reference, which the caller drops without the lock. */
static PyObject *empty(size_t at) {
    PyObject *weak = places[at].weak;
    places[at].wrapper->place = 0;
    places[at].wrapper = NULL;
    return weak;
}

PyObject *gs_py_find_foreign(uint64_t native, PyObject *given, int *out_known) {
    const size_t first = set_of(native);
    PyObject *found = NULL;
    *out_known = 0;
    GS_PY_LOCK(GS_PY_FOREIGN_TABLE);
    for (size_t at = first; at < first + WAYS && !found; ++at) {
        gs_py_foreign_stream *wrapper = places[at].wrapper;
        /* One whose reference was taken from it stands for nothing any more. */
        if (!wrapper || places[at].native != native || !GS_PY_LOAD(wrapper->base.own)) continue;
        *out_known = STAYS;
        if (places[at].given == given) found = reference_to(at);
    }
    GS_PY_UNLOCK(GS_PY_FOREIGN_TABLE);
    return found;
}

void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native) {
    if (!given || native <= PER_THREAD || Py_TYPE(wrapper) != gs_py_external_type) return;
    PyObject *weak, *before = NULL;
    if (prepare(wrapper, &weak) < 0) return; /* the object gets another wrapper when it comes again */
    const size_t first = set_of(native);
    size_t at = first;
    GS_PY_LOCK(GS_PY_FOREIGN_TABLE);
    while (at < first + WAYS && places[at].wrapper) ++at;
    if (at == first + WAYS) { /* the newest is the likeliest to be asked for */
        at = first + next_way++ % WAYS;
        before = empty(at);
    }
    places[at].given = given;
    places[at].native = native;
    places[at].wrapper = wrapper;
    places[at].weak = weak;
    wrapper->place = at + 1;
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
