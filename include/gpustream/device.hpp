// SPDX-License-Identifier: Apache-2.0
// Devices: numbers with functions.
#pragma once

#include <string_view>

#include "duration.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A device's number. A plain ordinal means the default backend's device.
class device {
public:
    /// Implicit: an ordinal is a device wherever one is wanted.
    constexpr device(gs_device_t number) noexcept : number_(number) {}
    /// The calling thread's current device at the time of the call it is passed to.
    static constexpr device current() noexcept { return detail::device_current; }
    /// The device of an unbound event; for stream::from_native(), any device.
    static constexpr device none() noexcept { return detail::device_none; }
    static device of(gpustream::backend which, int32_t ordinal = 0) noexcept {
        return gs_device_make(static_cast<gs_backend_t>(which), ordinal);
    }

    constexpr gs_device_t get() const noexcept { return number_; }
    int32_t ordinal() const noexcept { return gs_device_ordinal(number_); }
    gpustream::backend backend() const noexcept { return static_cast<gpustream::backend>(gs_device_backend(number_)); }
    friend constexpr bool operator==(device left, device right) noexcept { return left.number_ == right.number_; }
    friend constexpr bool operator!=(device left, device right) noexcept { return !(left == right); }

    /// gs_device_synchronize(): blocks until all work of the device is done.
    outcome<void> synchronize() const { return detail::done(detail::with_abi(gs_device_synchronize, number_)); }
    /// gs_device_synchronize_for(): as above, at most for `limit`; false if it passed.
    template <typename Rep, typename Period>
    [[nodiscard]] outcome<bool> synchronize_for(std::chrono::duration<Rep, Period> limit) const {
        return detail::in_time(detail::with_abi(gs_device_synchronize_for, number_, detail::limit_ns(limit)));
    }
    /// gs_device_check(): fails if the device is unusable or was reset.
    outcome<void> check() const { return detail::done(detail::with_abi(gs_device_check, number_)); }
    /// gs_device_reset(): ends the device for this process, with all that was created on it. Blocks as synchronize().
    outcome<void> reset() const { return detail::done(detail::with_abi(gs_device_reset, number_)); }
    outcome<gs_device_info_t> info() const {
        gs_device_info_t info{};
        info.struct_size = sizeof info;
        const gs_status_t status = detail::with_abi(gs_device_get_info, number_, &info);
        return detail::value(status, info);
    }
    outcome<bool> can_access_peer(device peer) const {
        int32_t can = 0;
        const gs_status_t status = detail::with_abi(gs_device_can_access_peer, number_, peer.number_, &can);
        return detail::value(status, can != 0);
    }
    /// gs_device_calibrate(): compares the clocks of host and device, for timed_event_ref::host_time(); returns how exact
    /// that is. Blocks for some ten microseconds, longer while the device is busy.
    outcome<std::chrono::nanoseconds> calibrate() const {
        int64_t error = 0;
        const gs_status_t status = detail::with_abi(gs_device_calibrate, number_, &error);
        return detail::value(status, std::chrono::nanoseconds(error));
    }
    struct priorities {
        int32_t least;
        int32_t greatest;
    };
    outcome<priorities> priority_range() const {
        priorities range{};
        const gs_status_t status = detail::with_abi(gs_device_priority_range, number_, &range.least, &range.greatest);
        return detail::value(status, range);
    }

    /// What the vendor's management library says (NVML); may take milliseconds. fields: GS_TELEMETRY_*; 0: all of them.
    outcome<gs_telemetry_t> telemetry(uint32_t fields = 0) const {
        gs_telemetry_t found{};
        const gs_status_t status = read(fields, found);
        return detail::value(status, found);
    }
    outcome<int32_t> utilization_percent() const {
        return ask(GS_TELEMETRY_UTILIZATION, &gs_telemetry_t::utilization_percent);
    }
    outcome<int32_t> memory_utilization_percent() const {
        return ask(GS_TELEMETRY_MEMORY_UTILIZATION, &gs_telemetry_t::memory_utilization_percent);
    }
    outcome<int32_t> temperature_celsius() const {
        return ask(GS_TELEMETRY_TEMPERATURE, &gs_telemetry_t::temperature_celsius);
    }
    outcome<int32_t> power_milliwatts() const { return ask(GS_TELEMETRY_POWER, &gs_telemetry_t::power_milliwatts); }
    outcome<int32_t> sm_clock_mhz() const { return ask(GS_TELEMETRY_SM_CLOCK, &gs_telemetry_t::sm_clock_mhz); }
    struct memory {
        uint64_t used_bytes;
        uint64_t free_bytes;
        uint64_t total_bytes;
    };
    outcome<memory> memory_bytes() const {
        gs_telemetry_t found{};
        const gs_status_t status = read(GS_TELEMETRY_MEMORY, found);
        return detail::value(status,
                             memory{found.memory_used_bytes, found.memory_free_bytes, found.memory_total_bytes});
    }

private:
    gs_status_t read(uint32_t fields, gs_telemetry_t &found) const {
        found.struct_size = sizeof found;
        return detail::with_abi(gs_device_get_telemetry, number_, fields, &found);
    }
    outcome<int32_t> ask(uint32_t field, int32_t gs_telemetry_t::*value) const {
        gs_telemetry_t found{};
        const gs_status_t status = read(field, found);
        return detail::value(status, found.*value);
    }

    gs_device_t number_;
};

/// gs_device_count(): how many the backend has; starts nothing.
inline outcome<int32_t> device_count(backend which = backend::default_) {
    int32_t count = 0;
    const gs_status_t status = detail::with_abi(gs_device_count, static_cast<gs_backend_t>(which), &count);
    return detail::value(status, count);
}
/// The calling thread's current device.
inline outcome<device> current_device() {
    gs_device_t number = 0;
    const gs_status_t status = detail::with_abi(gs_current_device, &number);
    return detail::value(status, device(number));
}
inline outcome<void> set_current_device(device which) {
    return detail::done(detail::with_abi(gs_set_current_device, which.get()));
}

/// Makes a device current on this thread until the end of the block, with the stream that it has current; then restores
/// the device before, and the current streams of both. If guards of devices and streams are ended out of order, the outer
/// one's end is the inner ones' end too. With GPUSTREAM_NOEXCEPT, status() says whether it is current.
class device_guard {
public:
    GPUSTREAM_NAMED explicit device_guard(device which) : status_(detail::with_abi(gs_current_device, &previous_)) {
        gs_stream_t stream = nullptr;
        if (status_ == GS_OK) status_ = gs_current_stream(which.get(), &stream);
        if (status_ == GS_OK) status_ = gs_push_current_stream(stream, &scope_);
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
    }
    ~device_guard() {
        if (scope_ != 0) static_cast<void>(gs_unwind_current_stream(scope_));
    }
    device_guard(const device_guard &) = delete;
    device_guard &operator=(const device_guard &) = delete;

    device previous() const noexcept { return previous_; }
    gpustream::status status() const noexcept { return static_cast<gpustream::status>(status_); }

private:
    gs_device_t previous_ = detail::device_none;
    uint64_t scope_ = 0;
    gs_status_t status_;
};

GPUSTREAM_END_NAMESPACE
