// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_holds.hpp"

#include <new>

#include "base/log.hpp"
#include "base/status.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/graph/graph_calls.hpp"

namespace gs {
namespace {

constexpr size_t kFirstBuckets = 8;

Status no_memory_for_holds() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph refers to"); }

void let_go_of(void *holds) noexcept { static_cast<GraphHolds *>(holds)->let_go(); }

} // namespace

GraphHolds::Entry **GraphHolds::bucket(const void *what) const noexcept {
    // What is held is 64 or more bytes apart. The multiplier is 2^64 divided by the golden ratio.
    const uint64_t hash = reinterpret_cast<uintptr_t>(what) / 64 * 0x9E3779B97F4A7C15u; // NOLINT: of the address
    return &buckets_[(hash >> 32) & (bucket_count_ - 1)];
}

bool GraphHolds::has(Release release, const void *what) const noexcept {
    if (bucket_count_ == 0) return false;
    for (const Entry *entry = *bucket(what); entry; entry = entry->next)
        if (entry->thing->release == release && entry->thing->what == what) return true;
    return false;
}

bool GraphHolds::grow() noexcept {
    const size_t old_count = bucket_count_;
    const size_t count = old_count == 0 ? kFirstBuckets : 2 * old_count;
    auto **made = new (std::nothrow) Entry *[count]();
    if (!made) return false;
    Entry **old = buckets_;
    buckets_ = made;
    bucket_count_ = count;
    for (size_t i = 0; i < old_count; ++i) {
        while (Entry *entry = old[i]) {
            old[i] = entry->next;
            Entry **place = bucket(entry->thing->what);
            entry->next = *place;
            *place = entry;
        }
    }
    delete[] old;
    return true;
}

bool GraphHolds::insert(Thing *thing) noexcept {
    if (entry_count_ == bucket_count_ && !grow()) return false;
    Entry **place = bucket(thing->what);
    auto *entry = new (std::nothrow) Entry{thing, *place};
    if (!entry) return false;
    *place = entry;
    ++entry_count_;
    return true;
}

Status GraphHolds::add(Release release, void *what, bool *out_known) noexcept {
    MutexLock lock(mutex_);
    *out_known = has(release, what);
    return *out_known ? kOk : insert_new(release, what);
}

Status GraphHolds::add_new(Release release, void *what) noexcept {
    MutexLock lock(mutex_);
    return insert_new(release, what);
}

Status GraphHolds::insert_new(Release release, void *what) noexcept {
    auto *thing = new (std::nothrow) Thing{release, what};
    if (thing && insert(thing)) return kOk;
    delete thing;
    return no_memory_for_holds();
}

Status GraphHolds::add_all(const GraphHolds &others) noexcept {
    const bool first = this < &others; // in an order that all threads share
    MutexLock outer(first ? mutex_ : others.mutex_), inner(first ? others.mutex_ : mutex_);
    for (size_t i = 0; i < others.bucket_count_; ++i) {
        for (const Entry *entry = others.buckets_[i]; entry; entry = entry->next) {
            Thing *thing = entry->thing;
            if (has(thing->release, thing->what)) continue;
            if (!insert(thing)) return no_memory_for_holds();
            thing->holders.retain();
        }
    }
    return kOk;
}

void GraphHolds::let_go() noexcept {
    if (holders_.release()) delete this;
}

GraphHolds::~GraphHolds() {
    for (size_t i = 0; i < bucket_count_; ++i) {
        while (Entry *entry = buckets_[i]) {
            buckets_[i] = entry->next;
            Thing *thing = entry->thing;
            delete entry;
            if (!thing->holders.release()) continue;
            thing->release(thing->what);
            delete thing;
        }
    }
    delete[] buckets_;
}

Status holds_of(ThreadBlock &thread, GraphSlot &graph, GraphHolds **out) noexcept {
    GraphSlot &root = *graph.root.load(std::memory_order_relaxed);
    if (!root.holds) {
        auto *holds = new (std::nothrow) GraphHolds;
        if (!holds) return no_memory_for_holds();
        const Status status = keep_for_graph(thread, *root.graphs, root.native, let_go_of, holds);
        if (!status.ok() && status.code != GS_ERROR_NOT_SUPPORTED) {
            holds->let_go();
            return status;
        }
        // NOT_SUPPORTED: the driver reports no end of a graph, so the list stays allocated.
        root.holds = holds;
    }
    *out = root.holds;
    return kOk;
}

Status prepare_holds(ThreadBlock &thread, GraphSlot &graph) noexcept {
    if (graph.holds || !graph.shared) return kOk;
    uint32_t kinds = 0;
    GS_TRY(kinds_in(thread, *graph.graphs, graph.ref(), 0, &kinds));
    if ((kinds & (1u << GS_NODE_HOST | 1u << GS_NODE_RECORD | 1u << GS_NODE_WAIT)) == 0) return kOk;
    GraphHolds *holds = nullptr;
    return holds_of(thread, graph, &holds);
}

Status hold_as(ThreadBlock &thread, GraphSlot &graph, GraphSlot &other) noexcept {
    const GraphHolds *theirs = other.root.load(std::memory_order_relaxed)->holds;
    if (!theirs) return kOk;
    GraphHolds *ours = nullptr;
    GS_TRY(holds_of(thread, graph, &ours));
    return ours->add_all(*theirs);
}

namespace {

Status no_memory_for_modules() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the modules of a graph"); }

GraphSlot &root_of(const GraphSlot &graph) noexcept { return *graph.root.load(std::memory_order_relaxed); }

// The driver counts the executables of other code. If it cannot, the modules stay loaded.
void tie_modules(ThreadBlock &thread, GraphSlot &root) noexcept {
    root.modules->hold();
    const Status status = keep_for_graph(
        thread, *root.graphs, root.native, [](void *list) { static_cast<ModuleList *>(list)->let_go(); }, root.modules);
    if (status.ok() || status.code == GS_ERROR_NOT_SUPPORTED) return;
    log_message(GS_LOG_WARNING, "the modules of a graph stay loaded until the process ends: %s: %s",
                status_name(status.code), pending_text());
}

} // namespace

Status modules_of(ThreadBlock &thread, GraphSlot &graph, ModuleList **out) noexcept {
    GraphSlot &root = root_of(graph);
    if (!root.modules) {
        root.modules = new (std::nothrow) ModuleList;
        if (!root.modules) return no_memory_for_modules();
        if (root.shared) tie_modules(thread, root);
    }
    *out = root.modules;
    return kOk;
}

Status hold_module(ThreadBlock &thread, GraphSlot &graph, LoadedModule &module) noexcept {
    GraphSlot &root = root_of(graph);
    if (!root.modules && !root.shared) {
        root.modules = new (std::nothrow) ModuleList(module);
        return root.modules ? kOk : no_memory_for_modules();
    }
    ModuleList *modules = nullptr;
    GS_TRY(modules_of(thread, root, &modules));
    return modules->add(module);
}

Status modules_of(ExecSlot &exec, ModuleList **out) noexcept {
    if (!exec.modules) exec.modules = new (std::nothrow) ModuleList;
    *out = exec.modules;
    return exec.modules ? kOk : no_memory_for_modules();
}

void take_modules(ExecSlot &exec, const GraphSlot &graph) noexcept {
    if (exec.modules == root_of(graph).modules) return;
    let_go_of(exec.modules);
    exec.modules = root_of(graph).modules;
    if (exec.modules) exec.modules->hold();
}

Status add_modules(ExecSlot &exec, const GraphSlot &graph) noexcept {
    const ModuleList *theirs = root_of(graph).modules;
    if (!theirs || theirs == exec.modules) return kOk;
    ModuleList *ours = nullptr;
    GS_TRY(modules_of(exec, &ours));
    return ours->add_all(*theirs);
}

Status hold_modules_of(ThreadBlock &thread, GraphSlot &graph, const GraphSlot &other) noexcept {
    const ModuleList *theirs = root_of(other).modules;
    if (!theirs) return kOk;
    ModuleList *ours = nullptr;
    GS_TRY(modules_of(thread, graph, &ours));
    return ours->add_all(*theirs);
}

void share_modules(ThreadBlock &thread, GraphSlot &graph) noexcept {
    GraphSlot &root = root_of(graph);
    if (root.shared) return;
    root.shared = true;
    if (root.modules) tie_modules(thread, root);
}

} // namespace gs
