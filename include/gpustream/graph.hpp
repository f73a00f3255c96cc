// SPDX-License-Identifier: Apache-2.0
// Graphs: what they contain, how they grow, and how they are launched.
#pragma once

#include <initializer_list>
#include <vector>

#include "module.hpp"

GPUSTREAM_BEGIN_NAMESPACE

using node = gs_node_t;

/// The nodes that a new one follows: a list in braces, one node, or a vector. It refers to them for the call only.
class nodes {
public:
    nodes() noexcept = default;
    nodes(std::initializer_list<node> list) noexcept : count_(list.size()) { first_ = list.begin(); }
    nodes(const node &one) noexcept : first_(&one), count_(1) {}
    nodes(const std::vector<node> &list) noexcept : first_(list.data()), count_(list.size()) {}
    const node *data() const noexcept { return first_; }
    size_t size() const noexcept { return count_; }

private:
    const node *first_ = nullptr;
    size_t count_ = 0;
};

struct edge {
    node from;
    node to;
};

/// A graph that someone else owns.
class graph_ref : public detail::reference<gs_graph_t> {
public:
    using reference::reference;

    /// gs_graph_set_name(): shown in error texts and, of executables made later, in dumps and traces; null or "" is none.
    outcome<void> set_name(const char *name) const { return detail::done(gs_graph_set_name(get(), name)); }
    outcome<node> add_empty(nodes after) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_empty(get(), after.data(), after.size(), &made);
        return detail::value(status, made);
    }
    /// function() runs at every launch, under the rules of stream_ref::launch_host(). The graph keeps it.
    template <typename Function>
    outcome<node> add_host(nodes after, Function &&function) const {
        using boxed = detail::box<std::decay_t<Function>>;
        node made = 0;
        auto *kept = detail::boxed(std::forward<Function>(function));
        if (kept == nullptr) return detail::value(GS_ERROR_OUT_OF_MEMORY, made);
        gs_status_t status = gs_graph_keep(get(), boxed::discard, kept);
        if (status != GS_OK)
            delete kept;
        else
            status = gs_graph_add_host(get(), after.data(), after.size(), boxed::run, kept, &made);
        return detail::value(status, made);
    }
    /// The arguments' types must be those of the kernel's parameters.
    template <typename... Arguments>
    outcome<node> add_kernel(nodes after, kernel function, const launch_config &config,
                             const Arguments &...arguments) const {
        detail::kernel_arguments<Arguments...> list(arguments...);
        const gs_launch_config_t in_c = config.in_c();
        node made = 0;
        const gs_status_t status =
            gs_graph_add_kernel(get(), after.data(), after.size(), function.get(), &in_c, list.addresses, &made);
        return detail::value(status, made);
    }
    outcome<node> add_copy(nodes after, void *to, const void *from, size_t bytes) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_memcpy(get(), after.data(), after.size(), to, from, bytes, &made);
        return detail::value(status, made);
    }
    outcome<node> add_fill(nodes after, void *to, int32_t value, size_t bytes) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_memset(get(), after.data(), after.size(), to, value, bytes, &made);
        return detail::value(status, made);
    }
    outcome<node> add_record(nodes after, event_ref event) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_record(get(), after.data(), after.size(), event.get(), &made);
        return detail::value(status, made);
    }
    outcome<node> add_wait(nodes after, event_ref event) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_wait(get(), after.data(), after.size(), event.get(), &made);
        return detail::value(status, made);
    }
    /// A copy of the child becomes one node.
    outcome<node> add_graph(nodes after, graph_ref child) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_graph(get(), after.data(), after.size(), child.get(), &made);
        return detail::value(status, made);
    }
    struct condition {
        node made = 0;
        std::vector<graph_ref> bodies; // borrowed from this graph
    };
    /// A node whose bodies run depending on a number, which add_set_condition() sets.
    outcome<condition> add_condition(nodes after, condition_kind kind, uint32_t initial, size_t bodies = 1) const {
        condition found;
        std::vector<gs_graph_t> handles(bodies);
        const gs_status_t status = gs_graph_add_condition(get(), after.data(), after.size(), static_cast<int32_t>(kind),
                                                          initial, &found.made, handles.data(), bodies);
        for (const gs_graph_t handle : handles) found.bodies.emplace_back(handle);
        return detail::value(status, std::move(found));
    }
    /// A node of this graph that sets a condition of `owner` from the 32-bit word at a device address.
    outcome<node> add_set_condition(nodes after, graph_ref owner, node set, const void *address) const {
        node made = 0;
        const gs_status_t status =
            gs_graph_set_condition(get(), after.data(), after.size(), owner.get(), set, address, &made);
        return detail::value(status, made);
    }

    /// Calls release() when the graph, its executables and their launches have ended.
    template <typename Function>
    outcome<void> keep(Function &&release) const {
        using boxed = detail::box<std::decay_t<Function>>;
        return detail::done(detail::hand_over(std::forward<Function>(release), [this](boxed *made) {
            return gs_graph_keep(get(), boxed::run_once, made);
        }));
    }
    outcome<gs_graph_summary_t> info() const {
        gs_graph_summary_t found{};
        found.struct_size = sizeof found;
        const gs_status_t status = gs_graph_info(get(), &found);
        return detail::value(status, found);
    }
    outcome<std::vector<node>> contents() const {
        std::vector<node> found;
        size_t count = 0;
        gs_status_t status = gs_graph_nodes(get(), nullptr, 0, &count);
        // Another thread may add to the graph between the calls.
        while (status == GS_OK && count > found.size()) {
            found.resize(count);
            status = gs_graph_nodes(get(), found.data(), found.size(), &count);
        }
        found.resize(status == GS_OK ? count : 0);
        return detail::value(status, std::move(found));
    }
    outcome<std::vector<edge>> edges() const {
        std::vector<node> ends;
        size_t count = 0;
        gs_status_t status = gs_graph_edges(get(), nullptr, 0, &count);
        while (status == GS_OK && count > ends.size()) {
            ends.resize(count);
            status = gs_graph_edges(get(), ends.data(), ends.size(), &count);
        }
        std::vector<edge> found;
        for (size_t i = 0; status == GS_OK && i < count; i += 2) found.push_back({ends[i], ends[i + 1]});
        return detail::value(status, std::move(found));
    }
    outcome<gs_node_info_t> info(node which) const {
        gs_node_info_t found{};
        found.struct_size = sizeof found;
        const gs_status_t status = gs_graph_node_info(get(), which, &found);
        return detail::value(status, found);
    }
    /// The node's CUgraphNode as a number. The graph must keep the node.
    outcome<uintptr_t> native(node which) const {
        uintptr_t number = 0;
        const gs_status_t status = gs_graph_node_native(get(), which, &number);
        return detail::value(status, number);
    }
    /// gs_graph_check_read(): the node reads these bytes at each launch, which the ordering checker cannot know of kernels
    /// and host functions.
    outcome<void> check_read(node which, const void *address, size_t bytes, const char *label = nullptr) const {
        return detail::done(gs_graph_check_read(get(), which, address, bytes, label));
    }
    /// gs_graph_check_write(): it writes them, and possibly reads them.
    outcome<void> check_write(node which, const void *address, size_t bytes, const char *label = nullptr) const {
        return detail::done(gs_graph_check_write(get(), which, address, bytes, label));
    }
    /// The graph in Graphviz's language.
    outcome<std::string> dot() const {
        std::string text;
        const auto write = [](void *arg, const char *more, size_t bytes) -> gs_status_t {
            const auto append = [&] { static_cast<std::string *>(arg)->append(more, bytes); };
            return detail::contained("writer", append) ? GS_OK : GS_ERROR_OUT_OF_MEMORY;
        };
        const gs_status_t status = gs_graph_write_dot(get(), write, &text);
        return detail::value(status, std::move(text));
    }
    /// The cudaGraph_t as a number.
    outcome<uintptr_t> native() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_graph_native(get(), &number);
        return detail::value(status, number);
    }
};

