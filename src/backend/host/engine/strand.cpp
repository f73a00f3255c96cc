// SPDX-License-Identifier: Apache-2.0
// How a stream runs: what a worker does with the token that it was given.
#include <cstring>
#include <new>
#include <utility>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/graph/exec.hpp"
#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/submission.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {
namespace {

constexpr uint32_t kMostSpares = 256; // the memory of a queue that was long once is freed

} // namespace

bool append(Stream &stream, const Op &op) noexcept {
    Op *slot = stream.spare_ops.pop();
    if (slot) {
        *slot = op;
    } else {
        slot = new (std::nothrow) Op(op);
        if (!slot) return false;
    }
    slot->next = nullptr;
    if (stream.head)
        stream.tail->next = slot;
    else
        stream.head = slot;
    stream.tail = slot;
    return true;
}

namespace {

void recycle(Stream &stream, Op *op) noexcept GS_REQUIRES(stream.lock) {
    if (stream.spare_ops.count() == kMostSpares) {
        delete op;
        return;
    }
    stream.spare_ops.push(*op);
}

} // namespace

void remove_head(Stream &stream) noexcept {
    Op *op = stream.head;
    stream.head = op->next;
    if (!stream.head) stream.tail = nullptr;
    recycle(stream, op);
}

void remove_next(Stream &stream) noexcept {
    Op *op = stream.head->next;
    stream.head->next = op->next;
    if (stream.tail == op) stream.tail = stream.head;
    recycle(stream, op);
}

PerThreadStreams *PerThreadTable::of(const ThreadBlock &thread, bool create) noexcept {
    const uint32_t index = thread.id / kChunk;
    if (index >= kChunks) return nullptr;
    PerThreadStreams *chunk = chunks_[index].load(std::memory_order_acquire);
    if (!chunk && create) {
        auto *fresh = new (std::nothrow) PerThreadStreams[kChunk];
        if (!fresh) return nullptr;
        // one-sided: fails only when two threads are here
        if (chunks_[index].compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel))
            chunk = fresh;
        else
            delete[] fresh;
    }
    return chunk ? &chunk[thread.id % kChunk] : nullptr;
}

namespace {

constexpr int kOpsPerTurn = 64; // then other streams get their turn

void fill_memory(const Fill &fill) noexcept {
    auto *to = static_cast<unsigned char *>(fill.dst);
    if (fill.element == 1) {
        std::memset(to, static_cast<int>(fill.value), fill.bytes);
        return;
    }
    for (size_t i = 0; i < fill.bytes; i += fill.element) std::memcpy(to + i, &fill.value, fill.element);
}

// A lane whose stream failed with an earlier launch of the executable serves the next one.
bool begins_anew(Stream &stream, const Op &op) noexcept {
    if (!op.first) return false;
    stream.failure.store(Result::Ok, std::memory_order_release);
    return broken(stream) == Result::Ok;
}

bool is_marker(const Op &op) noexcept { return op.kind == Op::Kind::Marker || op.kind == Op::Kind::IpcMarker; }

} // namespace

void Engine::run_entry(void *self, Stream &stream) noexcept { static_cast<Engine *>(self)->run(stream); }

// A record becomes complete and the stream idle while the lock is held once. Otherwise a thread could see a
// synchronisation return and the stream still busy (is_busy), or the stream idle and its last record pending.
void Engine::run(Stream &stream) noexcept {
    for (int i = 0; i < kOpsPerTurn; ++i) {
        stream.lock.lock();
        Op *op = stream.head;
        Stream *woken = nullptr;
        if (is_marker(*op)) {
            woken = finish(stream, *op, broken(stream));
        } else {
            stream.lock.unlock();
            if (step(stream, *op) == Step::Parked) return; // the token is elsewhere: the stream is no longer ours
            stream.lock.lock();
        }
        remove_head(stream);
        const bool idle = stream.head == nullptr;
        const bool dead = idle && stream.destroyed;
        if (idle) stream.busy.store(0, std::memory_order_release);
        stream.lock.unlock();
        pool_.ready_all(woken);
        if (dead) free_stream(stream);
        if (idle) return;
    }
    pool_.ready(stream);
}

