// SPDX-License-Identifier: Apache-2.0
// The calling thread's current stream, which all languages and bridged libraries of the process see alike.
#pragma once

#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// Borrowed until this thread next changes the device's current stream.
inline outcome<stream_ref> current_stream(device on = device::current()) {
    gs_stream_t handle = nullptr;
    const gs_status_t status = detail::with_abi(gs_current_stream, on.get(), &handle);
    return detail::value(status, stream_ref(handle));
}
/// The same as a raw cudaStream_t, in one call.
inline outcome<CUstream_st *> current_cuda_stream(device on = device::current()) {
    uintptr_t number = 0;
    const gs_status_t status = detail::with_abi(gs_current_native, on.get(), &number);
    return detail::value(status, reinterpret_cast<CUstream_st *>(number));
}
/// Makes the stream and its device current.
inline outcome<void> set_current_stream(stream_ref next) { return detail::done(gs_set_current_stream(next.get())); }
/// The same; returns a reference to the stream that was current.
inline outcome<stream> exchange_current_stream(stream_ref next) {
    gs_stream_t handle = nullptr;
    const gs_status_t status = detail::with_abi(gs_exchange_current_stream, next.get(), &handle);
    return detail::value(status, stream(handle));
}

/// Makes a stream and its device current on this thread until the end of the block, then restores what was. It belongs to
/// the thread that made it. If guards are ended out of order, the outer one's end is the inner ones' end too. With
/// GPUSTREAM_NOEXCEPT, status() says whether the stream became current.
class stream_guard {
public:
    GPUSTREAM_NAMED explicit stream_guard(stream_ref stream) : status_(gs_push_current_stream(stream.get(), &scope_)) {
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
    }
    ~stream_guard() {
        if (scope_ != 0) static_cast<void>(gs_unwind_current_stream(scope_));
    }
    stream_guard(const stream_guard &) = delete;
    stream_guard &operator=(const stream_guard &) = delete;

    /// Ends it now. status::scope if it is not this thread's innermost: it is still open then.
    outcome<void> close() {
        const gs_status_t status = scope_ == 0 ? GS_OK : gs_pop_current_stream(scope_);
        if (status != GS_ERROR_SCOPE) scope_ = 0;
        return detail::done(status);
    }
    gpustream::status status() const noexcept { return static_cast<gpustream::status>(status_); }
    /// The scope's number, 0 once it is closed.
    uint64_t scope() const noexcept { return scope_; }

private:
    uint64_t scope_ = 0;
    gs_status_t status_;
};

GPUSTREAM_END_NAMESPACE
