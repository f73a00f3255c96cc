// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"
#include "backend/host/ipc/ipc_event.hpp"

namespace gs::host {
namespace {

constexpr uint64_t kNapNs = 20000000; // between two looks at the other process's health

} // namespace

bool Engine::foreign_record(Event &event, IpcEvent &ipc, IpcTicket *out) noexcept {
    if (!ipc.newest(out)) return false;
    TinyGuard guard(event.lock);
    return out->generation != event.ipc_generation;
}

Result Engine::ipc_export(Event &event, IpcHandle *out) noexcept {
    const Result health = health_of(*event.device);
    if (health != Result::Ok) return health;
    if (event.opened) return Result::NotSupported;
    if (!event.options.interprocess) return Result::InvalidValue;
    MutexLock one_at_a_time(export_mutex_);
    IpcEvent *ipc = event.ipc.load(std::memory_order_acquire);
    if (!ipc) {
        const Result result = IpcEvent::export_new(shm_directory_, event.device->ordinal, out, &ipc);
        if (result != Result::Ok) return result;
        const Result relayed = publish_ipc(event, *ipc);
        if (relayed != Result::Ok) {
            ipc->disown();
            ipc->release();
            return relayed;
        }
    }
    *out = ipc->handle();
    return Result::Ok;
}

// Other processes must see a record that was made before the export and is still pending: a stream of its own carries
// the completion over.
Result Engine::publish_ipc(Event &event, IpcEvent &ipc) noexcept {
    Stream *relay = new_stream(*event.device, kGreatestPriority, false);
    Record *end = event.device->records.take();
    Result result = relay && end && pool_.ensure_started().ok() ? Result::Ok : Result::OutOfMemory;
    if (result == Result::Ok) {
        TinyGuard relay_guard(relay->lock);
        TinyGuard guard(event.lock);
        Record *record = event.record.load(std::memory_order_relaxed);
        const bool pending = record && record != &g_captured_record && !record->done();
        Op wait(Op::Kind::Wait);
        Op marker(Op::Kind::IpcMarker);
        if (pending) {
            wait.record = record;
            result = append(*relay, wait) ? Result::Ok : Result::OutOfMemory;
            marker.ipc_marker = {end, &ipc, 0};
            if (result == Result::Ok && !append(*relay, marker)) {
                remove_head(*relay);
                result = Result::OutOfMemory;
            }
        }
        if (result == Result::Ok) {
            if (pending) {
                event.ipc_generation = ipc.begin_record();
                relay->tail->ipc_marker.generation = event.ipc_generation;
                record->retain();
                end->retain();
                ipc.retain();
                relay->busy.store(1, std::memory_order_release);
                launch_token(*relay, *relay->head);
            }
            event.ipc.store(&ipc, std::memory_order_release);
        }
    }
    if (end) end->release();
    if (relay) stream_destroy(*relay);
    return result;
}

Result Engine::ipc_open(Device &device, const IpcHandle &handle, Event **out) noexcept {
    const Result health = health_of(device);
    if (health != Result::Ok) return health;
    IpcEvent *ipc = nullptr;
    Result result = IpcEvent::open(shm_directory_, device.ordinal, handle, &ipc);
    if (result != Result::Ok) return result;
    Event *event = nullptr;
    EventOptions options;
    options.interprocess = true;
    result = event_create(device, options, &event);
    if (result != Result::Ok) {
        ipc->release();
        return result;
    }
    event->opened = true;
    event->ipc.store(ipc, std::memory_order_release);
    *out = event;
    return Result::Ok;
}

Result Engine::wait_ipc(Stream &stream, const IpcTicket &ticket) noexcept {
    if (!watcher_.ensure_started().ok()) return Result::System;
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok) return submission.status();
    if (submission.captured()) return Result::CaptureIsolation;
    if (submission.idle() && ticket.event->done(ticket)) return Result::Ok;
    Op wait(Op::Kind::IpcWait);
    wait.ticket = ticket;
    ticket.event->retain();
    const Result result = submission.push(wait);
    if (result != Result::Ok) ticket.event->release();
    return result;
}

Result Engine::synchronize_ipc(Device &device, const IpcTicket &ticket) noexcept {
    for (;;) {
        const Result health = health_of(device);
        if (health != Result::Ok) return health;
        const Result result = ticket.event->check(ticket);
        if (result != Result::NotReady) return result;
        ticket.event->nap(kNapNs, ticket);
    }
}

} // namespace gs::host
