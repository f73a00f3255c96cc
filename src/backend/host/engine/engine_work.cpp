// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {
namespace {

constexpr size_t kLargestInPlace = 64 * 1024; // bytes that the submitting thread moves itself when the stream is idle

} // namespace

Result Engine::launch(Stream &stream, const Task &task) noexcept {
    {
        Submission submission(*this, stream);
        if (submission.status() != Result::Ok) return submission.status();
        if (!submission.captured()) {
            Op op(Op::Kind::Task);
            op.task = task;
            return submission.push(op);
        }
    }
    if (task.drop) task.drop(task.arg); // with no lock held: it may be the caller's code
    return Result::Ok;
}

Result Engine::sleep(Stream &stream, uint64_t ns) noexcept {
    if (!timers_.ensure_started().ok()) return Result::System;
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok || submission.captured()) return submission.status();
    if (submission.idle() && ns == 0) return Result::Ok;
    Op op(Op::Kind::Sleep);
    op.delay_ns = ns;
    return submission.push(op);
}

Result Engine::copy(Stream &stream, void *dst, const void *src, size_t bytes) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok || submission.captured()) return submission.status();
    if (submission.idle() && bytes <= kLargestInPlace) {
        std::memmove(dst, src, bytes);
        return Result::Ok;
    }
    Op op(Op::Kind::Copy);
    op.copy = {dst, src, bytes};
    return submission.push(op);
}

Result Engine::fill(Stream &stream, void *dst, uint8_t value, size_t bytes) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok || submission.captured()) return submission.status();
    if (submission.idle() && bytes <= kLargestInPlace) {
        std::memset(dst, value, bytes);
        return Result::Ok;
    }
    Op op(Op::Kind::Fill);
    op.fill = {dst, bytes, value};
    return submission.push(op);
}

Result Engine::malloc_async(Stream &stream, size_t bytes, void **out) noexcept {
    // The memory exists at once, so nothing is queued in the stream.
    const Result health = health_of(*stream.device);
    if (health != Result::Ok) return health;
    return device_memory_.allocate(bytes, out);
}

Result Engine::free_async(Stream &stream, void *pointer) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok) return submission.status();
    if (!device_memory_.forget(pointer)) return Result::InvalidValue;
    if (submission.idle() || submission.captured()) {
        MemoryTable::release(pointer);
        return Result::Ok;
    }
    Op op(Op::Kind::Free);
    op.pointer = pointer;
    const Result result = submission.push(op);
    if (result != Result::Ok) device_memory_.restore(pointer);
    return result;
}

Result Engine::malloc_host(size_t bytes, void **out) noexcept { return host_memory_.allocate(bytes, out); }

Result Engine::free_host(void *pointer) noexcept {
    if (!host_memory_.forget(pointer)) return Result::InvalidValue;
    MemoryTable::release(pointer);
    return Result::Ok;
}

Result Engine::fault_later(Stream &stream, int32_t code, const char *origin) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok || submission.captured()) return submission.status();
    Op op(Op::Kind::Fault);
    op.fault = {origin, code};
    return submission.push(op);
}

} // namespace gs::host
