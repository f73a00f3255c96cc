/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_known.h"

#include "hooks.h"

#ifndef Py_GIL_DISABLED /* else: foreign_known_threads.c */

enum { SETS = 16, WAYS = 4, PER_THREAD = 2 };

/* A raw handle has its place in one set. */
static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    gs_py_foreign_stream *wrapper; /* NULL: free */
} places[SETS * WAYS];
static unsigned next_way; /* that gives way in a full set */

static size_t set_of(uint64_t native) { return (size_t)(native * UINT64_C(0x9E3779B97F4A7C15) >> 60) * WAYS; }

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
    if (!given || native <= PER_THREAD || (PyObject *)Py_TYPE(wrapper) != gs_py_hook.external) return;
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

#endif
