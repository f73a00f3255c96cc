// SPDX-License-Identifier: Apache-2.0
// The host engine: streams, events and work on CPU threads, with the ordering rules of CUDA. The host backend adapts one
// Engine; the fake driver of the tests uses another. An engine returns a Result and no text: with Result::System or NoRoom
// the thread's pending record (base/status.hpp) has the details. It depends on src/base alone.
// Rules:
//  - Everything may be called from any thread. Engines are immortal; threads start when first needed.
//  - Streams and events are named by reference and must be live (created, not destroyed). Their addresses are unique
//    among live ones, constant, multiples of 64 and never reused for anything but an object of the same type;
//    find_stream/find_event check an arbitrary number. The legacy stream and the per-thread streams are borrowed.
//  - A call that fails has had no effect (an unneeded dependency of the default stream may have been added).
//  - A latched device refuses work (Faulted, ContextLost) and drops what was pending: markers complete as failed, memory is
//    freed. A stream that waits for another device's record, or a gate, does so when that opens; host threads do not wait.
//  - What a capture forbids is refused; it breaks the capture only if the options say so. Ids of graphs are never reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/host/engine/graph/capture.hpp"
#include "backend/host/engine/graph/exec.hpp"
#include "backend/host/engine/memory_table.hpp"
#include "backend/host/engine/record.hpp"
#include "backend/host/engine/result.hpp"
#include "backend/host/engine/slab.hpp"
#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/virtual_device.hpp"
#include "backend/host/engine/watcher.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "backend/host/ipc/ipc_arena.hpp"
#include "base/shared_file.hpp"
#include "base/thread_block.hpp"

namespace gs::host {

struct EngineOptions {
    int32_t devices = 2;
    int32_t workers = 1;
    const char *shm_directory = "/dev/shm"; // of interprocess events; copied
    bool captures_break = false;            // what a capture forbids breaks it, as with a driver
};

class Chain;
class Submission;

class Engine {
public:
    static Engine *create(const EngineOptions &options) noexcept; // nullptr when memory is out

    int32_t device_count() const noexcept { return device_count_; }
    Device &device(int32_t ordinal) noexcept { return devices_[ordinal]; }

    // ---- faults (engine.cpp) -------------------------------------------------------------------------------------
    // Latches the device; the first fault stays. Host threads that wait for its work return, sleepers wake.
    bool latch(Device &device, FaultKind kind, int32_t code, const char *origin) noexcept;
    void clear_fault(Device &device) noexcept; // a new context; only once the streams have drained
    Fault fault(Device &device) noexcept;

    // ---- streams (engine_streams.cpp) ----------------------------------------------------------------------------
    Result stream_create(Device &device, int32_t priority, bool blocking, Stream **out,
                         Share *share = nullptr) noexcept; // clamps; share: nullptr: all workers
    void stream_destroy(Stream &stream) noexcept;          // at once; pending work is still done
    Stream &legacy_stream(Device &device) noexcept { return *device.legacy; }
    // The calling thread's default stream on the device, made on first use, drained when the thread ends.
    Result per_thread_stream(ThreadBlock &thread, Device &device, Stream **out) noexcept;
    Stream *find_stream(uintptr_t word) const noexcept; // nullptr: not a live stream
    WorkerPool &workers() noexcept { return pool_; }
    // Ok: all work is done. NotReady. On the legacy stream this covers the blocking streams as well.
    Result stream_query(Stream &stream) noexcept;
    Result stream_synchronize(Stream &stream) noexcept; // work submitted before the call
    // The same for all streams. past_captures: leaves out those that are captured; else they make the call fail.
    Result device_synchronize(Device &device, bool past_captures = false) noexcept;
    Result stream_wait(Stream &stream, Event &event, bool external) noexcept;

    // ---- captures (engine_capture.cpp, engine_captured_work.cpp) ----------------------------------------------------
    Result capture_begin(Stream &stream, const CaptureStart &start) noexcept;
    // Ends it for every stream that has joined, also when it fails; CaptureUnmatched alone changes nothing.
    Result capture_end(Stream &stream, uint64_t thread, Graph **out) noexcept;
    Result capture_abort(Stream &stream) noexcept;
    Result capture_info(Stream &stream, CaptureInfo *out) noexcept;
    // The nodes that the stream's next one will depend on. Writes min(capacity, *count) ids.
    Result capture_nodes(Stream &stream, uint64_t *out, size_t capacity, size_t *count) noexcept;
    Result capture_set_nodes(Stream &stream, GraphNode *const *nodes, size_t count, bool add) noexcept;
    static uint64_t capture_of(const Stream &stream) noexcept { return stream.capture.load(std::memory_order_acquire); }
    // A call that no stream captures, but that captures of this thread, or of others in global mode, forbid.
    Result unsafe_call(uint64_t thread, CaptureMode mode) noexcept;
    bool captures_on(const Device &device) noexcept; // does a stream of it take part in one?
    // May the stream be queried? Not if it is captured, nor the legacy stream while a blocking one is.
    Result stream_quiet(Stream &stream) noexcept;
    // May work be put into it? Not after its capture was broken, nor into the legacy stream while a blocking one is captured.
    Result stream_open(Stream &stream) noexcept;
    Result event_captured(Event &event) noexcept;                     // Ok: it was last recorded outside of captures
    void break_captures(Device &device, bool blocking_only) noexcept; // if captures break

