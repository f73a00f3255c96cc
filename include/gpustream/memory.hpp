// SPDX-License-Identifier: Apache-2.0
// Memory with an owner, copies and fills.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "current.hpp"
#include "pool.hpp"
#include "users.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// `bytes` bytes between addresses of the host or of devices, in the stream's order.
inline outcome<void> copy(void *to, const void *from, size_t bytes, stream_ref stream) {
    return detail::done(gs_memcpy_async(to, from, bytes, stream.get()));
}
/// Several copies, in one call of the driver where it has one. Of the sources, only access_order::stream waits for earlier work.
inline outcome<void> copy_batch(const gs_copy_t *copies, size_t count, stream_ref stream,
                                access_order order = access_order::stream) {
    return detail::done(gs_memcpy_batch_async(copies, count, static_cast<int32_t>(order), stream.get()));
}
/// Sets `bytes` bytes of device memory to a value from 0 to 255.
inline outcome<void> fill(void *to, int32_t value, size_t bytes, stream_ref stream) {
    return detail::done(gs_memset_async(to, value, bytes, stream.get()));
}

/// Device memory, allocated and freed in stream order. The methods work in the current stream of its device, or in the one
/// that is named. The first use in another stream than that of the allocation waits for what the latter has then; between
/// uses in different streams nothing waits. The memory is freed after the work that all streams of such uses have at its
/// end; record_stream() is for work that goes by the address. If one of them is being captured then, the memory lives as
/// long as the graph. A graph whose nodes use the memory must not outlive the buffer. For one thread at a time.
class buffer {
public:
    buffer() noexcept = default;
    /// From this pool instead of the one that the thread has current, which an empty reference stands for.
    static outcome<buffer> create(size_t bytes, stream_ref stream = stream_ref::current(), pool_ref from = pool_ref()) {
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
        : stream_(std::move(other.stream_)), users_(std::move(other.users_)),
          data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    buffer &operator=(buffer &&other) noexcept {
        if (this != &other) {
            end();
            stream_ = std::move(other.stream_);
            users_ = std::move(other.users_);
            data_ = std::exchange(other.data_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }
    ~buffer() { end(); }

    void *data() const noexcept { return data_; }
    template <typename T>
    T *as() const noexcept {
        return static_cast<T *>(data_);
    }
    size_t size() const noexcept { return bytes_; }
    stream_ref stream() const noexcept { return stream_; }

    /// Sets every byte to a value from 0 to 255.
    outcome<void> fill(int32_t value, stream_ref on = stream_ref::current()) {
        gs_stream_t used = on.get();
        gs_status_t status = use(&used);
        if (status == GS_OK) status = gs_memset_async(data_, value, bytes_, used);
        return detail::done(status);
    }
    /// Copies all bytes of another buffer to the beginning of this one; status::invalid_argument if they are more.
    outcome<void> copy_from(buffer &source, stream_ref on = stream_ref::current()) {
        gs_stream_t used = on.get();
        gs_status_t status = source.bytes_ <= bytes_ ? use(&used) : detail::too_many_bytes;
        if (status == GS_OK) status = source.use(&used);
        if (status == GS_OK) status = gs_memcpy_async(data_, source.data_, source.bytes_, used);
        return detail::done(status);
    }
    /// The same with memory of the host, which must not change or end before the copy is done.
    outcome<void> copy_from(const void *source, size_t bytes, stream_ref on = stream_ref::current()) {
        gs_stream_t used = on.get();
        gs_status_t status = bytes <= bytes_ ? use(&used) : detail::too_many_bytes;
        if (status == GS_OK) status = gs_memcpy_async(data_, source, bytes, used);
        return detail::done(status);
    }
    /// The first bytes, to memory of the host.
    outcome<void> copy_to(void *target, size_t bytes, stream_ref on = stream_ref::current()) {
        gs_stream_t used = on.get();
        gs_status_t status = bytes <= bytes_ ? use(&used) : detail::too_many_bytes;
        if (status == GS_OK) status = gs_memcpy_async(target, data_, bytes, used);
        return detail::done(status);
    }
    /// Another stream uses the memory by its address: the free waits for all work that the stream has by then. The
    /// stream itself waits for nothing, even the allocation.
    outcome<void> record_stream(stream_ref user) { return detail::done(record(user.get())); }

    /// Frees it now, in stream order, and says how that went. Refused in a host function, or while its only stream is
    /// captured, the buffer is as it was, and a later close() frees it.
    outcome<void> close() {
        const gs_status_t status = free();
        if (!detail::is_refused(status)) forget();
        return detail::done(status);
    }
    /// Records these streams, and frees it behind all that use it, also in a capture. After a failure the buffer is still
    /// there.
    template <typename... Streams>
    outcome<void> close_after(const Streams &...streams) {
        static_assert(sizeof...(streams) > 0, "name the streams that use the memory");
        gs_status_t status = GS_OK;
        for (const gs_stream_t user : {stream_ref(streams).get()...})
            if (status == GS_OK && data_ != nullptr) status = record(user);
        if (status == GS_OK) status = free();
        if (status == GS_OK) forget();
        return detail::done(status);
    }

private:
    gs_status_t note_users() {
        gs_stream_t own = stream_.get();
        if (users_) return GS_OK;
        const gs_status_t status = detail::stand_in(&own);
        if (status != GS_OK) return status;
        users_.reset(new (std::nothrow) detail::users(own));
        return users_ ? GS_OK : detail::no_memory;
    }
    /// The stream, or the current one of the memory's device, is about to use it.
    gs_status_t use(gs_stream_t *on) {
        gs_device_t device = 0;
        gs_status_t status = GS_OK;
        if (*on == detail::stream_current()) {
            status = gs_stream_device(stream_.get(), &device);
            if (status == GS_OK) status = gs_current_stream(device, on);
        }
        if (status != GS_OK || *on == stream_.get()) return status;
        status = note_users();
        return status == GS_OK ? users_->enter(*on) : status;
    }
    gs_status_t record(gs_stream_t user) {
        gs_status_t status = detail::resolve(&user);
        if (status == GS_OK) status = note_users();
        return status == GS_OK ? users_->note(user, true) : status;
    }
    gs_status_t free() noexcept {
        if (data_ == nullptr) return GS_OK;
        if (users_) return users_->free(data_);
        gs_stream_t own = stream_.get();
        const gs_status_t status = detail::stand_in(&own);
        return status == GS_OK ? gs_free_async(data_, own) : status;
    }
    void forget() noexcept {
        data_ = nullptr;
        bytes_ = 0;
        users_.reset();
        stream_.reset(); // a later use fails, as that of an object which was moved from
    }
    void end() noexcept {
        const gs_stream_t user = stream_.get();
        const gs_status_t status = free();
        if (status == GS_ERROR_CAPTURING && !users_) static_cast<void>(gs_free_after(data_, &user, 1));
        if (GPUSTREAM_UNLIKELY(status == GS_ERROR_NOT_PERMITTED)) end_elsewhere();
    }
    GPUSTREAM_COLD void end_elsewhere() noexcept {
        const auto end = [](void *moved) -> void * {
            delete static_cast<buffer *>(moved);
            return nullptr;
        };
        auto *moved = new (std::nothrow) buffer(std::move(*this));
        if (moved != nullptr) static_cast<void>(detail::start_thread(end, moved));
    }

    gpustream::stream stream_;
    std::unique_ptr<detail::users> users_; // null: no other stream has used it
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
        if (data_ != nullptr) detail::end<void *, gs_free_host>(data_);
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
