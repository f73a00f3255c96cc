/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks that each thread has entered by Python objects and not left, of all kinds in one list: they end in order.

   A with block keeps the token of its own scope (enter.c), so it never ends another one. Where __exit__ is called by its
   name there is no block: what ends is the thread's innermost scope of that object, which this file knows. */
#ifndef GPUSTREAM_PYTHON_SCOPES_H
#define GPUSTREAM_PYTHON_SCOPES_H

#include "errors.h"
#include "owner.h"

/* What a thread has entered and not left, innermost last: pairs of a key and a value. */

enum { GS_PY_FEW_ENTRIES = 16 };

typedef struct gs_py_entry {
    uint64_t key, value;
} gs_py_entry;

/* Thread-local; zero at first. */
typedef struct gs_py_entries {
    gs_py_entry *more; /* NULL while `few` suffices */
    size_t count, capacity;
    gs_py_entry few[GS_PY_FEW_ENTRIES];
} gs_py_entries;

static inline gs_py_entry *gs_py_entries_at(gs_py_entries *all) { return all->more ? all->more : all->few; }

/* Returns 0, or -1 with MemoryError set. */
int gs_py_entries_grow(gs_py_entries *all);

/* Room for one more, so that adding it cannot fail. Returns 0, or -1 with MemoryError set. */
static inline int gs_py_entries_reserve(gs_py_entries *all) {
    return GS_PY_LIKELY(all->count < GS_PY_FEW_ENTRIES) ? 0 : gs_py_entries_grow(all);
}

static inline void gs_py_entries_add(gs_py_entries *all, uint64_t key, uint64_t value) {
    gs_py_entries_at(all)[all->count++] = (gs_py_entry){key, value};
}

/* The innermost entry with the key, or NULL. */
static inline gs_py_entry *gs_py_entries_find(gs_py_entries *all, uint64_t key) {
    gs_py_entry *const first = gs_py_entries_at(all);
    for (gs_py_entry *at = first + all->count; at > first;)
        if ((--at)->key == key) return at;
    return NULL;
}

/* Threads end without notice, so the memory goes with the last entry. */
void gs_py_entries_shrink(gs_py_entries *all);

/* Removes one entry and all inside it. */
static inline void gs_py_entries_cut(gs_py_entries *all, gs_py_entry *entry) {
    all->count = (size_t)(entry - gs_py_entries_at(all));
    if (GS_PY_UNLIKELY(all->more != NULL)) gs_py_entries_shrink(all);
}

/* Of streams: the owner's address, and the token. An owner that ends leaves its entries, whose tokens end nothing else. Of
   blocks without a stream: an odd number of the block's own, and a device to go back to or NO_DEVICE. */
enum { GS_PY_NO_DEVICE = -1 };
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

static inline int gs_py_scope_has_no_stream(const gs_py_entry *entry) { return (entry->key & 1) != 0; }

/* The number of a new block without a stream, or of an object that has such blocks. */
uint64_t gs_py_scope_number(void);

/* The thread's innermost block with the number if no other block is inside it; else NULL with ScopeError set, which names
   the kind of the block and the thread that began it. */
gs_py_entry *gs_py_scope_innermost(uint64_t number, const char *what, uint64_t opener);

/* scope_begin(): the number of a new block without a stream. scope_end(number, what, opener): ends it, or raises. */
PyObject *gs_py_scope_begin(PyObject *module, PyObject *unused);
PyObject *gs_py_scope_end(PyObject *module, PyObject *arguments);

/* Ends a scope that is not the list's last entry, or fails. */
PyObject *gs_py_scope_leave_slowly(uint64_t token);

/* Removes the entry of a scope that has ended, and of those inside it, which have ended too. */
void gs_py_scope_forget(gs_py_entries *scopes, uint64_t token);

/* open_scopes(): how many blocks the calling thread is in. unwind_scopes(number): ends all but so many, the innermost first. */
PyObject *gs_py_open_scopes(PyObject *module, PyObject *unused);
PyObject *gs_py_unwind_scopes(PyObject *module, PyObject *number);

/* Ends the scope if it is the thread's innermost, else ScopeError; token 0 names no scope. None or NULL. */
static inline PyObject *gs_py_scope_leave(uint64_t token) {
    gs_py_entries *scopes = &gs_py_thread_scopes;
    GS_PY_KEEP_ADDRESS(scopes);
    if (GS_PY_UNLIKELY(scopes->more || !scopes->count || scopes->few[scopes->count - 1].value != token))
        return gs_py_scope_leave_slowly(token);
    const gs_status_t status = gs_pop_current_stream(token);
    if (GS_PY_UNLIKELY(status == GS_ERROR_SCOPE)) return gs_py_none_or_fail(status);
    --scopes->count;
    /* In a forked child there is nothing to go back to. */
    return gs_py_none_or_fail(status == GS_ERROR_BAD_FORK ? GS_OK : status);
}

/* `with` blocks of streams and StreamContext.

   The interpreter asks the class for __enter__ and __exit__, binds both to the object and calls the first at once. Here
   the bound __exit__ takes the token of the scope that is entered next on its thread by its object: that of its own
   block. So blocks of one object that overlap, as those of two generators may, never end each other's scope.

   The objects that bind come from places of their own and return to them. The garbage collector tracks those
   of objects that it tracks. */

/* Stream.__enter__(), and __exit__(*exception), which ends the thread's innermost scope of this stream. */
PyObject *gs_py_enter(PyObject *self, PyObject *unused);
PyObject *gs_py_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/* Enters a scope of `object` that makes `stream` current. Returns 0 or -1. */
int gs_py_enter_scope(PyObject *object, PyObject *stream);

/* What a class's two methods do. `leave` gets the token of its own block, or 0: the innermost scope of the object. */
typedef struct gs_py_scope_methods {
    PyObject *(*enter)(PyObject *object, PyObject *unused);
    PyObject *(*leave)(PyObject *object, uint64_t token);
    size_t tracked; /* where in the object an int says whether the collector tracks it; 0: the collector is asked */
} gs_py_scope_methods;

extern GS_PY_HIDDEN const gs_py_scope_methods gs_py_stream_scope;

/* Replaces the methods __enter__ and __exit__ of a class, which must have both. Returns 0 or -1. */
int gs_py_replace_scope_methods(PyTypeObject *type, const gs_py_scope_methods *methods);

#endif
