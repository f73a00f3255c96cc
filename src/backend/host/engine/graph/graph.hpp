// SPDX-License-Identifier: Apache-2.0
// A graph: nodes, what they do, and the order among them. The engine's graph lock guards all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "backend/host/engine/op.hpp"
#include "backend/host/engine/result.hpp"
#include "base/free_list.hpp"

namespace gs::host {

// Objects with a count of references, and the reference.

// The last reference deletes the T.
template <typename T>
class Counted {
public:
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    void retain() noexcept { refs_.retain(); }
    void release() noexcept {
        if (refs_.release()) delete static_cast<T *>(this);
    }

    bool alone() const noexcept { return refs_.alone(); }

protected:
    Counted() noexcept = default;
    ~Counted() = default;

private:
    RefCount refs_;
};

template <typename T>
class Ref {
public:
    Ref() noexcept = default;
    explicit Ref(T *taken) noexcept : object_(taken) {} // takes over a reference
    Ref(const Ref &other) noexcept : object_(other.object_) {
        if (object_) object_->retain();
    }
    Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref &operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) object_->release();
    }
    T *get() const noexcept { return object_; }
    T *operator->() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    // The object with a reference of its own, for code that knows no Ref.
    T *share() const noexcept {
        object_->retain();
        return object_;
    }

private:
    T *object_ = nullptr;
};

// What a node of a graph does. The parts that several graphs, executables and launches share are counted.
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

// Of a kernel's launch.
struct LaunchTraits {
    bool early = false; // it may start before the kernel directly ahead has ended
    bool own_priority = false;
    int32_t priority = 0; // then this one
};

struct NodeBody {
    NodeKind kind = NodeKind::Empty;
    NodeAction action = NodeAction::None;
    ConditionType type = ConditionType::If;
    bool early = false; // as in LaunchTraits
    bool own_priority = false;
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

    void set(const LaunchTraits &traits) noexcept {
        early = traits.early;
        own_priority = traits.own_priority;
        priority = traits.priority;
    }
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

struct Graph {
    uint64_t id = 0; // never reused within the engine
    Device *device = nullptr;
    GraphNode *parent = nullptr; // the child or condition node that it is in
    bool destroyed = false;      // ends with the last capture into it
    bool ended = false;          // in memory for those who have pinned it
    uint32_t pins = 0;           // of an outermost graph: see Engine::pin_graph()
    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::vector<Ref<Keep>> kept;
    std::vector<Ref<GraphCondition>> conditions;
    std::set<const GraphBlock *> freed; // by its nodes, which refer to them; not of copies
};

// Ids of graphs, nodes and executables: look like addresses, are never reused.
class GraphIds {
public:
    uint64_t take() noexcept { return next_ += 16; }

private:
    uint64_t next_ = 0x10000;
};

// All of these throw bad_alloc, and then nothing has changed.

// Adds a node behind those.
GraphNode &add_node(Graph &graph, GraphIds &ids, const NodeBody &body, GraphNode *const *after, size_t count);
// Adds an edge; one that exists already stays as it is.
void add_edge(GraphNode &from, GraphNode &to);
bool has_edge(const GraphNode &from, const GraphNode &to) noexcept;
void remove_edge(GraphNode &from, GraphNode &to) noexcept;
std::unique_ptr<GraphNode> remove_node(GraphNode &node) noexcept;
// A deep copy. exact: with the original's conditions, and with its ids as the origins of the nodes.
std::unique_ptr<Graph> copy_graph(const Graph &graph, GraphIds &ids, bool exact);

// The nodes from the roots on, each behind all that it depends on. Fewer than the graph has: it has a cycle.
std::vector<const GraphNode *> in_order(const Graph &graph);
// Is a node of this kind in the graph, or in a graph within it?
bool contains(const Graph &graph, NodeKind kind) noexcept;
// Does the graph allocate or free memory? Graphs within others do neither.
bool has_memory(const Graph &graph) noexcept;
// With memory or conditions a graph is not copied, and has one executable at a time.
bool is_single(const Graph &graph) noexcept;
// Everything that the graph and the graphs within it keep.
void collect_kept(const Graph &graph, std::vector<Ref<Keep>> &out);
// Moves everything that the graphs within it keep to the graph itself.
void gather_kept(Graph &graph);
// May the graph have a node of that kind? Bodies of conditions allow few kinds, graphs within others no memory.
bool admits(const Graph &graph, NodeKind kind) noexcept;
// The outermost graph.
const Graph &root_of(const Graph &graph) noexcept;
Graph &root_of(Graph &graph) noexcept;

} // namespace gs::host
