// SPDX-License-Identifier: Apache-2.0
// Making, sharing and ending graphs.
#pragma once

#include "core/graph/graph_slots.hpp"

namespace gs {

// An unpublished slot for a graph of the device; `native` is to be set.
Status new_graph_slot(Device &device, GraphSlot **out) noexcept;
Status create_graph(ThreadBlock &thread, Device &device, uint64_t *out_handle) noexcept;
Status wrap_graph(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept;
// Of a driver's graph whose slot ends. A failure goes to the log.
void destroy_native(ThreadBlock &thread, const GraphSlot &graph, uintptr_t native) noexcept;
Status release_graph(ThreadBlock &thread, uint64_t handle) noexcept;
// Puts a new slot's graph inside another one, as a body: its handle, which this returns, ends with the parent's. Under the
// root's mutex.
uint64_t put_inside(GraphSlot &parent, GraphSlot &slot, uintptr_t native) noexcept;
// Of a graph whose handles have ended, and of all inside it; without its mutex.
void give_graph_slots(GraphSlot &slot) noexcept;

} // namespace gs
