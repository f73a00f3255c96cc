// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {

Stream *Engine::new_stream(Device &device, int32_t priority, bool blocking) noexcept {
    Stream *stream = stream_slab_.take();
    if (!stream) return nullptr;
    {
        // The slot's former stream has no user any more, but the last unlock by one may still be running.
        TinyGuard guard(stream->lock);
        stream->destroyed = false;
        stream->last_stamp_ns = 0;
    }
    stream->failure.store(Result::Ok, std::memory_order_relaxed);
    stream->capture.store(0, std::memory_order_relaxed);
    stream->device = &device;
    stream->id = next_stream_id_.fetch_add(1, std::memory_order_relaxed);
    stream->priority = priority;
    stream->blocking = blocking;
    stream->joined_epoch = 0;
    stream->member = nullptr;
    stream->share = nullptr;
    MutexLock lock(device.list_lock);
    stream->all_prev = nullptr;
    stream->all_next = device.streams;
    if (device.streams) device.streams->all_prev = stream;
    device.streams = stream;
    return stream;
}

Result Engine::stream_create(Device &device, int32_t priority, bool blocking, Stream **out, Share *share) noexcept {
    const Result health = health_of(device);
    if (health != Result::Ok) return health;
    Stream *stream = new_stream(device, std::clamp(priority, kGreatestPriority, kLeastPriority), blocking);
    if (!stream) return Result::OutOfMemory;
    if (share) {
        pool_.join(*share);
        stream->share = share;
    }
    *out = stream;
    return Result::Ok;
}

Stream *Engine::find_stream(uintptr_t word) const noexcept {
    Stream *stream = stream_slab_.find(word);
    if (!stream) return nullptr;
    TinyGuard guard(stream->lock);
    return stream->destroyed ? nullptr : stream;
}

void Engine::stream_destroy(Stream &stream) noexcept {
    if (capture_of(stream) != 0) drop_from_capture(stream);
    bool idle;
    {
        TinyGuard guard(stream.lock);
        stream.destroyed = true;
        idle = stream.busy.load(std::memory_order_relaxed) == 0;
    }
    if (idle) free_stream(stream);
}

Result Engine::stream_query(Stream &stream) noexcept {
    Device &device = *stream.device;
    Result result = broken(stream);
    if (result != Result::Ok) return result;
    result = stream_quiet(stream);
    if (result != Result::Ok) return result;
    if (stream.legacy) {
        TinyGuard order(device.order);
        if (LegacyJoin::pending_work(device)) return Result::NotReady;
    }
    return is_busy(stream) ? Result::NotReady : broken(stream);
}

// Also called for streams that may have been destroyed; their device is live.
Result Engine::push_marker(Stream &stream, Record &record, bool *out_idle) noexcept {
    TinyGuard guard(stream.lock);
    *out_idle = stream.busy.load(std::memory_order_relaxed) == 0;
    if (*out_idle) return Result::Ok;
    Op marker(Op::Kind::Marker);
    marker.record = &record;
    if (!append(stream, marker)) return Result::OutOfMemory;
    record.retain();
    return Result::Ok;
}

// Host threads that wait for streams. A synchronisation is no action in a stream: it puts markers behind the present
// work. Later work goes on at once, that of blocking streams too.

namespace {

// Markers that one thread waits for.
class Markers {
public:
    explicit Markers(Device &device) noexcept : device_(device) {}
    ~Markers() noexcept {
        while (Record *record = take()) record->release();
    }
    Markers(const Markers &) = delete;
    Markers &operator=(const Markers &) = delete;

