// SPDX-License-Identifier: Apache-2.0
// Memory with an owner, copies and fills.
#pragma once

#include <cstddef>

#include "current.hpp"
#include "pool.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// `bytes` bytes between addresses of the host or of devices, in the stream's order.
inline outcome<void> copy(void *to, const void *from, size_t bytes, stream_ref stream) {
    return detail::done(gs_memcpy_async(to, from, bytes, stream.get()));
}
/// Sets `bytes` bytes of device memory to a value from 0 to 255.
inline outcome<void> fill(void *to, int32_t value, size_t bytes, stream_ref stream) {
    return detail::done(gs_memset_async(to, value, bytes, stream.get()));
}

/// Device memory, allocated and freed in the order of one stream, which it keeps. Other streams must wait for that stream
/// before they use it, and that stream for them before the buffer ends. If that is while the stream is captured, the memory
/// lives as long as the graph.
class buffer {
public:
    buffer() noexcept = default;
    static outcome<buffer> create(size_t bytes, stream_ref stream) { return create(bytes, stream, pool_ref()); }
    /// From this pool instead of the one that the thread has current, which an empty reference stands for.
    static outcome<buffer> create(size_t bytes, stream_ref stream, pool_ref from) {
        gs_stream_t handle = stream.get();
        // The stream that is current now is the one to free it on.
        gs_status_t status = detail::with_abi(detail::resolve, &handle);
        if (status == GS_OK) status = gs_stream_retain(handle);
        buffer made;
        if (status == GS_OK) {
            made.stream_ = gpustream::stream(handle);
            status = from ? gs_pool_malloc(from.get(), bytes, handle, &made.data_)
                          : gs_malloc_async(bytes, handle, &made.data_);
            if (status == GS_OK) made.bytes_ = bytes;
        }
        return detail::value(status, std::move(made));
    }
    buffer(buffer &&other) noexcept
        : stream_(std::move(other.stream_)), data_(std::exchange(other.data_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    buffer &operator=(buffer &&other) noexcept {
        if (this != &other) {
            free();
            stream_ = std::move(other.stream_);
            data_ = std::exchange(other.data_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }
    ~buffer() { free(); }

    void *data() const noexcept { return data_; }
    template <typename T>
    T *as() const noexcept {
        return static_cast<T *>(data_);
    }
    size_t size() const noexcept { return bytes_; }
    stream_ref stream() const noexcept { return stream_; }
    /// Frees it now, in its stream's order, and says how that went. Refused in a host function, or while the stream is
    /// captured, the buffer is as it was, and a later close() frees it.
    outcome<void> close() {
        const gs_status_t status = data_ == nullptr ? GS_OK : gs_free_async(data_, stream_.get());
        if (!detail::is_refused(status)) {
            data_ = nullptr;
            bytes_ = 0;
        }
        return detail::done(status);
    }
    /// gs_free_after(): frees it once these streams are done with what they have now; none of them waits. After a failure
    /// the buffer is as it was.
    template <typename... Streams>
    outcome<void> close_after(const Streams &...streams) {
        static_assert(sizeof...(streams) > 0, "name the streams that use the memory");
        const gs_stream_t users[] = {stream_ref(streams).get()...};
        const gs_status_t status = gs_free_after(data_, users, sizeof...(streams));
        if (status == GS_OK) {
            data_ = nullptr;
            bytes_ = 0;
        }
        return detail::done(status);
    }

private:
    void free() noexcept {
        if (data_ == nullptr) return;
        const gs_stream_t user = stream_.get();
        if (gs_free_async(data_, user) == GS_ERROR_CAPTURING) static_cast<void>(gs_free_after(data_, &user, 1));
    }

    gpustream::stream stream_;
    void *data_ = nullptr;
    size_t bytes_ = 0;
};

/// Page-locked host memory for the current device's transfers. Its end may block; it must not come before that of work
/// that uses it.
class host_buffer {
public:
    host_buffer() noexcept = default;
    static outcome<host_buffer> create(size_t bytes) {
        host_buffer made;
        const gs_status_t status = detail::with_abi(gs_malloc_host, bytes, &made.data_);
        if (status == GS_OK) made.bytes_ = bytes;
        return detail::value(status, std::move(made));
    }
    host_buffer(host_buffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    host_buffer &operator=(host_buffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~host_buffer() {
        if (data_ != nullptr) static_cast<void>(gs_free_host(data_));
    }

    void *data() const noexcept { return data_; }
    template <typename T>
    T *as() const noexcept {
        return static_cast<T *>(data_);
    }
    size_t size() const noexcept { return bytes_; }
    /// Frees it now. Refused in a host function or during a capture, it is as it was.
    outcome<void> close() {
        const gs_status_t status = data_ == nullptr ? GS_OK : gs_free_host(data_);
        if (!detail::is_refused(status)) {
            data_ = nullptr;
            bytes_ = 0;
        }
        return detail::done(status);
    }

private:
    void *data_ = nullptr;
    size_t bytes_ = 0;
};

GPUSTREAM_END_NAMESPACE
