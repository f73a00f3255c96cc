// SPDX-License-Identifier: Apache-2.0
// The state of the fake driver. One lock guards all of it except the engine, which has its own; blocking calls wait
// without the lock. No memory is freed at exit.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backend/host/engine/engine.hpp"
#include "fake_cuda/fake_cuda.h"
#include "fake_cuda/functions.hpp"
#include "fake_cuda/green_context.hpp"
#include "fake_cuda/semaphore.hpp"
#include "fake_cuda/shared_memory.hpp"

namespace fake {

namespace engine = gs::host;

struct Context;

struct Object {
    std::atomic<uint32_t> live{0}; // Slab
    Context *context = nullptr;
    uint64_t owner = 0;
    int in_flight = 0;   // blocking calls that work with it
    bool orphan = false; // the call that made it failed
};

struct Stream : Object {
    engine::Stream *native = nullptr;
    uint64_t id = 0;
    uintptr_t green = 0; // of cuGreenCtxStreamCreate
    int priority = 0;
    unsigned flags = 0;
    bool legacy = false;
    std::vector<CUgraphNode> capture_nodes; // as cuStreamGetCaptureInfo last returned them
    std::map<int, CUstreamAttrValue> attributes;
    Stream *slab_next = nullptr;
};

struct Event : Object {
    engine::Event *native = nullptr;
    unsigned flags = 0;
    Event *slab_next = nullptr;
};

struct Kernel;
struct Module : Object {
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    Module *slab_next = nullptr;
};
struct Kernel {
    std::string name;
    Module *module = nullptr;
    int max_dynamic_shared = 48 * 1024;
};

// What cuUserObjectCreate made, while anything refers to it.
class UserObject {
public:
    UserObject(CUhostFn destroy, void *data);
    ~UserObject(); // the destructor function runs later, on a thread of its own
    UserObject(const UserObject &) = delete;
    UserObject &operator=(const UserObject &) = delete;

private:
    CUhostFn destroy_;
    void *data_;
};
size_t live_user_objects();

// Graphs and executables are the engine's; these are the handles. A graph in a capture, a child graph or a body gets one
// when it is asked for. Nodes need none: their handles are the engine's ids.
struct Graph : Object {
    uint64_t id = 0;
    Graph *slab_next = nullptr;
};

struct GraphExec : Object {
    engine::GraphExec *native = nullptr;
    GraphExec *slab_next = nullptr;
};

// The references that the creator of a user object has not passed on yet.
struct CreatorReferences {
    std::shared_ptr<UserObject> object;
    unsigned count = 0;
};

struct Block {
    size_t bytes = 0;
    bool orphan = false;
    uintptr_t pool = 0; // of stream-ordered memory
};

// A memory pool. What it has reserved is what was in use at most, until that is released.
struct Pool {
    int device = 0;
    bool host = false; // memory of a NUMA node
    bool orphan = false;
    bool ended = false; // destroyed: it goes with its last block
    uint64_t used = 0, used_high = 0;
    uint64_t reserved = 0, reserved_high = 0;
    uint64_t threshold = 0;
    int reuse[3] = {1, 1, 1};     // of CU_MEMPOOL_ATTR_REUSE_*
    std::set<int> reachable_from; // devices
};

struct Context {
    int device = 0;
    bool primary = false;
    bool active = false;
    int retained = 0;
    uint64_t id = 0; // of this life
    engine::Device *native = nullptr;
    Stream *legacy = nullptr;
    std::map<uint64_t, Stream *> per_thread;
    std::set<const Context *> peers;
    std::map<int, size_t> limits; // that were set

    std::set<Stream *> streams;
    std::set<Event *> events;
    std::set<Module *> modules;
    std::set<Graph *> graphs;
    std::set<GraphExec *> graph_execs;
    std::map<uintptr_t, Block> memory;
    std::map<uintptr_t, Block> host_memory;
    std::map<uintptr_t, size_t> registered; // host memory of the caller: address, bytes
};

// A table of handles that remembers the dead ones.
template <typename T>
struct Handles {
    engine::Slab<T> slab;
    std::set<uintptr_t> ever;

