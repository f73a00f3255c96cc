// SPDX-License-Identifier: Apache-2.0
// Owners for tests: every object that a test creates is released, and releasing must succeed.
#pragma once

#include <cstring>
#include <utility>

#include "support/status_matchers.hpp"

namespace gs::test {

template <typename Handle, gs_status_t (*Destroy)(Handle)>
class Owner {
public:
    Owner() = default;
    explicit Owner(Handle handle) : handle_(handle) {}
    Owner(Owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owner &operator=(Owner &&other) noexcept {
        reset();
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }
    ~Owner() { reset(); }

    operator Handle() const { return handle_; } // NOLINT: tests pass owners as handles
    Handle get() const { return handle_; }
    Handle release() { return std::exchange(handle_, nullptr); }
    void reset() {
        if (handle_) EXPECT_OK(Destroy(std::exchange(handle_, nullptr)));
    }

private:
    Handle handle_ = nullptr;
};

using Stream = Owner<gs_stream_t, gs_stream_destroy>;
using Event = Owner<gs_event_t, gs_event_destroy>;
using Module = Owner<gs_module_t, gs_module_destroy>;

inline Stream make_stream(gs_device_t device = GS_DEVICE_CURRENT, uint32_t flags = 0, int32_t priority = 0) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_stream_create(device, priority, flags, &stream));
    return Stream(stream);
}

inline Event make_event(uint32_t flags = 0) {
    gs_event_t event = nullptr;
    EXPECT_OK(gs_event_create(flags, &event));
    return Event(event);
}

inline bool done(gs_stream_t stream) {
    int32_t value = -1;
    EXPECT_OK(gs_stream_query(stream, &value));
    EXPECT_TRUE(value == 0 || value == 1) << value;
    return value == 1;
}

inline bool done(gs_event_t event) {
    int32_t value = -1;
    EXPECT_OK(gs_event_query(event, &value));
    EXPECT_TRUE(value == 0 || value == 1) << value;
    return value == 1;
}

inline uintptr_t native_of(gs_stream_t stream) {
    uintptr_t native = 0;
    EXPECT_OK(gs_stream_native(stream, &native));
    return native;
}

inline bool equal(gs_stream_t a, gs_stream_t b) {
    int32_t value = -1;
    EXPECT_OK(gs_stream_equal(a, b, &value));
    return value == 1;
}

inline gs_stream_info_t facts_of(gs_stream_t stream) {
    gs_stream_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_stream_get_info(stream, &info));
    return info;
}

inline gs_event_info_t facts_of(gs_event_t event) {
    gs_event_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_event_get_info(event, &info));
    return info;
}

inline uint64_t hash_of(gs_stream_t stream) { return facts_of(stream).hash; }

inline gs_device_t current_device() {
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_current_device(&device));
    return device;
}

inline gs_stream_t current_stream(gs_device_t device = GS_DEVICE_CURRENT) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_current_stream(device, &stream));
    return stream;
}

inline gs_stream_t default_stream(gs_device_t device = GS_DEVICE_CURRENT) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_default_stream(device, &stream));
    return stream;
}

inline gs_stream_t per_thread_stream(gs_device_t device = GS_DEVICE_CURRENT) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_per_thread_stream(device, &stream));
    return stream;
}

// A copy that is a normal operation of the stream. Not gs_memcpy_async: a CUDA driver blocks the caller for copies from
// host memory to host memory, and may read a few bytes of host memory at the call. Defined in objects.cpp.
void copy_byte(gs_stream_t stream, unsigned char *to, const unsigned char *from);
// Loads the kernels of copy_byte and gs_stream_sleep on every device. A driver may wait for all work of a device when a kernel
// is loaded: such a load never ends while a test holds a stream there.
void prepare_kernels();

// Bytes that both the host and every device can access, in which streams leave traces for tests.
class Bytes {
public:
    explicit Bytes(size_t size) : size_(size) {
        prepare_kernels();
        void *data = nullptr;
        EXPECT_OK(gs_malloc_host(size, &data));
        data_ = static_cast<unsigned char *>(data);
        if (data_) std::memset(data_, 0, size);
    }
    ~Bytes() { EXPECT_OK(gs_free_host(data_)); }
    Bytes(const Bytes &) = delete;
    Bytes &operator=(const Bytes &) = delete;

    volatile unsigned char &operator[](size_t i) { return data_[i]; }
    unsigned char *at(size_t i) { return data_ + i; }
    size_t size() const { return size_; }

    // byte i becomes value when the stream reaches it
    void set(gs_stream_t stream, size_t i, int32_t value) { EXPECT_OK(gs_memset_async(data_ + i, value, 1, stream)); }
    // byte `to` becomes byte `from` when the stream reaches it
    void copy(gs_stream_t stream, size_t to, size_t from) { copy_byte(stream, data_ + to, data_ + from); }

private:
    size_t size_;
    unsigned char *data_ = nullptr;
};

} // namespace gs::test
