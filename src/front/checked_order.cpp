// SPDX-License-Identifier: Apache-2.0
#include "front/checked_order.hpp"

#include <algorithm>

#include "front/copied_memory.hpp"
#include "front/driver.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

using check::Order;
using check::StreamLine;
using check::ThreadLine;

constexpr uint64_t kMadeStream = 3; // kinds of keys: that of a default stream is the driver's word for it
constexpr uint64_t kBlocking = 1, kAsked = 2;

PointerTable g_made_streams; // its context, with the bits above; 0: the driver has not been asked
PointerTable g_own_events;   // 1: all its records are seen

uint64_t ask_for_stream(uint64_t stream) noexcept {
    const Relaxed relaxed;
    CUcontext context = nullptr;
    unsigned flags = 0;
    // The function does not know streams of green contexts.
    if (!g_real.get_stream_context ||
        g_real.get_stream_context(reinterpret_cast<CUstream>(stream), &context) != CUDA_SUCCESS)
        context = current_context();
    if (g_real.get_stream_flags) g_real.get_stream_flags(reinterpret_cast<CUstream>(stream), &flags);
    const uint64_t blocking = (flags & CU_STREAM_NON_BLOCKING) != 0 ? 0 : kBlocking;
    set_word(g_made_streams, stream, reinterpret_cast<uintptr_t>(context) | kAsked | blocking);
    return reinterpret_cast<uintptr_t>(context) | kAsked | blocking;
}

void add_order_of_stream(const Call &call, bool foreign, Order &order, ThreadLine &host, StreamLine &stream) {
    switch (call.row->kind) {
    case DriverCall::Record: return order.record(host, stream, call.object, foreign);
    case DriverCall::Wait: return order.wait(host, stream, call.object, foreign);
    case DriverCall::WaitValue: return order.wait_word(host, stream);
    case DriverCall::Write:
        order.leave_note(host, stream);                                   // a thread may look at the word
        return call.object == 0 ? order.wait_word(host, stream) : void(); // several, which may be waits
    case DriverCall::HostFunction: return order.leave_note(host, stream);
    default: return order.know_stream(host, stream);
    }
}

} // namespace

uint64_t device_of_thread() noexcept { return reinterpret_cast<uintptr_t>(current_context()); }

check::StreamFacts facts_of(ThreadBlock &thread, const Call &call) noexcept {
    const uint64_t stream = driver_stream(call);
    check::StreamFacts facts;
    facts.handle = logged_stream(thread, call);
    if (stream <= 2) {
        facts.device = device_of_thread();
        facts.legacy = stream == 1;
        facts.blocking = true;
        facts.key = {stream, facts.device, 0, facts.legacy ? 0 : thread.serial};
        return facts;
    }
    uint64_t word = word_of(g_made_streams, stream);
    if (word == 0) word = ask_for_stream(stream);
    facts.device = word & ~(kBlocking | kAsked);
    facts.blocking = (word & kBlocking) != 0;
    facts.key = {kMadeStream, stream};
    return facts;
}

void end_checked_stream(ThreadBlock &thread, uint64_t stream) noexcept {
    set_word(g_made_streams, stream, 0);
    with_host(thread, OfCall::Order, [stream](Checker &checker, const Caller &, Checker::Races &) {
        checker.order().end_stream({kMadeStream, stream});
    });
}

void renew_event(ThreadBlock &thread, uint64_t event, bool own) noexcept {
    set_word(g_own_events, event, own ? 1 : 0);
    with_host(thread, OfCall::Order,
              [event](Checker &checker, const Caller &, Checker::Races &) { checker.order().end_event(event); });
}

void share_event(ThreadBlock &thread, uint64_t event) noexcept {
    set_word(g_own_events, event, 0);
    with_host(thread, OfCall::Order,
              [event](Checker &checker, const Caller &, Checker::Races &) { checker.order().share_event(event); });
}

