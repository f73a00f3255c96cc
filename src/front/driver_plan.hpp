// SPDX-License-Identifier: Apache-2.0
// What the driver says of memory and graphs, for the ordering checker.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/check/graph_plan.hpp"

namespace gs::front {

enum class Memory { None, Pageable, Pinned, Device };
Memory memory_of(uint64_t address) noexcept;

// The plan has no lines yet. events: those that its nodes record or wait for. False: the driver does not tell all, or has nodes that wait for
// what is out of sight. May throw std::bad_alloc.
bool read_driver_plan(uint64_t graph, check::GraphPlan *out, std::vector<uint64_t> *events);

} // namespace gs::front
