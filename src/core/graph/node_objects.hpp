// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes that refer to objects of the library: looked up, checked, and held by the graph.
#pragma once

#include <string>

#include "core/graph/graph_slots.hpp"

namespace gs {

// All under the graph's mutex and without a CallMark. params->kind is set.

// `holds` holds the function's record.
Status host_params(GraphHolds &holds, void (*fn)(void *), void *arg, NodeParams *params) noexcept;
// `modules` holds the kernel's module.
Status kernel_params(ThreadBlock &thread, const GraphSlot &graph, ModuleList &modules, uint64_t kernel,
                     const gs_launch_config_t &config, void **arguments, NodeParams *params,
                     std::string *out_name) noexcept;
// hold_event() is to follow.
Status event_params(ThreadBlock &thread, const GraphSlot &graph, uint64_t event, NodeParams *params) noexcept;

// The list retains the event.
Status hold_event(ThreadBlock &thread, GraphHolds &holds, uint64_t event) noexcept;

} // namespace gs
