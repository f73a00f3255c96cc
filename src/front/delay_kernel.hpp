// SPDX-License-Identifier: Apache-2.0
// A kernel that only takes time, in front of a call in its stream.
#pragma once

#include <cstdint>

#include "front/call.hpp"

namespace gs::front {

// Outside of captures, for the current context; the driver may load nothing inside of one. False: it is not there.
bool prepare_delay_kernel() noexcept;
// odds: percent of the times that it runs at which it takes so long; it decides on the device, each time. `place` tells nodes of
// graphs apart. False: the driver refused.
bool put_delay(uint64_t stream, uint64_t ns, uint32_t odds, uint32_t place) noexcept;
// As a node of the graph that the node `after` waits for, behind what that one waits for. The same meaning.
bool add_delay_node(CUgraph graph, CUgraphNode after, const CUgraphNode *dependencies, size_t count, uint64_t ns,
                    uint32_t odds, uint32_t place) noexcept;

} // namespace gs::front
