// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

// Copies that were submitted together.
struct CopyBatch {
    std::vector<gs_copy_t> copies;
    std::unique_ptr<char[]> sources; // what they had when the copies were submitted; nullptr: they are read later

    // Throws bad_alloc.
    CopyBatch(const gs_copy_t *given, size_t count, size_t bytes, bool at_once) : copies(given, given + count) {
        if (!at_once) return;
        sources.reset(new char[bytes]);
        char *to = sources.get();
        for (gs_copy_t &copy : copies) {
            if (copy.bytes != 0) std::memcpy(to, copy.src, copy.bytes);
            copy.src = std::exchange(to, to + copy.bytes);
        }
    }
};

void move_all(const gs_copy_t *copies, size_t count) noexcept {
    for (const gs_copy_t *copy = copies; copy != copies + count; ++copy)
        if (copy->bytes != 0) std::memmove(copy->dst, copy->src, copy->bytes);
}

// In all. SIZE_MAX: too many.
size_t bytes_of(const gs_copy_t *copies, size_t count) noexcept {
    size_t all = 0;
    for (size_t i = 0; i < count; ++i)
        if (__builtin_add_overflow(all, copies[i].bytes, &all)) return SIZE_MAX;
    return all;
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

Result Engine::copy_batch(Stream &stream, const gs_copy_t *copies, size_t count, bool at_once) noexcept try {
    const size_t bytes = bytes_of(copies, count);
    if (bytes > PTRDIFF_MAX) return Result::OutOfMemory; // more than any process has
    const bool small = bytes <= kLargestInPlace;
    std::unique_ptr<CopyBatch> batch; // a large one is made before the stream is locked
    if (!small) batch = std::make_unique<CopyBatch>(copies, count, bytes, at_once);
    const auto live = [&](Submission &submission) {
        if (submission.idle() && small) {
            move_all(copies, count);
            return Result::Ok;
        }
        if (!batch) batch = std::make_unique<CopyBatch>(copies, count, bytes, at_once);
        Op op(Op::Kind::Task);
        op.task = {[](void *arg) {
                       const auto &all = static_cast<CopyBatch *>(arg)->copies;
                       move_all(all.data(), all.size());
                   },
                   [](void *arg) { delete static_cast<CopyBatch *>(arg); }, batch.get()};
        const Result result = submission.push(op);
        if (result == Result::Ok) (void)batch.release();
        return result;
    };
    return submit(stream, live, [] { return Result::StreamCapturing; });
} catch (const std::bad_alloc &) {
    return Result::OutOfMemory;
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
