// SPDX-License-Identifier: Apache-2.0
// Random numbers of captured kernels: what graphs and executables hold of them, reservations in captures, launches.
//
// As with modules (graph_holds.hpp) the library counts the holders. Launches in flight need not be counted: words are
// used again behind the last launch.
#pragma once

#include "core/graph/graph_slots.hpp"
#include "core/random/random_words.hpp"

namespace gs {

// In a stream that is being captured: the addresses that the kernel reads.
Status reserve_captured(ThreadBlock &thread, StreamSlot &stream, uint64_t numbers, gs_philox_t *out) noexcept;

// As take_modules(), add_modules() and hold_modules_of().
void take_random(ExecSlot &exec, const GraphSlot &graph) noexcept;
Status add_random(ExecSlot &exec, const GraphSlot &graph) noexcept;
Status hold_random_of(GraphSlot &graph, const GraphSlot &other) noexcept;
// Before share_modules(): other code gets the driver's graph, and the words are never used again.
void share_random(GraphSlot &graph) noexcept;

// Under the executable's mutex, of one that has such kernels.
Status launch_with_random(ThreadBlock &thread, ExecSlot &exec, StreamSlot &stream) noexcept;

} // namespace gs
