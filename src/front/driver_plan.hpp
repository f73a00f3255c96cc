// SPDX-License-Identifier: Apache-2.0
// What the driver says of memory and graphs, for the ordering checker.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/check/graph_plan.hpp"

namespace gs::front {

enum class Memory { None, Pageable, Pinned, Device };
Memory memory_of(uint64_t address) noexcept;

// The plan has no lines yet. events: those that its nodes record. False: it cannot be read, or has nodes whose order is not known
// here. May throw std::bad_alloc.
bool read_driver_plan(uint64_t graph, check::GraphPlan *out, std::vector<uint64_t> *events);

} // namespace gs::front
