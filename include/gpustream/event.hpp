// SPDX-License-Identifier: Apache-2.0
// Events with an owner.
#pragma once

#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A mark in a stream. Creating one is cheap; the driver's event is taken at the first record.
class event : public detail::owner<event_ref, gs_event_t, gs_event_destroy> {
public:
    using owner::owner;
    static outcome<event> create(event_flags flags = event_flags::none) {
        gs_event_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_event_create, static_cast<uint32_t>(flags), &handle);
        return detail::value(status, event(handle));
    }
    /// Another reference to the same event.
    static outcome<event> retain(event_ref other) {
        const gs_status_t status = detail::with_abi(gs_event_retain, other.get());
        return detail::value(status, event(status == GS_OK ? other.get() : nullptr));
    }
    /// Wraps a cudaEvent_t that its owner keeps alive.
    static outcome<event> from_native(gpustream::device on, uintptr_t native) {
        gs_event_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_event_from_native, on.get(), native, &handle);
        return detail::value(status, event(handle));
    }
    static outcome<event> from_native(gpustream::device on, CUevent_st *native) {
        return from_native(on, reinterpret_cast<uintptr_t>(native));
    }
    /// Takes over a cudaEvent_t: release() is called when the last reference has ended.
    template <typename Function>
    static outcome<event> adopt_native(gpustream::device on, uintptr_t native, Function &&release) {
        using boxed = detail::box<std::decay_t<Function>>;
        gs_event_t handle = nullptr;
        const gs_status_t status = detail::hand_over(std::forward<Function>(release), [&](boxed *made) {
            return detail::with_abi(gs_event_from_native_owned, on.get(), native, boxed::release, made, &handle);
        });
        return detail::value(status, event(handle));
    }
    static outcome<event> ipc_open(gpustream::device on, const gs_ipc_handle_t &name) {
        gs_event_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_event_ipc_open, on.get(), &name, &handle);
        return detail::value(status, event(handle));
    }
    /// Returns the driver's event to the caller, who destroys it; this object is empty then.
    outcome<uintptr_t> into_native() && {
        uintptr_t number = 0;
        const gs_status_t status = gs_event_into_native(get(), &number);
        if (status == GS_OK) static_cast<void>(release());
        return detail::value(status, number);
    }
};

/// An event with a time stamp, which costs several times as much to record.
class timed_event : public detail::owner<timed_event_ref, gs_event_t, gs_event_destroy> {
public:
    using owner::owner;
    static outcome<timed_event> create(event_flags flags = event_flags::none) {
        gs_event_t handle = nullptr;
        const gs_status_t status =
            detail::with_abi(gs_event_create, static_cast<uint32_t>(flags) | GS_EVENT_TIMING, &handle);
        return detail::value(status, timed_event(handle));
    }
    static outcome<timed_event> retain(timed_event_ref other) {
        const gs_status_t status = detail::with_abi(gs_event_retain, other.get());
        return detail::value(status, timed_event(status == GS_OK ? other.get() : nullptr));
    }
};

GPUSTREAM_END_NAMESPACE
