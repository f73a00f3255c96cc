// SPDX-License-Identifier: Apache-2.0
// Memory of a device that several processes use (api_shared_memory.cpp). All with the world's lock held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

struct Context;

// In a file that has no name, so that other processes can map it.
struct SharedMemory {
    void *address = nullptr;
    size_t bytes = 0;
    int file = -1;       // -1: another process allocated it
    unsigned opened = 0; // how often this process has opened it
    Context *context = nullptr;
};

// What cuMemAlloc() allocates in blocks of its own, which is what can be shared. nullptr: it is none, or there is no memory.
void *allocate_shared(size_t bytes);
// Returns false: it is no such memory. Otherwise it is no longer known, and free_shared() unmaps it.
bool forget_shared(uintptr_t address, SharedMemory *out);
void free_shared(const SharedMemory &memory);

} // namespace fake
