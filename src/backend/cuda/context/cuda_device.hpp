// SPDX-License-Identifier: Apache-2.0
// A CUDA device: its primary context, its health, and what a call that failed in its context means.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "backend/backend.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/gpu/device_facts.hpp"
#include "base/lock.hpp"

namespace gs::cuda {

// A pool of the driver that has ended and waits for the next one of its kind.
struct IdlePool {
    CUmemoryPool pool;
    std::unique_ptr<IdlePool> next;
};

struct alignas(64) Device {
    int32_t ordinal = 0;
    CUdevice handle = 0;
    // Set once, at the first call that needs it, and kept: a reset by other code is reported, and the context stays
    // lost.
    std::atomic<CUcontext> context{nullptr};
    // Distinguishes the context from a later one at the same address. Stored before the context.
    std::atomic<uint64_t> context_id{0};
    std::atomic<uint64_t> priority_range{0}; // packed by gpu::pack_range(), 0: not asked yet
    // The library's own kernels, loaded at their first use: only a program that sleeps on a stream compiles PTX.
    std::atomic<CUfunction> sleep_kernel{nullptr};
    std::atomic<CUfunction> condition_kernel{nullptr};
    std::atomic<uint32_t> launch_caps{0}; // what kernels may be launched with (node_params.cpp); 0: not asked yet
    bool memory_pools = false;            // stream-ordered allocation
    std::atomic<bool> pool_kept{false};   // the pool that it uses by itself keeps what is freed
    std::atomic<bool> wide_values{false}; // the driver has said that there are stream memory operations of 64 bits
    BriefLock idle_mutex;
    std::unique_ptr<IdlePool> idle_pools[4]; // by GS_POOL_HOST and GS_POOL_PEERS
    gpu::HealthLatch health;
};

// Filled by start(), immortal.
extern Device *g_devices __attribute__((visibility("hidden")));
extern int32_t g_device_count __attribute__((visibility("hidden")));

// The ordinal of a driver device, -1 if it is not one of ours.
int32_t ordinal_of(CUdevice handle) noexcept;

inline bool is_latched(const Device &device) noexcept { return device.health.latched(); }
inline Status latched_status(Device &device) noexcept { return device.health.status(device.ordinal); }
inline Status check_health(Device &device) noexcept {
    if (!is_latched(device)) return kOk;
    return latched_status(device);
}
// The call failed with a code that is final for the device's context.
void latch_sticky(Device &device, CUresult result, const char *function) noexcept __attribute__((cold));
// The call showed that the context our objects live in is gone.
void latch_lost(Device &device, const char *function) noexcept __attribute__((cold));
// This library is about to reset the device. False: it was latched already.
bool latch_reset(Device &device) noexcept __attribute__((cold));

// The primary context, created if it does not exist. A failure is not remembered: memory may be free next time.
Status retain_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// The primary context if it exists already, else nullptr.
Status existing_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// Is the context we retained still alive and the same? Latches CONTEXT_LOST if it is not. OK where none was retained.
Status verify_context(ThreadBlock &thread, Device &device) noexcept;

// Turns a call that failed in a device's context into a Status.

// Sticky codes latch the device with this call as origin; 201, 400 and 709 make us check whether the context is still
// the one our objects live in. Never call it with CUDA_SUCCESS. CUDA_ERROR_NOT_READY becomes NOT_READY without detail.
Status map_error(CUresult result, FailedCall call, Device &device) noexcept __attribute__((cold));

// Asks the driver once per device. The device's context must be current.
Status priority_range_in_context(ThreadBlock &thread, Device &device, gpu::PriorityRange *out) noexcept;

// *out: 0, or false, also where the driver does not know the attribute.
Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, int *out) noexcept;
Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, bool *out) noexcept;

// Words that mean "of the current context" to the driver.
inline bool is_default_word(uintptr_t native) noexcept { return native <= kNativePerThreadStream; }

// Makes a device's primary context current for the length of a block and restores the caller's exactly.
// Only calls that create something, copies, and those on the default streams (words 0 and 2) need this: the driver takes
// the context of every other call from the handle.

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
    // For a call on a stream of a healthy device: the driver's words for default streams need the context, handles do not.
    Status enter_for(StreamRef stream) noexcept {
        Device &device = g_devices[stream.ordinal];
        GS_TRY(check_health(device));
        return is_default_word(stream.native) ? enter(device) : kOk;
    }
    // The same for a question; creates nothing. *out_present is false for a default stream without a context, which has no work.
    Status enter_existing_for(StreamRef stream, bool *out_present) noexcept {
        Device &device = g_devices[stream.ordinal];
        *out_present = true;
        GS_TRY(check_health(device));
        return is_default_word(stream.native) ? enter_existing(device, out_present) : kOk;
    }
    // Enters a context whose device is still unknown; names the function that failed.
    CUresult enter_foreign(CUcontext context, const char **function) noexcept;

private:
    Status push(Device &device, CUcontext context) noexcept;
    void restore() noexcept;

    ThreadBlock &thread_;
    CUcontext pushed_ = nullptr;
};

// The backends' words for streams and events, and addresses, as the driver's types.

inline CUstream to_stream(StreamRef stream) noexcept { return reinterpret_cast<CUstream>(stream.native); }
inline CUevent to_event(uintptr_t event) noexcept { return reinterpret_cast<CUevent>(event); }
inline CUdeviceptr to_address(const void *pointer) noexcept { return reinterpret_cast<CUdeviceptr>(pointer); }

// Calls of the driver: a failure becomes a Status of the device.

inline Status status_of(CUresult result, FailedCall call, Device &device) noexcept {
    return result == CUDA_SUCCESS ? kOk : map_error(result, call, device);
}

// kInvalidValue: what CUDA_ERROR_INVALID_VALUE means for this call.
template <gs_status_t kInvalidValue = GS_ERROR_DRIVER, typename Of, typename... Arguments>
inline Status driver_call(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    const CUresult result = function(thread, arguments...);
    if (result == CUDA_SUCCESS) return kOk;
    return map_error(result, {function.name, kInvalidValue}, device);
}

// A function that older drivers lack: NOT_SUPPORTED there.
template <gs_status_t kInvalidValue = GS_ERROR_DRIVER, typename Of, typename... Arguments>
inline Status newer_call(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    if (!function.present()) return fail_absent(function.name);
    return driver_call<kInvalidValue>(thread, device, function, arguments...);
}

// In relaxed capture mode.
template <gs_status_t kInvalidValue = GS_ERROR_DRIVER, typename Of, typename... Arguments>
inline Status relaxed_call(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    FailedCall call{function.name, kInvalidValue};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return function(thread, arguments...); });
    return status_of(result, call, device);
}

// Ends an object. A driver that has shut down has ended it already.
template <typename Of, typename... Arguments>
Status ending_call(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    FailedCall call{function.name};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return function(thread, arguments...); });
    return result == CUDA_ERROR_DEINITIALIZED ? kOk : status_of(result, call, device);
}

// Ends an object of the device's context. A lost or broken context took it along, and the failure was reported when it
// was found. kCurrent: the call needs the context to be current.
template <bool kCurrent = false, typename Of, typename... Arguments>
Status end_in_context(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    if (is_latched(device)) return kOk;
    ContextScope scope(thread);
    const Status status = kCurrent ? scope.enter_to_create(device) : verify_context(thread, device);
    if (!status.ok()) return is_latched(device) || status.code == GS_ERROR_SHUTDOWN ? kOk : status;
    return ending_call(thread, device, function, arguments...);
}

// Every call in the context reports a sticky error. This one asks for it at once and changes nothing.
Status probe_sticky(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs::cuda