    // A new record, nullptr when memory is out.
    Record *add() noexcept {
        Record *record = device_.records.take();
        if (!record) return nullptr;
        record->chain = list_;
        list_ = record;
        return record;
    }
    // The newest marker and its reference; nullptr: all are taken.
    Record *take() noexcept {
        Record *record = list_;
        if (record) list_ = record->chain;
        return record;
    }

private:
    Device &device_;
    Record *list_ = nullptr;
};

Result mark(Markers &markers, Stream &stream) noexcept {
    if (stream.busy.load(std::memory_order_acquire) == 0) return Result::Ok;
    Record *record = markers.add();
    if (!record) return Result::OutOfMemory;
    bool idle = false;
    const Result result = Engine::push_marker(stream, *record, &idle);
    if (result != Result::Ok || idle) markers.take()->release();
    return result;
}

Result wait_all(Device &device, Markers &markers, bool spin) noexcept {
    Result result = Result::Ok;
    while (Record *record = markers.take()) {
        if (result == Result::Ok) result = Engine::wait_done(device, *record, spin);
        record->release();
    }
    return result;
}

} // namespace

Result Engine::stream_synchronize(Stream &stream) noexcept {
    Result result = stream_query(stream);
    if (result != Result::NotReady) return result;
    Device &device = *stream.device;
    Markers markers(device);
    result = mark(markers, stream);
    if (stream.legacy) {
        // Its work and that of all blocking streams that it would wait for.
        TinyGuard order(device.order);
        for (Stream *other = device.pending; other && result == Result::Ok; other = other->pending_next)
            result = mark(markers, *other);
    }
    if (result != Result::Ok) return result;
    result = wait_all(device, markers, true);
    return result == Result::Ok ? broken(stream) : result;
}

Result Engine::device_synchronize(Device &device, bool past_captures) noexcept {
    Result result = health_of(device);
    if (result != Result::Ok) return result;
    Markers markers(device);
    {
        MutexLock lock(device.list_lock);
        for (Stream *stream = device.streams; stream && result == Result::Ok; stream = stream->all_next)
            result = capture_of(*stream) != 0 && !past_captures ? Result::StreamCapturing : mark(markers, *stream);
    }
    if (result == Result::StreamCapturing) break_captures(device, false);
    if (result == Result::Ok) result = wait_all(device, markers, false);
    return result == Result::Ok ? health_of(device) : result;
}

Result Engine::device_record(Device &device, Event &event) noexcept {
    Result result = health_of(device);
    if (result != Result::Ok) return result;
    Markers markers(device);
    {
        MutexLock lock(device.list_lock);
        for (Stream *stream = device.streams; stream && result == Result::Ok; stream = stream->all_next)
            result = capture_of(*stream) != 0 ? Result::StreamCapturing : mark(markers, *stream);
    }
    Stream *relay = nullptr; // waits for all of them
    if (result == Result::Ok) result = stream_create(device, 0, false, &relay);
    while (result == Result::Ok) {
        Record *record = markers.take();
        if (!record) break;
        Submission submission(*this, *relay);
        Op wait(Op::Kind::Wait);
        wait.record = record;
        result = submission.status() == Result::Ok ? submission.push(wait) : submission.status();
        if (result != Result::Ok) record->release(); // else the op has the reference
    }
    if (result == Result::Ok) result = event_record(event, *relay, false);
    if (relay) stream_destroy(*relay);
    return result;
}

Result Engine::wait_done(Device &device, Record &record, bool spin) noexcept {
    if (spin && record.spin()) return record.outcome();
    HostWait entry{&record};
    {
        MutexLock lock(device.fault_lock);
        entry.next = device.waits;
        if (device.waits) device.waits->prev = &entry;
        device.waits = &entry;
    }
    Result result = Result::Ok;
    for (;;) {
        const uint32_t seen = record.pokes(); // before the health is checked: a later fault changes the count
        result = health_of(device);
        if (result != Result::Ok || record.done()) break;
        record.wait(seen);
    }
    {
        MutexLock lock(device.fault_lock);
        if (entry.prev)
            entry.prev->next = entry.next;
        else
            device.waits = entry.next;
        if (entry.next) entry.next->prev = entry.prev;
    }
    return result == Result::Ok ? record.outcome() : result;
}

} // namespace gs::host
