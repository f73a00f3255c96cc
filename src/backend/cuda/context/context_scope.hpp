// SPDX-License-Identifier: Apache-2.0
// Makes a device's primary context current for the length of a block and restores the caller's exactly.
// Only calls that create something, copies, and those on the default streams (words 0 and 2) need this: the driver takes
// the context of every other call from the handle.
#pragma once

#include <cuda.h>

#include "backend/backend.hpp"
#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

class ContextScope {
public:
    explicit ContextScope(ThreadBlock &thread) noexcept : thread_(thread) {}
    ~ContextScope() {
        if (pushed_) restore();
    }
    ContextScope(const ContextScope &) = delete;
    ContextScope &operator=(const ContextScope &) = delete;

    // Creates the context if need be, and first checks that it is still the one our objects live in.
    Status enter_to_create(Device &device) noexcept;
    // Creates the context if need be, for submitting work: without that check.
    Status enter(Device &device) noexcept;
    // Enters only if the context exists; creates nothing.
    Status enter_existing(Device &device, bool *out_present) noexcept;
    // Enters a context whose device is still unknown; names the function that failed.
    CUresult enter_foreign(CUcontext context, const char **function) noexcept;

private:
    Status push(Device &device, CUcontext context) noexcept;
    void restore() noexcept;

    ThreadBlock &thread_;
    CUcontext pushed_ = nullptr;
};

// The backends' words for streams and events, and addresses, as the driver's types.

// Words that mean "of the current context" to the driver.
inline bool is_default_word(uintptr_t native) noexcept { return native <= kNativePerThreadStream; }

inline CUstream to_stream(StreamRef stream) noexcept { return reinterpret_cast<CUstream>(stream.native); }
inline CUevent to_event(uintptr_t event) noexcept { return reinterpret_cast<CUevent>(event); }
inline CUdeviceptr to_address(const void *pointer) noexcept { return reinterpret_cast<CUdeviceptr>(pointer); }

// Every call in the context reports a sticky error. This one asks for it at once and changes nothing.
Status probe_sticky(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs::cuda
