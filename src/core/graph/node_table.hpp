// SPDX-License-Identifier: Apache-2.0
// The numbers of a graph's nodes. A node gets one when a caller first asks for it; no number is ever used again, so a
// stale one, or one of another graph, is recognised.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/status.hpp"
#include "gpustream.h"

namespace gs {

// Guarded by the graph's mutex. The functions return OUT_OF_MEMORY, or INVALID_ARGUMENT for a node of another graph.
class NodeTable {
public:
    Status number_of(uintptr_t native, gs_node_t *out) noexcept;
    Status native_of(gs_node_t node, uintptr_t *out) const noexcept;
    // The numbers of several nodes: all of them, or nothing is written.
    Status numbers_of(const uintptr_t *natives, size_t count, gs_node_t *out) noexcept;
    Status natives_of(const gs_node_t *nodes, size_t count, std::vector<uintptr_t> *out) const noexcept;
    void forget(uintptr_t native) noexcept; // the driver may use the address again
    void clear() noexcept;

private:
    std::map<uintptr_t, gs_node_t> numbers_;
    std::map<gs_node_t, uintptr_t> natives_;
};

} // namespace gs
