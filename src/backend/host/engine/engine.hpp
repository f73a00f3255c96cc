// SPDX-License-Identifier: Apache-2.0
// The host engine: streams, events and work on CPU threads, with the ordering rules of CUDA.
//
// The host backend is a thin adapter over one Engine; a test double of a driver may use another. An engine knows no
// gs_* handle and keeps no text: it returns a Result. Where Result::System or NoRoom is returned, the calling
// thread's pending record (base/status.hpp) has the details. It depends on src/base alone.
//
// Rules:
//  - Everything may be called from any thread. Engines are immortal; threads start when first needed.
//  - Streams and events are named by reference and must be live (created, not destroyed). Their addresses are unique
//    among live ones, constant, multiples of 64 and never reused for anything but an object of the same type;
//    find_stream/find_event check an arbitrary number.
//  - The legacy stream and the per-thread streams are ordinary Stream objects, borrowed, not to be destroyed.
//  - A call that fails has had no effect (an unneeded dependency of the default stream may have been added).
//  - Work of a latched device is refused (Faulted, ContextLost); what was pending is dropped: markers complete as
//    failed, functions are not run, memory is still freed. A stream that waits for another device's record or for a
//    gate does so when that opens; host threads do not wait for it.
//  - Work submitted to a stream in capture is accepted and dropped: there are no graphs to put it into.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/host/engine/event_state.hpp"
#include "backend/host/engine/memory_table.hpp"
#include "backend/host/engine/per_thread.hpp"
#include "backend/host/engine/result.hpp"
#include "backend/host/engine/slab.hpp"
#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/timers.hpp"
#include "backend/host/engine/virtual_device.hpp"
#include "backend/host/engine/watcher.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "backend/host/ipc/ipc_exporter.hpp"
#include "backend/host/ipc/ipc_importer.hpp"
#include "base/thread_block.hpp"

namespace gs::host {

inline constexpr size_t kLongestShmDirectory = 200; // bytes, with the terminating zero

struct EngineOptions {
    int32_t devices = 2;
    int32_t workers = 1;
    const char *shm_directory = "/dev/shm"; // of interprocess events; copied
};

class Engine {
public:
    static Engine *create(const EngineOptions &options) noexcept; // nullptr when memory is out

    int32_t device_count() const noexcept { return device_count_; }
    Device &device(int32_t ordinal) noexcept { return devices_[ordinal]; }

    // ---- faults (engine_faults.cpp) ------------------------------------------------------------------------------
    // Latches the device; the first fault stays. Host threads that wait for its work return, sleepers wake.
    void latch(Device &device, FaultKind kind, int32_t code, const char *origin) noexcept;
    void clear_fault(Device &device) noexcept; // a new context; only once the streams have drained
    Fault fault(Device &device) noexcept;

    // ---- streams (engine_streams.cpp) ----------------------------------------------------------------------------
    Result stream_create(Device &device, int32_t priority, bool blocking, Stream **out) noexcept; // clamps
    void stream_destroy(Stream &stream) noexcept; // at once; pending work is still done
    Stream &legacy_stream(Device &device) noexcept { return *device.legacy; }
    // The calling thread's default stream on the device, made on first use, drained when the thread ends.
    Result per_thread_stream(ThreadBlock &thread, Device &device, Stream **out) noexcept;
    Stream *find_stream(uintptr_t word) const noexcept; // nullptr: not a live stream
    // Ok: all work is done. NotReady. On the legacy stream this covers the blocking streams as well.
    Result stream_query(Stream &stream) noexcept;
    Result stream_synchronize(Stream &stream) noexcept; // work submitted before the call
    Result device_synchronize(Device &device) noexcept; // the same for all streams
    Result stream_wait(Stream &stream, Event &event, bool external) noexcept;

    // ---- capture state (engine_capture.cpp) ----------------------------------------------------------------------
    Result capture_begin(Stream &stream) noexcept;
    Result capture_end(Stream &stream) noexcept; // ends it for every stream that had joined
    static uint64_t capture_of(const Stream &stream) noexcept { return stream.capture.load(std::memory_order_acquire); }

