// SPDX-License-Identifier: Apache-2.0
// The slots behind gs_graph_t and gs_graph_exec_t.
//
// Drivers allow one call at a time on a graph, so each graph has a mutex, which is held during the driver's calls on it. A
// graph and everything inside it, bodies and child graphs, share the mutex of the outermost one. Handles are looked up under
// the mutex, so no call on a graph can be in progress when it is destroyed. The end of a capture takes the mutex, too,
// because the driver may destroy the graph then. So a thread that has locked a graph whose capture is in the table
// (capture_calls.hpp) has pinned both.
#pragma once

#include <new>

#include "backend/graphs.hpp"
#include "base/core_data.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/graph/node_table.hpp"
#include "core/random/random_words.hpp"
#include "core/slots.hpp"
#include "core/stream/captured.hpp"
#include "core/work/kernels.hpp"

namespace gs {

// Objects that live as long as a graph and its executables, which count as holders of the list.

template <typename T>
class HeldList {
public:
    HeldList() noexcept = default;
    explicit HeldList(T &first) noexcept GS_UNANALYSED { // no other thread has the list yet
        first.hold();
        first_.object = &first;
    }
    // Any thread. The list holds the object from now on, once.
    Status add(T &object) noexcept {
        MutexLock lock(mutex_);
        for (const Entry *entry = &first_; entry && entry->object; entry = entry->next)
            if (entry->object == &object) return kOk;
        if (first_.object) {
            auto *entry = new (std::nothrow) Entry{first_.object, first_.next};
            if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph holds");
            first_.next = entry;
        }
        object.hold();
        first_.object = &object;
        return kOk;
    }
    Status add_all(const HeldList &other) noexcept {
        return other.for_each([this](T &object) { return add(object); });
    }
    // Until use(object) fails. What is behind the first entry does not change: others are added in front of it.
    template <typename Use>
    Status for_each(Use &&use) const noexcept {
        const Entry first = first_entry();
        for (const Entry *entry = &first; entry && entry->object; entry = entry->next) GS_TRY(use(*entry->object));
        return kOk;
    }
    void hold() noexcept { holders_.retain(); }
    // Until the process ends: the list can be found, so that checkers of memory do not take it for lost.
    void hold_for_ever() noexcept {
        MutexLock lock(kept_mutex_);
        if (is_kept_) return;
        is_kept_ = true;
        hold();
        next_kept_ = kept_;
        kept_ = this;
    }
    // Does not wait for the device.
    void let_go() noexcept {
        if (holders_.release()) delete this;
    }

private:
    struct Entry {
        T *object = nullptr;
        Entry *next = nullptr;
    };
    Entry first_entry() const noexcept {
        MutexLock lock(mutex_);
        return first_;
    }
    ~HeldList() GS_UNANALYSED { // the last holder has let go
        if (first_.object) first_.object->let_go_later();
        while (Entry *entry = first_.next) {
            first_.next = entry->next;
            entry->object->let_go_later();
            delete entry;
        }
    }

    static inline Mutex kept_mutex_;
    static inline HeldList *kept_ GS_GUARDED_BY(kept_mutex_) = nullptr;
    HeldList *next_kept_ GS_GUARDED_BY(kept_mutex_) = nullptr;
    bool is_kept_ GS_GUARDED_BY(kept_mutex_) = false;

    RefCount holders_;
    mutable Mutex mutex_;
    Entry first_ GS_GUARDED_BY(mutex_); // most graphs have kernels of one module
};

template <typename T>
void let_go_of(HeldList<T> *&list) noexcept {
    if (list) list->let_go();
    list = nullptr;
}

// Modules that stay loaded as long as a graph and its executables.
using ModuleList = HeldList<LoadedModule>;

struct Capture;
class GraphHolds;
using RandomList = HeldList<RandomWords>; // see graph_holds.hpp

enum class GraphUse : uint8_t {
    Free,     // an ordinary graph
    Captured, // a stream is being captured into it
    Inside,   // a body or a child graph: it ends with its parent
};

struct alignas(64) GraphSlot : SlotBase {
    BriefLock mutex; // of this graph and of those inside it
    std::atomic<GraphSlot *> root{nullptr};
    // Guarded by root's mutex.
    Device *device = nullptr;
    Graphs *graphs = nullptr;
    uintptr_t native = 0;  // while the handle lives, changed under the mutex of the slots, too: see retain_graph()
    bool owned = false;    // the driver's graph is ours to destroy
    bool borrowed = false; // has no owner yet: a capture is making it; changed as native is
    GraphUse use = GraphUse::Free;
    int level = 0;                // of a body: how many graphs are around it
    bool body_captured = false;   // a body that a stream is being captured into
    uint32_t bodies_captured = 0; // of an outermost graph: so many of the bodies inside it
    GraphSlot *inside = nullptr;  // the graphs inside it, by `sibling`
    GraphSlot *sibling = nullptr; // and guarded by the same mutex
    NodeTable nodes;
    NodeNotes notes;                     // what the library knows of the nodes that it added
    GraphHolds *holds = nullptr;         // of the outermost graph; see graph_holds.hpp
    ModuleList *modules = nullptr;       // likewise; see graph_holds.hpp
    RandomList *random = nullptr;        // likewise
    RandomWords *random_words = nullptr; // the one of them that the graph's own kernels read
    Capture *spare = nullptr;            // memory of a capture that has ended, for the slot's next one
    bool shared = false;                 // other code has the driver's graph, and may make executables of it
    std::atomic<bool> given_out{false};  // of an outermost graph: a host function got it, and `shared` is to follow
    GraphSlot *next = nullptr;           // of the free list

