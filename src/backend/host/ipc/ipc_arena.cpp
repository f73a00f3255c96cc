// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_arena.hpp"

#include <new>

#include "backend/host/ipc/ipc_layout.hpp"
#include "base/clock.hpp"
#include "base/fork_state.hpp"
#include "base/status.hpp"

namespace gs::host {
namespace {

constexpr uint32_t kIdleLanes = 32;        // that a process keeps: with all of them kept none would be left for others
constexpr uint64_t kLookEveryNs = 5000000; // asking the system about a process costs microseconds

} // namespace

LaneUse *lane_for(LaneUse *&lanes_of_stream, IpcArena &arena, Result *out_result) noexcept {
    for (LaneUse *lane = lanes_of_stream; lane; lane = lane->next)
        if (lane->arena == &arena && !lane->abandoned) return lane;
    LaneUse *lane = arena.take_lane(out_result);
    if (!lane) return nullptr;
    arena.retain();
    lane->next = lanes_of_stream;
    lanes_of_stream = lane;
    return lane;
}

void settle_lane(LaneUse *&lanes_of_stream, LaneUse &lane) noexcept {
    if (lane.issued != lane.completed) return;
    LaneUse **link = &lanes_of_stream;
    while (*link != &lane) link = &(*link)->next;
    *link = lane.next;
    IpcArena &arena = *lane.arena;
    bool kept = false;
    if (!lane.abandoned) {
        TinyGuard guard(arena.lock_);
        kept = arena.idle_.count() < kIdleLanes;
        kept ? arena.idle_.push(lane) : leave_lane(arena.shared().lanes[lane.lane]);
    }
    if (!kept) delete &lane;
    arena.release();
}

void complete_record(LaneUse *&lanes_of_stream, LaneUse &lane, uint64_t number, bool lost) noexcept {
    IpcLane &shared = lane.arena->shared().lanes[lane.lane];
    lane.completed = number;
    if (!lane.abandoned) lost ? abandon_lane(shared) : complete_lane(shared, number);
    lane.abandoned = lane.abandoned || lost;
    settle_lane(lanes_of_stream, lane);
}

void IpcArena::release() noexcept {
    if (refs_.release()) delete this;
}

// Lanes with pending records hold references: all that are left are idle.
IpcArena::~IpcArena() {
    TinyGuard guard(lock_);
    while (LaneUse *lane = idle_.pop()) {
        if (!in_bad_fork()) leave_lane(shared_->lanes[lane->lane]);
        delete lane;
    }
    unmap_arena(shared_);
}

LaneUse *IpcArena::take_lane(Result *out_result) noexcept {
    {
        TinyGuard guard(lock_);
        if (LaneUse *lane = idle_.pop()) return lane;
    }
    auto *lane = new (std::nothrow) LaneUse{this, 0};
    if (!lane) {
        *out_result = Result::OutOfMemory;
        return nullptr;
    }
    const uint32_t from = last_lane_.load(std::memory_order_relaxed);
    if (!claim_lane(*shared_, self_, from, &lane->lane, &lane->issued)) {
        delete lane;
        fail(GS_ERROR_OUT_OF_MEMORY,
             "%u streams have records of interprocess events pending that one process exported; no more are possible",
             IpcShared::kLanes)
            .ignore();
        *out_result = Result::NoRoom;
        return nullptr;
    }
    last_lane_.store(lane->lane + 1, std::memory_order_relaxed);
    lane->completed = lane->issued;
    return lane;
}

bool IpcArena::done(const IpcTicket &ticket) const noexcept {
    return record_state(*shared_, ticket.word, ticket.owner) == Result::Ok;
}

Result IpcArena::check(const IpcTicket &ticket) noexcept {
    const Result known = record_state(*shared_, ticket.word, ticket.owner);
    if (known != Result::NotReady) return known;
    // One clock for each lane: waits for different processes never keep each other from looking.
    std::atomic<uint64_t> &last = looked_ns_[lane_of(ticket.word)];
    const uint64_t now = monotonic_ns();
    uint64_t looked = last.load(std::memory_order_relaxed);
    if (now - looked < kLookEveryNs || !last.compare_exchange_strong(looked, now, std::memory_order_relaxed))
        return Result::NotReady;
    look_for_owner(*shared_, ticket.word, ticket.owner);
    return record_state(*shared_, ticket.word, ticket.owner);
}

void IpcArena::nap(uint64_t ns, const IpcTicket &ticket) const noexcept {
    if (!has_lane(ticket.word)) return;
    const std::atomic<uint32_t> &futex = shared_->lanes[lane_of(ticket.word)].futex;
    // Acquire: if this is the value after the completion's step, the completion is seen below.
    const uint32_t seen = futex.load(std::memory_order_acquire);
    if (record_state(*shared_, ticket.word, ticket.owner) == Result::NotReady) futex_wait(futex, seen, ns, true);
}

RecordWord IpcEvent::publish(LaneUse &lane) noexcept {
    const uint64_t number = ++lane.issued;
    const RecordWord word = record_word(lane.lane, number);
    // In this order: if the process ends in between, the number counts as lost. It must not count as unused.
    arena_.shared().lanes[lane.lane].issued.store(number, std::memory_order_release);
    cell().newest.store(word, std::memory_order_release);
    return word;
}

// Release: what the stream did before is visible to a process that sees the event complete.
RecordWord IpcEvent::publish_done() noexcept {
    cell().newest.store(kDoneRecord, std::memory_order_release);
    return kDoneRecord;
}

RecordWord IpcEvent::publish_lost() noexcept {
    cell().newest.store(kLostRecord, std::memory_order_release);
    return kLostRecord;
}

bool IpcEvent::newest(IpcTicket *out) const noexcept {
    out->arena = &arena_;
    return newest_record(arena_.shared(), cell(), &out->word, &out->owner);
}

} // namespace gs::host