    T *find(const void *handle) const { return slab.find(reinterpret_cast<uintptr_t>(handle)); }
    bool dead(const void *handle) const {
        return ever.count(reinterpret_cast<uintptr_t>(handle)) != 0 && !find(handle);
    }
};

struct World {
    std::mutex mutex;
    int devices = 2;
    int version = 13000;
    int init_code = 0;
    bool stub = false;
    // The settings were read, when the library was loaded. The loader's lock orders that before every call, but sanitizers
    // of threads do not know that lock.
    std::atomic<bool> configured{false};
    bool pools = true;
    bool wide_values = true; // stream memory operations of 64 bits
    bool handle_reuse = true;
    size_t memory_bytes = size_t{1} << 30;
    int capability[2] = {9, 0};
    std::string device_name = "gpustream fake GPU";
    int watched_device = -1;
    std::vector<std::string> watched;
    std::set<std::string> missing;
    std::atomic<bool> initialised{false};
    std::atomic<bool> ended{false};
    engine::Engine *engine = nullptr; // once initialised
    std::vector<Context *> primary;   // by device; an address is never reused
    std::vector<Context *> others;
    std::vector<int> lives; // by device: how many contexts it has had
    uint64_t next_context = 1, next_stream = 1;
    Handles<Stream> streams;
    Handles<Event> events;
    Handles<Module> modules;
    Handles<Graph> graphs;
    Handles<GraphExec> graph_execs;
    std::map<uintptr_t, CreatorReferences> user_objects; // by handle
    uintptr_t next_user_object = 0x1000;
    std::map<const Kernel *, Module *> kernels;
    std::map<uint64_t, Graph *> graph_of;   // by the engine's id
    std::map<uintptr_t, Pool> pool_of;      // by handle
    std::map<int, uintptr_t> default_pools; // by device
    uintptr_t next_pool = 0x20000;
    int multiprocessors = 132;
    uint64_t next_split = 1;
    std::map<uintptr_t, Multiprocessors> descriptors; // by handle; the driver has no call that ends one
    std::map<uintptr_t, GreenContext> green_contexts; // by handle
    std::set<uintptr_t> green_ever;
    uintptr_t next_green = 0x40000;
    bool semaphores = true;
    bool launches_wait = false;                  // of graphs, for the work ahead of them
    uint64_t queues = 0;                         // 0: one for each stream
    std::map<uintptr_t, Semaphore> semaphore_of; // by handle
    uintptr_t next_semaphore = 0x80000;
    std::map<uintptr_t, SharedMemory> shared;   // of this process, by address
    std::map<std::string, SharedMemory> opened; // of other processes, by the bytes of their handle
    std::vector<std::string> violations;
    std::vector<uintptr_t> quarantine; // memory of contexts that ended
    std::vector<Stream *> graveyard;   // their per-thread streams
    std::set<uintptr_t> excused;       // destroyed by calls that then returned an error
};
World &world();
using Lock = std::unique_lock<std::mutex>;

struct Thread {
    static constexpr int kDepth = 64;
    uint64_t id = 0;
    uint64_t owner = 0;
    Fn fn = Fn::Count; // of the call in progress
    Context *stack[kDepth];
    int depth = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    int in_callback = 0;
    bool no_faults = false;
    uintptr_t last[FAKE_CUDA_KINDS];
    Object *made = nullptr; // by the call in progress
    uintptr_t made_block = 0;
    uintptr_t destroyed = 0; // by the call in progress

    Context *current() const { return depth > 0 ? stack[depth - 1] : nullptr; }
};
Thread &thread();

// ---- contexts (contexts.cpp); all with the lock held ---------------------------------------------------------------
// The call in progress concerns this device.
void touch(int device);
CUresult start_world();
bool known(const Context *context);
CUresult activate(Context &context);
// Of the context that the device will have next, if it has none.
engine::Device &next_life(int device);
void end_life(Context &context); // all its objects end
// The thread's current context, alive and not broken.
CUresult current_context(Context **out);
CUresult health(Context &context);
CUresult to_result(engine::Result result, Context &context);

// ---- objects (objects.cpp); all with the lock held -----------------------------------------------------------------
void violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Streams of handles 0, 1 and 2 are of the current context.
CUresult find_stream(CUstream handle, Stream **out);
CUresult find_event(CUevent handle, Event **out);
CUresult find_module(CUmodule handle, Module **out);
Stream *new_stream(Context &context, engine::Stream *native, unsigned flags, int priority);
Event *new_event(Context &context, engine::Event *native, unsigned flags);
Module *new_module(Context &context);
// The handle of a graph of the engine. counted: a graph of the caller's, which it has to destroy.
Graph *graph_handle(engine::Graph &graph, bool counted);
engine::Graph *native_graph(const Graph &graph); // nullptr: it has ended
Context *context_of(const engine::Device &device);
void free_stream(Stream &stream);
void free_event(Event &event);
void free_module(Module &module);
void free_graph(Graph &graph);
GraphExec *new_graph_exec(engine::GraphExec &native);
void free_graph_exec(GraphExec &exec);
// For destroy calls: a call of another thread that still works with it breaks the rules.
void check_idle(const Object &object, const char *what);
void note(int kind, const void *handle);
void note_made(int kind, Object &object);

// ---- pools (pools.cpp); all with the lock held -----------------------------------------------------------------------
uintptr_t default_pool(int device);
Pool *find_pool(CUmemoryPool handle); // nullptr: it was never created, or is destroyed
void take_from_pool(uintptr_t handle, size_t bytes);
void give_to_pool(uintptr_t handle, size_t bytes);
// A synchronization: pools of the device give back what is above their thresholds.
void release_reserved(int device);

// Keeps an object known as used while a call blocks without the lock.
class InFlight {
public:
    InFlight(Lock &lock, Object &object) : lock_(lock), object_(object) {
        ++object_.in_flight;
        lock_.unlock();
    }
    ~InFlight() {
        lock_.lock();
        --object_.in_flight;
    }
    InFlight(const InFlight &) = delete;
    InFlight &operator=(const InFlight &) = delete;

private:
    Lock &lock_;
    Object &object_;
};

} // namespace fake
