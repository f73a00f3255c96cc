// SPDX-License-Identifier: Apache-2.0
// The memory that processes share: an arena with the events that one process exported, and the lanes by which all
// processes that record these events report completion (docs/adr/0008-interprocess-events.md).
//
// A lane is one stream of one process while that stream has records pending. Its records are numbered and complete in
// order, so one word says which of them are complete. An event names its newest record by lane and number. A number
// is used once, so later records cannot end an earlier wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gs::host {

// Layout between processes of the same version of the library. All words are atomic: other processes, and after a
// hand-over other threads, may read them at any time.
struct alignas(64) IpcLane {
    // Modulo 4: 0 free, 1 being handed over, 2 owned, 3 its records are lost: the owner
    // was found dead, or gave up. The rest counts owners. Only grows.
    std::atomic<uint64_t> owner;
    std::atomic<uint64_t> issued;    // number of the newest record; written by the owner before an event names it
    std::atomic<uint64_t> completed; // records up to this number are complete, except:
    std::atomic<uint64_t> lost_after, lost_until;    // the numbers in (lost_after, lost_until] were lost with an owner
    std::atomic<uint64_t> start_time, pid_namespace; // of the owner
    std::atomic<uint32_t> pid;
    std::atomic<uint32_t> futex; // grows with each completion
};
static_assert(sizeof(IpcLane) == 64);

struct alignas(64) IpcCell {
    std::atomic<uint64_t> newest; // a RecordWord; 0: never recorded
    // The number of the event that has the cell << 16
    // processes that have it open. Since this is one word, a process that opens the event and one that destroys it
    // see each other. Even numbers: the cell is free or waits until the processes close it.
    std::atomic<uint64_t> state;
    std::atomic<uint32_t> device;
};
static_assert(sizeof(IpcCell) == 64);

// One record: number << 9 | lane.
using RecordWord = uint64_t;
inline constexpr uint32_t kLaneBits = 9;
inline constexpr uint32_t kLanes = 383; // of an arena
inline constexpr uint32_t kNoLane = (1u << kLaneBits) - 1;
inline constexpr RecordWord kDoneRecord = RecordWord{1} << kLaneBits | kNoLane; // complete when it was made
inline constexpr RecordWord kLostRecord = RecordWord{2} << kLaneBits | kNoLane; // lost with its process

constexpr RecordWord record_word(uint32_t lane, uint64_t number) noexcept { return number << kLaneBits | lane; }
constexpr uint32_t lane_of(RecordWord word) noexcept { return static_cast<uint32_t>(word) & kNoLane; }
constexpr bool has_lane(RecordWord word) noexcept { return lane_of(word) < kLanes; }
constexpr uint64_t number_of(RecordWord word) noexcept { return word >> kLaneBits; }

inline constexpr uint64_t kOpenersMask = 0xffff;
inline constexpr uint32_t kSerialShift = 16;

struct IpcShared {
    static constexpr uint32_t kMagic = 0x41485347; // "GSHA"
    static constexpr uint32_t kVersion = 2;
    static constexpr uint32_t kLanes = host::kLanes;
    static constexpr uint32_t kCells = 128;

    alignas(64) uint32_t magic;
    uint32_t version;
    uint64_t nonce;
    IpcLane lanes[kLanes];
    IpcCell cells[kCells];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
inline constexpr size_t kArenaBytes = sizeof(IpcShared);
static_assert(kArenaBytes == 32 * 1024);

} // namespace gs::host
