// SPDX-License-Identifier: Apache-2.0
// The memory of a timeline that processes share: a file that one makes and the others map
// (docs/adr/0027-shared-timelines.md).
//
// No lock is shared between processes, so one that is stopped or killed holds up none. What is more than a word is never
// changed in place: a member writes a new table of its own and makes it the present one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gs {

inline constexpr uint32_t kTimelineMembers = 16; // open timelines of processes, one place each
inline constexpr uint32_t kSharedSignals = 63;   // that are submitted to streams and have not happened
// Of these for values above all others. The rest is for those that others wait for: without it, a process that is ahead
// could take all the room and hold up the one that it waits for.
inline constexpr uint32_t kSharedSignalsAhead = 48;

// Layout between processes of the same version of the library.
struct SharedSignal {
    std::atomic<uint64_t> value;
    std::atomic<uint64_t> origin; // how far its stream waits below it << 8 | the member that has submitted it
};

// Written by its member while it is not the present one; the others may read at any time, and look then whether it still
// was (shared_order.cpp). Stores release and loads acquire, so who reads a part of a later table knows that it is later.
struct alignas(64) SignalTable {
    std::atomic<uint64_t> floor; // values up to here were signalled by threads
    std::atomic<uint64_t> count;
    SharedSignal signals[kSharedSignals]; // by value
};
static_assert(sizeof(SignalTable) == 1024);

struct TimelineShared {
    static constexpr uint32_t kMagic = 0x4c545347; // "GSTL"
    static constexpr uint32_t kVersion = 1;

    alignas(64) uint64_t word; // what streams write and wait for
    alignas(64) uint32_t magic;
    uint32_t version;
    uint64_t nonce;
    std::atomic<uint32_t> status; // of the abort; stored before the word says that the timeline has ended
    // A bit for each member that may still signal. 0 stays 0: all have given the timeline up.
    alignas(64) std::atomic<uint64_t> open;
    std::atomic<uint64_t> members[kTimelineMembers]; // process_word(); stored before the bit, taken back after it
    alignas(64) std::atomic<uint64_t> present;       // table: its number of order << 8 | 2 * member, or that + 1
    alignas(4096) SignalTable tables[2 * kTimelineMembers];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
inline constexpr size_t kWordPageBytes = 4096; // which streams use
inline constexpr size_t kTimelineFileBytes = kWordPageBytes + 2 * kTimelineMembers * sizeof(SignalTable);
static_assert(sizeof(TimelineShared) == kTimelineFileBytes && offsetof(TimelineShared, tables) == kWordPageBytes);
inline constexpr const char *kTimelinePurpose = "timelines";

} // namespace gs
