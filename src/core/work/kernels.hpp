// SPDX-License-Identifier: Apache-2.0
// Modules and their kernels. A kernel is borrowed from its module and dies with it.
#pragma once

#include <atomic>

#include "base/free_list.hpp"
#include "core/device/device.hpp"
#include "core/slots.hpp"

namespace gs {

// A module as the backend has it. It stays loaded as long as its handle lives and as long as a graph or an executable has one
// of its kernels.
class LoadedModule {
public:
    LoadedModule(Device &device, uintptr_t native) noexcept : device_(device), native_(native) {}

    Device &device() const noexcept { return device_; }
    uintptr_t native() const noexcept { return native_; }

    void hold() noexcept { holders_.retain(); }
    // The last holder unloads it. A failure goes to the log.
    void let_go() noexcept;
    // The same for calls that must not wait: a driver may wait for the device before it unloads. The last holder leaves the
    // module to unload_unneeded().
    void let_go_later() noexcept;
    void hold_for_ever() noexcept; // until the process ends

    // What the last launch on a stream found: {epoch of the captures, uid of the stream} if the graph that the stream is
    // captured into holds the module. See CaptureGuard.
    std::atomic<uint64_t> captured_for{0};
    std::atomic<uint64_t> captured_in{0}; // the library's number of that capture

private:
    friend void unload_unneeded() noexcept;
    ~LoadedModule() = default;
    void unload() noexcept;

    Device &device_;
    const uintptr_t native_;
    RefCount holders_;
    bool is_kept_ = false;
    LoadedModule *next_ = nullptr; // of the unneeded ones, or of those that are kept
};

// Unloads what let_go_later() has left: in the calls that load and unload modules, and in gs_trim().
void unload_unneeded() noexcept;

Status load_module(ThreadBlock &thread, Device &device, const void *image, size_t bytes, uint64_t *out_handle) noexcept;
Status release_module(ThreadBlock &thread, uint64_t handle) noexcept;
// The same name gives the same handle.
Status get_kernel(ThreadBlock &thread, uint64_t module, const char *name, uint64_t *out_handle) noexcept;
// Under the caller's CallMark. INVALID_HANDLE, or DEVICE_MISMATCH if it was loaded on another device.
Status required_kernel(uint64_t handle, const Device &device, const KernelSlot **out) noexcept;
// config: the handle of its event is replaced by what the backend knows.
Status launch_kernel(ThreadBlock &thread, uint64_t kernel, gs_launch_config_t &config, void **arguments,
                     StreamSlot &stream) noexcept;

// What a launch has beside its geometry.

// All that can be checked without a device. INVALID_ARGUMENT.
Status check_attributes(const gs_launch_config_t &config) noexcept __attribute__((cold));

// The programmatic event of a launch, which may be complete before the kernel is. From its first such record on it counts as an
// event that other code records: the driver is asked about it, and its driver event stays with its owner.
class EarlyEvent {
public:
    // Replaces the handle by the backend's event. Under the caller's CallMark.
    Status take(ThreadBlock &thread, StreamSlot &stream, gs_launch_config_t *config) noexcept;
    // After the launch.
    void recorded(ThreadBlock &thread, StreamSlot &stream, const Status &status) noexcept;

private:
    EventSlot *event_ = nullptr;
    uint64_t before_ = 0;
};

} // namespace gs
