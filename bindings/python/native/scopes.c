/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

__thread gs_py_entries gs_py_thread_scopes;

uint64_t gs_py_scope_of(PyObject *owner) {
    const gs_py_entry *found = gs_py_entries_find(&gs_py_thread_scopes, (uint64_t)(uintptr_t)owner);
    return found ? found->value : 0;
}

void gs_py_scope_forget(gs_py_entries *scopes, uint64_t token) {
    gs_py_entry *const first = gs_py_entries_at(scopes);
    for (gs_py_entry *at = first + scopes->count; at > first;)
        if ((--at)->value == token) {
            gs_py_entries_cut(scopes, at);
            return;
        }
}
