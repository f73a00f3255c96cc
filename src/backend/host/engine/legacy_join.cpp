// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/legacy_join.hpp"

#include "backend/host/engine/engine.hpp"

namespace gs::host {

Result LegacyJoin::next_dependency(Device &device, Stream &stream, Record **out) noexcept {
    *out = nullptr;
    return stream.legacy ? behind_pending(device, out) : behind_legacy(device, stream, out);
}

Result LegacyJoin::behind_legacy(Device &device, Stream &stream, Record **out) noexcept {
    if (stream.joined_epoch == device.legacy_epoch) return Result::Ok;
    if (!device.legacy->busy.load(std::memory_order_acquire)) return Result::Ok;
    if (!device.legacy_marker) {
        Record *record = device.records.take();
        if (!record) return Result::OutOfMemory;
        bool idle = false;
        const Result result = Engine::push_marker(*device.legacy, *record, &idle);
        if (result != Result::Ok || idle) {
            record->release();
            return result;
        }
        device.legacy_marker = record;
    }
    device.legacy_marker->retain();
    *out = device.legacy_marker;
    return Result::Ok;
}

Result LegacyJoin::behind_pending(Device &device, Record **out) noexcept {
    while (Stream *stream = device.pending) {
        if (stream->busy.load(std::memory_order_acquire)) {
            Record *record = device.records.take();
            if (!record) return Result::OutOfMemory;
            bool idle = false;
            const Result result = Engine::push_marker(*stream, *record, &idle);
            if (result == Result::Ok && !idle) {
                *out = record;
                return Result::Ok;
            }
            record->release();
            if (result != Result::Ok) return result;
        }
        unlink(device, *stream);
    }
    return Result::Ok;
}

void LegacyJoin::confirm(Device &device, Stream &stream) noexcept {
    if (stream.legacy)
        unlink(device, *device.pending);
    else
        stream.joined_epoch = device.legacy_epoch;
}

void LegacyJoin::submitted(Device &device, Stream &stream) noexcept {
    if (stream.legacy) {
        ++device.legacy_epoch;
        if (device.legacy_marker) device.legacy_marker->release();
        device.legacy_marker = nullptr;
        return;
    }
    if (stream.pending) return;
    stream.pending = true;
    stream.pending_prev = nullptr;
    stream.pending_next = device.pending;
    if (device.pending) device.pending->pending_prev = &stream;
    device.pending = &stream;
}

bool LegacyJoin::pending_work(Device &device) noexcept {
    while (Stream *stream = device.pending) {
        if (is_busy(*stream)) return true;
        unlink(device, *stream);
    }
    return false;
}

void LegacyJoin::unlink(Device &device, Stream &stream) noexcept {
    if (!stream.pending) return;
    if (stream.pending_prev)
        stream.pending_prev->pending_next = stream.pending_next;
    else
        device.pending = stream.pending_next;
    if (stream.pending_next) stream.pending_next->pending_prev = stream.pending_prev;
    stream.pending = false;
    stream.pending_prev = stream.pending_next = nullptr;
}

} // namespace gs::host
