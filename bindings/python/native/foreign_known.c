/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign_known.h"

#include "hooks.h"

enum { PLACES = 64, PER_THREAD = 2 };

static struct {
    PyObject *given; /* whose wrapper it is: compared, never used */
    uint64_t native;
    gs_py_foreign_stream *wrapper; /* NULL: free */
} places[PLACES];

static size_t place_of(uint64_t native) { return (size_t)(native * UINT64_C(0x9E3779B97F4A7C15) >> 58) % PLACES; }

PyObject *gs_py_find_foreign(uint64_t native, PyObject *given, int *out_known) {
    const size_t at = place_of(native);
    gs_py_foreign_stream *wrapper = places[at].wrapper;
    /* One whose reference was taken from it stands for nothing any more. */
    *out_known = wrapper && places[at].native == native && wrapper->base.own;
    if (!*out_known || places[at].given != given) return NULL;
    Py_INCREF(wrapper);
    return (PyObject *)wrapper;
}

void gs_py_know_foreign(gs_py_foreign_stream *wrapper, PyObject *given, uint64_t native) {
    const size_t at = place_of(native);
    if (!given || native <= PER_THREAD || places[at].wrapper || (PyObject *)Py_TYPE(wrapper) != gs_py_hook.external)
        return;
    places[at].given = given;
    places[at].native = native;
    places[at].wrapper = wrapper;
    wrapper->place = at + 1;
}

void gs_py_forget_foreign(gs_py_foreign_stream *wrapper) {
    if (wrapper->place) places[wrapper->place - 1].wrapper = NULL;
    wrapper->place = 0;
}