/// An executable graph that someone else owns.
class graph_exec_ref : public detail::reference<gs_graph_exec_t> {
public:
    using reference::reference;

    outcome<void> launch(stream_ref stream) const { return detail::done(gs_graph_exec_launch(get(), stream.get())); }
    /// Moves what a launch needs to the device ahead of it.
    outcome<void> upload(stream_ref stream) const { return detail::done(gs_graph_exec_upload(get(), stream.get())); }
    /// Takes the parameters of a graph of the same shape. reason ok: done; else what differs and where, and nothing is
    /// changed. Other failures are failures.
    outcome<gs_graph_update_t> update(graph_ref from) const {
        gs_graph_update_t found{};
        found.struct_size = sizeof found;
        const gs_status_t status = gs_graph_exec_update(get(), from.get(), &found);
        return detail::value(status, found);
    }
    template <typename... Arguments>
    outcome<void> set_kernel(node which, kernel function, const launch_config &config,
                             const Arguments &...arguments) const {
        detail::kernel_arguments<Arguments...> list(arguments...);
        const gs_launch_config_t in_c = config.in_c();
        return detail::done(gs_graph_exec_set_kernel(get(), which, function.get(), &in_c, list.addresses));
    }
    outcome<void> set_copy(node which, void *to, const void *from, size_t bytes) const {
        return detail::done(gs_graph_exec_set_memcpy(get(), which, to, from, bytes));
    }
    outcome<void> set_fill(node which, void *to, int32_t value, size_t bytes) const {
        return detail::done(gs_graph_exec_set_memset(get(), which, to, value, bytes));
    }
    /// function(argument) runs from the next launch on, under the rules of stream_ref::launch_host(). Nothing keeps the
    /// argument: an executable exists already that no new function can be tied to.
    outcome<void> set_host(node which, void (*function)(void *), void *argument) const {
        return detail::done(gs_graph_exec_set_host(get(), which, function, argument));
    }
    outcome<void> set_record(node which, event_ref event) const {
        return detail::done(gs_graph_exec_set_record(get(), which, event.get()));
    }
    outcome<void> set_wait(node which, event_ref event) const {
        return detail::done(gs_graph_exec_set_wait(get(), which, event.get()));
    }
    outcome<void> enable(node which, bool on) const {
        return detail::done(gs_graph_exec_enable_node(get(), which, on ? 1 : 0));
    }
    /// The cudaGraphExec_t as a number.
    outcome<uintptr_t> native() const {
        uintptr_t number = 0;
        const gs_status_t status = gs_graph_exec_native(get(), &number);
        return detail::value(status, number);
    }
};