    GraphRef ref() const noexcept { return {device->ordinal, native}; }
    // A stream is being captured into it or into a body inside it.
    bool captured_into() const noexcept { return use == GraphUse::Captured || body_captured || bodies_captured > 0; }
};

struct alignas(64) ExecSlot : SlotBase {
    Graphs *graphs = nullptr;
    Device *device = nullptr;
    uintptr_t native = 0;
    uint64_t source = 0; // the handle of the graph it was made from, whose nodes name its nodes
    // The list that the driver's executable keeps: that of the graph that it was made from or last updated by. nullptr:
    // that graph had none, or which of the two it keeps is unknown.
    GraphHolds *holds = nullptr;
    ModuleList *modules = nullptr;
    RandomList *random = nullptr; // then owner is kManyOwners: launches take the mutex
    Mutex mutex;                  // of launches by several threads, and of changes
    ExecSlot *next = nullptr;

    GraphRef ref() const noexcept { return {device->ordinal, native}; }
};

using GraphSlots = SlotMap<GraphSlot, Kind::Graph>;
using ExecSlots = SlotMap<ExecSlot, Kind::GraphExec>;
GS_CORE_DATA(GraphSlots, g_graph_slots);
GS_CORE_DATA(ExecSlots, g_exec_slots);
inline GraphSlots &graph_slots() noexcept { return g_graph_slots; }
inline ExecSlots &exec_slots() noexcept { return g_exec_slots; }

Status refuse_in_body() noexcept __attribute__((cold)); // of a host function or an event
Status refuse_borrowed(const GraphSlot &graph) noexcept __attribute__((cold));
// NOT_SUPPORTED if the backend has no graphs.
Status graphs_of(const Device &device, Graphs **out) noexcept;

// A slot without object, nullptr when memory or indices are out.
GraphSlot *take_graph_slot() noexcept;
ExecSlot *take_exec_slot() noexcept;
void give_graph_slot(GraphSlot &slot) noexcept;
void give_exec_slot(ExecSlot &slot) noexcept;

// These neither take the mutex of the graph or executable nor wait for an executable's owner: a call inside the driver
// may wait for the host function that asks.
Status retain_graph(uint64_t handle) noexcept;
Status native_graph(uint64_t handle, uintptr_t *out) noexcept; // for a host function
Status name_graph(uint64_t handle, const char *name) noexcept;
Status retain_exec(uint64_t handle) noexcept;
Status native_exec(uint64_t handle, uintptr_t *out) noexcept;
// Ends a reference, and with the last one the handle: then *out_last. Under the executable's mutex.
void release_reference(ExecSlot &slot, bool *out_last) noexcept;
// Of an outermost graph, under its mutex. The handles inside it end, too; but if a capture keeps the graph, none end.
enum class GraphEnd { Referenced, KeptByCapture, Ended };
GraphEnd release_reference(GraphSlot &slot) noexcept;
// A capture has made the graph, or into it: the caller of the end has a reference.
void own_graph(GraphSlot &slot, uintptr_t native) noexcept;
// Ends the handles of a graph and of all inside it, under the root's mutex; the slots are still the caller's to give back,
// after the mutex has been released.
void end_handles(GraphSlot &slot) noexcept;

// Publishes the slot with a new handle and one reference. Everything else is filled in.
uint64_t publish_graph(GraphSlot &slot) noexcept;
uint64_t publish_exec(ThreadBlock &thread, ExecSlot &slot) noexcept;

// A live graph, locked for the length of a block.
class LockedGraph {
public:
    LockedGraph() noexcept = default;
    ~LockedGraph() GS_UNANALYSED {
        if (root_) root_->mutex.unlock();
    }
    LockedGraph(const LockedGraph &) = delete;
    LockedGraph &operator=(const LockedGraph &) = delete;

    Status find(uint64_t handle) noexcept GS_UNANALYSED;
    GraphSlot *operator->() const noexcept { return slot_; }
    GraphSlot &operator*() const noexcept { return *slot_; }
    bool found() const noexcept { return slot_ != nullptr; }
    void give_to(CapturePin *pin) noexcept { // it unlocks the graph
        pin->take(*slot_, root_->mutex);
        root_ = nullptr;
    }

private:
    LaterMessages later_; // first: it outlives the lock
    GraphSlot *slot_ = nullptr;
    GraphSlot *root_ = nullptr;
};

} // namespace gs
