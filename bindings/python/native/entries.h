/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread has entered and not left, innermost last: pairs of a key and a value. */
#ifndef GPUSTREAM_PYTHON_ENTRIES_H
#define GPUSTREAM_PYTHON_ENTRIES_H

#include "common.h"

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

#endif
