// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {
namespace {

bool pooled(const Record *record) noexcept {
    return record && record != &g_done_record && record != &g_captured_record;
}

} // namespace

// Makes the event refer to another record, whose reference it takes over.
void Engine::set_record(Event &event, Record *record, uint64_t ipc_word) noexcept {
    Record *old = event.record.load(std::memory_order_relaxed);
    event.record.store(record, std::memory_order_release);
    event.ipc_word = ipc_word;
    if (Record *end = event.end.exchange(nullptr, std::memory_order_acq_rel)) end->release();
    if (pooled(old)) old->release();
}

void Engine::give_record(Event &event, Record &record) noexcept {
    TinyGuard guard(event.lock);
    set_record(event, &record, 0);
}

// A record that completed without failure is no longer needed once its time stamp is kept.
bool Engine::settle(Event &event, Record *record) noexcept {
    if (!record->done() || record->outcome() != Result::Ok) return false;
    event.stamp_ns = record->stamp_ns();
    Record *end = event.end.exchange(nullptr, std::memory_order_acq_rel); // pending, perhaps, after an early record
    set_record(event, &g_done_record, event.ipc_word);
    event.end.store(end, std::memory_order_release);
    return true;
}

// The current record with a reference of the caller's; nullptr when there is nothing to wait for. of_stream: what a stream waits
// for. If a kernel has recorded the event early, this is the kernel's end, since host kernels behind the wait cannot wait for it.
Record *Engine::current_record(Event &event, bool of_stream) noexcept {
    TinyGuard guard(event.lock);
    Record *end = of_stream ? event.end.load(std::memory_order_relaxed) : nullptr;
    if (end && !(end->done() && end->outcome() == Result::Ok)) {
        end->retain();
        return end;
    }
    Record *record = event.record.load(std::memory_order_relaxed);
    if (!pooled(record)) return record == &g_captured_record ? record : nullptr;
    if (settle(event, record)) return nullptr;
    record->retain();
    return record;
}

// The end of the kernel gets a record of its own. Without memory for it the event is complete at the end.
Result Engine::record_early(Event &event, Stream &stream, Submission &submission) noexcept {
    const Result result = record_busy(event, submission, nullptr);
    Record *end = result == Result::Ok ? event.device->records.take() : nullptr;
    if (!end) return result;
    Op marker(Op::Kind::Marker);
    marker.record = end;
    Op &early = *stream.tail;
    if (submission.push(marker) != Result::Ok) {
        end->release();
        return result;
    }
    end->retain();
    event.end.store(end, std::memory_order_release);
    early.early = true;
    return result;
}

Result Engine::record_busy(Event &event, Submission &submission, IpcEvent *ipc) noexcept {
    Record *record = event.device->records.take();
    if (!record) return Result::OutOfMemory;
    Result result = Result::Ok;
    LaneUse *lane = nullptr;
    Op marker(ipc ? Op::Kind::IpcMarker : Op::Kind::Marker);
    marker.timed = event.options.timing;
    marker.record = record;
    if (ipc) {
        lane = submission.lane(ipc->arena(), &result);
        if (lane) marker.ipc_marker = {record, lane, lane->issued + 1};
    }
    if (result == Result::Ok) result = submission.push(marker);
    if (result == Result::Ok) {
        // The stream's lock is held: the record cannot complete before it has its name.
        record->retain();
        set_record(event, record, ipc ? ipc->publish(*lane) : 0);
        return result;
    }
    if (lane) submission.settle(*lane);
    record->release();
    return result;
}

Result Engine::event_create(Device &device, const EventOptions &options, Event **out) noexcept {
    const Result health = health_of(device);
    if (health != Result::Ok) return health;
    if (options.timing && options.interprocess) return Result::InvalidValue;
    Event *event = event_slab_.take();
    if (!event) return Result::OutOfMemory;
    event->device = &device;
    event->options = options;
    event->opened = false;
    *out = event;
    return Result::Ok;
}

void Engine::event_destroy(Event &event) noexcept {
    CapturedPoint *captured = nullptr;
    {
        TinyGuard guard(event.lock);
        set_record(event, nullptr, 0);
        event.stamp_ns = 0;
        captured = std::exchange(event.captured, nullptr);
    }
    delete captured;
    if (IpcEvent *ipc = event.ipc.exchange(nullptr, std::memory_order_acq_rel)) {
        if (event.opened)
            importer_.close(ipc);
        else
            exporter_.destroy(ipc);
    }
    event_slab_.give_back(&event);
}

Result Engine::event_record(Event &event, Stream &stream, bool external, bool early) noexcept {
    const auto live = [&](Submission &submission) {
        // Held over the submission: an export at the same time sees either all of the record or none of it.
        TinyGuard guard(event.lock);
        IpcEvent *ipc = event.ipc.load(std::memory_order_relaxed);
        if (!submission.idle())
            return early && !ipc ? record_early(event, stream, submission) : record_busy(event, submission, ipc);
        event.stamp_ns = event.options.timing ? submission.stamp() : 0;
        set_record(event, &g_done_record, ipc ? ipc->publish_done() : 0);
        return Result::Ok;
    };
    return submit(stream, live, [&] { return capture_record(stream, event, external); });
}

