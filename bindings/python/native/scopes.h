/* SPDX-License-Identifier: Apache-2.0 */
/* The scopes that each thread has entered by Python objects and not left.

   A with block keeps the token of its own scope (enter.h), so it never ends another one. Where __exit__ is called by its
   name there is no block: what ends is the thread's innermost scope of that object, which this file knows. */
#ifndef GPUSTREAM_PYTHON_SCOPES_H
#define GPUSTREAM_PYTHON_SCOPES_H

#include "common.h"

/* Makes `stream` current on behalf of `owner`, which is a stream or a StreamContext. *out: the scope's token. Returns 0, or
   -1 with the exception set. */
int gs_py_scope_enter(PyObject *owner, PyObject *stream, uint64_t *out);

/* The token of this thread's innermost scope of `owner`; 0: there is none. */
uint64_t gs_py_scope_of(PyObject *owner);

/* Ends the scope if it is the thread's innermost, else ScopeError; token 0 names no scope. None or NULL. */
PyObject *gs_py_scope_leave(uint64_t token);

#endif
