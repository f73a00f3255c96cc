// SPDX-License-Identifier: Apache-2.0
// Seeded bugs of the engine's graphs, which the random programs must find. Only in the build that the tests link, as those of
// base/testing.hpp.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
namespace gs::host::testing {
enum class GraphBug {
    None,
    LaunchesOverlap,
    ForgetFork,
    ForgetEdgeBetweenLanes,
    LaunchEndsEarly,
    ForgetPredecessor,
    UpdateForgetsANode
};
inline std::atomic<GraphBug> graph_bug{GraphBug::None};
} // namespace gs::host::testing
#define GS_GRAPH_BUG(which)                                                                                            \
    (::gs::host::testing::graph_bug.load(std::memory_order_relaxed) == ::gs::host::testing::GraphBug::which)
#else
#define GS_GRAPH_BUG(which) false
#endif
