// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {
namespace {

constexpr size_t kLargestInPlace = 64 * 1024; // bytes that the submitting thread moves itself when the stream is idle

NodeBody simple(NodeKind kind, NodeAction action) noexcept {
    NodeBody body;
    body.kind = kind;
    body.action = action;
    return body;
}

} // namespace

Result Engine::launch(Stream &stream, const Task &task, NodeKind kind, LaunchTraits traits) noexcept {
    const auto live = [&](Submission &submission) {
        Op op(Op::Kind::Task);
        op.task = task;
        op.early = traits.early;
        return submission.push(op);
    };
    return submit(stream, live, [&] { return capture_task(stream, task, kind, traits); });
}

Result Engine::sleep(Stream &stream, uint64_t ns) noexcept {
    if (!timers_.ensure_started().ok()) return Result::System;
    const auto live = [&](Submission &submission) {
        if (submission.idle() && ns == 0) return Result::Ok;
        Op op(Op::Kind::Sleep);
        op.delay_ns = ns;
        return submission.push(op);
    };
    return submit(stream, live, [&] {
        NodeBody body = simple(NodeKind::Kernel, NodeAction::Sleep);
        body.delay_ns = ns;
        return capture_node(stream, std::move(body));
    });
}

Result Engine::copy(Stream &stream, void *dst, const void *src, size_t bytes) noexcept {
    const auto live = [&](Submission &submission) {
        if (submission.idle() && bytes <= kLargestInPlace) {
            std::memmove(dst, src, bytes);
            return Result::Ok;
        }
        Op op(Op::Kind::Copy);
        op.copy = {dst, src, bytes};
        return submission.push(op);
    };
    return submit(stream, live, [&] {
        NodeBody body = simple(NodeKind::Copy, NodeAction::Copy);
        body.copy = {dst, src, bytes};
        return capture_node(stream, std::move(body));
    });
}

Result Engine::fill(Stream &stream, void *dst, uint8_t value, size_t bytes) noexcept {
    const auto live = [&](Submission &submission) {
        if (submission.idle() && bytes <= kLargestInPlace) {
            std::memset(dst, value, bytes);
            return Result::Ok;
        }
        Op op(Op::Kind::Fill);
        op.fill = {dst, bytes, value, 1};
        return submission.push(op);
    };
    return submit(stream, live, [&] {
        NodeBody body = simple(NodeKind::Fill, NodeAction::Fill);
        body.fill = {dst, bytes, value, 1};
        return capture_node(stream, std::move(body));
    });
}

Result Engine::malloc_async(Stream &stream, size_t bytes, void **out) noexcept {
    // The memory exists at once, so the stream's queue stays as it is.
    const Result health = health_of(*stream.device);
    if (health != Result::Ok) return health;
    if (capture_of(stream) != 0) {
        const Result result = capture_malloc(stream, bytes, out);
        if (result != Result::NotCapturing) return result;
    }
    return device_memory_.allocate(bytes, out);
}

Result Engine::free_async(Stream &stream, void *pointer) noexcept {
    const auto live = [&](Submission &submission) {
        if (!device_memory_.forget(pointer)) return Result::InvalidValue;
        if (submission.idle()) {
            MemoryTable::release(pointer);
            return Result::Ok;
        }
        Op op(Op::Kind::Free);
        op.pointer = pointer;
        const Result result = submission.push(op);
        if (result != Result::Ok) device_memory_.restore(pointer);
        return result;
    };
    const Result result = submit(stream, live, [&] { return capture_free(stream, pointer); });
    return result == Result::InvalidValue && capture_of(stream) == 0 ? free_block(stream, pointer) : result;
}

Result Engine::malloc_host(size_t bytes, void **out) noexcept { return host_memory_.allocate(bytes, out); }

Result Engine::free_host(void *pointer) noexcept {
    if (!host_memory_.forget(pointer)) return Result::InvalidValue;
    MemoryTable::release(pointer);
    return Result::Ok;
}

Result Engine::fault_later(Stream &stream, int32_t code, const char *origin) noexcept {
    const auto live = [&](Submission &submission) {
        Op op(Op::Kind::Fault);
        op.fault = {origin, code};
        return submission.push(op);
    };
    return submit(stream, live, [&] {
        NodeBody body = simple(NodeKind::Kernel, NodeAction::Fault);
        body.fault = {origin, code};
        return capture_node(stream, std::move(body));
    });
}

Record *Engine::gate_create(Device &device) noexcept { return device.records.take(); }

Result Engine::stream_wait_gate(Stream &stream, Record &gate) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok) return submission.status();
    if (submission.captured()) return Result::StreamCapturing;
    if (submission.idle() && gate.done()) return Result::Ok;
    Op wait(Op::Kind::Wait);
    wait.record = &gate;
    gate.retain();
    const Result result = submission.push(wait);
    if (result != Result::Ok) gate.release();
    return result;
}

void Engine::gate_open(Record &gate) noexcept { pool_.ready_all(gate.complete(Result::Ok, monotonic_ns())); }

Result Engine::write_value(Stream &stream, const WordWrite &write) noexcept {
    bool written = false;
    const auto live = [&](Submission &submission) {
        if (submission.idle()) {
            write_word(write);
            written = true;
            return Result::Ok;
        }
        Op op(Op::Kind::WordWrite);
        op.word_write = write;
        return submission.push(op);
    };
    const Result result = submit(stream, live, [] { return Result::StreamCapturing; });
    if (written) words_.written(write.address); // no lock is held any more
    return result;
}

Result Engine::wait_value(Stream &stream, const WordWait &wait) noexcept {
    if (!words_.ensure_started().ok()) return Result::System;
    const auto live = [&](Submission &submission) {
        if (submission.idle() && is_met(wait)) return Result::Ok;
        Op op(Op::Kind::WordWait);
        op.word_wait = wait;
        return submission.push(op);
    };
    return submit(stream, live, [] { return Result::StreamCapturing; });
}

} // namespace gs::host
