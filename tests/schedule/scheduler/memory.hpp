// SPDX-License-Identifier: Apache-2.0
// Memory as C++20 defines it, as an abstract machine. A location keeps all its stores in modification order. A thread may
// read any store that is not older than one it knows of, and may place its own anywhere behind those. What a thread knows
// of is its view; a release store carries the view of its thread to those who acquire it.
//
// Fences and sequentially consistent accesses act through one more view: such an access may not read, or be placed, ahead
// of what earlier ones had reached at its location; a fence takes all of that view over and adds its thread's own.
//
// C++20 allows two things that this does not explore. A load may read a store which comes later in program order, by a
// cycle of relaxed accesses ("load buffering"). And compare_exchange_weak may fail for no reason.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedule/scheduler/view.hpp"

namespace gs::schedule {

class Memory {
public:
    using Choose = std::function<int(int count)>; // 0 <= result < count; each result is tried
    explicit Memory(Choose choose) : choose_(std::move(choose)) {}

    void clear() noexcept;
    uint64_t load(int thread, uintptr_t address, size_t size, int order);
    void store(int thread, uintptr_t address, size_t size, uint64_t value, int order);
    // Read-modify-write: returns what was read.
    uint64_t update(int thread, uintptr_t address, size_t size, int order,
                    const std::function<uint64_t(uint64_t)> &changed);
    bool compare_exchange(int thread, uintptr_t address, size_t size, uint64_t *expected, uint64_t value, int success,
                          int failure);
    void fence(int thread, int order) noexcept;
    // membarrier: every thread executes a sequentially consistent fence where it happens to be.
    void fence_all(int caller) noexcept;

    void lock(int thread, uintptr_t mutex);
    void unlock(int thread, uintptr_t mutex);

    // What a thread that keeps looking sees at last: the newest stores of what it has read since it last yielded.
    void yielded(int thread) noexcept;
    // Other threads have made stores since then, or there are newer ones than those that it has read.
    bool has_news(int thread) const noexcept;

    // Memory that is not atomic: each access must happen before or after each other one, unless both are reads.
    void watch(const void *begin, size_t bytes, const char *name);
    void forget_watched() noexcept { ranges_.clear(); }
    // Returns a text if the access races.
    std::string plain(int thread, uintptr_t address, size_t size, bool write);

private:
    struct Store {
        uint64_t stamp;
        uint64_t value;
        View view;
        bool updated; // a read-modify-write has read it: no other store comes directly behind it
    };
    struct Location {
        uintptr_t address;
        size_t size;
        uint64_t strict = 0; // what sequentially consistent accesses and fences have reached
        std::vector<Store> stores;
    };
    struct Held {
        uintptr_t mutex;
        View view; // of the thread that had it last
    };
    struct Known {
        View now;      // of the thread
        View acquired; // what an acquire fence adds
        View released; // at the last release fence
        uint64_t stores = 0;
        uint64_t others_at_yield = UINT64_MAX;
        uint64_t looked_at = 0; // locations read since the thread last yielded, a bit each
    };
    struct Cell {
        int writer = -1;
        uint32_t written = 0;
        std::array<uint32_t, kMostThreads> read{};
    };
    struct Range {
        uintptr_t begin;
        const char *name;
        std::vector<Cell> cells;
    };

    int index_of(uintptr_t address, size_t size);
    uint64_t floor(int thread, int index, int order) const noexcept;
    Store &pick(int thread, int index, int order, const std::function<bool(const Store &)> &fits);
    uint64_t read(int thread, int index, Store &from, int order) noexcept;
    void append(int thread, int index, uint64_t value, int order, uint64_t behind, const View *inherited);
    uint64_t stores_of_others(int thread) const noexcept { return stores_ - known_[thread].stores; }
    static void write_memory(const Location &location) noexcept;
    Held &held(uintptr_t mutex);

    Choose choose_;
    std::vector<Location> locations_;
    std::vector<Held> held_;
    std::vector<Range> ranges_;
    Known known_[kMostThreads];
    uint64_t stores_ = 0;
};

} // namespace gs::schedule
