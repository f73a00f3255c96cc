// SPDX-License-Identifier: Apache-2.0
// Streams and events without ownership. Each function is the C function that it calls, which gpustream.h describes.
#pragma once

#include "callback.hpp"
#include "device.hpp"
#include "owner.hpp"
#include "timeline.hpp"

GPUSTREAM_BEGIN_NAMESPACE

class stream_ref;

namespace detail {
/// The stream that is meant by stream_ref::current(), for functions of C that want one with a name.
inline gs_status_t resolve(gs_stream_t *handle) {
    return *handle == stream_current() ? gs_current_stream(device_current, handle) : GS_OK;
}
template <typename Info>
struct facts {
    gs_status_t status;
    Info info;
};
template <typename Handle, typename Info>
facts<Info> ask(gs_status_t (*question)(Handle, Info *), Handle handle) {
    facts<Info> found{GS_OK, {}};
    found.info.struct_size = sizeof found.info;
    found.status = question(handle, &found.info);
    return found;
}
} // namespace detail

/// An event that someone else owns.
class event_ref : public detail::reference<gs_event_t> {
public:
    using reference::reference;

    outcome<void> record(stream_ref stream) const;
    outcome<bool> record_once(stream_ref stream) const; ///< If it has no record yet; returns whether it did.
    /// Whether the work before the last record is done; true if there was none.
    outcome<bool> query() const {
        int32_t done; // which the function sets, also where it fails
        const gs_status_t status = gs_event_query(get(), &done);
        return detail::value(status, done != 0);
    }
    /// Blocks until it is.
    outcome<void> synchronize() const { return detail::done(gs_event_synchronize(get())); }
    /// At most for `limit`; false if that passed.
    template <typename Rep, typename Period>
    [[nodiscard]] outcome<bool> synchronize_for(std::chrono::duration<Rep, Period> limit) const {
        return detail::in_time(gs_event_synchronize_for(get(), detail::limit_ns(limit)));
    }
    /// The cudaEvent_t as a number. The event counts as exported from then on.
    outcome<uintptr_t> native() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_event_native(get(), &number);
        return detail::value(status, number);
    }
    outcome<CUevent_st *> cuda_event() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_event_native(get(), &number);
        return detail::value(status, reinterpret_cast<CUevent_st *>(number));
    }
    outcome<uint64_t> id() const {
        uint64_t number = 0;
        const gs_status_t status = gs_event_id(get(), &number);
        return detail::value(status, number);
    }
    /// device::none() while the event is unbound.
    outcome<gpustream::device> device() const {
        gs_device_t number = 0;
        const gs_status_t status = gs_event_device(get(), &number);
        return detail::value(status, gpustream::device(number));
    }
    outcome<event_flags> flags() const {
        const auto [status, info] = about();
        return detail::value(status, static_cast<event_flags>(info.flags));
    }
    /// The name of an interprocess event for another process.
    outcome<gs_ipc_handle_t> ipc_export() const {
        gs_ipc_handle_t handle{};
        const gs_status_t status = gs_event_ipc_export(get(), &handle);
        return detail::value(status, handle);
    }
    /// gs_event_set_name(): shown in error texts and the checker's reports; null or "" is none.
    outcome<void> set_name(const char *name) const { return detail::done(gs_event_set_name(get(), name)); }
    friend bool operator==(event_ref left, event_ref right) noexcept { return left.get() == right.get(); }
    friend bool operator!=(event_ref left, event_ref right) noexcept { return !(left == right); }

private:
    detail::facts<gs_event_info_t> about() const { return detail::ask(gs_event_get_info, get()); }
};

/// An event with a time stamp: only these have an elapsed time.
class timed_event_ref : public event_ref {
public:
    using event_ref::event_ref;

    struct time {
        std::chrono::nanoseconds at;    // CLOCK_MONOTONIC, the clock of std::chrono::steady_clock on Linux
        std::chrono::nanoseconds error; // in both directions
    };
    /// gs_event_time_ns(): when its record happened, by the host's clock, after device::calibrate().
    outcome<time> host_time() const {
        int64_t at = 0, error = 0;
        const gs_status_t status = gs_event_time_ns(get(), &at, &error);
        return detail::value(status, time{std::chrono::nanoseconds(at), std::chrono::nanoseconds(error)});
    }
};

/// A stream that someone else owns, or the current one.
class stream_ref : public detail::reference<gs_stream_t> {
public:
    using reference::reference;
    /// The calling thread's current stream at the time of each call.
    static stream_ref current() noexcept { return stream_ref(detail::stream_current()); }