Result Engine::event_query(Event &event) noexcept {
    const Result health = health_of(*event.device);
    if (health != Result::Ok) return health;
    if (IpcEvent *ipc = event.ipc.load(std::memory_order_acquire)) {
        IpcTicket ticket;
        if (foreign_record(event, *ipc, &ticket)) return ticket.arena->check(ticket);
    }
    Record *record = event.record.load(std::memory_order_acquire);
    if (!record || record == &g_done_record) return Result::Ok;
    if (record == &g_captured_record) return captured_event(event);
    TinyGuard guard(event.lock);
    record = event.record.load(std::memory_order_relaxed);
    if (!pooled(record) || settle(event, record)) return Result::Ok;
    return record->done() ? record->outcome() : Result::NotReady;
}

Result Engine::event_synchronize(Event &event) noexcept {
    const Result health = health_of(*event.device);
    if (health != Result::Ok) return health;
    if (IpcEvent *ipc = event.ipc.load(std::memory_order_acquire)) {
        IpcTicket ticket;
        if (foreign_record(event, *ipc, &ticket)) return synchronize_ipc(*event.device, ticket);
    }
    Record *record = current_record(event);
    if (!record) return Result::Ok;
    if (record == &g_captured_record) return captured_event(event);
    const Result result = wait_done(*event.device, *record, !event.options.blocking);
    record->release();
    return result;
}

bool Engine::event_signal(Event &event, std::atomic<uint32_t> &word) noexcept {
    Record *record = current_record(event);
    if (!pooled(record)) {
        Record::ring(word);
        return true;
    }
    const bool heard = record->signal(word);
    record->release();
    return heard;
}

Result Engine::stream_wait(Stream &stream, Event &event, bool external) noexcept {
    if (capture_of(stream) != 0 || event.record.load(std::memory_order_acquire) == &g_captured_record) {
        const bool captured = event.record.load(std::memory_order_acquire) == &g_captured_record && !external;
        const Result result = captured ? wait_captured(stream, event) : capture_wait(stream, event, external);
        if (result != Result::NotCapturing) return result;
    }
    if (IpcEvent *ipc = event.ipc.load(std::memory_order_acquire)) {
        IpcTicket ticket;
        if (foreign_record(event, *ipc, &ticket)) return wait_ipc(stream, ticket);
    }
    Record *record = event.record.load(std::memory_order_acquire);
    if (!record) return Result::Ok; // never recorded
    const bool done = record == &g_done_record && !event.end.load(std::memory_order_acquire);
    record = done ? nullptr : current_record(event, true);
    if (record == &g_captured_record) return wait_captured(stream, event); // since the question above
    if (!record && !stream.blocking && capture_of(stream) == 0) return broken(stream);
    const auto live = [&](Submission &submission) {
        if (!record || (submission.idle() && record->done() && record->outcome() == Result::Ok)) return Result::Ok;
        Op wait(Op::Kind::Wait);
        wait.record = record;
        record->retain();
        const Result result = submission.push(wait);
        if (result != Result::Ok) record->release();
        return result;
    };
    const Result result = submit(stream, live, [&] { return capture_wait(stream, event, external); });
    if (record) record->release();
    return result;
}

Result Engine::point_of(Event &event, Op *out, bool *out_pending) noexcept {
    *out_pending = false;
    if (IpcEvent *ipc = event.ipc.load(std::memory_order_acquire)) {
        IpcTicket ticket;
        if (foreign_record(event, *ipc, &ticket)) {
            if (!watcher_.ensure_started().ok()) return Result::System;
            out->kind = Op::Kind::IpcWait;
            out->ticket = ticket;
            ticket.arena->retain();
            *out_pending = true;
            return Result::Ok;
        }
    }
    Record *record = current_record(event, true);
    if (!record) return Result::Ok;
    if (record == &g_captured_record) return Result::CapturedEvent;
    out->record = record;
    *out_pending = true;
    return Result::Ok;
}

Result Engine::event_elapsed_ns(Event &start, Event &end, int64_t *out_ns) noexcept {
    if (!start.options.timing || !end.options.timing) return Result::TimingDisabled;
    uint64_t stamps[2];
    Event *events[2] = {&start, &end};
    for (int i = 0; i < 2; ++i) {
        const Result health = health_of(*events[i]->device);
        if (health != Result::Ok) return health;
        if (events[i]->record.load(std::memory_order_acquire) == &g_captured_record) return captured_event(*events[i]);
        TinyGuard guard(events[i]->lock);
        Record *record = events[i]->record.load(std::memory_order_relaxed);
        if (!record) return Result::NotRecorded;
        if (record == &g_captured_record) return Result::CaptureEnded;
        if (record != &g_done_record && !settle(*events[i], record))
            return record->done() ? record->outcome() : Result::NotReady;
        stamps[i] = events[i]->stamp_ns;
    }
    *out_ns = static_cast<int64_t>(stamps[1] - stamps[0]);
    return Result::Ok;
}

} // namespace gs::host
