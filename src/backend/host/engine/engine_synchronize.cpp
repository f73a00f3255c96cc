// SPDX-License-Identifier: Apache-2.0
// Host threads that wait for streams. A synchronisation is no action in a stream: it puts markers behind the present
// work. Later work goes on at once, that of blocking streams too.
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {
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
