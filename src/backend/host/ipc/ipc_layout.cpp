// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_layout.hpp"

#include <cstring>
#include <initializer_list>

#include "base/lock.hpp"
#include "base/shared_file.hpp"

namespace gs::host {

uint64_t IpcHandle::compute_check() const noexcept {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325u;
    unsigned char bytes[offsetof(IpcHandle, check)];
    std::memcpy(bytes, this, sizeof bytes);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

bool IpcHandle::valid() const noexcept {
    return magic == kMagic && version == kVersion && reserved == 0 && check == compute_check();
}

namespace {

SharedFile file_of(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    return {directory, exporter, nonce, kArenaBytes, "interprocess events"};
}

Result result_of(Status status) noexcept {
    switch (status.code) {
    case GS_OK: return Result::Ok;
    case GS_ERROR_OUT_OF_MEMORY: return Result::NoRoom;
    case GS_ERROR_PEER_LOST: return Result::PeerLost;
    case GS_ERROR_INVALID_ARGUMENT: return Result::NotAHandle;
    default: return Result::System;
    }
}

} // namespace

Result create_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                         IpcShared **out) noexcept {
    void *memory = nullptr;
    const Result result = result_of(create_shared_file(file_of(directory, exporter, nonce), &memory));
    if (result != Result::Ok) return result;
    auto *shared = static_cast<IpcShared *>(memory);
    // All else is zero. Readers learn the name only from a handle, which is made later.
    shared->magic = IpcShared::kMagic;
    shared->version = IpcShared::kVersion;
    shared->nonce = nonce;
    *out = shared;
    return Result::Ok;
}

Result open_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                       IpcShared **out) noexcept {
    void *memory = nullptr;
    const Result result = result_of(open_shared_file(file_of(directory, exporter, nonce), &memory));
    if (result != Result::Ok) return result;
    auto *shared = static_cast<IpcShared *>(memory);
    if (shared->magic != IpcShared::kMagic || shared->version != IpcShared::kVersion || shared->nonce != nonce) {
        unmap_arena(shared);
        return Result::NotAHandle;
    }
    *out = shared;
    return Result::Ok;
}

void unmap_arena(IpcShared *shared) noexcept { unmap_shared_file(file_of("", {}, 0), shared); }

void unlink_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    unlink_shared_file(file_of(directory, exporter, nonce));
}

namespace {

enum OwnerState : uint64_t { kFree = 0, kHandOver = 1, kOwned = 2, kDead = 3 };

constexpr OwnerState state_of(uint64_t owner) noexcept { return static_cast<OwnerState>(owner % 4); }
constexpr uint64_t next_owner(uint64_t owner, OwnerState state) noexcept { return (owner / 4 + 1) * 4 + state; }

// Acquire: a reader that then finds the owner unchanged has read that owner's identity and not a part of another one's.
ProcessIdentity process_of(const IpcLane &lane) noexcept {
    ProcessIdentity process;
    process.life = lane.life.load(std::memory_order_acquire);
    process.pid_namespace = lane.pid_namespace.load(std::memory_order_acquire);
    process.pid = lane.pid.load(std::memory_order_acquire);
    return process;
}

bool is_lost(const IpcLane &lane, uint64_t number) noexcept {
    return number <= lane.lost_until.load(std::memory_order_acquire) &&
           number > lane.lost_after.load(std::memory_order_relaxed);
}

// Acquire: a number that a later owner completed shows what was lost before that owner came.
bool is_past(const IpcLane &lane, uint64_t number) noexcept {
    return number <= lane.completed.load(std::memory_order_acquire);
}

// The caller holds the lane in hand-over. Its last owner died with records pending, which a later number must not
// complete. Events that name a record of this lane get the answer in place of the name. There may still be waits of
// live processes that read a name before: they find the number in the lost range. The range has one beginning. After
// a second loss it also covers records of the owner in between, although these are complete. A wait for such a record
// that has not looked since gets PEER_LOST. That is late news, and no wait ends too early.
void resolve_lost(IpcShared &shared, uint32_t number_of_lane, uint64_t issued, uint64_t completed) noexcept {
    IpcLane &lane = shared.lanes[number_of_lane];
    for (IpcCell &cell : shared.cells) {
        RecordWord word = cell.newest.load(std::memory_order_acquire);
        if (word == 0 || lane_of(word) != number_of_lane) continue;
        const bool done = number_of(word) <= completed && !is_lost(lane, number_of(word));
        // Fails when the event was recorded again, in another lane: this one has no owner.
        cell.newest.compare_exchange_strong(word, done ? kDoneRecord : kLostRecord, std::memory_order_acq_rel);
    }
    if (lane.lost_until.load(std::memory_order_relaxed) == 0)
        lane.lost_after.store(completed, std::memory_order_relaxed);
    lane.lost_until.store(issued, std::memory_order_release);
}

// A process that ends between the two changes of `owner` leaves the lane unusable. Waits still get an answer.
bool take(IpcShared &shared, const ProcessIdentity &self, uint32_t number, uint64_t owner,
          uint64_t *out_issued) noexcept {
    IpcLane &lane = shared.lanes[number];
    const uint64_t mine = next_owner(owner, kOwned);
    if (!lane.owner.compare_exchange_strong(owner, next_owner(owner, kHandOver), std::memory_order_acq_rel))
        return false;
    // An owner that died made its last stores visible before the system shows it as dead. One that left did so by
    // `owner`.
    const uint64_t issued = lane.issued.load(std::memory_order_relaxed);
    const uint64_t completed = lane.completed.load(std::memory_order_relaxed);
    if (issued > completed) resolve_lost(shared, number, issued, completed);
    // Release: a reader of one of these values also sees that the lane was handed over (owner_dead).
    lane.life.store(self.life, std::memory_order_release);
    lane.pid_namespace.store(self.pid_namespace, std::memory_order_release);
    lane.pid.store(self.pid, std::memory_order_release);
    lane.owner.store(mine, std::memory_order_release); // with all of the above
    *out_issued = issued;
    return true;
}

void wake(IpcLane &lane) noexcept {
    lane.futex.fetch_add(1, std::memory_order_release);
    futex_wake(lane.futex, kWakeAll, true);
}

// True if the owner that the word names is certainly dead.
bool owner_dead(const IpcLane &lane, uint64_t owner) noexcept {
    const ProcessIdentity process = process_of(lane);
    return lane.owner.load(std::memory_order_relaxed) == owner && is_dead(process);
}

} // namespace

