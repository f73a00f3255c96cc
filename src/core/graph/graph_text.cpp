// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_calls.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "base/text.hpp"
#include "core/names.hpp"

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

namespace {

// What is to be written of one graph. Nodes are named by consecutive numbers, from `first` on.
struct Picture {
    struct Inside {
        size_t owner; // index of the node
        uint32_t index;
        std::string label;
        std::vector<Picture> picture; // one; a vector, since the type is not complete
    };
    uint64_t first = 0;
    std::vector<std::string> labels;
    std::vector<const char *> shapes;
    std::vector<std::pair<size_t, size_t>> edges;
    std::vector<Inside> inside;
};

std::string kernel_label(const NodeParams &params, const std::string &name) {
    const gs_launch_config_t &config = params.kernel.config;
    char text[160];
    std::snprintf(text, sizeof text, "\ngrid %u x %u x %u, block %u x %u x %u", config.grid_x, config.grid_y,
                  config.grid_z, config.block_x, config.block_y, config.block_z);
    return (name.empty() ? "kernel" : "kernel " + name) + text;
}

std::string with_name(const char *what, const NodeNote *note) {
    return note ? std::string(what) + " " + note->name : what;
}

std::string label_of(const NodeParams &params, const NodeNote *note, const std::string &kernel) {
    static constexpr const char *kConditions[] = {"if", "while", "switch"};
    switch (note ? note->kind : params.kind) {
    case GS_NODE_KERNEL: return kernel_label(params, kernel);
    case GS_NODE_MEMCPY:
        return params.copy.bytes ? "copy " + decimal(params.copy.bytes) + " bytes" : std::string("copy");
    case GS_NODE_MEMSET:
        return params.fill.bytes ? "fill " + decimal(params.fill.bytes) + " bytes" : std::string("fill");
    case GS_NODE_HOST: return "host function";
    case GS_NODE_GRAPH: return with_name("graph", note);
    case GS_NODE_EMPTY: return "empty";
    case GS_NODE_WAIT: return with_name("wait for event", note);
    case GS_NODE_RECORD: return with_name("record event", note);
    case GS_NODE_MALLOC: return "allocate";
    case GS_NODE_FREE: return "free";
    case GS_NODE_CONDITION: return note ? kConditions[note->condition_type] : "condition";
    case GS_NODE_SET_CONDITION: return "set condition";
    default: return "node";
    }
}

const char *shape_of(int32_t kind) {
    return kind == GS_NODE_CONDITION ? "diamond" : kind == GS_NODE_EMPTY ? "circle" : "box";
}

const char *body_label(const NodeNote &note, uint32_t index) {
    if (note.condition_type == GS_CONDITION_IF) return index == 0 ? "then" : "else";
    return note.condition_type == GS_CONDITION_WHILE ? "body" : "case";
}

struct Looker {
    ThreadBlock &thread;
    Graphs &graphs;
    uint64_t next = 1;

    // slot: nullptr for a child graph, whose nodes the library did not add.
    Status look(GraphRef graph, GraphSlot *slot, Picture *out) {
        std::vector<uintptr_t> nodes;
        GS_TRY(native_nodes(thread, graphs, graph, &nodes));
        NativeEdges edges;
        GS_TRY(native_edges(thread, graphs, graph, &edges));
        out->first = next;
        next += nodes.size();
        for (size_t i = 0; i < nodes.size(); ++i) GS_TRY(look_at(graph, slot, nodes[i], i, out));
        const auto index_of = [&](uintptr_t node) {
            return static_cast<size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
        };
        for (size_t i = 0; i < edges.from.size(); ++i)
            out->edges.emplace_back(index_of(edges.from[i]), index_of(edges.to[i]));
        return kOk;
    }

    Status look_at(GraphRef graph, GraphSlot *slot, uintptr_t node, size_t index, Picture *out) {
        NodeParams params;
        GS_TRY(graphs.node_params(thread, graph, node, &params));
        const NodeNote *note = nullptr;
        if (slot) {
            gs_node_t number = 0;
            GS_TRY(slot->nodes.number_of(node, &number));
            note = slot->notes.find(number);
        }
        std::string kernel;
        if ((note ? note->kind : params.kind) == GS_NODE_KERNEL)
            GS_TRY(kernel_name(thread, graphs, graph, params, note, &kernel));
        out->labels.push_back(label_of(params, note, kernel));
        out->shapes.push_back(shape_of(note ? note->kind : params.kind));
        if (params.kind == GS_NODE_GRAPH && params.child) {
            out->inside.push_back({index, 0, with_name("graph", note), std::vector<Picture>(1)});
            return look({graph.ordinal, params.child}, nullptr, &out->inside.back().picture[0]);
        }
        if (!note || note->kind != GS_NODE_CONDITION) return kOk;
        for (uint32_t i = 0; i < note->bodies.size(); ++i) {
            GraphSlot *body = graph_slots().find(note->bodies[i]);
            if (!body) continue;
            out->inside.push_back({index, i, body_label(*note, i), std::vector<Picture>(1)});
            GS_TRY(look(body->ref(), body, &out->inside.back().picture[0]));
        }
        return kOk;
    }
};

Status draw(const Picture &picture, DotWriter &dot) noexcept {
    for (size_t i = 0; i < picture.labels.size(); ++i)
        GS_TRY(dot.node(picture.first + i, picture.shapes[i], picture.labels[i].c_str()));
    for (const auto &[from, to] : picture.edges) GS_TRY(dot.edge(picture.first + from, picture.first + to));
    for (const Picture::Inside &inside : picture.inside) {
        GS_TRY(dot.begin_inside(picture.first + inside.owner, inside.index, inside.label.c_str()));
        GS_TRY(draw(inside.picture[0], dot));
        GS_TRY(dot.end_inside());
    }
    return kOk;
}

} // namespace

Status write_graph_text(ThreadBlock &thread, uint64_t handle, DotWriter::Write write, void *arg) noexcept {
    Picture picture;
    try {
        LockedGraph graph;
        GS_TRY(graph.find(handle));
        GS_TRY(check_health(*graph->device));
        Looker looker{thread, *graph->graphs};
        GS_TRY(looker.look(graph->ref(), &*graph, &picture));
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the text of a graph");
    }
    DotWriter dot(write, arg);
    const NameText name = name_of_object(handle);
    GS_TRY(dot.begin(name.text[0] != '\0' ? name.text : "graph"));
    GS_TRY(draw(picture, dot));
    return dot.end();
}

} // namespace gs
