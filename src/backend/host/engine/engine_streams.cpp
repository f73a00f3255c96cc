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

} // namespace gs::host
