// SPDX-License-Identifier: Apache-2.0
// A module as the backend has it. It stays loaded as long as its handle lives and as long as a graph has one of its kernels.
#pragma once

#include <atomic>

#include "core/device/device.hpp"

namespace gs {

class LoadedModule {
public:
    LoadedModule(Device &device, uintptr_t native) noexcept : device_(device), native_(native) {}

    Device &device() const noexcept { return device_; }
    uintptr_t native() const noexcept { return native_; }

    void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
    // The last holder unloads it. A failure goes to the log.
    void let_go() noexcept;

private:
    ~LoadedModule() = default;

    Device &device_;
    const uintptr_t native_;
    std::atomic<uint32_t> holders_{1};
};

} // namespace gs
