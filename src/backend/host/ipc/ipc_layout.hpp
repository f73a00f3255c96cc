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

#include "backend/host/engine/result.hpp"
#include "base/process_identity.hpp"

namespace gs::host {

// Layout between processes of the same version of the library. All words are atomic: other processes, and after a
// hand-over other threads, may read them at any time.
struct alignas(64) IpcLane {
    // Modulo 4: 0 free, 1 being handed over, 2 owned, 3 its records are lost: the owner
    // was found dead, or gave up. The rest counts owners. Only grows.
    std::atomic<uint64_t> owner;
    std::atomic<uint64_t> issued;    // number of the newest record; written by the owner before an event names it
    std::atomic<uint64_t> completed; // records up to this number are complete, except:
    std::atomic<uint64_t> lost_after, lost_until; // the numbers in (lost_after, lost_until] were lost with an owner
    std::atomic<uint64_t> life, pid_namespace;    // of the owner
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
    static constexpr uint32_t kVersion = 3;
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

class IpcArena;

// One record of an interprocess event, for a wait.
struct IpcTicket {
    IpcArena *arena; // the ticket in a queue holds a reference
    uint64_t word;   // RecordWord
    uint64_t owner;  // IpcLane::owner at that time
};

// The 64 bytes by which another process finds an exported event.
struct IpcHandle {
    static constexpr uint32_t kMagic = 0x45485347; // "GSHE"
    static constexpr uint16_t kVersion = 3;

    uint32_t magic = kMagic;
    uint16_t version = kVersion;
    uint16_t device = 0;
    ProcessIdentity exporter;
    uint64_t nonce = 0;  // of the arena
    uint64_t serial = 0; // of the event among those that had the cell
    uint32_t cell = 0;
    uint32_t reserved = 0;
    uint64_t check = 0; // over all of the above: finds accidents, and is no defence against malice

    uint64_t compute_check() const noexcept;
    bool valid() const noexcept;
};
static_assert(sizeof(IpcHandle) == 64);

// The file behind an arena.

// Creates the file (mode 0600, must not exist, space reserved) and maps it. System failures leave their detail in the
// thread's pending record.
Result create_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                         IpcShared **out) noexcept;
// Maps another process's arena after checking owner, kind, mode and size.
Result open_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                       IpcShared **out) noexcept;
void unmap_arena(IpcShared *shared) noexcept;
void unlink_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept;

// What processes do with the lanes of an arena: own one, complete records in it, ask about a record.

// Takes a lane that no live process owns; *out_issued: its numbers go on behind this one. Looks from lane `from` on.
// False when all lanes are owned by live processes.
bool claim_lane(IpcShared &shared, const ProcessIdentity &self, uint32_t from, uint32_t *out_lane,
                uint64_t *out_issued) noexcept;
// The owner gives it back. All of its records are complete.
void leave_lane(IpcLane &lane) noexcept;
// The owner's records up to this number are complete.
void complete_lane(IpcLane &lane, uint64_t number) noexcept;
// What is pending will never complete. The lane is no longer the caller's.
void abandon_lane(IpcLane &lane) noexcept;

// The newest record of the event and the owner of its lane. False when it was never recorded.
bool newest_record(const IpcShared &shared, const IpcCell &cell, RecordWord *out_word, uint64_t *out_owner) noexcept;
// Ok, NotReady or PeerLost, from shared memory alone. The first of Ok and PeerLost stays the answer.
Result record_state(const IpcShared &shared, RecordWord word, uint64_t owner) noexcept;
// Asks the system whether the owner is alive, which costs microseconds. If it is dead, all processes see that from now
// on by record_state().
void look_for_owner(IpcShared &shared, RecordWord word, uint64_t owner) noexcept;

} // namespace gs::host