    // ---- graphs (engine_graphs.cpp) --------------------------------------------------------------------------------
    Result graph_create(Device &device, Graph **out) noexcept;
    Result graph_destroy(Graph &graph) noexcept;
    Result graph_clone(const Graph &graph, Graph **out) noexcept;
    Graph *find_graph(uint64_t id) noexcept; // nullptr: no such graph, or it has ended
    // The same. The graph stays in memory until unpin_graph(), also if another thread ends it or its capture.
    Graph *pin_graph(uint64_t id) noexcept;
    void unpin_graph(Graph &graph) noexcept;
    GraphNode *find_node(uint64_t id) noexcept;
    Result graph_add(Graph &graph, const NodeBody &body, GraphNode *const *after, size_t count,
                     GraphNode **out) noexcept;
    Result graph_add_child(Graph &graph, const Graph &child, GraphNode *const *after, size_t count,
                           GraphNode **out) noexcept; // a copy
    Result graph_add_condition(Graph &graph, GraphCondition &condition, ConditionType type, size_t bodies,
                               GraphNode *const *after, size_t count, GraphNode **out) noexcept;
    Result condition_create(Graph &graph, uint32_t at_launch, bool assign,
                            GraphCondition **out) noexcept;               // the graph's
    Result graph_edge(GraphNode &from, GraphNode &to, bool add) noexcept; // InvalidValue: it is (not) there
    Result graph_remove(GraphNode &node) noexcept; // InvalidValue: it allocates or frees, or a capture goes on
    Result graph_keep(Graph &graph, void (*release)(void *), void *arg) noexcept;
    // For the graph of that capture of the stream. *kept is false if the capture is broken or has ended.
    Result capture_keep(Stream &stream, uint64_t id, void (*release)(void *), void *arg, bool *kept) noexcept;
    // For reading a graph: while it is held, no other call changes one. The holder makes no calls of the engine.
    Mutex &graph_lock() noexcept { return graph_mutex_; }

    // ---- executables (engine_graph_launch.cpp) -----------------------------------------------------------------------
    Result exec_create(const Graph &graph, uint32_t flags, GraphExec **out) noexcept; // InvalidValue: a cycle
    void exec_destroy(GraphExec &exec) noexcept;                                      // launches in flight go on
    Result exec_launch(GraphExec &exec, Stream &stream) noexcept;
    Result exec_update(GraphExec &exec, const Graph &graph, UpdateReport *out) noexcept;
    // Of the node that came from the one with that id: its parameters, its child graph, whether it is enabled.
    Result exec_set(GraphExec &exec, uint64_t node, const NodeBody &body) noexcept {
        return change_node(exec, node, &body, nullptr, nullptr);
    }
    Result exec_set_child(GraphExec &exec, uint64_t node, const Graph &child) noexcept {
        return change_node(exec, node, nullptr, &child, nullptr);
    }
    Result exec_enable(GraphExec &exec, uint64_t node, bool on) noexcept {
        return change_node(exec, node, nullptr, nullptr, &on);
    }
    Result exec_enabled(GraphExec &exec, uint64_t node, bool *out) noexcept;

    // ---- events (engine_events.cpp) ------------------------------------------------------------------------------
    Result event_create(Device &device, const EventOptions &options, Event **out) noexcept;
    void event_destroy(Event &event) noexcept;
    Event *find_event(uintptr_t word) const noexcept { return event_slab_.find(word); } // nullptr: not a live event
    // The caller has checked that both are of one device. early: by the kernel directly ahead, see trigger().
    Result event_record(Event &event, Stream &stream, bool external, bool early = false) noexcept;
    Result event_query(Event &event) noexcept; // Ok: complete or never recorded
    Result event_synchronize(Event &event) noexcept;
    // Adds 1 to the word and wakes one that sleeps on it when the current record is done, or now. False: no memory.
    bool event_signal(Event &event, std::atomic<uint32_t> &word) noexcept;
    // Records the work that is in all streams of the device.
    Result device_record(Device &device, Event &event) noexcept;
    Result event_elapsed_ns(Event &start, Event &end, int64_t *out_ns) noexcept;

