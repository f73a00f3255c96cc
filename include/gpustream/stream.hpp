// SPDX-License-Identifier: Apache-2.0
// Streams with an owner, and those that a device has anyway.
#pragma once

#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE

namespace detail {
// What a view of another library holds. Newer versions of RMM have both names.
struct by_value {};
struct by_get : by_value {};
template <typename View>
auto held_by(const View &view, by_get) -> decltype(static_cast<CUstream_st *>(view.get())) {
    return view.get();
}
template <typename View>
auto held_by(const View &view, by_value) -> decltype(static_cast<CUstream_st *>(view.value())) {
    return view.value();
}
} // namespace detail

/// Priorities without a device's numbers: the highest that it has, the usual one, and the lowest. stream_ref::priority()
/// returns the number.
namespace priority_level {
inline constexpr int32_t high = INT32_MIN;
inline constexpr int32_t normal = 0;
inline constexpr int32_t low = INT32_MAX;
} // namespace priority_level

/// A stream of one's own: never another owner's, unless created with stream_flags::shared.
class stream : public detail::owner<stream_ref, gs_stream_t, gs_stream_destroy> {
public:
    using owner::owner;
    /// Lower priorities are higher; out of range is clamped. priority_level has names for some.
    static outcome<stream> create(gpustream::device on = gpustream::device::current(), int32_t priority = 0,
                                  stream_flags flags = stream_flags::none) {
        gs_stream_t handle = nullptr;
        const gs_status_t status =
            detail::with_abi(gs_stream_create, on.get(), priority, static_cast<uint32_t>(flags), &handle);
        return detail::value(status, stream(handle));
    }
    /// Another reference to the same stream.
    static outcome<stream> retain(stream_ref other) {
        const gs_status_t status = detail::with_abi(gs_stream_retain, other.get());
        return detail::value(status, stream(status == GS_OK ? other.get() : nullptr));
    }
    /// Wraps a cudaStream_t that its owner keeps alive.
    static outcome<stream> from_native(gpustream::device on, uintptr_t native) {
        gs_stream_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_stream_from_native, on.get(), native, &handle);
        return detail::value(status, stream(handle));
    }
    static outcome<stream> from_native(gpustream::device on, CUstream_st *native) {
        return from_native(on, reinterpret_cast<uintptr_t>(native));
    }
    /// The same for another library's view: of cuda::stream_ref (get()) and rmm::cuda_stream_view (value()).
    template <typename View>
    static auto from_view(const View &view, gpustream::device on = gpustream::device::none())
        -> decltype(from_native(on, detail::held_by(view, detail::by_get()))) {
        return from_native(on, detail::held_by(view, detail::by_get()));
    }
    /// Takes over a cudaStream_t: release() is called when the last reference has ended.
    template <typename Function>
    static outcome<stream> adopt_native(gpustream::device on, uintptr_t native, Function &&release) {
        using boxed = detail::box<std::decay_t<Function>>;
        gs_stream_t handle = nullptr;
        const gs_status_t status = detail::hand_over(std::forward<Function>(release), [&](boxed *made) {
            return detail::with_abi(gs_stream_from_native_owned, on.get(), native, boxed::release, made, &handle);
        });
        return detail::value(status, stream(handle));
    }
    static outcome<stream> unpack(const gs_stream_triple_t &triple) {
        gs_stream_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_stream_unpack, &triple, &handle);
        return detail::value(status, stream(handle));
    }
    /// Returns the driver's stream to the caller, who destroys it; this object is empty then.
    outcome<uintptr_t> into_native() && {
        uintptr_t number = 0;
        const gs_status_t status = gs_stream_into_native(get(), &number);
        if (status == GS_OK) static_cast<void>(release());
        return detail::value(status, number);
    }
};

/// A device's default ("null") stream.
inline outcome<stream_ref> default_stream(device on = device::current()) {
    gs_stream_t handle = nullptr;
    const gs_status_t status = detail::with_abi(gs_default_stream, on.get(), &handle);
    return detail::value(status, stream_ref(handle));
}
/// The calling thread's own default stream of a device.
inline outcome<stream_ref> per_thread_stream(device on = device::current()) {
    gs_stream_t handle = nullptr;
    const gs_status_t status = detail::with_abi(gs_per_thread_stream, on.get(), &handle);
    return detail::value(status, stream_ref(handle));
}

GPUSTREAM_END_NAMESPACE