class graph_exec : public detail::owner<graph_exec_ref, gs_graph_exec_t, gs_graph_exec_destroy> {
public:
    using owner::owner;
    /// Another reference to the same executable.
    static outcome<graph_exec> retain(graph_exec_ref other) {
        const gs_status_t status = detail::with_abi(gs_graph_exec_retain, other.get());
        return detail::value(status, graph_exec(status == GS_OK ? other.get() : nullptr));
    }
};

class graph : public detail::owner<graph_ref, gs_graph_t, gs_graph_destroy> {
public:
    using owner::owner;
    static outcome<graph> create(device on = device::current()) {
        gs_graph_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_graph_create, on.get(), 0, &handle);
        return detail::value(status, graph(handle));
    }
    /// Another reference to the same graph.
    static outcome<graph> retain(graph_ref other) {
        const gs_status_t status = detail::with_abi(gs_graph_retain, other.get());
        return detail::value(status, graph(status == GS_OK ? other.get() : nullptr));
    }
    /// Wraps a cudaGraph_t that its owner keeps alive.
    static outcome<graph> from_native(device on, uintptr_t native) {
        gs_graph_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_graph_from_native, on.get(), native, &handle);
        return detail::value(status, graph(handle));
    }
    /// A graph of the same contents, which changes apart from this one.
    outcome<graph> clone() const {
        gs_graph_t handle = nullptr;
        const gs_status_t status = gs_graph_clone(get(), &handle);
        return detail::value(status, graph(handle));
    }
    outcome<graph_exec> instantiate(instantiate_flags flags = instantiate_flags::none) const {
        gs_graph_exec_t handle = nullptr;
        const gs_status_t status = gs_graph_instantiate(get(), static_cast<uint32_t>(flags), &handle);
        return detail::value(status, graph_exec(handle));
    }
};

GPUSTREAM_END_NAMESPACE
