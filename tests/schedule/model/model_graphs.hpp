// SPDX-License-Identifier: Apache-2.0
// Captures and graphs of the model of a driver. It is as strict as a driver's contract: a graph takes one call at a time, and none
// after it was destroyed. The end of a capture is a call on the graph. Nodes have no content. As in the CUDA backend, a lock
// keeps the end of a capture apart from capture() and capture_keep().
#pragma once

#include "backend/graphs.hpp"

namespace gs::schedule {

// The model's graphs, if the scenario captures; nullptr: the model has none.
Graphs *model_graphs() noexcept;

namespace model {

// For one run, before its first capture.
void with_captures(bool on);
bool is_captured(uintptr_t stream);
// Work was put into a captured stream: it is a call on the graph.
void add_node(uintptr_t stream);

} // namespace model
} // namespace gs::schedule
