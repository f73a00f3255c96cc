// SPDX-License-Identifier: Apache-2.0
// What happens around every entry point: the states in which nothing works, and outputs that contain garbage after a
// failure.
#pragma once

#include <cstring>

#include "simulated/world.hpp"

namespace gs::simulated {

struct Call {
    explicit Call(Fn fn) noexcept;

    Fn fn;
    CUresult refused = CUDA_SUCCESS; // if other than 0, the call ends with this ahead of its body
    CUresult after = CUDA_SUCCESS;   // replaces the result of a call that had its effect
    CUresult late = CUDA_SUCCESS;    // for a later call
    int late_device = -1;            // broken once this call has succeeded
};

// What the tests add to this driver (tests/support/fake_cuda). Weak functions here, which do nothing.
void configure_for_tests();
void begin_for_tests(Call &call);                          // it may refuse the call
CUresult end_for_tests(const Call &call, CUresult result); // what the call returns; with the lock held

template <typename... Outputs>
void poison(Outputs *...outputs) {
    (void)std::initializer_list<int>{(outputs ? (std::memset(outputs, 0xA5, sizeof *outputs), 0) : 0)...};
}

// body: CUresult(Lock &), called with the lock held. outputs: pointers to what it would write.
template <typename Body, typename... Outputs>
CUresult call(Fn fn, Body &&body, Outputs *...outputs) {
    const Call scope(fn);
    CUresult result = scope.refused;
    if (result == CUDA_SUCCESS) {
        Lock lock(world().mutex);
        result = end_for_tests(scope, body(lock));
    }
    // A stub changes nothing; a driver that failed guarantees nothing.
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_STUB_LIBRARY)
        poison(outputs...);
    return result;
}

// Submits to a stream of the program's, with the lock held.
template <typename Submit>
CUresult work(CUstream handle, Submit &&submit) {
    Stream *stream = nullptr;
    const CUresult result = find_stream(handle, &stream);
    if (result != CUDA_SUCCESS) return result;
    return to_result(submit(*stream->native), *stream->context);
}

// What submit() puts in the default stream is done when the call returns.
template <typename Submit>
CUresult at_once(Fn fn, Submit &&submit) {
    return call(fn, [&](Lock &lock) {
        Stream *stream = nullptr;
        CUresult result = find_stream(nullptr, &stream);
        if (result == CUDA_SUCCESS) result = submit();
        if (result != CUDA_SUCCESS) return result;
        engine::Result waited = engine::Result::Ok;
        {
            const InFlight in_flight(lock, *stream);
            waited = world().engine->stream_synchronize(*stream->native);
        }
        return to_result(waited, *stream->context);
    });
}

// What a copy in the stream is refused with, with the lock held.
CUresult check_copy(CUdeviceptr dst, CUdeviceptr src, CUstream handle);

bool is_lookup(Fn fn);
void break_context(Context &context, int code, const char *origin);

inline void *at(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

// ---- what captures forbid, with the lock held. The engine knows the captures; the thread's mode is the driver's. ------
engine::CaptureMode engine_mode(CUstreamCaptureMode mode);
// A call that may not be made while this thread captures, or another one in global mode.
CUresult check_unsafe();
// The same, and not while the stream is captured, or any stream of the context.
CUresult check_quiet(Stream &stream);
CUresult check_quiet(Context &context);
CUresult capture_status(Stream &stream, CUstreamCaptureStatus *out);

} // namespace gs::simulated
