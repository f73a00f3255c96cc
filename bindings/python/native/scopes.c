/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

#include "entries.h"
#include "errors.h"
#include "owner.h"

static const uint64_t NO_SCOPE = UINT64_MAX; /* the library never numbers a scope so */

/* Owner and token. An owner that ends leaves its entries, whose tokens end nothing else. */
static __thread gs_py_entries thread_scopes;

static uint64_t key_of(PyObject *owner) { return (uint64_t)(uintptr_t)owner; }

int gs_py_scope_enter(PyObject *owner, PyObject *stream, uint64_t *out) {
    gs_py_entries *const scopes = &thread_scopes;
    if (gs_py_entries_reserve(scopes) < 0 || gs_py_check(gs_push_current_stream(gs_py_stream(stream), out)) < 0)
        return -1;
    gs_py_entries_add(scopes, key_of(owner), *out);
    gs_py_became_current(stream);
    return 0;
}

uint64_t gs_py_scope_of(PyObject *owner) {
    const gs_py_entry *found = gs_py_entries_find(&thread_scopes, key_of(owner));
    return found ? found->value : 0;
}

/* Every scope inside the one that ended has ended too. */
static void forget(gs_py_entries *scopes, uint64_t token) {
    gs_py_entry *const first = gs_py_entries_at(scopes);
    for (gs_py_entry *at = first + scopes->count; at > first;)
        if ((--at)->value == token) {
            gs_py_entries_cut(scopes, at);
            return;
        }
}

PyObject *gs_py_scope_leave(uint64_t token) {
    const gs_status_t status = gs_pop_current_stream(token ? token : NO_SCOPE);
    if (GS_PY_LIKELY(status != GS_ERROR_SCOPE)) forget(&thread_scopes, token);
    return gs_py_none_or_fail(status);
}
