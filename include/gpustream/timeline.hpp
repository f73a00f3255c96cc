// SPDX-License-Identifier: Apache-2.0
// Timelines: numbers that only grow, which streams and threads signal and wait for, in any order. Each function is the C
// function that it calls: its errors, whether it blocks and its thread rule are in gpustream.h. Streams signal and wait by
// stream_ref::signal() and stream_ref::wait().
#pragma once

#include "device.hpp"
#include "owner.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A timeline that someone else owns.
class timeline_ref : public detail::reference<gs_timeline_t> {
public:
    using reference::reference;

    /// gs_timeline_value(): what it has reached, or why it was aborted.
    outcome<uint64_t> value() const {
        uint64_t number = 0;
        const gs_status_t status = gs_timeline_value(get(), &number);
        return detail::value(status, number);
    }
    /// gs_timeline_signal(): raises it now, from this thread.
    outcome<void> signal(uint64_t value) const { return detail::done(gs_timeline_signal(get(), value)); }
    /// gs_timeline_synchronize(): blocks until it has reached the value.
    outcome<void> synchronize(uint64_t value) const { return detail::done(gs_timeline_synchronize(get(), value, -1)); }
    /// At most for `limit`; false if that passed.
    template <typename Rep, typename Period>
    [[nodiscard]] outcome<bool> synchronize_for(uint64_t value, std::chrono::duration<Rep, Period> limit) const {
        return detail::in_time(gs_timeline_synchronize(get(), value, detail::limit_ns(limit)));
    }
    /// gs_timeline_abort(): streams that wait go on although their waits were not met, and calls fail with this status.
    outcome<void> abort(gpustream::status reason = status::aborted) const {
        return detail::done(gs_timeline_abort(get(), static_cast<gs_status_t>(reason)));
    }
    friend bool operator==(timeline_ref left, timeline_ref right) noexcept { return left.get() == right.get(); }
    friend bool operator!=(timeline_ref left, timeline_ref right) noexcept { return !(left == right); }
};

/// The last owner's end is an abort for streams that wait, and status::invalid_handle for threads that do.
class timeline : public detail::owner<timeline_ref, gs_timeline_t, gs_timeline_destroy> {
public:
    using owner::owner;
    static outcome<timeline> create(uint64_t initial = 0, device on = device::current(), timeline_flags flags = {}) {
        gs_timeline_t handle = nullptr;
        const gs_status_t status =
            detail::with_abi(gs_timeline_create, on.get(), initial, static_cast<uint32_t>(flags), &handle);
        return detail::value(status, timeline(handle));
    }
    /// Another reference to the same timeline.
    static outcome<timeline> retain(timeline_ref other) {
        const gs_status_t status = detail::with_abi(gs_timeline_retain, other.get());
        return detail::value(status, timeline(status == GS_OK ? other.get() : nullptr));
    }
};

GPUSTREAM_END_NAMESPACE
