// SPDX-License-Identifier: Apache-2.0
// How many holders an object has. The last one that lets go ends the object.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

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

} // namespace gs