    outcome<void> record(event_ref event) const { return detail::done(gs_stream_record_event(get(), event.get())); }
    /// Later work waits for what the event marks now.
    outcome<void> wait(event_ref event) const { return detail::done(gs_stream_wait_event(get(), event.get())); }
    /// Raises the timeline when the work so far is done. status::deadlock if streams would wait for each other.
    outcome<void> signal(timeline_ref timeline, uint64_t value) const {
        return detail::done(gs_stream_signal_timeline(get(), timeline.get(), value));
    }
    /// Later work waits until the timeline has reached the value; the signal may come later.
    outcome<void> wait(timeline_ref timeline, uint64_t value) const {
        return detail::done(gs_stream_wait_timeline(get(), timeline.get(), value));
    }
    /// gs_stream_write_value(), gs_stream_wait_value(): a word of the program's own. Timelines are the safer tool.
    outcome<void> write_value(void *address, uint64_t value, value_flags flags = {}) const {
        return detail::done(gs_stream_write_value(get(), address, value, static_cast<uint32_t>(flags)));
    }
    outcome<void> wait_value(void *address, uint64_t value, value_flags flags = value_flags::geq) const {
        return detail::done(gs_stream_wait_value(get(), address, value, static_cast<uint32_t>(flags)));
    }
    /// Later work waits for what `other` has now.
    outcome<void> wait(stream_ref other) const { return detail::done(gs_stream_wait_stream(get(), other.get())); }
    /// Whether all work is done.
    outcome<bool> query() const {
        int32_t done; // which the function sets, also where it fails
        const gs_status_t status = gs_stream_query(get(), &done);
        return detail::value(status, done != 0);
    }
    /// Blocks until it is.
    outcome<void> synchronize() const { return detail::done(gs_stream_synchronize(get())); }
    /// At most for `limit`; false if that passed.
    template <typename Rep, typename Period>
    [[nodiscard]] outcome<bool> synchronize_for(std::chrono::duration<Rep, Period> limit) const {
        return detail::in_time(gs_stream_synchronize_for(get(), detail::limit_ns(limit)));
    }

    /// The cudaStream_t as a number. The stream counts as exported from then on.
    outcome<uintptr_t> native() const { return ask<uintptr_t>(gs_stream_native); }
    /// The same as a cudaStream_t (CUstream).
    outcome<CUstream_st *> cuda_stream() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_stream_native(get(), &number);
        return detail::value(status, reinterpret_cast<CUstream_st *>(number));
    }
    /// Another library's view of a cudaStream_t: as<cuda::stream_ref>(), as<rmm::cuda_stream_view>().
    template <typename View>
    outcome<View> as() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_stream_native(get(), &number);
        return detail::value(status, View(reinterpret_cast<CUstream_st *>(number)));
    }
#if !GPUSTREAM_NOEXCEPT
    /// For calls of CUDA: kernel<<<grid, block, 0, stream>>>(), cudaMemcpyAsync(..., stream).
    operator CUstream_st *() const { return cuda_stream(); }
