// SPDX-License-Identifier: Apache-2.0
#include "fake_cuda/capture.hpp"

namespace fake {

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

} // namespace fake
