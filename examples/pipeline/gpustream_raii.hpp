// SPDX-License-Identifier: Apache-2.0
// The few gpustream objects the pipeline needs, each closed by its destructor.
#pragma once

#include <cstddef>
#include <utility>

#include "gpustream.h"

namespace pipeline {

// Throws Failure(Exit::kDevice) with the library's own error text.
void check(gs_status_t status);

// A handle with its destroy function. A destructor cannot report a failure; the library logs it.
template <class Handle, gs_status_t (*destroy)(Handle)>
class Owner {
public:
    Owner() = default;
    explicit Owner(Handle handle) : handle_(handle) {}
    Owner(Owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owner &operator=(Owner &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owner() {
        if (handle_ != nullptr) static_cast<void>(destroy(handle_));
    }
    Handle get() const { return handle_; }

private:
    Handle handle_ = nullptr;
};

using Stream = Owner<gs_stream_t, gs_stream_destroy>;
using Event = Owner<gs_event_t, gs_event_destroy>;
using Module = Owner<gs_module_t, gs_module_destroy>;
using PinnedMemory = Owner<void *, gs_free_host>;

Stream make_stream(gs_device_t device);
// Timed; waiting for it sleeps instead of spinning.
Event make_timed_event();
// Host memory for the current device's transfers.
PinnedMemory make_pinned(size_t bytes);

// Device memory in the order of one stream, which must live longer.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(size_t bytes, gs_stream_t stream);
    DeviceMemory(DeviceMemory &&other) noexcept;
    DeviceMemory &operator=(DeviceMemory &&other) noexcept;
    ~DeviceMemory();
    void *get() const { return pointer_; }

private:
    void *pointer_ = nullptr;
    gs_stream_t stream_ = nullptr;
};

// Makes a stream and its device current on this thread until the end of the block.
class CurrentStreamScope {
public:
    explicit CurrentStreamScope(gs_stream_t stream);
    ~CurrentStreamScope();
    CurrentStreamScope(const CurrentStreamScope &) = delete;
    CurrentStreamScope &operator=(const CurrentStreamScope &) = delete;

private:
    uint64_t scope_ = 0;
};

double elapsed_ms(gs_event_t start, gs_event_t end);

} // namespace pipeline
