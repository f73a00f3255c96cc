// SPDX-License-Identifier: Apache-2.0
// NVML, opened at the first use. It needs neither CUDA nor a context, and may be used before a fork and after it.
//
// No lock of ours is held while NVML is called. A call may take milliseconds, and a fork on another thread would wait
// for the lock as long, or leave it held in the child.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "inventory/nvml/nvml_types.hpp"

namespace gs::inventory {

// What stands in for a function that the library does not have.
template <typename Pointer>
struct NvmlAbsent;
template <typename... Arguments>
struct NvmlAbsent<NvmlReturn (*)(Arguments...)> {
    static NvmlReturn call(Arguments...) { return kNvmlFunctionNotFound; }
};

template <typename Pointer>
struct NvmlFunction {
    Pointer call = &NvmlAbsent<Pointer>::call;
    const char *name;

    template <typename... Arguments>
    NvmlReturn operator()(Arguments... arguments) const noexcept {
        return call(arguments...);
    }
};

struct NvmlTable {
#define X(field, symbol, arguments) NvmlFunction<NvmlReturn(*) arguments> field{.name = #symbol};
#include "inventory/nvml/nvml_functions.inc"
};

// While an NvmlUse that is ready lives, this thread may be inside NVML. A child that another thread forks during that
// time must never enter NVML: a thread that the child lacks may hold NVML's own locks.
class NvmlUse {
public:
    NvmlUse() noexcept = default;
    ~NvmlUse();
    NvmlUse(const NvmlUse &) = delete;
    NvmlUse &operator=(const NvmlUse &) = delete;

    // Call it first. UNAVAILABLE when NVML is absent or does not work, BAD_FORK in such a child. A failure is not
    // remembered: the kernel module may be loaded later.
    Status ready() noexcept;
    const NvmlTable *operator->() const noexcept { return table_; }

private:
    Status load() noexcept;
    Status initialise_again() noexcept;
    void enter() noexcept;

    const NvmlTable *table_ = nullptr;
    bool inside_ = false;
};

// NOT_SUPPORTED, UNAVAILABLE, OUT_OF_MEMORY or DRIVER, with NVML's code and what it means.
Status nvml_failure(NvmlReturn code, const char *function) noexcept __attribute__((cold));

} // namespace gs::inventory
