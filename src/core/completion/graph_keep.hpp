// SPDX-License-Identifier: Apache-2.0
// What lives as long as a graph, its executables and their launches.
//
// The driver says that they have ended on a thread of its own, where nothing may call it, and where the caller's function
// would hold up the driver. So the release runs on the dispatcher. As with host functions (host_call.hpp) the driver gets a
// number in place of a pointer: after a failure it may use that late or never, and then nothing happens.
#pragma once

#include <cstdint>

#include "backend/graphs.hpp"
#include "core/slots.hpp"

namespace gs {

// `graph` is the driver's; no other call on it may be in progress. OK: release(arg) is called once. Otherwise never.
Status keep_for_graph(ThreadBlock &thread, Graphs &graphs, uintptr_t graph, void (*release)(void *),
                      void *arg) noexcept;
// The same for the graph that the stream is captured into. *out_kept is false if it is not captured, or its capture has just
// ended, and release is then never called. NOT_SUPPORTED: the capture is broken, or the driver keeps nothing for graphs.
Status keep_in_capture(ThreadBlock &thread, StreamSlot &stream, void (*release)(void *), void *arg,
                       bool *out_kept) noexcept;

} // namespace gs
