// SPDX-License-Identifier: Apache-2.0
// The state of the simulated driver. One lock guards all of it except the engine, which has its own; blocking calls wait
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
#include "simulated/objects.hpp"

namespace gs::simulated {

struct World {
    std::mutex mutex;
    int devices = 1;
    bool hides_devices = false; // those that CUDA_VISIBLE_DEVICES leaves out
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
    std::string device_name = "gpustream simulated GPU";
    std::string uuid = "gpustream-simul"; // 15 bytes, ahead of the number
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
    bool records_violations = false;            // broken rules of callers; else each is a warning
    std::vector<std::string> violations;
    int64_t kernel_time_ns = 10000;           // of kernels without a function of the host; below 0: they do not run
    void *kernel_library = nullptr;           // the library with functions for kernels
    std::vector<uintptr_t> quarantine;        // memory of contexts that ended
    std::map<uintptr_t, size_t> graph_memory; // what graphs have allocated, ended ones too: starts and bytes
    std::vector<Stream *> graveyard;          // their per-thread streams
    std::set<uintptr_t> excused;              // destroyed by calls that then returned an error
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
    engine::Stream *running = nullptr; // of the kernel that this thread runs
    bool no_faults = false;
    uintptr_t last[kKinds];
    Object *made = nullptr; // by the call in progress
    uintptr_t made_block = 0;
    uintptr_t destroyed = 0; // by the call in progress

    Context *current() const { return depth > 0 ? stack[depth - 1] : nullptr; }
};
Thread &thread();

// ---- contexts (contexts.cpp); all with the lock held ----------------------------------------------------------------
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

// ---- objects (driver_handles.cpp); all with the lock held -----------------------------------------------------------
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

// ---- pools (api_pools.cpp); all with the lock held ------------------------------------------------------------------
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

} // namespace gs::simulated
