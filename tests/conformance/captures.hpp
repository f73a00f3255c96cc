// SPDX-License-Identifier: Apache-2.0
// Captures and graphs that tests begin through the library.
#pragma once

#include "conformance/graphs.hpp"

namespace gs::test {

constexpr int32_t kCaptureModes[] = {GS_CAPTURE_GLOBAL, GS_CAPTURE_THREAD_LOCAL, GS_CAPTURE_RELAXED};

inline gs_capture_info_t info_of(gs_stream_t stream) {
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_stream_capture_info(stream, &info));
    return info;
}
inline int32_t capture_state(gs_stream_t stream) { return info_of(stream).state; }

} // namespace gs::test
