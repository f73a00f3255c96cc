// SPDX-License-Identifier: Apache-2.0
// A graph in the language of Graphviz.
#pragma once

#include "core/graph/dot_writer.hpp"
#include "core/graph/graph_slots.hpp"

namespace gs {

// Looks at the whole graph first, under its mutex; `write` is called afterwards, with no lock held.
Status write_graph_text(ThreadBlock &thread, uint64_t graph, DotWriter::Write write, void *arg) noexcept;

} // namespace gs
