/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

#include <string.h>

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
