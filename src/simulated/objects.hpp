// SPDX-License-Identifier: Apache-2.0
// What the driver's handles are, and what contexts have besides. All with the world's lock held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/host/engine/engine.hpp"
#include "simulated/functions.hpp"

namespace gs::simulated {

namespace engine = gs::host;

struct Context;

enum Kind : int {
    kStreamKind,
    kEventKind,
    kModuleKind,
    kMemoryKind, // of a device; the handle is the address
    kHostMemoryKind,
    kGraphKind,
    kContextKind,
    kGraphExecKind,
    kUserObjectKind,
    kPoolKind,
    kGreenContextKind,
    kSemaphoreKind,
    kKinds
};

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
    std::vector<CUgraphEdgeData> capture_edges;
    std::map<int, CUstreamAttrValue> attributes;
    Stream *slab_next = nullptr;
};

struct Event : Object {
    engine::Event *native = nullptr;
    unsigned flags = 0;
    Event *slab_next = nullptr;
};

struct Kernel;
struct KernelImplementation;
struct Module : Object {
    bool is_library = false; // of cuLibraryLoadData
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    Module *slab_next = nullptr;
};
struct Kernel {
    std::string name;
    Module *module = nullptr;
    std::vector<size_t> parameters;                    // their bytes
    std::shared_ptr<const KernelImplementation> bound; // once it was launched, if this driver does not know it itself
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
    bool managed = false;
};

// A memory pool. What it has reserved is what was in use at most, until that is released.
struct Pool {
    int device = 0;
    bool host = false; // memory of a NUMA node
    bool orphan = false;
    bool ended = false; // destroyed: it goes with its last block
    uint64_t used = 0, used_high = 0;
    uint64_t pending = 0; // freed, behind work that may not be done
    uint64_t reserved = 0, reserved_high = 0;
    uint64_t threshold = 0;
    int reuse[3] = {1, 1, 1};     // of CU_MEMPOOL_ATTR_REUSE_*
    std::set<int> reachable_from; // devices
};

// The type of a resource that configures work queues, and what such a resource says: the headers have them from 13.1 on.
constexpr unsigned kQueueConfig = 1000;
struct QueueConfig {
    CUdevice device;
    unsigned concurrency;
    unsigned scope;
};

// Multiprocessors that a descriptor or a green context has, and its work queues.
struct Multiprocessors {
    int device = 0;
    uint64_t split = 0; // the call that divided the device
    std::set<unsigned> numbers;
    QueueConfig queues{};
};

struct GreenContext {
    Context *context = nullptr; // the primary one
    Multiprocessors has;
    bool orphan = false;
};

struct SharedWord {
    static constexpr uint64_t kMagic = 0x65726f6870616d65; // "emaphore"
    uint64_t magic;
    uint64_t value;
};
// nullptr: the file is none of these. The mapping stays.
SharedWord *map_semaphore(int fd);

// What was imported. The word lies in the other API's memory, which stays mapped: a stream may still look at it.
struct Semaphore {
    Context *context = nullptr;
    uint64_t *word = nullptr;
    bool orphan = false;
    std::vector<engine::Event *> users; // behind what streams do with it
};

// In a file that has no name, so that other processes can map it.
struct SharedMemory {
    void *address = nullptr;
    Block block;
    int file = -1;       // -1: another process allocated it
    unsigned opened = 0; // how often this process has opened it
    Context *context = nullptr;
};

// What cuMemAlloc() allocates in blocks of its own, which is what can be shared. nullptr: memory is out, or it is no such block.
void *allocate_shared(size_t bytes);
// Returns false: it is no such memory. Otherwise it is no longer known, and free_shared() unmaps it.
bool forget_shared(uintptr_t address, SharedMemory *out);
void free_shared(const SharedMemory &memory);

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

} // namespace gs::simulated
