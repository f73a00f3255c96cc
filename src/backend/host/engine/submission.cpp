// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/submission.hpp"

#include "backend/host/engine/graph/chain.hpp"

namespace gs::host {

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
