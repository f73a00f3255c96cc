// SPDX-License-Identifier: Apache-2.0
// What nodes do: from the contract's parameters to the engine's, and back.
#include <new>

#include "backend/host/host_backend.hpp"
#include "backend/host/host_graphs.hpp"
#include "backend/host/host_module.hpp"
#include "base/dynlib.hpp"

namespace gs::host {
namespace {

struct SetCondition {
    Ref<GraphCondition> condition;
    const uint32_t *word;
};

void run_set_condition(void *opaque) {
    const auto &set = *static_cast<const SetCondition *>(opaque);
    set.condition->value.store(__atomic_load_n(set.word, __ATOMIC_ACQUIRE), std::memory_order_release);
}

GraphCondition *condition_of(uint64_t handle) noexcept {
    return reinterpret_cast<GraphCondition *>(static_cast<uintptr_t>(handle));
}

// Takes the task over.
Status use_task(NodeKind kind, const Task &task, NodeBody *out) noexcept {
    out->kind = kind;
    out->action = NodeAction::Task;
    out->work = Ref<Work>(new (std::nothrow) Work(task));
    if (out->work) return kOk;
    if (task.drop) task.drop(task.arg);
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a node");
}

Status kernel_body(const NodeParams &params, const Device &device, NodeBody *out) noexcept {
    const auto &kernel = params.kernel;
    Task task{};
    GS_TRY(prepare_launch(engine(), *reinterpret_cast<Kernel *>(kernel.function), kernel.config, kernel.arguments,
                          device, &task));
    out->set(traits_of(kernel.config));
    return use_task(NodeKind::Kernel, task, out);
}

Status set_condition_body(const NodeParams &params, NodeBody *out) noexcept {
    auto *set = new (std::nothrow) SetCondition;
    if (!set) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a node");
    set->condition = Ref<GraphCondition>(condition_of(params.set_condition.handle));
    set->condition->retain();
    set->word = params.set_condition.word;
    return use_task(NodeKind::Kernel,
                    {run_set_condition, [](void *opaque) { delete static_cast<SetCondition *>(opaque); }, set}, out);
}

Status make_body(const NodeParams &params, Device &device, NodeBody *out) noexcept {
    out->device = &device;
    switch (params.kind) {
    case GS_NODE_EMPTY: return kOk;
    case GS_NODE_HOST: return use_task(NodeKind::Host, {params.host.fn, nullptr, params.host.arg}, out);
    case GS_NODE_KERNEL: return kernel_body(params, device, out);
    case GS_NODE_SET_CONDITION: return set_condition_body(params, out);
    case GS_NODE_MEMCPY:
        out->kind = NodeKind::Copy;
        out->action = NodeAction::Copy;
        out->copy = {params.copy.dst, params.copy.src, params.copy.bytes};
        return kOk;
    case GS_NODE_MEMSET:
        out->kind = NodeKind::Fill;
        out->action = NodeAction::Fill;
        out->fill = {params.fill.dst, params.fill.bytes, params.fill.value, 1};
        return kOk;
    case GS_NODE_RECORD:
        out->kind = NodeKind::Record;
        out->action = NodeAction::Record;
        out->event = reinterpret_cast<Event *>(params.event);
        out->device = out->event->device;
        return kOk;
    case GS_NODE_WAIT:
        out->kind = NodeKind::Wait;
        out->action = NodeAction::Wait;
        out->event = reinterpret_cast<Event *>(params.event);
        return kOk;
    default: return fail(GS_ERROR_INTERNAL, "nodes of kind %d have no parameters", params.kind);
    }
}

Status add_condition(Graph &graph, const NodeList &after, size_t count, const NodeParams &params,
                     GraphNode **out) noexcept {
    const auto &condition = params.condition;
    static_assert(static_cast<int>(ConditionType::Switch) == GS_CONDITION_SWITCH);
    GS_TRY(graph_status(engine().graph_add_condition(graph, *condition_of(condition.handle),
                                                     static_cast<ConditionType>(condition.type), condition.count,
                                                     after.data(), count, out),
                        graph, "graph_add_condition"));
    for (uint32_t i = 0; i < condition.count; ++i) condition.bodies[i] = (*out)->graphs[i]->id;
    return kOk;
}

void read_task(const GraphNode &node, NodeParams *out) noexcept {
    if (!node.body.work) {
        out->kind = GS_NODE_KERNEL; // the delay of a captured gs_stream_sleep
        return;
    }
    const Task &task = node.body.work->task();
    if (task.run == run_set_condition) {
        const auto &set = *static_cast<const SetCondition *>(task.arg);
        out->kind = GS_NODE_SET_CONDITION;
        out->set_condition = {reinterpret_cast<uintptr_t>(set.condition.get()), set.word};
        return;
    }
    out->kind = GS_NODE_KERNEL;
    const LaunchView launch = view_launch(task);
    if (!launch.kernel) return;
    out->kernel = {reinterpret_cast<uintptr_t>(launch.kernel), *launch.config, launch.arguments};
}

} // namespace

Status HostGraphs::node_add(ThreadBlock &thread, GraphRef reference, const uintptr_t *after, size_t count,
                            const NodeParams &params, uintptr_t *out_node) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph, child;
    GraphNode *node = nullptr;
    NodeList nodes;
    GS_TRY(graph.find(reference.native));
    GS_TRY(nodes.find(after, count));
    if (params.kind == GS_NODE_CONDITION) {
        GS_TRY(add_condition(*graph, nodes, count, params, &node));
    } else if (params.kind == GS_NODE_GRAPH) {
        GS_TRY(child.find(params.child));
        GS_TRY(graph_status(engine().graph_add_child(*graph, *child, nodes.data(), count, &node), *graph,
                            "graph_add_child"));
    } else {
        NodeBody body;
        GS_TRY(make_body(params, engine().device(reference.ordinal), &body));
        GS_TRY(graph_status(engine().graph_add(*graph, body, nodes.data(), count, &node), *graph, "graph_add"));
    }
    *out_node = node->id;
    return kOk;
}

