/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

#include "convert.h"
#include "threads.h"
#include <string.h>

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

uint64_t gs_py_scope_number(void) {
    static uint64_t numbers;
    return GS_PY_CHANGED(numbers, 1) * 2 + 1;
}

gs_py_entry *gs_py_scope_innermost(uint64_t number, const char *what, uint64_t opener) {
    gs_py_entries *scopes = &gs_py_thread_scopes;
    gs_py_entry *found = gs_py_entries_find(scopes, number);
    const unsigned long long began = opener, here = PyThread_get_thread_ident();
    if (found && found + 1 == gs_py_entries_at(scopes) + scopes->count) return found;
    if (found)
        gs_py_fail_with(GS_ERROR_SCOPE, "%s: the block that thread %llu began ends before one inside it", what, began);
    else if (began && began != here)
        gs_py_fail_with(GS_ERROR_SCOPE, "%s: the block that thread %llu began ends on thread %llu", what, began, here);
    else
        gs_py_fail_with(GS_ERROR_SCOPE, "%s: this thread has not entered it, or has left it already", what);
    return NULL;
}

PyObject *gs_py_scope_begin(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (gs_py_entries_reserve(&gs_py_thread_scopes) < 0) return NULL;
    const uint64_t number = gs_py_scope_number();
    gs_py_entries_add(&gs_py_thread_scopes, number, (uint64_t)GS_PY_NO_DEVICE);
    return gs_py_unsigned(number);
}

PyObject *gs_py_scope_end(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long number, opener;
    const char *what;
    if (!PyArg_ParseTuple(arguments, "KsK", &number, &what, &opener)) return NULL;
    gs_py_entry *entry = gs_py_scope_innermost(number, what, opener);
    if (!entry) return NULL;
    gs_py_entries_cut(&gs_py_thread_scopes, entry);
    Py_RETURN_NONE;
}

PyObject *gs_py_scope_leave_slowly(uint64_t token) {
    gs_py_entries *scopes = &gs_py_thread_scopes;
    gs_py_entry *const first = gs_py_entries_at(scopes);
    if (!token)
        return gs_py_fail_with(GS_ERROR_SCOPE, "this thread has not entered the block, or has left it already"), NULL;
    for (gs_py_entry *at = first + scopes->count; at > first && (--at)->value != token;)
        if (gs_py_scope_has_no_stream(at))
            return gs_py_fail_with(GS_ERROR_SCOPE,
                                   "a stream's block ends before one of a device, pool, graph or range inside it"),
                   NULL;
    const gs_status_t status = gs_pop_current_stream(token);
    if (status == GS_ERROR_SCOPE) return gs_py_none_or_fail(status);
    gs_py_scope_forget(scopes, token);
    return gs_py_none_or_fail(status == GS_ERROR_BAD_FORK ? GS_OK : status);
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
    gs_status_t outcome = GS_OK;
    for (size_t at = scopes->count; at > (size_t)left;) {
        const gs_py_entry entry = gs_py_entries_at(scopes)[--at];
        gs_device_t previous = (gs_device_t)(int64_t)entry.value;
        gs_status_t status = GS_OK;
        if (!gs_py_scope_has_no_stream(&entry))
            status = gs_unwind_current_stream(entry.value);
        else if (previous >= 0)
            status = gs_exchange_device(previous, &previous);
        /* One that another language has ended ends nothing else. */
        if (status != GS_OK && status != GS_ERROR_SCOPE) outcome = status;
    }
    if (left < scopes->count) gs_py_entries_cut(scopes, gs_py_entries_at(scopes) + left);
    return gs_py_none_or_fail(outcome);
}

int gs_py_entries_grow(gs_py_entries *all) {
    const size_t capacity = all->more ? all->capacity : GS_PY_FEW_ENTRIES;
    if (all->count < capacity) return 0;
    gs_py_entry *more = PyMem_RawRealloc(all->more, 2 * capacity * sizeof *more);
    if (!more) return PyErr_NoMemory(), -1;
    if (!all->more) memcpy(more, all->few, sizeof all->few);
    all->more = more;
    all->capacity = 2 * capacity;
    return 0;
}

void gs_py_entries_shrink(gs_py_entries *all) {
    if (all->count != 0) return;
    PyMem_RawFree(all->more);
    all->more = NULL;
}
