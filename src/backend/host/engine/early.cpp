// SPDX-License-Identifier: Apache-2.0
// Programmatic launches: what is launched behind a kernel as early may start once that kernel has triggered.
//
// The worker that runs the kernel at the head of a stream completes early markers behind it, and moves an early kernel to a
// stream beside this one. In its place the stream gets two operations: a marker, for which the kernel that was moved may wait,
// and a wait for the end of that kernel. So all that comes later has both behind it.
#include <memory>
#include <new>

#include "backend/host/engine/engine.hpp"

namespace gs::host {
namespace {

std::unique_ptr<Op> record_op(Op::Kind kind, Record &record) noexcept {
    std::unique_ptr<Op> op(new (std::nothrow) Op(kind));
    if (op) op->record = &record;
    return op;
}

// In the place of the kernel `next`, which has been copied.
void take_place(Stream &stream, Op &next, Record &earlier, Op *wait) noexcept {
    TinyGuard guard(stream.lock);
    next.kind = Op::Kind::Marker;
    next.early = next.timed = false;
    next.record = &earlier;
    wait->next = next.next;
    next.next = wait;
    if (stream.tail == &next) stream.tail = wait;
}

// It is idle: its stream has passed the wait for what it ran last.
void put_beside(Stream &side, Record &earlier, Op *kernel, Op *marker) noexcept {
    if (side.behind) side.behind->release();
    side.behind = &earlier;
    TinyGuard guard(side.lock);
    kernel->next = marker;
    side.head = kernel;
    side.tail = marker;
    side.busy.store(1, std::memory_order_release);
}

} // namespace

void Engine::trigger(Stream &stream) noexcept {
    for (;;) {
        stream.lock.lock();
        Op *next = stream.head->next;
        const bool early = next && next->early, is_kernel = early && next->kind == Op::Kind::Task;
        Stream *woken = nullptr;
        if (early && !is_kernel) {
            woken = finish(stream, *next, broken(stream));
            remove_next(stream);
        }
        stream.lock.unlock();
        if (!early) return;
        if (is_kernel) return overtake(stream, *next);
        pool_.ready_all(woken);
    }
}

// Without memory the kernel stays where it is and starts in order.
void Engine::overtake(Stream &stream, Op &next) noexcept {
    Device &device = *stream.device;
    if (!stream.side && stream_create(device, stream.priority, false, &stream.side, stream.share) != Result::Ok) return;
    Record *earlier = device.records.take(), *end = device.records.take();
    if (earlier && end) {
        std::unique_ptr<Op> kernel(new (std::nothrow) Op(Op::Kind::Task));
        std::unique_ptr<Op> marker = record_op(Op::Kind::Marker, *end), wait = record_op(Op::Kind::Wait, *end);
        if (kernel && marker && wait) {
            kernel->task = next.task;
            earlier->retain();
            end->retain();
            take_place(stream, next, *earlier, wait.release());
            put_beside(*stream.side, *earlier, kernel.release(), marker.release());
            return pool_.ready(*stream.side);
        }
    }
    if (earlier) earlier->release();
    if (end) end->release();
}

} // namespace gs::host