Status HostGraphs::condition_create(ThreadBlock &thread, GraphRef reference, uint32_t initial,
                                    uint64_t *out_handle) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GraphCondition *condition = nullptr;
    GS_TRY(graph.find(reference.native));
    GS_TRY(graph_status(engine().condition_create(*graph, initial, true, &condition), *graph, "condition_create"));
    *out_handle = reinterpret_cast<uintptr_t>(condition);
    return kOk;
}

Status HostGraphs::node_params(ThreadBlock &thread, GraphRef reference, uintptr_t native, NodeParams *out) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GraphNode *node = nullptr;
    GS_TRY(graph.find(reference.native));
    GS_TRY(find_node(native, &node));
    MutexLock lock(engine().graph_lock());
    const NodeBody &body = node->body;
    *out = {};
    switch (body.kind) {
    case NodeKind::Empty: out->kind = GS_NODE_EMPTY; break;
    case NodeKind::Host:
        out->kind = GS_NODE_HOST;
        out->host = {body.work->task().run, body.work->task().arg};
        break;
    case NodeKind::Kernel: read_task(*node, out); break;
    case NodeKind::Copy:
        out->kind = GS_NODE_MEMCPY;
        out->copy = {body.copy.dst, body.copy.src, body.copy.bytes};
        break;
    case NodeKind::Fill:
        out->kind = GS_NODE_MEMSET;
        out->fill = {body.fill.dst, static_cast<uint8_t>(body.fill.value), body.fill.bytes};
        break;
    case NodeKind::Record:
    case NodeKind::Wait:
        out->kind = body.kind == NodeKind::Record ? GS_NODE_RECORD : GS_NODE_WAIT;
        out->event = reinterpret_cast<uintptr_t>(body.event);
        break;
    case NodeKind::Child:
        out->kind = GS_NODE_GRAPH;
        out->child = node->graphs[0]->id;
        break;
    case NodeKind::Condition: out->kind = GS_NODE_CONDITION; break;
    case NodeKind::Alloc: out->kind = GS_NODE_MALLOC; break;
    case NodeKind::Free: out->kind = GS_NODE_FREE; break;
    }
    return kOk;
}

Status HostGraphs::kernel_name(ThreadBlock &thread, GraphRef, const NodeParams &params,
                               const char **out_name) noexcept {
    thread.counters.driver_calls.add();
    const auto *kernel = reinterpret_cast<const Kernel *>(params.kernel.function);
    *out_name = kernel ? code_address(reinterpret_cast<uintptr_t>(kernel->entry)).symbol : nullptr;
    return kOk;
}

Status HostGraphs::exec_set_node(ThreadBlock &thread, GraphRef reference, uintptr_t node,
                                 const NodeParams &params) noexcept {
    thread.counters.driver_calls.add();
    auto &exec = *reinterpret_cast<GraphExec *>(reference.native);
    Result result;
    if (params.kind == GS_NODE_GRAPH) {
        FoundGraph child;
        GS_TRY(child.find(params.child));
        result = engine().exec_set_child(exec, node, *child);
    } else {
        NodeBody body;
        GS_TRY(make_body(params, *exec.device, &body));
        result = engine().exec_set(exec, node, body);
    }
    if (result == Result::InvalidValue)
        return fail_native(
            GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_HOST, static_cast<int32_t>(result), "exec_set_node"},
            "the node is not of the graph that the executable was made from, or of another kind or device");
    return to_status(engine(), *exec.device, result, "exec_set_node");
}

} // namespace gs::host
