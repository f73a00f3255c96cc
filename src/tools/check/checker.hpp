// SPDX-License-Identifier: Apache-2.0
// The ordering checker: what the calls say about order and memory goes in, races come out. Calls
// are made one at a time and may throw std::bad_alloc; the checker can then only be destroyed.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "base/rare_state.hpp"
#include "base/thread_block.hpp"
#include "tools/check/access.hpp"
#include "tools/check/graph_plan.hpp"
#include "tools/check/race.hpp"
#include "tools/check/stream_order.hpp"
#include "tools/check/vector_clock.hpp"

namespace gs::check {

// The last accesses to each byte: the last write, and of each line the last read since. Bytes with the same accesses lie in
// one segment; the segments are kept in the order of their addresses and do not overlap.
//
// That is enough to find the first race on each byte. An access that is ordered after the last write is also ordered
// after all that this write came after.

class History {
public:
    explicit History(Lines &lines) noexcept : accesses_(lines) {}
    // Remembers the access to [begin, end), at least one byte. clock: what its line knows. out_races gets the earlier
    // accesses that race with it, each once. After std::bad_alloc the history can only be destroyed.
    void add(const Access &access, const VectorClock &clock, std::vector<Access> &out_races);
    // Nothing is known about these bytes any more.
    void forget(uintptr_t begin, uintptr_t end);
    size_t segments() const noexcept { return segments_.size(); }

private:
    static constexpr uint32_t kNoAccess = UINT32_MAX;
    struct Segment {
        uintptr_t end = 0;
        uint32_t write = kNoAccess;
        std::vector<uint32_t> reads;
    };
    using Segments = std::map<uintptr_t, Segment>;
    void split(uintptr_t at);
    Segments::iterator fill(uintptr_t begin, uintptr_t end);
    void compare(uint32_t earlier, const VectorClock &clock, std::vector<Access> &out_races) const;
    void read(Segment &segment, uint32_t place, const VectorClock &clock);
    void clear(Segment &segment) noexcept;

    Accesses accesses_;
    Segments segments_;
};

struct Caller {
    uint64_t serial = 0; // of the library's block of the thread
    uint64_t os_id = 0;
    bool reads_notes = false; // runs functions that were put behind the work of streams
    CallSite site = {};       // if the checker keeps those of accesses
};

struct Range {
    uintptr_t begin = 0, end = 0;
};

class Checker {
public:
    using Races = std::vector<Race>;

    ThreadLine &thread(const Caller &caller);
    Order &order() noexcept { return order_; }
    GraphAccesses &graphs() noexcept { return graphs_; }
    PlanAccess plan_access(const Caller &caller, AccessKind kind, Range range, const char *label);

    void access(const Caller &caller, const StreamFacts &stream, AccessKind kind, Range range, const char *label,
                Races &out);
    // A copy reads its source out of its stream's order: while the call runs, or at any time from then on until the copy
    // is done.
    void read_early(const Caller &caller, const StreamFacts &stream, bool during_call, Range range, const char *label,
                    Races &out);
    void allocate(const Caller &caller, const StreamFacts &stream, Range range, const char *label, Races &out);
    // Returns its bytes.
    size_t free(const Caller &caller, const StreamFacts &stream, uintptr_t address, const char *label, Races &out);
    // It failed; what was accessed before is forgotten.
    void withdraw_free(uintptr_t address, size_t bytes) { allocate_host(address, bytes); }
    void launch(const Caller &caller, const StreamFacts &stream, uint64_t exec, Races &out);
    void announce_launch(const Caller &caller, const StreamFacts &stream, uint64_t exec);
    void withdraw_launch(const Caller &caller, uint64_t exec) { order_.withdraw_launch(thread(caller), exec); }
    void allocate_host(uintptr_t address, size_t bytes);
    bool is_allocated(uintptr_t address) const;
    void free_host(const Caller &caller, uintptr_t address, const char *label, Races &out);
    // The memory goes back to the process's allocator.
    void give_back(uintptr_t address, size_t bytes) { history_.forget(address, address + bytes); }

    // Points whose completion a queue reports under a token. The same token may stand for several.
    void expect(uint64_t queue, uint64_t token, const VectorClock &point);
    void withdraw(uint64_t queue, uint64_t token) noexcept; // it was not added, or has been delivered or cancelled
    void told(const Caller &caller, uint64_t queue, uint64_t token);
    void end_queue(uint64_t queue) noexcept;

private:
    struct Expected {
        VectorClock point;
        size_t count = 0;
    };
    struct Launch; // see checker.cpp
    // Of both sides label, stack, line (or node, which has another line at each launch) and kind; and an address if neither labels nor stacks tell them apart.
    using Side = std::tuple<uint32_t, uint32_t, uint64_t, AccessKind>;
    using Pair = std::tuple<Side, Side, uintptr_t, bool>; // the last one: Race::may_have_moved

    bool may_have_moved(const Access &earlier, const Access &later) const;
    void check(const Caller &caller, Access access, const VectorClock &clock, const char *label, Races &out);
    RaceSide side_of(const Access &access) const;
    static Side brief_of(const Access &access) noexcept {
        return {access.label, access.stack, access.node != 0 ? access.node : access.line, access.kind};
    }
    size_t freed_bytes(uintptr_t address);

    Order order_;
    History history_{order_.lines()};
    GraphAccesses graphs_;
    Texts texts_;
    uint64_t accesses_ = 0, launches_ = 0;
    std::map<uintptr_t, size_t> allocated_; // bytes by address
    std::map<std::pair<uint64_t, uint64_t>, Expected> expected_;
    std::set<Pair> found_;
};

// The process's one checker: its start and end, and the way to it.

Status start_checker(uint32_t flags) noexcept;
void stop_checker() noexcept;
void read_checker_environment() noexcept; // once
// A hint: who acts on it looks again under the lock.
inline bool is_checking() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareChecked) != 0; }
void hand_over(ThreadBlock &thread, uint64_t *clock) noexcept;

// body(checker, caller, races) with the checker locked, if it is on, and then the delivery of the races. The body must not
// call a backend. A body that accesses memory has the caller's site, if the checker keeps those.
enum class OfCall : bool { Order, Access };
using Body = void (*)(void *context, Checker &checker, const Caller &caller, Checker::Races &races);
void with_checker(ThreadBlock &thread, OfCall what, Body body, void *context) noexcept;
template <OfCall What = OfCall::Order, typename Function>
void with_checker(ThreadBlock &thread, Function &&function) noexcept {
    with_checker(
        thread, What,
        [](void *context, Checker &checker, const Caller &caller, Checker::Races &races) {
            (*static_cast<std::remove_reference_t<Function> *>(context))(checker, caller, races);
        },
        &function);
}

// Given a thread: body(checker, caller) with the checker locked.
template <typename Body>
void with_order(ThreadBlock *thread, Body &&body) noexcept {
    if (thread)
        with_checker(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &) { body(checker, caller); });
}

} // namespace gs::check
