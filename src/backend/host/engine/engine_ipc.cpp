// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {
namespace {

constexpr uint64_t kNapNs = 20000000; // between two looks at the other process's health

// The record that other processes must see, as it was made before the export; nullptr when none is pending.
Record *pending_record(Event &event) noexcept GS_REQUIRES(event.lock) {
    Record *record = event.record.load(std::memory_order_relaxed);
    return record && record != &g_captured_record && !record->done() ? record : nullptr;
}

// The event becomes one of several processes. None of its records is pending.
void publish_now(Event &event, IpcEvent &ipc) noexcept GS_REQUIRES(event.lock) {
    const Record *record = event.record.load(std::memory_order_relaxed);
    const bool done = record && record != &g_captured_record;
    if (done && record->outcome() != Result::Ok) event.ipc_word = ipc.publish_lost();
    event.ipc.store(&ipc, std::memory_order_release);
}

} // namespace

bool Engine::foreign_record(Event &event, IpcEvent &ipc, IpcTicket *out) noexcept {
    if (!ipc.newest(out)) return false;
    TinyGuard guard(event.lock);
    return out->word != event.ipc_word;
}

Result Engine::ipc_export(Event &event, IpcHandle *out) noexcept {
    const Result health = health_of(*event.device);
    if (health != Result::Ok) return health;
    if (event.opened) return Result::NotSupported;
    if (!event.options.interprocess) return Result::InvalidValue;
    MutexLock one_at_a_time(export_mutex_);
    IpcEvent *ipc = event.ipc.load(std::memory_order_acquire);
    if (!ipc) {
        bool first = false;
        Result result = exporter_.make(event.device->ordinal, &ipc, &first);
        // Where there is no room, files of dead processes may fill the folder.
        if (first || result == Result::NoRoom) watcher_.sweep(shm_directory_);
        if (result != Result::Ok) return result;
        {
            // A launch looks whether the event is exported and then gives it a record: an export in between waits.
            MutexLock no_launch(graph_mutex_);
            if (!publish_settled(event, *ipc)) result = publish_pending(event, *ipc);
        }
        if (result != Result::Ok) {
            exporter_.destroy(ipc);
            return result;
        }
    }
    *out = ipc->handle();
    return Result::Ok;
}

bool Engine::publish_settled(Event &event, IpcEvent &ipc) noexcept {
    TinyGuard guard(event.lock);
    if (pending_record(event)) return false;
    publish_now(event, ipc);
    return true;
}

// A stream of its own carries the completion over to the other processes.
Result Engine::publish_pending(Event &event, IpcEvent &ipc) noexcept {
    Stream *relay = new_stream(*event.device, kGreatestPriority, false);
    Record *end = event.device->records.take();
    Result result = relay && end && pool_.ensure_started().ok() ? Result::Ok : Result::OutOfMemory;
    if (result == Result::Ok) {
        TinyGuard relay_guard(relay->lock);
        TinyGuard guard(event.lock);
        if (Record *record = pending_record(event)) {
            result = relay_record(*relay, *record, *end, event, ipc);
            if (result == Result::Ok) event.ipc.store(&ipc, std::memory_order_release);
        } else {
            publish_now(event, ipc);
        }
    }
    if (end) end->release();
    if (relay) stream_destroy(*relay);
    return result;
}

Result Engine::relay_record(Stream &relay, Record &record, Record &end, Event &event, IpcEvent &ipc) noexcept {
    Result result = Result::Ok;
    LaneUse *lane = lane_for(relay.lanes, ipc.arena(), &result);
    if (!lane) return result;
    Op wait(Op::Kind::Wait);
    wait.record = &record;
    Op marker(Op::Kind::IpcMarker);
    marker.ipc_marker = {&end, lane, lane->issued + 1};
    if (!append(relay, wait)) result = Result::OutOfMemory;
    if (result == Result::Ok && !append(relay, marker)) {
        remove_head(relay);
        result = Result::OutOfMemory;
    }
    if (result != Result::Ok) {
        settle_lane(relay.lanes, *lane);
        return result;
    }
    record.retain();
    end.retain();
    event.ipc_word = ipc.publish(*lane);
    relay.busy.store(1, std::memory_order_release);
    launch_token(relay, *relay.head);
    return Result::Ok;
}

Result Engine::ipc_open(Device &device, const IpcHandle &handle, Event **out) noexcept {
    const Result health = health_of(device);
    if (health != Result::Ok) return health;
    IpcEvent *ipc = nullptr;
    Result result = importer_.open(device.ordinal, handle, &ipc);
    if (result == Result::PeerLost) watcher_.sweep(shm_directory_);
    if (result != Result::Ok) return result;
    Event *event = nullptr;
    EventOptions options;
    options.interprocess = true;
    result = event_create(device, options, &event);
    if (result != Result::Ok) {
        importer_.close(ipc);
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
    if (submission.idle() && ticket.arena->done(ticket)) return Result::Ok;
    Op wait(Op::Kind::IpcWait);
    wait.ticket = ticket;
    ticket.arena->retain();
    const Result result = submission.push(wait);
    if (result != Result::Ok) ticket.arena->release();
    return result;
}

Result Engine::synchronize_ipc(Device &device, const IpcTicket &ticket) noexcept {
    for (;;) {
        const Result health = health_of(device);
        if (health != Result::Ok) return health;
        const Result result = ticket.arena->check(ticket);
        if (result != Result::NotReady) return result;
        ticket.arena->nap(kNapNs, ticket);
    }
}

} // namespace gs::host
