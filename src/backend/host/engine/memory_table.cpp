// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/memory_table.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

#include "backend/host/engine/machine.hpp"
#include "base/rare_state.hpp"

namespace gs::host {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kFirstCapacity = 64;

size_t hash_of(const void *pointer) noexcept {
    return static_cast<size_t>((reinterpret_cast<uintptr_t>(pointer) / kAlignment) * 0x9e3779b97f4a7c15u >> 20);
}

void place(void **slots, size_t capacity, void *pointer) noexcept {
    size_t i = hash_of(pointer) & (capacity - 1);
    while (slots[i]) i = (i + 1) & (capacity - 1);
    slots[i] = pointer;
}

} // namespace

Result MemoryTable::allocate(size_t bytes, void **out) noexcept {
    void *pointer = nullptr;
    const Result reserved = reserve(bytes, &pointer);
    if (reserved != Result::Ok) return reserved;
    {
        MutexLock lock(mutex_);
        if (insert(pointer)) {
            *out = pointer;
            return Result::Ok;
        }
    }
    std::free(pointer);
    return Result::OutOfMemory;
}

Result MemoryTable::reserve(size_t bytes, void **out) noexcept {
    if (bytes > physical_memory_bytes()) return Result::OutOfMemory;
    return posix_memalign(out, kAlignment, bytes) == 0 ? Result::Ok : Result::OutOfMemory;
}

bool MemoryTable::insert(void *pointer) noexcept {
    if (used_ * 2 >= capacity_ && !grow()) return false;
    place(slots_, capacity_, pointer);
    ++used_;
    return true;
}

bool MemoryTable::grow() noexcept {
    const size_t capacity = capacity_ ? capacity_ * 2 : kFirstCapacity;
    void **slots = new (std::nothrow) void *[capacity]();
    if (!slots) return false;
    for (size_t i = 0; i < capacity_; ++i)
        if (slots_[i]) place(slots, capacity, slots_[i]);
    delete[] slots_;
    slots_ = slots;
    capacity_ = capacity;
    return true;
}

bool MemoryTable::forget(void *pointer) noexcept {
    MutexLock lock(mutex_);
    if (capacity_ == 0) return false;
    const size_t mask = capacity_ - 1;
    size_t hole = hash_of(pointer) & mask;
    while (slots_[hole] != pointer) {
        if (!slots_[hole]) return false;
        hole = (hole + 1) & mask;
    }
    // Entries behind the hole move up unless that would put them before their own place.
    for (size_t i = (hole + 1) & mask; slots_[i]; i = (i + 1) & mask) {
        const size_t home = hash_of(slots_[i]) & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = nullptr;
    --used_;
    return true;
}

void MemoryTable::restore(void *pointer) noexcept {
    MutexLock lock(mutex_);
    // insert() keeps half of the slots free, whatever other threads have added in between.
    place(slots_, capacity_, pointer);
    ++used_;
}

void MemoryTable::release(void *pointer) noexcept {
    if (const HeapListener listener = g_heap_listener.load(std::memory_order_relaxed))
        listener(pointer, malloc_usable_size(pointer));
    std::free(pointer);
}

} // namespace gs::host