#endif

    outcome<gpustream::device> device() const {
        gs_device_t number = 0;
        const gs_status_t status = gs_stream_device(get(), &number);
        return detail::value(status, gpustream::device(number));
    }
    /// Lower is higher.
    outcome<int32_t> priority() const {
        const auto [status, info] = about();
        return detail::value(status, info.priority);
    }
    outcome<stream_flags> flags() const {
        const auto [status, info] = about();
        return detail::value(status, static_cast<stream_flags>(info.flags));
    }
    outcome<int64_t> id() const { return ask<int64_t>(gs_stream_id); }
    outcome<uint64_t> driver_id() const { return ask<uint64_t>(gs_stream_driver_id); }
    /// The driver's context, a CUcontext as a number.
    outcome<uintptr_t> context() const { return ask<uintptr_t>(gs_stream_context); }
    outcome<bool> is_default() const {
        const auto [status, info] = about();
        return detail::value(status, info.id == 0);
    }
    outcome<bool> is_per_thread() const {
        const auto [status, info] = about();
        return detail::value(status, info.id == 2);
    }
    outcome<bool> is_capturing() const {
        int32_t answer = 0;
        const gs_status_t status = gs_stream_is_capturing(get(), &answer);
        return detail::value(status, answer != 0);
    }
    outcome<gs_stream_triple_t> pack() const {
        gs_stream_triple_t triple{};
        const gs_status_t status = gs_stream_pack(get(), &triple);
        return detail::value(status, triple);
    }
    /// gs_stream_set_name(): shown in error texts and the checker's reports; null or "" is none.
    outcome<void> set_name(const char *name) const { return detail::done(gs_stream_set_name(get(), name)); }
    /// Keeps the device busy, for tests and examples.
    outcome<void> sleep(uint64_t cycles) const { return detail::done(gs_stream_sleep(get(), cycles)); }

    /// gs_stream_notify(): calls function(status) on a thread of the library when the work so far is done.
    template <typename Function>
    outcome<void> notify(Function &&function) const {
        using boxed = detail::box<std::decay_t<Function>>;
        return detail::done(detail::hand_over(std::forward<Function>(function), [this](boxed *made) {
            return gs_stream_notify(get(), boxed::notify_once, made);
        }));
    }
    /// gs_stream_defer(): calls function() some time after, for the release of what the work uses.
    template <typename Function>
    outcome<void> defer(Function &&function) const {
        using boxed = detail::box<std::decay_t<Function>>;
        return detail::done(detail::hand_over(std::forward<Function>(function), [this](boxed *made) {
            return gs_stream_defer(get(), boxed::run_deferred, made);
        }));
    }
    /// gs_stream_launch_host(): calls function() in the stream's order; later work waits. It must not act on a device or
    /// wait for work. In a capture it belongs to the graph and runs at every launch.
    template <typename Function>
    outcome<void> launch_host(Function &&function) const {
        using boxed = detail::box<std::decay_t<Function>>;
        int32_t capturing = 0;
        gs_stream_t handle = get();
        gs_status_t asked = detail::resolve(&handle);
        if (asked == GS_OK) asked = gs_stream_is_capturing(handle, &capturing);
        if (asked != GS_OK) return detail::done(asked);
        auto *made = detail::boxed(std::forward<Function>(function));
        if (made == nullptr) return detail::done(detail::no_memory);
        // Kept first: if the graph keeps the function, then the launch may fail without a trace.
        const gs_status_t kept = capturing ? gs_stream_defer(handle, boxed::discard, made) : GS_OK;
        const gs_status_t status =
            kept != GS_OK ? kept : gs_stream_launch_host(handle, capturing ? boxed::run : boxed::run_once, made);
        if (status != GS_OK && (!capturing || kept != GS_OK)) delete made;
        return detail::done(status);
    }

    /// The same device and driver stream, owned or not. Dead handles are equal to themselves only.
    friend bool operator==(stream_ref left, stream_ref right) noexcept {
        int32_t equal = 0;
        return left.get() == right.get() || (gs_stream_equal(left.get(), right.get(), &equal) == GS_OK && equal != 0);
    }
    friend bool operator!=(stream_ref left, stream_ref right) noexcept { return !(left == right); }

private:
    template <typename T>
    outcome<T> ask(gs_status_t (*question)(gs_stream_t, T *)) const {
        T answer = 0;
        const gs_status_t status = question(get(), &answer);
        return detail::value(status, std::move(answer));
    }
    detail::facts<gs_stream_info_t> about() const { return detail::ask(gs_stream_get_info, get()); }
};

inline outcome<void> event_ref::record(stream_ref stream) const {
    return detail::done(gs_event_record(get(), stream.get()));
}
inline outcome<bool> event_ref::record_once(stream_ref stream) const {
    const auto [seen, info] = about();
    return detail::value(seen == GS_OK && !info.recorded ? gs_event_record(get(), stream.get()) : seen, !info.recorded);
}

/// The time between two records. Both must be complete: status::not_ready otherwise; nothing is waited for.
inline outcome<std::chrono::duration<double, std::milli>> elapsed(timed_event_ref start, timed_event_ref end) {
    double ms = 0;
    const gs_status_t status = gs_event_elapsed_ms(start.get(), end.get(), &ms);
    return detail::value(status, std::chrono::duration<double, std::milli>(ms));
}
/// The same in whole nanoseconds.
inline outcome<std::chrono::nanoseconds> elapsed_ns(timed_event_ref start, timed_event_ref end) {
    double ms = 0;
    const gs_status_t status = gs_event_elapsed_ms(start.get(), end.get(), &ms);
    return detail::value(status, std::chrono::nanoseconds(static_cast<int64_t>(ms * 1e6 + (ms < 0 ? -0.5 : 0.5))));
}

GPUSTREAM_END_NAMESPACE

namespace std {
/// Agrees with ==: the same for all handles of one driver stream.
template <>
struct hash<gpustream::stream_ref> {
    size_t operator()(gpustream::stream_ref stream) const noexcept {
        gs_stream_info_t info{};
        info.struct_size = sizeof info;
        if (gs_stream_get_info(stream.get(), &info) != GS_OK) return reinterpret_cast<uintptr_t>(stream.get());
        return info.hash;
    }
};
} // namespace std
