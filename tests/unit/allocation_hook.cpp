// SPDX-License-Identifier: Apache-2.0
#include "allocation_hook.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gs::test {
namespace {

std::atomic<int64_t> g_countdown{0}; // 0: off
std::atomic<bool> g_persistent{false};
std::atomic<bool> g_failed{false};
std::atomic<int64_t> g_live{0};

bool fails_now() noexcept {
    int64_t left = g_countdown.load();
    while (left > 0) {
        // Stays at 1 without being written again: stop_failing() on another thread must have the last word.
        const bool stays = left == 1 && g_persistent;
        if (!stays && !g_countdown.compare_exchange_weak(left, left - 1)) continue;
        if (left != 1) return false;
        g_failed = true;
        return true;
    }
    return false;
}

} // namespace

void fail_allocation(uint64_t n, bool persistent) noexcept {
    g_persistent = persistent;
    g_failed = false;
    g_countdown = static_cast<int64_t>(n);
}

void stop_failing() noexcept { g_countdown = 0; }

bool allocation_failed() noexcept { return g_failed; }

int64_t live_allocations() noexcept { return g_live; }

static void *allocate(std::size_t size, std::size_t alignment) noexcept {
    if (fails_now()) return nullptr;
    void *memory = alignment > alignof(std::max_align_t)
                       ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                       : std::malloc(size ? size : 1);
    if (memory) ++g_live;
    return memory;
}

static void *allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (void *memory = allocate(size, alignment)) return memory;
    throw std::bad_alloc();
}

static void release(void *memory) noexcept {
    if (memory) --g_live;
    std::free(memory);
}

} // namespace gs::test

using gs::test::allocate;
using gs::test::allocate_or_throw;
using gs::test::release;

void *operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void *operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void *operator new(std::size_t size, std::align_val_t align) {
    return allocate_or_throw(size, static_cast<std::size_t>(align));
}
void *operator new[](std::size_t size, std::align_val_t align) {
    return allocate_or_throw(size, static_cast<std::size_t>(align));
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return allocate(size, 1); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return allocate(size, 1); }
void *operator new(std::size_t size, std::align_val_t align, const std::nothrow_t &) noexcept {
    return allocate(size, static_cast<std::size_t>(align));
}
void *operator new[](std::size_t size, std::align_val_t align, const std::nothrow_t &) noexcept {
    return allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { release(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { release(memory); }
