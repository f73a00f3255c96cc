// SPDX-License-Identifier: Apache-2.0
// Which modules graphs and executables hold: those of their kernels.
//
// The library counts the holders instead of tying the list to the driver's graph (keep_for_graph()), because a launch of a
// graph to which something is tied costs a driver about twice as much. Launches in flight are not counted: a driver does not
// unload a module before the launches of its kernels have ended, and unloading is left to calls that may wait for that.
#pragma once

#include "core/graph/graph_slots.hpp"

namespace gs {

// The list of the outermost graph around this one, made at the first use. Under the graph's mutex.
Status modules_of(ThreadBlock &thread, GraphSlot &graph, ModuleList **out) noexcept;
// The list holds the module from now on.
Status hold_module(ThreadBlock &thread, GraphSlot &graph, LoadedModule &module) noexcept;
// Under the executable's mutex.
Status modules_of(ExecSlot &exec, ModuleList **out) noexcept;
// The executable holds what the graph does, in place of what it held. Under both mutexes.
void take_modules(ExecSlot &exec, const GraphSlot &graph) noexcept;
// The executable holds what the graph does, too. Under both mutexes.
Status add_modules(ExecSlot &exec, const GraphSlot &graph) noexcept;
// The graph has a copy of the other's nodes. Under both mutexes.
Status hold_modules_of(ThreadBlock &thread, GraphSlot &graph, const GraphSlot &other) noexcept;
// Other code gets the driver's graph: executables that it makes hold the modules, too. Under the graph's mutex, and not for a
// host function: native_graph().
void share_modules(ThreadBlock &thread, GraphSlot &graph) noexcept;

} // namespace gs