Engine::Step Engine::step(Stream &stream, Op &op) noexcept {
    if (broken(stream) != Result::Ok && !begins_anew(stream, op)) {
        drop(op);
        return Step::Done;
    }
    switch (op.kind) {
    case Op::Kind::Marker:
    case Op::Kind::IpcMarker: break; // finish()
    case Op::Kind::Wait:
        if (!op.record->done() && op.record->park(stream)) return Step::Parked;
        // Work behind a wait for a lost process must not run.
        if (op.record->done() && op.record->outcome() == Result::PeerLost)
            stream.failure.store(Result::PeerLost, std::memory_order_release);
        drop(op);
        break;
    case Op::Kind::Task:
        if (op.task.start) op.task.start(op.task.arg, stream);
        op.task.run(op.task.arg);
        drop(op);
        break;
    case Op::Kind::Copy: std::memmove(op.copy.dst, op.copy.src, op.copy.bytes); break;
    case Op::Kind::Fill: fill_memory(op.fill); break;
    case Op::Kind::Sleep:
        if (!op.armed) {
            op.armed = true;
            const uint64_t now = monotonic_ns();
            if (timers_.add(stream, op.delay_ns < UINT64_MAX - now ? now + op.delay_ns : UINT64_MAX))
                return Step::Parked;
        }
        break;
    case Op::Kind::Free: drop(op); break;
    case Op::Kind::IpcWait:
        if (!op.armed) {
            op.armed = true;
            watcher_.add(stream);
            return Step::Parked;
        }
        if (op.answer == Result::PeerLost) stream.failure.store(Result::PeerLost, std::memory_order_release);
        drop(op);
        break;
    case Op::Kind::Branch:
        if (run_branch(stream, *op.branch) == Step::Parked) return Step::Parked;
        drop(op);
        break;
    case Op::Kind::WordWrite:
        write_word(op.word_write);
        words_.written(op.word_write.address);
        break;
    case Op::Kind::WordWait:
        if (!op.armed && !is_met(op.word_wait) && words_.park(stream, op)) return Step::Parked;
        break;
    case Op::Kind::Fault: latch(*stream.device, FaultKind::Sticky, op.fault.code, op.fault.origin); break;
    }
    return Step::Done;
}

Stream *Engine::finish(Stream &stream, Op &op, Result outcome) noexcept {
    Record *record = op.record;
    if (op.kind == Op::Kind::IpcMarker) {
        record = op.ipc_marker.record;
        complete_record(stream.lanes, *op.ipc_marker.lane, op.ipc_marker.number, outcome != Result::Ok);
    }
    Stream *woken = record->complete(outcome, op.timed ? next_stamp(stream) : 0);
    record->release();
    return woken;
}

// Releases what the op holds.
void Engine::drop(Op &op) noexcept {
    switch (op.kind) {
    case Op::Kind::Wait: op.record->release(); break;
    case Op::Kind::Task:
        if (op.task.drop) op.task.drop(op.task.arg);
        break;
    case Op::Kind::Free: MemoryTable::release(op.pointer); break;
    case Op::Kind::IpcWait: op.ticket.arena->release(); break;
    case Op::Kind::Branch: end_branch(op.branch); break;
    case Op::Kind::Marker:
    case Op::Kind::IpcMarker:
    case Op::Kind::Copy:
    case Op::Kind::Fill:
    case Op::Kind::Sleep:
    case Op::Kind::WordWrite:
    case Op::Kind::WordWait:
    case Op::Kind::Fault: break;
    }
}

void Engine::launch_token(Stream &stream, Op &head) noexcept {
    // A wait at the head of the queue does not need a worker yet.
    if (head.kind == Op::Kind::Wait && head.record->park(stream)) return;
    pool_.ready(stream);
}

void Engine::free_stream(Stream &stream) noexcept {
    Device &device = *stream.device;
    {
        TinyGuard order(device.order);
        LegacyJoin::unlink(device, stream);
    }
    {
        MutexLock lock(device.list_lock);
        if (stream.all_prev)
            stream.all_prev->all_next = stream.all_next;
        else
            device.streams = stream.all_next;
        if (stream.all_next) stream.all_next->all_prev = stream.all_prev;
        stream.all_prev = stream.all_next = nullptr;
    }
    if (Record *behind = std::exchange(stream.behind, nullptr)) behind->release();
    if (Stream *side = std::exchange(stream.side, nullptr)) stream_destroy(*side);
    if (Share *share = std::exchange(stream.share, nullptr)) pool_.leave(*share);
    stream_slab_.give_back(&stream);
}

} // namespace gs::host
