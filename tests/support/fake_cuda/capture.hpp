// SPDX-License-Identifier: Apache-2.0
// The calls that captures forbid. The engine knows the captures; the thread's mode is the driver's. All functions require
// the lock.
#pragma once

#include "fake_cuda/world.hpp"

namespace fake {

engine::CaptureMode engine_mode(CUstreamCaptureMode mode);
// A call that may not be made while this thread captures, or another one in global mode.
CUresult check_unsafe();
// The same, and not while the stream is captured, or any stream of the context.
CUresult check_quiet(Stream &stream);
CUresult check_quiet(Context &context);
CUresult capture_status(Stream &stream, CUstreamCaptureStatus *out);

} // namespace fake
