// SPDX-License-Identifier: Apache-2.0
#include "gpustream_raii.hpp"

#include <string>

#include "failure.hpp"

namespace pipeline {

void check(gs_status_t status) {
    if (status == GS_OK) return;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    std::string text = gs_status_name(status);
    // GS_NOT_READY is a status without a record: gs_last_error() would describe an older failure.
    if (status != GS_NOT_READY && gs_last_error(&error) == GS_OK) {
        text = std::string(error.function) + ": " + text + ": " + error.message;
        if (error.native_function[0] != '\0') text += std::string(" (") + error.native_function + ")";
        if (error.origin[0] != '\0') text += std::string("; first seen: ") + error.origin;
    }
    throw Failure(Exit::kDevice, text);
}

Stream make_stream(gs_device_t device) {
    gs_stream_t stream = nullptr;
    check(gs_stream_create(device, 0, 0, &stream));
    return Stream(stream);
}

Event make_timed_event() {
    gs_event_t event = nullptr;
    check(gs_event_create(GS_EVENT_TIMING | GS_EVENT_BLOCKING, &event));
    return Event(event);
}

PinnedMemory make_pinned(size_t bytes) {
    void *pointer = nullptr;
    check(gs_malloc_host(bytes, &pointer));
    return PinnedMemory(pointer);
}

DeviceMemory::DeviceMemory(size_t bytes, gs_stream_t stream) : stream_(stream) {
    check(gs_malloc_async(bytes, stream, &pointer_));
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : pointer_(std::exchange(other.pointer_, nullptr)), stream_(other.stream_) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
    std::swap(pointer_, other.pointer_);
    std::swap(stream_, other.stream_);
    return *this;
}

DeviceMemory::~DeviceMemory() {
    if (pointer_ != nullptr) static_cast<void>(gs_free_async(pointer_, stream_));
}

CurrentStreamScope::CurrentStreamScope(gs_stream_t stream) { check(gs_push_current_stream(stream, &scope_)); }

CurrentStreamScope::~CurrentStreamScope() { static_cast<void>(gs_unwind_current_stream(scope_)); }

double elapsed_ms(gs_event_t start, gs_event_t end) {
    double ms = 0;
    check(gs_event_elapsed_ms(start, end, &ms));
    return ms;
}

} // namespace pipeline
