// SPDX-License-Identifier: Apache-2.0
// The streams that use a buffer.
#pragma once

#include <algorithm>
#include <vector>

#include "event.hpp"
#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

/// A per-thread stream is another one on each thread. The default stream's work comes after that of all of them.
inline gs_status_t stand_in(gs_stream_t *stream) noexcept {
    int64_t id = 0;
    gs_device_t device = 0;
    gs_status_t status = gs_stream_id(*stream, &id);
    if (status != GS_OK || id != 2) return status;
    status = gs_stream_device(*stream, &device);
    return status == GS_OK ? gs_default_stream(device, stream) : status;
}

/// Each with a reference, but for the stream of the allocation, which is the buffer's. The first use in another stream than
/// that is ordered behind the allocation; between uses in different streams nothing waits. The memory is freed behind all.
class users {
public:
    explicit users(gs_stream_t own) : all_{own} {}
    users(const users &) = delete;
    users &operator=(const users &) = delete;
    ~users() {
        for (size_t i = 1; i < all_.size(); ++i) end<gs_stream_t, gs_stream_destroy>(all_[i]);
    }

    /// The stream is about to use the memory.
    gs_status_t enter(gs_stream_t stream) {
        if (std::find(all_.begin(), all_.end(), stream) != all_.end()) return GS_OK;
        const gs_status_t status = order(stream);
        return status == GS_OK ? note(stream, false) : status;
    }
    /// It uses the memory. If that is by address, it may be given work at any time until the memory is freed.
    gs_status_t note(gs_stream_t stream, bool by_address) {
        gs_status_t status = stand_in(&stream);
        if (status != GS_OK) return status;
        const auto known = std::find(all_.begin(), all_.end(), stream);
        if (known != all_.end()) {
            if (by_address && known - all_.begin() >= first_entered_)
                std::iter_swap(known, all_.begin() + first_entered_++);
            return GS_OK;
        }
        // A buffer that lives long would keep every stream that ever used it.
        if (all_.size() > many && (all_.size() & (all_.size() - 1)) == 0) forget_idle();
        all_.reserve(all_.size() + 1);
        status = gs_stream_retain(stream);
        if (status != GS_OK) return status;
        all_.push_back(stream);
        if (by_address) std::iter_swap(all_.end() - 1, all_.begin() + first_entered_++);
        return GS_OK;
    }
    gs_status_t free(void *data) const noexcept {
        gs_status_t status = gs_free_after(data, all_.data(), all_.size());
        if (status != GS_ERROR_INVALID_ARGUMENT) return status;
        // Memory that a capture has allocated is freed in one stream, as a node or later.
        status = GS_OK;
        for (size_t i = 1; i < all_.size() && status == GS_OK; ++i) status = gs_stream_wait_stream(all_[0], all_[i]);
        return status == GS_OK ? gs_free_async(data, all_[0]) : status;
    }

private:
    enum : size_t { many = 16 };

    void forget_idle() {
        const auto idle = [](gs_stream_t stream) {
            int32_t done = 0;
            if (gs_stream_query(stream, &done) != GS_OK || !done) return false;
            static_cast<void>(gs_stream_destroy(stream));
            return true;
        };
        all_.erase(std::remove_if(all_.begin() + first_entered_, all_.end(), idle), all_.end());
    }
    /// Makes the stream wait for the allocation. A graph cannot wait for work from outside of it, so the host does.
    gs_status_t order(gs_stream_t stream) {
        int32_t is_captured = 0, is_begin_hidden = 0;
        gs_status_t status = gs_stream_is_capturing(stream, &is_captured);
        if (status == GS_OK && !begun_) status = gs_stream_is_capturing(all_[0], &is_begin_hidden);
        if (status == GS_OK && is_begin_hidden) return is_captured ? order_in_capture(stream) : allocation_captured;
        if (status == GS_OK && !begun_) status = record_begin();
        if (status != GS_OK) return status;
        return is_captured ? gs_event_synchronize(begun_.get()) : gs_stream_wait_event(stream, begun_.get());
    }
    /// The memory may be the graph's, or from before the capture.
    gs_status_t order_in_capture(gs_stream_t stream) {
        gs_capture_info_t own{}, other{};
        own.struct_size = other.struct_size = sizeof own;
        gs_status_t status = gs_stream_capture_info(all_[0], &own);
        if (status == GS_OK) status = gs_stream_capture_info(stream, &other);
        return status == GS_OK && own.id == other.id ? gs_stream_wait_stream(stream, all_[0]) : status;
    }
    gs_status_t record_begin() {
        gs_event_t made = nullptr;
        gs_status_t status = gs_event_create(0, &made);
        event recorded(made);
        if (status == GS_OK) status = gs_event_record(made, all_[0]);
        if (status == GS_OK) begun_ = std::move(recorded);
        return status;
    }

    std::vector<gs_stream_t> all_;     // that of the allocation, those that were recorded, those that entered
    std::ptrdiff_t first_entered_ = 1; // where the last kind begins
    event begun_;                      // behind the allocation, when another stream first used the memory
};

} // namespace detail
GPUSTREAM_END_NAMESPACE
