/* SPDX-License-Identifier: Apache-2.0 */
/* The scopes that each thread has entered by Python objects and not left.

   A with block keeps the token of its own scope (enter.h), so it never ends another one. Where __exit__ is called by its
   name there is no block: what ends is the thread's innermost scope of that object, which this file knows. */
#ifndef GPUSTREAM_PYTHON_SCOPES_H
#define GPUSTREAM_PYTHON_SCOPES_H

#include "entries.h"
#include "errors.h"
#include "owner.h"

/* Owner and token. An owner that ends leaves its entries, whose tokens end nothing else. */
extern GS_PY_HIDDEN __thread gs_py_entries gs_py_thread_scopes;

/* Makes `stream` current on behalf of `owner`, which is a stream or a StreamContext. *out: the scope's token. Returns 0, or
   -1 with the exception set. */
static inline int gs_py_scope_enter(PyObject *owner, PyObject *stream, uint64_t *out) {
    gs_py_entries *scopes = &gs_py_thread_scopes;
    GS_PY_KEEP_ADDRESS(scopes);
    if (gs_py_entries_reserve(scopes) < 0 || gs_py_check(gs_push_current_stream(gs_py_stream(stream), out)) < 0)
        return -1;
    gs_py_entries_add(scopes, (uint64_t)(uintptr_t)owner, *out);
    gs_py_became_current(stream);
    return 0;
}

/* The token of this thread's innermost scope of `owner`; 0: there is none. */
uint64_t gs_py_scope_of(PyObject *owner);

/* Removes the entry of a scope that has ended, and of those inside it, which have ended too. */
void gs_py_scope_forget(gs_py_entries *scopes, uint64_t token);

/* open_scopes(): how many the calling thread has. unwind_scopes(number): ends all but so many, the innermost first. */
PyObject *gs_py_open_scopes(PyObject *module, PyObject *unused);
PyObject *gs_py_unwind_scopes(PyObject *module, PyObject *number);

/* Ends the scope if it is the thread's innermost, else ScopeError; token 0 names no scope. None or NULL. */
static inline PyObject *gs_py_scope_leave(uint64_t token) {
    gs_py_entries *scopes = &gs_py_thread_scopes;
    GS_PY_KEEP_ADDRESS(scopes);
    const gs_status_t status = gs_pop_current_stream(token ? token : UINT64_MAX); /* never a scope's number */
    if (GS_PY_UNLIKELY(status == GS_ERROR_SCOPE)) return gs_py_none_or_fail(status);
    if (GS_PY_LIKELY(!scopes->more && scopes->count && scopes->few[scopes->count - 1].value == token))
        --scopes->count;
    else
        gs_py_scope_forget(scopes, token);
    return gs_py_none_or_fail(status);
}

#endif
