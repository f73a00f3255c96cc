// SPDX-License-Identifier: Apache-2.0
// What a node of a graph does. The parts that several graphs, executables and launches share are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/host/engine/graph/counted.hpp"
#include "backend/host/engine/op.hpp"

namespace gs::host {

struct Device;
struct Event;
struct Graph;

// As users see it.
enum class NodeKind : uint8_t { Empty, Host, Kernel, Copy, Fill, Record, Wait, Child, Condition, Alloc, Free };
// As the engine runs it.
enum class NodeAction : uint8_t { None, Task, Copy, Fill, Sleep, Fault, Record, Wait, Branch };

// A task that may run many times. Each run gets a copy of its argument if the task can copy it, else the argument
// itself.
class Work final : public Counted<Work> {
public:
    explicit Work(const Task &task) noexcept : task_(task) {}
    // One run, as an operation of a stream; false: no memory.
    bool make(Task *out) noexcept;
    const Task &task() const noexcept { return task_; }
    void disown() noexcept { task_.drop = nullptr; } // the argument stays the caller's

private:
    friend class Counted<Work>;
    ~Work();
    Task task_;
};

// What users give a graph to keep: released when the graph, its executables and their launches have ended.
class Keep final : public Counted<Keep> {
public:
    Keep(void (*function)(void *), void *arg) noexcept : release_(function), arg_(arg) {}
    void disown() noexcept { release_ = nullptr; }

private:
    friend class Counted<Keep>;
    ~Keep() {
        if (release_) release_(arg_);
    }
    void (*release_)(void *);
    void *const arg_;
};

// The word that decides about a condition node. Work of the graph sets it while the graph runs.
struct GraphCondition final : Counted<GraphCondition> {
    GraphCondition(const Graph *owner, uint32_t at_launch, bool assigned) noexcept
        : graph(owner), default_value(at_launch), assign(assigned), value(at_launch) {}
    const Graph *const graph; // in which, or in bodies of which, its node is; only compared
    const uint32_t default_value;
    const bool assign; // each launch begins with the default
    std::atomic<uint32_t> value;
    std::atomic<bool> used{false}; // by a node
};

// Memory that a graph allocates. It exists as long as a graph, an executable, a launch or its user refers to it.
struct GraphBlock final : Counted<GraphBlock> {
    GraphBlock(void *memory, const Device *of, uint64_t allocating) noexcept
        : pointer(memory), device(of), graph(allocating) {}
    void *const pointer;
    const Device *const device;
    const uint64_t graph; // that allocates it
    // The engine's graph lock guards these.
    bool freed_inside = false; // by the same graph
    bool live = false;         // after a launch, until it is freed. Then it has a reference

private:
    friend class Counted<GraphBlock>;
    ~GraphBlock();
};

enum class ConditionType : uint8_t { If, While, Switch };

struct NodeBody {
    NodeKind kind = NodeKind::Empty;
    NodeAction action = NodeAction::None;
    ConditionType type = ConditionType::If;
    int32_t priority = 0;
    Device *device = nullptr;
    Event *event = nullptr; // Record, Wait
    Copy copy{};
    Fill fill{};
    uint64_t delay_ns = 0;
    LateFault fault{};
    Ref<Work> work;
    Ref<GraphCondition> condition;
    Ref<GraphBlock> block; // Alloc, Free
};

struct GraphNode {
    uint64_t id = 0;     // never reused within the engine
    uint64_t origin = 0; // of the node that this one is a copy of, in an executable's definition; else its own
    Graph *graph = nullptr;
    uint32_t index = 0; // in the graph
    bool enabled = true;
    NodeBody body;
    std::vector<GraphNode *> after, before;     // the nodes that it depends on, and those that depend on it
    std::vector<std::unique_ptr<Graph>> graphs; // of a Child: the one; of a Condition: the bodies
    uint64_t mark = 0;                          // of the last walk that visited it
};

} // namespace gs::host
