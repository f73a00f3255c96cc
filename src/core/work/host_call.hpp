// SPDX-License-Identifier: Apache-2.0
// Host functions, wrapped: the library recognises and refuses calls from inside them, and each runs exactly once, once
// per launch of a graph, or never.
//
// The driver gets the number of a call record, not its address. A number is used for one call only: if the driver reports
// a failure and runs the function later nevertheless, the number is stale and nothing happens.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Runs under the caller's CallMark.
Status launch_host(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept;

// A function for host nodes: what the driver is to call with what, at every launch, until end_graph_call(arg).
struct GraphCall {
    void (*fn)(void *);
    void *arg;
};
Status make_graph_call(void (*fn)(void *), void *arg, GraphCall *out) noexcept;
// All launches that call it are over, and none will begin.
void end_graph_call(void *arg) noexcept;

} // namespace gs
