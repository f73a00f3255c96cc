// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/submission.hpp"

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

Chain::~Chain() {
    while (Op *op = first_) {
        first_ = op->next;
        if (op->kind == Op::Kind::Marker)
            op->record->release();
        else
            Engine::drop(*op);
        delete op;
    }
}

void Chain::add(const Op &op) {
    Op *made = new Op(op);
    made->next = nullptr;
    (first_ ? last_->next : first_) = made;
    last_ = made;
}

void Chain::add_wait(Record &record) {
    Op wait(Op::Kind::Wait);
    wait.record = &record;
    add(wait);
    record.retain();
}

void Chain::add_marker(Record &record, bool timed) {
    Op marker(Op::Kind::Marker);
    marker.record = &record;
    marker.timed = timed;
    add(marker);
    record.retain();
}

void Chain::move_to(Stream &stream) noexcept {
    if (!first_) return;
    (stream.head ? stream.tail->next : stream.head) = first_;
    stream.tail = last_;
    first_ = last_ = nullptr;
}

Submission::Submission(Engine &engine, Stream &stream) noexcept : engine_(engine), stream_(stream) {
    Device &device = *stream.device;
    status_ = health_of(device);
    if (status_ == Result::Ok) status_ = stream.failure.load(std::memory_order_acquire);
    if (status_ != Result::Ok) return;
    if (stream.blocking) {
        device.order.lock();
        ordered_ = true;
        status_ = join();
        if (status_ != Result::Ok) return;
    }
    stream.lock.lock();
    locked_ = true;
    capture_ = Engine::capture_of(stream);
}

// Queues the waits that the legacy order demands, one by one: the locks of two streams are never held together.
Result Submission::join() noexcept {
    Device &device = *stream_.device;
    if (Engine::capture_of(stream_) != 0) return Result::Ok; // captured work is ordered by the graph
    if (stream_.legacy && device.blocking_captures.load(std::memory_order_acquire) != 0) return Result::CaptureImplicit;
    for (;;) {
        Record *record = nullptr;
        const Result found = LegacyJoin::next_dependency(device, stream_, &record);
        if (found != Result::Ok || !record) return found;
        Op wait(Op::Kind::Wait);
        wait.record = record;
        stream_.lock.lock();
        const Result queued = push(wait);
        stream_.lock.unlock();
        if (queued != Result::Ok) {
            record->release();
            return queued;
        }
        LegacyJoin::confirm(device, stream_);
    }
}

Result Submission::push(const Op &op) noexcept {
    if (!engine_.pool_.ensure_started().ok()) return Result::System;
    const bool was_idle = idle();
    if (!append(stream_, op)) return Result::OutOfMemory;
    pushed_ = true;
    if (was_idle) {
        stream_.busy.store(1, std::memory_order_release);
        engine_.launch_token(stream_, *stream_.head);
    }
    return Result::Ok;
}

void Submission::push_all(Chain &chain) noexcept {
    const bool was_idle = idle();
    chain.move_to(stream_);
    pushed_ = true;
    if (!was_idle) return;
    stream_.busy.store(1, std::memory_order_release);
    engine_.launch_token(stream_, *stream_.head);
}

Submission::~Submission() noexcept {
    if (locked_) stream_.lock.unlock();
    if (!ordered_) return;
    if (pushed_) LegacyJoin::submitted(*stream_.device, stream_);
    stream_.device->order.unlock();
}

} // namespace gs::host
