// SPDX-License-Identifier: Apache-2.0
// The allocations of one kind, so that a foreign pointer or a double free is reported instead of crashing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "base/lock.hpp"

namespace gs::host {

class MemoryTable {
public:
    // OutOfMemory also for sizes beyond the machine's memory, even where the system would overcommit.
    Result allocate(size_t bytes, void **out) noexcept;
    // The pointer leaves the table; the memory stays until release(). False: not in the table.
    bool forget(void *pointer) noexcept;
    // Undoes forget(). There is room, since the table has not become smaller since then.
    void restore(void *pointer) noexcept;
    static void release(void *pointer) noexcept;
    // Memory of the same kind that is not in a table; release() frees it.
    static Result reserve(size_t bytes, void **out) noexcept;

private:
    bool insert(void *pointer) noexcept GS_REQUIRES(mutex_);
    bool grow() noexcept GS_REQUIRES(mutex_);

    Mutex mutex_;
    void **slots_ GS_GUARDED_BY(mutex_) = nullptr; // open addressing; nullptr: free
    size_t capacity_ GS_GUARDED_BY(mutex_) = 0;    // a power of two
    size_t used_ GS_GUARDED_BY(mutex_) = 0;
};

} // namespace gs::host
