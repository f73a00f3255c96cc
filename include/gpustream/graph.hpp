// SPDX-License-Identifier: Apache-2.0
// Graphs: what they contain, how they grow, and how they are launched.
#pragma once

#include <vector>

#include "node.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A graph that someone else owns.
class graph_ref : public detail::reference<gs_graph_t> {
public:
    using reference::reference;

    /// gs_graph_set_name(): shown in error texts and, of executables made later, in dumps and traces; null or "" is none.
    outcome<void> set_name(const char *name) const { return detail::done(gs_graph_set_name(get(), name)); }
    /// gs_graph_add_node().
    outcome<node> add_node(nodes &&after, const gs_node_params_t &what) const { return add(after, what); }
    outcome<node> add_empty(nodes &&after) const { return add(after, detail::node_of(GS_NODE_EMPTY)); }
    /// function() runs at every launch, under the rules of stream_ref::launch_host(). The graph keeps it.
    template <typename Function>
    outcome<node> add_host(nodes &&after, Function &&function) const {
        using boxed = detail::box<std::decay_t<Function>>;
        auto *kept = detail::boxed(std::forward<Function>(function));
        if (kept == nullptr) return detail::value(detail::no_memory, node{});
        const gs_status_t status = gs_graph_keep(get(), boxed::discard, kept);
        if (status == GS_OK) return add(after, detail::host_node(boxed::run, kept));
        delete kept;
        return detail::value(status, node{});
    }
    /// The arguments' types must be those of the kernel's parameters.
    template <typename... Arguments>
    outcome<node> add_kernel(nodes &&after, kernel function, const launch_config &config,
                             const Arguments &...arguments) const {
        detail::kernel_arguments<Arguments...> list(arguments...);
        return add(after, detail::kernel_node(function, config, list.addresses));
    }
    outcome<node> add_copy(nodes &&after, void *to, const void *from, size_t bytes) const {
        return add(after, detail::copy_node(to, from, bytes));
    }
    outcome<node> add_fill(nodes &&after, void *to, int32_t value, size_t bytes) const {
        return add(after, detail::fill_node(to, value, bytes));
    }
    outcome<node> add_record(nodes &&after, event_ref event) const {
        return add(after, detail::event_node(GS_NODE_RECORD, event));
    }
    outcome<node> add_wait(nodes &&after, event_ref event) const {
        return add(after, detail::event_node(GS_NODE_WAIT, event));
    }
    /// A copy of the child becomes one node.
    outcome<node> add_graph(nodes &&after, graph_ref child) const {
        gs_node_params_t what = detail::node_of(GS_NODE_GRAPH);
        what.graph = child.get();
        return add(after, what);
    }
    struct condition {
        node made = 0;
        std::vector<graph_ref> bodies; // borrowed from this graph
    };
    /// A node whose bodies run depending on a number, which add_set_condition() sets.
    outcome<condition> add_condition(nodes &&after, condition_kind kind, uint32_t initial, size_t bodies = 1) const {
        condition found;
        gs_node_params_t what = detail::node_of(GS_NODE_CONDITION);
        what.condition_kind = static_cast<int32_t>(kind);
        what.initial = initial;
        what.body_count = bodies > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(bodies);
        gs_status_t status = gs_graph_add_node(get(), after.data(), after.size(), &what, &found.made);
        std::vector<gs_graph_t> handles(status == GS_OK ? bodies : 0);
        size_t count = 0;
        if (status == GS_OK) status = gs_graph_node_bodies(get(), found.made, handles.data(), handles.size(), &count);
        for (const gs_graph_t handle : handles) found.bodies.emplace_back(handle);
        return detail::value(status, std::move(found));
    }
    /// A node of this graph that sets a condition of `owner` from the 32-bit word at a device address.
    outcome<node> add_set_condition(nodes &&after, graph_ref owner, node set, const void *address) const {
        gs_node_params_t what = detail::node_of(GS_NODE_SET_CONDITION);
        what.graph = owner.get();
        what.condition = set;
        what.src = address;
        return add(after, what);
    }

    /// Calls release() when the graph, its executables and their launches have ended.
    template <typename Function>
    outcome<void> keep(Function &&release) const {
        using boxed = detail::box<std::decay_t<Function>>;
        return detail::done(detail::hand_over(std::forward<Function>(release), [this](boxed *made) {
            return gs_graph_keep(get(), boxed::release, made);
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
    outcome<gs_node_params_t> info(node which) const {
        gs_node_params_t found{};
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

private:
    outcome<node> add(const nodes &after, const gs_node_params_t &what) const {
        node made = 0;
        const gs_status_t status = gs_graph_add_node(get(), after.data(), after.size(), &what, &made);
        return detail::value(status, made);
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
    /// gs_graph_exec_set_node().
    outcome<void> set_node(node which, const gs_node_params_t &what) const {
        return detail::done(gs_graph_exec_set_node(get(), which, &what));
    }
    template <typename... Arguments>
    outcome<void> set_kernel(node which, kernel function, const launch_config &config,
                             const Arguments &...arguments) const {
        detail::kernel_arguments<Arguments...> list(arguments...);
        return set_node(which, detail::kernel_node(function, config, list.addresses));
    }
    outcome<void> set_copy(node which, void *to, const void *from, size_t bytes) const {
        return set_node(which, detail::copy_node(to, from, bytes));
    }
    outcome<void> set_fill(node which, void *to, int32_t value, size_t bytes) const {
        return set_node(which, detail::fill_node(to, value, bytes));
    }
    /// function(argument) runs from the next launch on, under the rules of stream_ref::launch_host(). The caller keeps
    /// the argument alive: the library cannot tie a function to an executable that exists.
    outcome<void> set_host(node which, void (*function)(void *), void *argument) const {
        return set_node(which, detail::host_node(function, argument));
    }
    outcome<void> set_record(node which, event_ref event) const {
        return set_node(which, detail::event_node(GS_NODE_RECORD, event));
    }
    outcome<void> set_wait(node which, event_ref event) const {
        return set_node(which, detail::event_node(GS_NODE_WAIT, event));
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