    // ---- interprocess events (engine_ipc.cpp) --------------------------------------------------------------------
    Result ipc_export(Event &event, IpcHandle *out) noexcept;
    Result ipc_open(Device &device, const IpcHandle &handle, Event **out) noexcept;
    uint32_t ipc_mapped() noexcept { return importer_.mapped(); } // arenas of other processes

    // ---- gates: points that the host opens (engine_work.cpp) -----------------------------------------------------
    Record *gate_create(Device &device) noexcept; // nullptr when memory is out; freed with gate->release()
    Result stream_wait_gate(Stream &stream, Record &gate) noexcept;
    void gate_open(Record &gate) noexcept; // once

    // ---- work (engine_work.cpp) ----------------------------------------------------------------------------------
    // task.drop is not called when this fails. kind: of the node, in a capture.
    Result launch(Stream &stream, const Task &task, NodeKind kind = NodeKind::Host, LaunchTraits traits = {}) noexcept;
    // By the kernel that runs: early launches and records directly behind it need not wait for its end (engine.cpp).
    void trigger(Stream &stream) noexcept;
    Result sleep(Stream &stream, uint64_t ns) noexcept;
    Result copy(Stream &stream, void *dst, const void *src, size_t bytes) noexcept;
    Result fill(Stream &stream, void *dst, uint8_t value, size_t bytes) noexcept;
    Result malloc_async(Stream &stream, size_t bytes, void **out) noexcept; // usable at once, aligned to 256
    Result free_async(Stream &stream, void *pointer) noexcept;
    Result malloc_host(size_t bytes, void **out) noexcept; // aligned to 256
    Result free_host(void *pointer) noexcept;
    // Never in a capture: StreamCapturing. at_once: the sources are read before it returns.
    Result copy_batch(Stream &stream, const gs_copy_t *copies, size_t count, bool at_once) noexcept;
    Result write_value(Stream &stream, const WordWrite &write) noexcept;
    Result wait_value(Stream &stream, const WordWait &wait) noexcept;
    void value_written(const void *address) noexcept { words_.written(address); }  // after a store of the host
    Result fault_later(Stream &stream, int32_t code, const char *origin) noexcept; // when it gets there; static text

    // ---- for the engine's own parts ------------------------------------------------------------------------------
    // Puts the record behind the stream's work; it does not count as a submission. *out_idle: the stream was idle, so
    // the record was left out.
    static Result push_marker(Stream &stream, Record &record, bool *out_idle) noexcept;
    // Blocks until the record is done or its device latched. A record that failed returns its reason.
    static Result wait_done(Device &device, Record &record, bool spin) noexcept;

    static void drop(Op &op) noexcept; // releases what it holds

private:
    friend class Submission;
    friend class Launch;
    friend class LaneStreams;
    Engine() noexcept
        : timers_(pool_), watcher_(pool_), words_(pool_), exporter_(shm_directory_), importer_(shm_directory_) {}

    // strand.cpp
    enum class Step { Done, Parked };
    static void run_entry(void *self, Stream &stream) noexcept;
    void run(Stream &stream) noexcept;
    Step step(Stream &stream, Op &op) noexcept;
    // Completes a marker's record; the streams that waited for it.
    static Stream *finish(Stream &stream, Op &op, Result outcome) noexcept GS_REQUIRES(stream.lock);
    // The queue just became non-empty: brings the token to where its head belongs.
    void launch_token(Stream &stream, Op &head) noexcept;
    void free_stream(Stream &stream) noexcept;
    void overtake(Stream &stream, Op &next) noexcept;
    Stream *new_stream(Device &device, int32_t priority, bool blocking) noexcept;

