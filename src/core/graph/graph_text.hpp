// SPDX-License-Identifier: Apache-2.0
// A graph in the language of Graphviz.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "core/graph/graph_slots.hpp"

namespace gs {

// Text in the language of Graphviz (DOT) for a graph whose nodes may contain graphs. Knows neither drivers nor handles: the
// caller names nodes by numbers and describes them in words.
class DotWriter {
public:
    using Write = gs_status_t (*)(void *arg, const char *text, size_t bytes);

    DotWriter(Write write, void *arg) noexcept : write_(write), arg_(arg) {}
    DotWriter(const DotWriter &) = delete;
    DotWriter &operator=(const DotWriter &) = delete;

    // Every piece of text waits in a buffer until it is full or the text ends. A failure of `write` ends everything:
    // that call and all later ones return its status, and `write` is not called again.
    Status begin(const char *title) noexcept;
    // Lines of the label are separated by '\n'. Any text is a valid label.
    Status node(uint64_t id, const char *shape, const char *label) noexcept;
    Status edge(uint64_t from, uint64_t to) noexcept;
    // A graph inside the node `owner`, until end_inside(): a box, to which a dashed line leads from the node.
    Status begin_inside(uint64_t owner, uint32_t index, const char *label) noexcept;
    Status end_inside() noexcept;
    Status end() noexcept;

private:
    Status text(const char *format, ...) noexcept GS_PRINTF(2, 3);
    Status quoted(const char *label) noexcept;
    Status put(const char *bytes, size_t count) noexcept;
    Status flush() noexcept;
    const char *indent() const noexcept;

    Write write_;
    void *arg_;
    gs_status_t stopped_ = GS_OK;
    int depth_ = 1;
    size_t used_ = 0;
    char buffer_[4096];
};

// Looks at the whole graph first, under its mutex; `write` is called afterwards, with no lock held.
Status write_graph_text(ThreadBlock &thread, uint64_t graph, DotWriter::Write write, void *arg) noexcept;

} // namespace gs
