// SPDX-License-Identifier: Apache-2.0
// Two kernels that show whether the second may start before the first has ended.
#pragma once

#include "conformance/graph_building.hpp"
#include "conformance/launch_kernels.hpp"
#include "support/gate.hpp"

namespace gs::test {

inline constexpr size_t kFlag = 0, kOut = 1, kSeen = 2;
inline constexpr uint32_t kLong = 20'000, kShort = 20; // milliseconds until the first kernel gives up

// Whether the device has what the tests launch. GPUs may lack it, or may start the second kernel no earlier than they must.
inline bool has_all_attributes() {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_device_get_info(GS_DEVICE_CURRENT, &info));
    return info.backend == GS_BACKEND_HOST || info.capability_major >= 9;
}
#define GS_NEEDS_ATTRIBUTES()                                                                                          \
    if (!has_all_attributes()) GTEST_SKIP() << "needs compute capability 9.0"

// The first waits for a flag, which the second sets; the second notes what the first has written.
struct Pair {
    Pair(gs_backend_t kind, uint32_t ms) : kernels(kind, GS_DEVICE_CURRENT, kLaunchPtx), milliseconds(ms) {}

    gs_status_t first(gs_stream_t stream, gs_event_t event = nullptr) {
        gs_launch_config_t config = launch_of(1, 1);
        config.programmatic_event = event;
        void *arguments[] = {&flag, &out, &milliseconds};
        return gs_kernel_launch(kernels["primary"], &config, arguments, stream);
    }
    gs_status_t second(gs_stream_t stream, uint32_t flags = GS_LAUNCH_PROGRAMMATIC) {
        gs_launch_config_t config = launch_of(1, 1);
        config.flags = flags;
        void *arguments[] = {&flag, &out, &seen};
        return gs_kernel_launch(kernels["secondary"], &config, arguments, stream);
    }

    Words words{3};
    Kernels kernels;
    uint32_t *flag = words.at(kFlag), *out = words.at(kOut), *seen = words.at(kSeen);
    uint32_t milliseconds;
};

} // namespace gs::test
