// SPDX-License-Identifier: Apache-2.0
#include "core/graph/dot_writer.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace gs {
namespace {

constexpr char kSpaces[] = "                                "; // indents 16 graphs inside each other, then no further

} // namespace

const char *DotWriter::indent() const noexcept {
    constexpr size_t kMost = sizeof kSpaces - 1;
    return kSpaces + kMost - std::min(kMost, static_cast<size_t>(depth_) * 2);
}

Status DotWriter::flush() noexcept {
    if (stopped_ == GS_OK && used_ > 0) stopped_ = write_(arg_, buffer_, used_);
    used_ = 0;
    return stopped_ == GS_OK ? kOk : fail(stopped_, "the function that receives the text returned %d", stopped_);
}

Status DotWriter::put(const char *bytes, size_t count) noexcept {
    while (count > 0) {
        if (used_ == sizeof buffer_) GS_TRY(flush());
        const size_t fits = std::min(count, sizeof buffer_ - used_);
        std::memcpy(buffer_ + used_, bytes, fits);
        used_ += fits;
        bytes += fits;
        count -= fits;
    }
    return stopped_ == GS_OK ? kOk : Status{stopped_};
}

// For short texts of our own.
Status DotWriter::text(const char *format, ...) noexcept {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return put(line, std::min(static_cast<size_t>(std::max(length, 0)), sizeof line - 1));
}

// In a quoted text only the quote ends it, and a backslash begins what Graphviz would interpret.
Status DotWriter::quoted(const char *label) noexcept {
    GS_TRY(put("\"", 1));
    for (; *label; ++label) {
        if (*label == '\n' || *label == '"' || *label == '\\') GS_TRY(put("\\", 1));
        GS_TRY(put(*label == '\n' ? "n" : label, 1));
    }
    return put("\"", 1);
}

Status DotWriter::begin(const char *title) noexcept {
    GS_TRY(text("digraph "));
    GS_TRY(quoted(title));
    return text(" {\n  node [shape=box, fontname=\"sans-serif\"];\n  compound=true;\n");
}

Status DotWriter::node(uint64_t id, const char *shape, const char *label) noexcept {
    GS_TRY(text("%sn%" PRIu64 " [shape=%s, label=", indent(), id, shape));
    GS_TRY(quoted(label));
    return text("];\n");
}

Status DotWriter::edge(uint64_t from, uint64_t to) noexcept {
    return text("%sn%" PRIu64 " -> n%" PRIu64 ";\n", indent(), from, to);
}

// The line leads to a point inside the box, since DOT has no edges to boxes; lhead cuts it off at the box's border.
Status DotWriter::begin_inside(uint64_t owner, uint32_t index, const char *label) noexcept {
    GS_TRY(text("%sn%" PRIu64 " -> p%" PRIu64 "_%u [style=dashed, lhead=cluster_%" PRIu64 "_%u];\n", indent(), owner,
                owner, index, owner, index));
    GS_TRY(text("%ssubgraph cluster_%" PRIu64 "_%u {\n", indent(), owner, index));
    ++depth_;
    GS_TRY(text("%slabel=", indent()));
    GS_TRY(quoted(label));
    return text(";\n%sp%" PRIu64 "_%u [shape=point, style=invis];\n", indent(), owner, index);
}

Status DotWriter::end_inside() noexcept {
    --depth_;
    return text("%s}\n", indent());
}

Status DotWriter::end() noexcept {
    GS_TRY(text("}\n"));
    return flush();
}

} // namespace gs
