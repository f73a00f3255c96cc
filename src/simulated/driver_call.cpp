// SPDX-License-Identifier: Apache-2.0
#include "simulated/driver_call.hpp"

#include <cstdlib>

#include "base/fork_state.hpp"

namespace gs::simulated {
namespace {

// These work at any time, also before cuInit, after shutdown and in host functions.
bool always_answers(Fn fn) {
    return is_lookup(fn) || fn == Fn::DriverGetVersion || fn == Fn::GetErrorName || fn == Fn::GetErrorString;
}

CUresult state_of_driver(Fn fn) {
    const World &w = world();
    if (!w.configured.load(std::memory_order_acquire)) std::abort();
    if (w.stub) return CUDA_ERROR_STUB_LIBRARY;
    if (always_answers(fn)) return CUDA_SUCCESS;
    // What a driver does in a forked child was measured: it claims not to be initialised, and an event looks complete.
    // The latter is left out: no test could distinguish it from success.
    if (gs::in_bad_fork()) return CUDA_ERROR_NOT_INITIALIZED;
    if (w.ended.load(std::memory_order_acquire)) return CUDA_ERROR_DEINITIALIZED;
    if (fn != Fn::Init && !w.initialised.load(std::memory_order_acquire)) return CUDA_ERROR_NOT_INITIALIZED;
    if (thread().in_callback > 0) return CUDA_ERROR_NOT_PERMITTED;
    return CUDA_SUCCESS;
}

} // namespace

bool is_lookup(Fn fn) { return fn == Fn::GetProcAddress11 || fn == Fn::GetProcAddress12; }

__attribute__((weak)) void begin_for_tests(Call &) {}
__attribute__((weak)) CUresult end_for_tests(const Call &, CUresult result) { return result; }

Call::Call(Fn called) noexcept : fn(called) {
    Thread &self = thread();
    self.fn = fn;
    refused = state_of_driver(fn);
    if (refused == CUDA_SUCCESS) {
        self.made = nullptr;
        self.made_block = 0;
        self.destroyed = 0;
    }
    begin_for_tests(*this);
}

engine::CaptureMode engine_mode(CUstreamCaptureMode mode) { return static_cast<engine::CaptureMode>(mode); }

CUresult check_unsafe() {
    const engine::Result result = world().engine->unsafe_call(thread().id, engine_mode(thread().mode));
    return result == engine::Result::Ok ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult check_quiet(Stream &stream) {
    const engine::Result result = world().engine->stream_quiet(*stream.native);
    return result != engine::Result::Ok ? to_result(result, *stream.context) : check_unsafe();
}

CUresult check_quiet(Context &context) {
    if (world().engine->captures_on(*context.native)) {
        world().engine->break_captures(*context.native, false);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return check_unsafe();
}

CUresult capture_status(Stream &stream, CUstreamCaptureStatus *out) {
    engine::CaptureInfo info;
    const engine::Result result = world().engine->capture_info(*stream.native, &info);
    *out = static_cast<CUstreamCaptureStatus>(info.state);
    return to_result(result, *stream.context);
}

} // namespace gs::simulated