    // ---- captures; all but refuse() and capture_*() with the graph lock held
    void enter_capture(Stream &stream, Capture &capture) noexcept;
    void leave_capture(Stream &stream) noexcept;
    void join_capture(Stream &stream, Capture &capture, std::vector<GraphNode *> nodes); // throws bad_alloc
    Capture *find_capture(uint64_t id) noexcept;
    std::unique_ptr<Graph> finish_capture(Capture &capture, bool keep_graph) noexcept;
    std::unique_ptr<Graph> end_graph(Graph &root) noexcept; // to be deleted with no lock held; nullptr: it is pinned
    Result violate(Capture &capture, Result why) noexcept;
    void drop_from_capture(Stream &stream) noexcept;
    // What a refused call of the stream returns; the captures that it breaks.
    Result refuse(Stream &stream, Result why) noexcept;
    Result capture_node(Stream &stream, NodeBody &&body) noexcept;
    Result add_captured(Stream &stream, NodeBody &body) noexcept; // with the graph lock held
    Result capture_task(Stream &stream, const Task &task, NodeKind kind, const LaunchTraits &traits) noexcept;
    Result capture_record(Stream &stream, Event &event, bool external) noexcept;
    Result wait_captured(Stream &stream, Event &event) noexcept;
    Result capture_wait(Stream &stream, Event &event, bool external) noexcept;
    Result captured_event(Event &event) noexcept;
    // A call that puts something into a stream: live(submission) does it, captured() if the stream is being captured.
    template <typename Live, typename Captured>
    Result submit(Stream &stream, Live &&live, Captured &&captured) noexcept;
    // ---- graphs; with the graph lock held; those that return no Result throw bad_alloc
    std::unique_ptr<Graph> new_graph(Device &device);
    GraphNode &new_node(Graph &graph, const NodeBody &body, GraphNode *const *after, size_t count);
    GraphNode &add_child(Graph &graph, const Graph &child, Device *device, GraphNode *const *after, size_t count);
    Ref<Plan> plan_of(const Graph &definition, bool priorities, const Plan *before);
    Result launch_now(GraphExec &exec, Stream &stream);
    Result capture_launch(GraphExec &exec, Stream &stream) noexcept;
    Result change_node(GraphExec &exec, uint64_t node, const NodeBody *body, const Graph *child,
                       const bool *enabled) noexcept;
    Result lane_needs(const Plan &plan) noexcept;
    void start_lane(Stream &lane, Chain &chain) noexcept;
    Step run_branch(Stream &stream, Branch &branch) noexcept;
    bool launch_body(const Plan &body, Branch &branch) noexcept;
    // What a wait for the event now waits for; false: it need not wait.
    Result point_of(Event &event, Op *out, bool *out_pending) noexcept;
    static void give_record(Event &event, Record &record) noexcept; // takes over the reference
    static bool settle(Event &event, Record *record) noexcept GS_REQUIRES(event.lock);
    static Record *current_record(Event &event, bool of_stream = false) noexcept;
    static Result record_busy(Event &event, Submission &submission, IpcEvent *ipc) noexcept GS_REQUIRES(event.lock);
    static Result record_early(Event &event, Stream &stream, Submission &submission) noexcept GS_UNANALYSED;
    static void set_record(Event &event, Record *record, uint64_t ipc_word) noexcept GS_REQUIRES(event.lock);
    // ---- memory of graphs (engine_graph_memory.cpp)
    Result capture_malloc(Stream &stream, size_t bytes, void **out) noexcept;
    Result capture_free(Stream &stream, void *pointer) noexcept;
    Result free_block(Stream &stream, void *pointer) noexcept;
    GraphBlock *find_block(const void *pointer) noexcept;
    void sweep_blocks() noexcept;
    static Result check_blocks(const GraphExec &exec) noexcept;
    static void take_blocks(const GraphExec &exec) noexcept;

    // Is the record current now another process's? Then *out names it, without a reference.
    static bool foreign_record(Event &event, IpcEvent &ipc, IpcTicket *out) noexcept;
    static bool publish_settled(Event &event, IpcEvent &ipc) noexcept;
    Result publish_pending(Event &event, IpcEvent &ipc) noexcept;
    Result relay_record(Stream &relay, Record &record, Record &end, Event &event, IpcEvent &ipc) noexcept
        GS_REQUIRES(relay.lock, event.lock);
    Result wait_ipc(Stream &stream, const IpcTicket &ticket) noexcept;
    Result synchronize_ipc(Device &device, const IpcTicket &ticket) noexcept;

    int32_t device_count_ = 0;
    Device *devices_ = nullptr;
    WorkerPool pool_;
    Timers timers_;
    Watcher watcher_;
    WordWaits words_;
    Slab<Stream> stream_slab_;
    Slab<Event> event_slab_;
    std::atomic<uint64_t> next_stream_id_{1};
    PerThreadTable per_thread_;
    MemoryTable device_memory_;
    MemoryTable host_memory_;
    char shm_directory_[kLongestSharedDirectory] = {};
    // Before every other lock of the engine but export_mutex_. It guards all graphs, executables and captures.
    Mutex graph_mutex_;
    bool captures_break_ = false;
    GraphTable table_;
    Captures captures_;
    std::vector<Ref<GraphBlock>> blocks_;
    uint64_t next_capture_ = 1;
    uint64_t walks_ = 0;
    Mutex export_mutex_;
    IpcExporter exporter_;
    IpcImporter importer_;
    Engine *next_ = nullptr; // list of all engines
};

} // namespace gs::host