bool claim_lane(IpcShared &shared, const ProcessIdentity &self, uint32_t from, uint32_t *out_lane,
                uint64_t *out_issued) noexcept {
    ProcessIdentity alive = self; // the last one asked about: the lanes of a process are often neighbours
    for (const bool look : {false, true}) {
        for (uint32_t i = 0; i < IpcShared::kLanes; ++i) {
            const uint32_t number = (from + i) % IpcShared::kLanes;
            const IpcLane &lane = shared.lanes[number];
            const uint64_t owner = lane.owner.load(std::memory_order_acquire);
            bool usable = state_of(owner) == kFree || (look && state_of(owner) == kDead);
            if (look && state_of(owner) == kOwned) {
                const ProcessIdentity process = process_of(lane);
                usable = !(process == alive) && owner_dead(lane, owner);
                if (!usable) alive = process;
            }
            if (!usable || !take(shared, self, number, owner, out_issued)) continue;
            *out_lane = number;
            return true;
        }
    }
    return false;
}

void leave_lane(IpcLane &lane) noexcept {
    const uint64_t owner = lane.owner.load(std::memory_order_relaxed);
    lane.owner.store(next_owner(owner, kFree), std::memory_order_release);
}

void complete_lane(IpcLane &lane, uint64_t number) noexcept {
    lane.completed.store(number, std::memory_order_release); // only the stream that has the lane writes it
    wake(lane);
}

void abandon_lane(IpcLane &lane) noexcept {
    // After the last completion. Whatever state another process wrote there, waits must end: kDead has all of its bits.
    lane.owner.fetch_or(kDead, std::memory_order_release);
    wake(lane);
}

bool newest_record(const IpcShared &shared, const IpcCell &cell, RecordWord *out_word, uint64_t *out_owner) noexcept {
    for (;;) {
        const RecordWord word = cell.newest.load(std::memory_order_acquire);
        if (word == 0) return false;
        *out_word = word;
        *out_owner = 0;
        if (!has_lane(word)) return true;
        // A lane whose pending records were lost gets a new owner only after no event has its name. So if the name is
        // still there after the owner was read, that owner made the record, or the record is complete.
        *out_owner = shared.lanes[lane_of(word)].owner.load(std::memory_order_acquire);
        if (cell.newest.load(std::memory_order_relaxed) == word) return true;
    }
}

Result record_state(const IpcShared &shared, RecordWord word, uint64_t owner) noexcept {
    if (word == kDoneRecord) return Result::Ok;
    if (!has_lane(word)) return Result::PeerLost;
    const IpcLane &lane = shared.lanes[lane_of(word)];
    const uint64_t number = number_of(word);
    if (!is_past(lane, number)) {
        const uint64_t now = lane.owner.load(std::memory_order_acquire);
        if (now == owner && state_of(now) == kOwned) return Result::NotReady;
        // The record's owner has ended, or left after its last record completed. Acquire: its last word shows now.
        if (!is_past(lane, number)) return Result::PeerLost;
    }
    return is_lost(lane, number) ? Result::PeerLost : Result::Ok;
}

void look_for_owner(IpcShared &shared, RecordWord word, uint64_t owner) noexcept {
    IpcLane &lane = shared.lanes[lane_of(word)];
    if (state_of(owner) != kOwned || !owner_dead(lane, owner)) return;
    lane.owner.compare_exchange_strong(owner, owner + (kDead - kOwned), std::memory_order_acq_rel);
}

} // namespace gs::host