void add_order(ThreadBlock &thread, const Call &call) noexcept {
    const DriverCall kind = call.row->kind;
    const bool foreign = word_of(g_own_events, call.object) == 0;
    const check::StreamFacts facts = call.row->has_stream ? facts_of(thread, call) : check::StreamFacts{};
    const uint64_t context = call.object != 0 ? call.object : device_of_thread();
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &caller, Checker::Races &) {
        ThreadLine &host = checker.thread(caller);
        if (call.row->has_stream)
            add_order_of_stream(call, foreign, checker.order(), host, checker.order().stream(facts));
        else if (kind == DriverCall::SyncContext)
            checker.order().know_device(host, context);
        else
            checker.order().know_event(host, call.object, foreign);
        if (kind == DriverCall::QueryEvent && call.other != 0) // the time between two events
            checker.order().know_event(host, call.other, word_of(g_own_events, call.other) == 0);
    });
}

namespace {

using check::AccessKind;
using check::GraphPlan;
using check::PlanNode;
using Indices = std::vector<uint32_t>;

constexpr int kMostGraphLevels = 64;

CUgraphNode node_of(uintptr_t node) noexcept { return reinterpret_cast<CUgraphNode>(node); }

bool read_nodes(CUgraph graph, std::vector<uintptr_t> *out) {
    size_t count = 0;
    if (!g_real.get_nodes || g_real.get_nodes(graph, nullptr, &count) != CUDA_SUCCESS) return false;
    out->resize(count);
    if (count == 0) return true;
    if (g_real.get_nodes(graph, reinterpret_cast<CUgraphNode *>(out->data()), &count) != CUDA_SUCCESS) return false;
    out->resize(std::min(count, out->size()));
    return true;
}

bool read_edges(CUgraph graph, std::vector<uintptr_t> *from, std::vector<uintptr_t> *to) {
    size_t count = 0;
    if (!g_real.get_edges || g_real.get_edges(graph, nullptr, nullptr, &count) != CUDA_SUCCESS) return false;
    from->resize(count);
    to->resize(count);
    if (count == 0) return true;
    return g_real.get_edges(graph, reinterpret_cast<CUgraphNode *>(from->data()),
                            reinterpret_cast<CUgraphNode *>(to->data()), &count) == CUDA_SUCCESS;
}

void add_planned(PlanNode &node, AccessKind kind, const Region &region, size_t *left) {
    if (memory_of(region.address) < Memory::Pinned) return;
    for_each_part(region, left, [&](uint64_t address, uint64_t bytes) {
        check::PlanAccess access;
        access.kind = kind;
        access.begin = address;
        access.end = address + bytes;
        node.accesses.push_back(access);
    });
}

struct PlanReader {
    GraphPlan &plan;
    std::vector<uint64_t> &events;

    // Nodes that come after no other one of the graph come after `before`. ends: no node of the graph comes after these.
    bool read(CUgraph graph, const Indices &before, Indices *ends, int level) {
        std::vector<uintptr_t> nodes, from, to;
        if (level > kMostGraphLevels || !read_nodes(graph, &nodes) || !read_edges(graph, &from, &to)) return false;
        const check::PlanEdges edges(nodes, from, to);
        if (edges.order.size() != nodes.size()) return false;
        Indices ends_of(nodes.size());
        for (const uint32_t place : edges.order) {
            Indices after;
            for (const uint32_t one : edges.after[place]) after.push_back(ends_of[one]);
            std::sort(after.begin(), after.end());
            if (!read_node(graph, nodes[place], after.empty() ? before : after, level, &ends_of[place])) return false;
        }
        for (uint32_t i = 0; i < nodes.size(); ++i)
            if (edges.before[i].empty()) ends->push_back(ends_of[i]);
        if (nodes.empty()) *ends = before;
        std::sort(ends->begin(), ends->end());
        return true;
    }

