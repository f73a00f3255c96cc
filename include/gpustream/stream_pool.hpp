// SPDX-License-Identifier: Apache-2.0
// A fixed number of streams that a program's parts share on purpose.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// Spreads work over a few streams. pool[i] is the same stream for the same i, next() is the next one in turn; other parts
/// of the program may use it, too. Threads may share a pool.
class stream_pool {
public:
    /// All `size` streams or none; a size of 0 is status::invalid_argument. The rest is as stream::create().
    static outcome<stream_pool> create(size_t size, gpustream::device on = gpustream::device::current(),
                                       int32_t priority = 0, stream_flags flags = stream_flags::none) {
        stream_pool made(size);
        gs_status_t status = size == 0 ? detail::no_streams : made.streams_ ? GS_OK : detail::no_memory;
        for (size_t i = 0; i < size && status == GS_OK; ++i) {
            gs_stream_t handle = nullptr;
            status = detail::with_abi(gs_stream_create, on.get(), priority, static_cast<uint32_t>(flags), &handle);
            if (status == GS_OK) made.streams_[i] = stream(handle);
        }
        return detail::value(status, std::move(made));
    }
    stream_pool(stream_pool &&other) noexcept
        : streams_(std::move(other.streams_)), size_(std::exchange(other.size_, 0)),
          turns_(other.turns_.load(std::memory_order_relaxed)) {}
    stream_pool &operator=(stream_pool &&) = delete;

    /// The stream with that index, modulo size(). It ends with the pool. A pool that was moved from has empty ones.
    stream_ref operator[](size_t index) const noexcept {
        return size_ == 0 ? stream_ref() : stream_ref(streams_[index % size_]);
    }
    /// The next stream in turn, on whatever thread.
    stream_ref next() noexcept { return (*this)[turns_.fetch_add(1, std::memory_order_relaxed)]; }
    size_t size() const noexcept { return size_; }
    const stream *begin() const noexcept { return streams_.get(); }
    const stream *end() const noexcept { return streams_.get() + size_; }

private:
    explicit stream_pool(size_t size) noexcept : streams_(new(std::nothrow) stream[size]), size_(size) {}

    std::unique_ptr<stream[]> streams_;
    size_t size_;
    std::atomic<size_t> turns_{0};
};

GPUSTREAM_END_NAMESPACE
