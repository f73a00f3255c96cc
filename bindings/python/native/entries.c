/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

#include <string.h>

int gs_py_entries_reserve(gs_py_entries *all) {
    const size_t capacity = all->more ? all->capacity : GS_PY_FEW_ENTRIES;
    if (GS_PY_LIKELY(all->count < capacity)) return 0;
    gs_py_entry *more = PyMem_RawRealloc(all->more, 2 * capacity * sizeof *more);
    if (!more) return PyErr_NoMemory(), -1;
    if (!all->more) memcpy(more, all->few, sizeof all->few);
    all->more = more;
    all->capacity = 2 * capacity;
    return 0;
}

/* Threads end without notice, so the memory goes with the last entry. */
static void shrink(gs_py_entries *all) {
    if (GS_PY_LIKELY(!all->more) || all->count != 0) return;
    PyMem_RawFree(all->more);
    all->more = NULL;
}

void gs_py_entries_remove(gs_py_entries *all, gs_py_entry *entry) {
    const size_t inside = (size_t)(gs_py_entries_at(all) + all->count - (entry + 1));
    memmove(entry, entry + 1, inside * sizeof *entry);
    --all->count;
    shrink(all);
}

void gs_py_entries_cut(gs_py_entries *all, gs_py_entry *entry) {
    all->count = (size_t)(entry - gs_py_entries_at(all));
    shrink(all);
}