    bool read_node(CUgraph graph, uintptr_t node, const Indices &after, int level, uint32_t *end) {
        CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
        if (!g_real.get_node_type || g_real.get_node_type(node_of(node), &type) != CUDA_SUCCESS) return false;
        const uint32_t at = *end = plan.add(reinterpret_cast<uintptr_t>(graph), node, GS_NODE_EMPTY, after);
        switch (type) {
        case CU_GRAPH_NODE_TYPE_EMPTY:
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        case CU_GRAPH_NODE_TYPE_MEM_FREE: return true;
        case CU_GRAPH_NODE_TYPE_KERNEL: plan.nodes[at].kind = GS_NODE_KERNEL; return true;
        case CU_GRAPH_NODE_TYPE_HOST: plan.nodes[at].kind = GS_NODE_HOST; return true;
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
            plan.nodes[at].kind = GS_NODE_WAIT;
            return read_event(g_real.get_awaited_event, node_of(node));
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
            plan.nodes[at].kind = GS_NODE_RECORD;
            return read_event(g_real.get_recorded_event, node_of(node));
        case CU_GRAPH_NODE_TYPE_MEMCPY: return read_copy(plan.nodes[at], node_of(node));
        case CU_GRAPH_NODE_TYPE_MEMSET: return read_fill(plan.nodes[at], node_of(node));
        case CU_GRAPH_NODE_TYPE_GRAPH: return read_child(at, node_of(node), level, end);
        default: return false; // semaphores, words of memory, conditions
        }
    }

    template <typename Getter>
    bool read_event(Getter getter, CUgraphNode node) {
        CUevent event = nullptr;
        if (!getter || getter(node, &event) != CUDA_SUCCESS) return false;
        events.push_back(reinterpret_cast<uintptr_t>(event));
        return true;
    }
    // The driver refuses to tell some copies, as those between contexts.
    static bool read_copy(PlanNode &into, CUgraphNode node) {
        CUDA_MEMCPY3D copy{};
        into.kind = GS_NODE_MEMCPY;
        if (!g_real.get_copy_node || g_real.get_copy_node(node, &copy) != CUDA_SUCCESS) return true;
        const Transfer transfer = transfer_of_node(copy);
        size_t left = kMostRows;
        add_planned(into, AccessKind::Read, transfer.from, &left);
        add_planned(into, AccessKind::Write, transfer.to, &left);
        return true;
    }
    static bool read_fill(PlanNode &into, CUgraphNode node) {
        CUDA_MEMSET_NODE_PARAMS fill{};
        into.kind = GS_NODE_MEMSET;
        size_t left = kMostRows;
        if (g_real.get_fill_node && g_real.get_fill_node(node, &fill) == CUDA_SUCCESS)
            add_planned(into, AccessKind::Write,
                        {fill.dst, fill.width * fill.elementSize, std::max<uint64_t>(fill.height, 1), fill.pitch},
                        &left);
        return true;
    }
    bool read_child(uint32_t at, CUgraphNode node, int level, uint32_t *end) {
        CUgraph child = nullptr;
        Indices ends;
        if (!g_real.get_child || g_real.get_child(node, &child) != CUDA_SUCCESS) return false;
        plan.nodes[at].kind = GS_NODE_GRAPH;
        if (!read(child, {at}, &ends, level + 1)) return false;
        plan.nodes[at].inside = static_cast<uint32_t>(plan.nodes.size()) - at - 1;
        *end = plan.add(0, 0, GS_NODE_EMPTY, ends);
        return true;
    }
};

} // namespace

Memory memory_of(uint64_t address) noexcept {
    unsigned type = 0;
    if (address == 0) return Memory::None;
    if (!g_real.get_pointer_attribute ||
        g_real.get_pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS)
        return Memory::Pageable;
    return type == CU_MEMORYTYPE_HOST ? Memory::Pinned : Memory::Device;
}

bool read_driver_plan(uint64_t graph, GraphPlan *out, std::vector<uint64_t> *events) {
    Indices ends;
    return PlanReader{*out, *events}.read(reinterpret_cast<CUgraph>(graph), {}, &ends, 0);
}

} // namespace gs::front
