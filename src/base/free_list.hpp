// SPDX-License-Identifier: Apache-2.0
// What keeps objects while they are used and between two uses: a count of holders, and lists.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

// How many holders an object has. The last one that lets go ends the object.
class RefCount {
public:
    constexpr RefCount() noexcept = default;

    void retain() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    // True: this was the last holder, and it sees what all others did with the object.
    [[nodiscard]] bool release() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    bool alone() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
    // One holder again, for the next use of an object without holders.
    void restart() noexcept { count_.store(1, std::memory_order_relaxed); }

private:
    std::atomic<uint32_t> count_{1};
};

// Objects that wait for their next use, linked through a member of their own. The last one in is the first one out, because a
// processor's cache still has it. A list has no lock: its owner has one, or is the only thread that uses it.
template <typename T, T *T::*kNext = &T::next>
class FreeList {
public:
    constexpr FreeList() noexcept = default;

    bool empty() const noexcept { return !first_; }
    uint32_t count() const noexcept { return count_; }
    T *first() const noexcept { return first_; }

    void push(T &one) noexcept {
        one.*kNext = first_;
        first_ = &one;
        ++count_;
    }
    T *pop() noexcept {
        T *one = first_;
        if (one) {
            first_ = one->*kNext;
            --count_;
        }
        return one;
    }
    // Moves up to `most` objects of the other list here.
    void take_from(FreeList &other, uint32_t most = UINT32_MAX) noexcept {
        for (; most > 0; --most) {
            T *one = other.pop();
            if (!one) return;
            push(*one);
        }
    }

private:
    T *first_ = nullptr;
    uint32_t count_ = 0;
};

} // namespace gs
