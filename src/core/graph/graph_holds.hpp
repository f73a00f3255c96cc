// SPDX-License-Identifier: Apache-2.0
// What the nodes of a graph refer to and the library owns: events, records of host functions, and modules of kernels.
//
// A graph with such nodes has one list of them, tied to it by keep_for_graph() before it is first instantiated. So every
// executable keeps the list alive, and what is added to it later for a change of an executable lives as long. An update makes
// an executable keep the list of the other graph in its place. An entry is added once, however often it is used. Copies of a
// graph share the entries that the original has.
#pragma once

#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "core/graph/graph_slots.hpp"
#include "core/random/random_words.hpp"

namespace gs {

class GraphHolds {
public:
    using Release = void (*)(void *what);

    // Under the mutex of a graph or an executable that keeps the list. After OK, release(what) is called when graph, executables
    // and launches have ended; *out_known: the same entry is there already, and the caller's reference is one too many. After a
    // failure nothing is held.
    Status add(Release release, void *what, bool *out_known) noexcept;
    // The same for what no other entry can be.
    Status add_new(Release release, void *what) noexcept;
    // Shares what others has now, under the mutexes of both graphs. Not the list itself: two graphs may contain copies of each
    // other. After a failure some are shared.
    Status add_all(const GraphHolds &others) noexcept GS_UNANALYSED; // two locks in an order of their own
    void let_go() noexcept;

private:
    struct Thing {
        Release release;
        void *what;
        RefCount holders{}; // lists
    };
    struct Entry {
        Thing *thing;
        Entry *next; // in its bucket
    };

    Entry **bucket(const void *what) const noexcept GS_REQUIRES(mutex_);
    bool has(Release release, const void *what) const noexcept GS_REQUIRES(mutex_);
    bool insert(Thing *thing) noexcept GS_REQUIRES(mutex_); // false: no memory
    bool grow() noexcept GS_REQUIRES(mutex_);
    Status insert_new(Release release, void *what) noexcept GS_REQUIRES(mutex_);

    ~GraphHolds() GS_UNANALYSED; // the last holder has let go

    RefCount holders_;
    mutable Mutex mutex_; // a graph and the executables that keep its list have mutexes of their own
    // A hash table: a graph may refer to thousands of events, and each is looked up at every node that names it.
    Entry **buckets_ GS_GUARDED_BY(mutex_) = nullptr;
    size_t bucket_count_ GS_GUARDED_BY(mutex_) = 0; // a power of two, or 0
    size_t entry_count_ GS_GUARDED_BY(mutex_) = 0;
};

// The list of the outermost graph around this one, made at the first use. Under the graph's mutex.
Status holds_of(ThreadBlock &thread, GraphSlot &graph, GraphHolds **out) noexcept;
// Before an executable is made or updated: it keeps the list that is there by then, and changes of its host functions
// and events add to that list. A graph of the library has one if it has such nodes; in one that other code knows, that
// code may have added some.
Status prepare_holds(ThreadBlock &thread, GraphSlot &graph) noexcept;
// The graph holds what the other one does: it has a copy of the other's nodes.
Status hold_as(ThreadBlock &thread, GraphSlot &graph, GraphSlot &other) noexcept;

// Which modules graphs and executables hold: those of their kernels.
//
// The library counts the holders. If it tied the list to the driver's graph (keep_for_graph()), each launch would cost
// the driver about twice as much. Launches in flight are not counted: a driver unloads a module only after the launches
// of its kernels. Only calls that may wait for those unload modules.

// The list of the outermost graph around this one, made at the first use. Under the graph's mutex.
Status modules_of(ThreadBlock &thread, GraphSlot &graph, ModuleList **out) noexcept;
// The list holds the module from now on.
Status hold_module(ThreadBlock &thread, GraphSlot &graph, LoadedModule &module) noexcept;
// Under the executable's mutex.
Status modules_of(ExecSlot &exec, ModuleList **out) noexcept;
// The executable holds what the graph does, in place of what it held. Under both mutexes.
void take_modules(ExecSlot &exec, const GraphSlot &graph) noexcept;
// The executable holds what the graph does, too. Under both mutexes.
Status add_modules(ExecSlot &exec, const GraphSlot &graph) noexcept;
// The graph has a copy of the other's nodes. Under both mutexes.
Status hold_modules_of(ThreadBlock &thread, GraphSlot &graph, const GraphSlot &other) noexcept;
// Other code gets the driver's graph: executables that it makes hold the modules, too. Under the graph's mutex, and not for a
// host function: native_graph().
void share_modules(ThreadBlock &thread, GraphSlot &graph) noexcept;

// Random numbers of captured kernels: what graphs and executables hold of them, reservations in captures, launches.
//
// As with modules (graph_holds.hpp) the library counts the holders. Launches in flight need not be counted: words are
// used again behind the last launch.

// In a stream that is being captured: the addresses that the kernel reads.
Status reserve_captured(ThreadBlock &thread, StreamSlot &stream, uint64_t numbers, gs_philox_t *out) noexcept;

// As take_modules(), add_modules() and hold_modules_of().
void take_random(ExecSlot &exec, const GraphSlot &graph) noexcept;
Status add_random(ExecSlot &exec, const GraphSlot &graph) noexcept;
Status hold_random_of(GraphSlot &graph, const GraphSlot &other) noexcept;
// Before share_modules(): other code gets the driver's graph, and the words are never used again.
void share_random(GraphSlot &graph) noexcept;

// Under the executable's mutex, of one that has such kernels.
Status launch_with_random(ThreadBlock &thread, ExecSlot &exec, StreamSlot &stream) noexcept;

} // namespace gs
