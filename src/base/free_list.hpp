// SPDX-License-Identifier: Apache-2.0
// Objects that wait for their next use, linked through a member of their own. The last one in is the first one out, because a
// processor's cache still has it. A list has no lock: its owner has one, or is the only thread that uses it.
#pragma once

#include <cstdint>

namespace gs {

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
