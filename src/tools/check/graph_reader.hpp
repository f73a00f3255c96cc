// SPDX-License-Identifier: Apache-2.0
// Reads the plan of a graph from its driver.
#pragma once

#include "base/thread_block.hpp"
#include "tools/check/graph_plan.hpp"

namespace gs::check {

// Locks the graph: to be called without a CallMark and without the checker's lock. False: it cannot be read. The plan has no
// lines yet, and of accesses those that the driver knows.
bool read_plan(ThreadBlock &thread, uint64_t graph, GraphPlan *out) noexcept;

} // namespace gs::check