    // ---- events (engine_events.cpp) ------------------------------------------------------------------------------
    Result event_create(Device &device, const EventOptions &options, Event **out) noexcept;
    void event_destroy(Event &event) noexcept;
    Event *find_event(uintptr_t word) const noexcept { return event_slab_.find(word); } // nullptr: not a live event
    // The caller has checked that both are of one device.
    Result event_record(Event &event, Stream &stream, bool external) noexcept;
    Result event_query(Event &event) noexcept; // Ok: complete or never recorded
    Result event_synchronize(Event &event) noexcept;
    Result event_elapsed_ns(Event &start, Event &end, int64_t *out_ns) noexcept;

    // ---- interprocess events (engine_ipc.cpp) --------------------------------------------------------------------
    Result ipc_export(Event &event, IpcHandle *out) noexcept;
    Result ipc_open(Device &device, const IpcHandle &handle, Event **out) noexcept;
    uint32_t ipc_mapped() noexcept { return importer_.mapped(); } // arenas of other processes

    // ---- gates: points that the host opens (engine_gates.cpp) ----------------------------------------------------
    Record *gate_create(Device &device) noexcept; // nullptr when memory is out; freed with gate->release()
    Result stream_wait_gate(Stream &stream, Record &gate) noexcept;
    void gate_open(Record &gate) noexcept; // once

    // ---- work (engine_work.cpp) ----------------------------------------------------------------------------------
    Result launch(Stream &stream, const Task &task) noexcept; // task.drop is not called when this fails
    Result sleep(Stream &stream, uint64_t ns) noexcept;
    Result copy(Stream &stream, void *dst, const void *src, size_t bytes) noexcept;
    Result fill(Stream &stream, void *dst, uint8_t value, size_t bytes) noexcept;
    Result malloc_async(Stream &stream, size_t bytes, void **out) noexcept; // usable at once, aligned to 256
    Result free_async(Stream &stream, void *pointer) noexcept;
    Result malloc_host(size_t bytes, void **out) noexcept; // aligned to 256
    Result free_host(void *pointer) noexcept;
    // When the stream gets there, its device is latched as faulted; origin is a static text.
    Result fault_later(Stream &stream, int32_t code, const char *origin) noexcept;

    // ---- for the engine's own parts ------------------------------------------------------------------------------
    // Puts the record behind the stream's work, which is no submission; *out_idle: there was none, nothing was done.
    static Result push_marker(Stream &stream, Record &record, bool *out_idle) noexcept;
    // Blocks until the record is done or its device latched. A record that failed returns its reason.
    static Result wait_done(Device &device, Record &record, bool spin) noexcept;

private:
    friend class Submission;
    Engine() noexcept : timers_(pool_), watcher_(pool_), exporter_(shm_directory_), importer_(shm_directory_) {}

    // strand.cpp
    enum class Step { Done, Parked };
    static void run_entry(void *self, Stream &stream) noexcept;
    void run(Stream &stream) noexcept;
    Step step(Stream &stream, Op &op) noexcept;
    void drop(Op &op) noexcept;
    // Completes a marker's record; the streams that waited for it.
    static Stream *finish(Stream &stream, Op &op, Result outcome) noexcept GS_REQUIRES(stream.lock);
    // The queue just became non-empty: brings the token to where its head belongs.
    void launch_token(Stream &stream, Op &head) noexcept;
    void free_stream(Stream &stream) noexcept;

    Stream *new_stream(Device &device, int32_t priority, bool blocking) noexcept;
    Result join_capture(Stream &stream, uint64_t own, Event &event) noexcept;
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
    Slab<Stream> stream_slab_;
    Slab<Event> event_slab_;
    std::atomic<uint64_t> next_stream_id_{1};
    std::atomic<uint64_t> next_capture_{1};
    PerThreadTable per_thread_;
    MemoryTable device_memory_;
    MemoryTable host_memory_;
    char shm_directory_[kLongestShmDirectory] = {};
    Mutex export_mutex_;
    IpcExporter exporter_;
    IpcImporter importer_;
    Engine *next_ = nullptr; // list of all engines
};

} // namespace gs::host
