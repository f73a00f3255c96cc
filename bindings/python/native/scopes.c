/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

#include "convert.h"

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

PyObject *gs_py_open_scopes(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyLong_FromSize_t(gs_py_thread_scopes.count);
}

PyObject *gs_py_unwind_scopes(PyObject *module, PyObject *number) {
    (void)module;
    uint64_t left;
    if (gs_py_uint64("unwind_scopes", "number", number, &left) < 0) return NULL;
    gs_py_entries *scopes = &gs_py_thread_scopes;
    gs_status_t status = GS_ERROR_SCOPE;
    /* One that another language has ended ends nothing else. */
    for (size_t at = (size_t)left; at < scopes->count && status == GS_ERROR_SCOPE; ++at)
        status = gs_unwind_current_stream(gs_py_entries_at(scopes)[at].value);
    if (left < scopes->count) gs_py_entries_cut(scopes, gs_py_entries_at(scopes) + left);
    return gs_py_none_or_fail(status == GS_ERROR_SCOPE ? GS_OK : status);
}
