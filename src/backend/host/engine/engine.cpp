// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"

#include <cstdio>
#include <memory>
#include <new>
#include <utility>

namespace gs::host {
namespace {

std::atomic<Engine *> g_engines{nullptr}; // engines are immortal; the exit of a thread visits all of them

void destroy_per_thread(Engine &engine, PerThreadStreams &streams) noexcept {
    if (!streams.by_device) return;
    for (int32_t i = 0; i < engine.device_count(); ++i)
        if (Stream *stream = std::exchange(streams.by_device[i], nullptr)) engine.stream_destroy(*stream);
}

} // namespace

Engine *Engine::create(const EngineOptions &options) noexcept {
    auto *engine = new (std::nothrow) Engine;
    auto *devices = new (std::nothrow) Device[static_cast<size_t>(options.devices)];
    if (!engine || !devices) {
        delete[] devices;
        delete engine;
        return nullptr;
    }
    engine->device_count_ = options.devices;
    engine->captures_break_ = options.captures_break;
    engine->devices_ = devices;
    engine->pool_.configure(options.workers, run_entry, engine);
    std::snprintf(engine->shm_directory_, sizeof engine->shm_directory_, "%s", options.shm_directory);
    for (int32_t i = 0; i < options.devices; ++i) {
        devices[i].ordinal = i;
        Stream *legacy = engine->new_stream(devices[i], kLeastPriority, true);
        if (!legacy) {
            delete[] devices;
            delete engine;
            return nullptr;
        }
        legacy->legacy = true;
        devices[i].legacy = legacy;
    }
    engine->next_ = g_engines.load(std::memory_order_relaxed);
    // one-sided: repeated only when two engines start at once
    while (!g_engines.compare_exchange_weak(engine->next_, engine, std::memory_order_acq_rel)) {}
    return engine;
}

Result Engine::per_thread_stream(ThreadBlock &thread, Device &device, Stream **out) noexcept {
    PerThreadStreams *streams = per_thread_.of(thread, true);
    if (!streams) return Result::OutOfMemory;
    if (!streams->by_device) {
        streams->by_device = new (std::nothrow) Stream *[static_cast<size_t>(device_count_)]();
        if (!streams->by_device) return Result::OutOfMemory;
    }
    Stream *&slot = streams->by_device[device.ordinal];
    if (!slot) {
        const bool hooked = add_thread_exit_hook([](ThreadBlock &ending) {
            for (Engine *engine = g_engines.load(std::memory_order_acquire); engine; engine = engine->next_)
                if (PerThreadStreams *mine = engine->per_thread_.of(ending, false)) destroy_per_thread(*engine, *mine);
        });
        if (!hooked) return Result::OutOfMemory;
        slot = new_stream(device, kLeastPriority, true);
        if (!slot) return Result::OutOfMemory;
    }
    *out = slot;
    return Result::Ok;
}

bool Engine::latch(Device &device, FaultKind kind, int32_t code, const char *origin) noexcept {
    {
        MutexLock lock(device.fault_lock);
        if (device.fault.kind != FaultKind::None) return false;
        device.fault.kind = kind;
        device.fault.code = code;
        std::snprintf(device.fault.origin, sizeof device.fault.origin, "%s", origin);
        device.health.store(static_cast<uint32_t>(kind), std::memory_order_release);
        for (HostWait *wait = device.waits; wait; wait = wait->next) wait->record->poke();
    }
    timers_.expire(device);
    words_.expire(device);
    return true;
}

void Engine::clear_fault(Device &device) noexcept {
    MutexLock lock(device.fault_lock);
    device.fault = Fault{};
    device.health.store(0, std::memory_order_release);
}

Fault Engine::fault(Device &device) noexcept {
    MutexLock lock(device.fault_lock);
    return device.fault;
}

// Programmatic launches: what is launched behind a kernel as early may start once that kernel has triggered.
//
// The worker that runs the kernel at the head of a stream completes early markers behind it, and moves an early kernel to a
// stream beside this one. In its place the stream gets two operations: a marker, for which the kernel that was moved may wait,
// and a wait for the end of that kernel. So all that comes later has both behind it.

namespace {

std::unique_ptr<Op> record_op(Op::Kind kind, Record &record) noexcept {
    std::unique_ptr<Op> op(new (std::nothrow) Op(kind));
    if (op) op->record = &record;
    return op;
}

// In the place of the kernel `next`, which has been copied.
void take_place(Stream &stream, Op &next, Record &earlier, Op *wait) noexcept {
    TinyGuard guard(stream.lock);
    next.kind = Op::Kind::Marker;
    next.early = next.timed = false;
    next.record = &earlier;
    wait->next = next.next;
    next.next = wait;
    if (stream.tail == &next) stream.tail = wait;
}

// It is idle: its stream has passed the wait for what it ran last.
void put_beside(Stream &side, Record &earlier, Op *kernel, Op *marker) noexcept {
    if (side.behind) side.behind->release();
    side.behind = &earlier;
    TinyGuard guard(side.lock);
    kernel->next = marker;
    side.head = kernel;
    side.tail = marker;
    side.busy.store(1, std::memory_order_release);
}

} // namespace

void Engine::trigger(Stream &stream) noexcept {
    for (;;) {
        stream.lock.lock();
        Op *next = stream.head->next;
        const bool early = next && next->early, is_kernel = early && next->kind == Op::Kind::Task;
        Stream *woken = nullptr;
        if (early && !is_kernel) {
            woken = finish(stream, *next, broken(stream));
            remove_next(stream);
        }
        stream.lock.unlock();
        if (!early) return;
        if (is_kernel) return overtake(stream, *next);
        pool_.ready_all(woken);
    }
}

// Without memory the kernel stays where it is and starts in order.
void Engine::overtake(Stream &stream, Op &next) noexcept {
    Device &device = *stream.device;
    if (!stream.side && stream_create(device, stream.priority, false, &stream.side, stream.share) != Result::Ok) return;
    Record *earlier = device.records.take(), *end = device.records.take();
    if (earlier && end) {
        std::unique_ptr<Op> kernel(new (std::nothrow) Op(Op::Kind::Task));
        std::unique_ptr<Op> marker = record_op(Op::Kind::Marker, *end), wait = record_op(Op::Kind::Wait, *end);
        if (kernel && marker && wait) {
            kernel->task = next.task;
            earlier->retain();
            end->retain();
            take_place(stream, next, *earlier, wait.release());
            put_beside(*stream.side, *earlier, kernel.release(), marker.release());
            return pool_.ready(*stream.side);
        }
    }
    if (earlier) earlier->release();
    if (end) end->release();
}

} // namespace gs::host
