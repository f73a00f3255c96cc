// SPDX-License-Identifier: Apache-2.0
// Who is ordered before whom: the rules of streams, events, default streams and threads, on vector clocks. It does not
// know slots, drivers and memory. Calls are made one at a time, in the order in which the program's calls took effect, and
// may throw std::bad_alloc.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tools/check/access.hpp"
#include "tools/check/vector_clock.hpp"

namespace gs::check {

// The signals of timelines, and the waits that none of them meets yet.
//
// Signals of a timeline happen in the order of their values, so that a clock of each covers all before it. A signal is
// announced before the call that submits it, because its effect may be seen before that returns; it counts for waits in
// streams once the call has succeeded.

class TimelineOrder {
public:
    // What the signals of smaller values have: a signal comes after them.
    VectorClock before(uint64_t timeline, uint64_t value) const;
    // The clock carries no wait that is met. Returns a number for end(). *out_late: a larger value was signalled before.
    uint64_t announce(uint64_t timeline, uint64_t value, const VectorClock &clock, bool *out_late);
    void end(uint64_t timeline, uint64_t number, bool happens);

    // The clock after a wait of a stream: learns what it can, else carries the wait.
    // reached: the timeline had the value before, by signals that were announced or are not known.
    void wait(uint64_t timeline, const OpenWait &wait, bool reached, VectorClock &clock);
    // What has happened when the timeline has at least the value; exact: and no larger one.
    VectorClock reached(uint64_t timeline, uint64_t value, bool exact) const;
    // No wait for it waits any longer. all: all that has happened so far.
    void close(uint64_t timeline, const VectorClock &all);

private:
    static constexpr size_t kMostSignals = 64; // of each timeline; earlier ones count as one
    struct Signal {
        uint64_t value = 0;
        uint64_t number = 0;
        bool happens = false;
        VectorClock clock;
    };
    struct Timeline {
        std::vector<Signal> signals; // by value
        VectorClock older;
        std::vector<std::shared_ptr<OpenWait>> waits;
    };
    static void drop_old(Timeline &timeline);
    static void meet(Timeline &timeline, const Signal &signal);

    std::map<uint64_t, Timeline> timelines_;
    uint64_t last_number_ = 0;
};

// What one driver stream is known by. Two handles of one driver stream have the same key.
struct StreamKey {
    uint64_t kind = 0, number = 0;
    uint64_t part = 0;   // a native handle or an uid
    uint64_t thread = 0; // whose per-thread stream it is: ends with that
    auto operator<=>(const StreamKey &) const = default;
};
struct StreamFacts {
    StreamKey key;
    uint64_t handle = 0;
    uintptr_t device = 0;
    bool legacy = false;   // the default stream
    bool blocking = false; // takes part in its order
};

struct StreamLine {
    StreamFacts facts;
    uint32_t line = 0;
    uint64_t epoch = 0; // of what is submitted now
    uint64_t first = 0; // epoch
    VectorClock clock;
    uint64_t submissions = 0;
    uint64_t joined = 0;        // submissions that the legacy stream has joined
    uint64_t joined_legacy = 0; // submissions of the legacy stream that this one has joined
    uint64_t seen_thread = 0, seen_version = 0;
};

struct GraphPlan;
struct PlanNode;
struct NodeLine {
    uint32_t line = 0;
    uint64_t epoch = 0, first = 0;
    const VectorClock *clock = nullptr;
};
using NodeVisit = void (*)(void *context, const PlanNode &node, const NodeLine &line);

struct ThreadLine {
    uint64_t serial = 0;
    VectorClock clock;
    uint64_t version = 1;    // changes with the clock
    uint64_t seen_ended = 0; // how many threads' ends it knows of
    bool has_line = false;   // of its own accesses
    uint32_t line = 0;
    uint64_t epoch = 0, first = 0;
};

class Order {
public:
    static constexpr size_t kMostHandovers = 4096; // clocks of hand_over()

    // Made at their first use. A new thread knows what all threads know: who started it cannot be seen.
    StreamLine &stream(const StreamFacts &facts);
    ThreadLine &thread(uint64_t serial);
    void end_stream(const StreamKey &key);
    void end_event(uint64_t event) noexcept {
        events_.erase(event);
        early_.erase(event);
    }
    void share_event(uint64_t event); // from now on it is foreign
    void end_thread(uint64_t serial);

    // Something is submitted to the stream. The functions below that take both do this themselves.
    void submit(ThreadLine &thread, StreamLine &stream);
    // foreign: other code may record or await the event too, so that it can carry order that is not seen.
    void record(ThreadLine &thread, StreamLine &stream, uint64_t event, bool foreign);
    // By the launch of a kernel whose accesses are yet to come. For a thread the event says nothing about them. A stream that
    // waits for it is taken to run kernels that wait for this one themselves, which cannot be seen.
    void record_early(ThreadLine &thread, StreamLine &stream, uint64_t event);
    void wait(ThreadLine &thread, StreamLine &stream, uint64_t event, bool foreign);
    void wait_stream(ThreadLine &thread, StreamLine &stream, StreamLine &other);
    // Work whose order with the rest is unknown: the launch of a graph unknown to the checker.
    void pass_foreign(ThreadLine &thread, StreamLine &stream);
    // The launch of a graph: each node, with what is ordered before it.
    void launch(ThreadLine &thread, StreamLine &stream, uint64_t exec, const GraphPlan &plan, NodeVisit visit,
                void *context);
    // Ahead of the launch: a host function of the graph may run, and be heard of, before that has returned.
    void announce_launch(ThreadLine &thread, StreamLine &stream, uint64_t exec, const GraphPlan &plan);
    void withdraw_launch(const ThreadLine &thread, uint64_t exec) noexcept; // it failed
    // What the executable keeps is released by a thread of the library, behind its launches so far.
    void leave_launches(uint64_t exec) {
        if (const auto found = launches_.find(exec); found != launches_.end()) notes_.merge(found->second);
    }
    void end_exec(uint64_t exec) noexcept { launches_.erase(exec); }

    // A signal of a timeline is about to be submitted, or to be given by the thread. Returns a number for end_signal().
    uint64_t signal(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value);
    uint64_t signal_by_host(ThreadLine &thread, uint64_t timeline, uint64_t value);
    void end_signal(uint64_t timeline, uint64_t number, bool happens) { timelines_.end(timeline, number, happens); }
    // reached: the timeline has had the value since before the call of this.
    void wait_timeline(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value, bool reached);
    void wait_ended_timeline(ThreadLine &thread, StreamLine &stream);
    void know_timeline(ThreadLine &thread, uint64_t timeline, uint64_t value, bool exact);
    void end_timeline(uint64_t timeline);                   // or it was aborted
    void wait_word(ThreadLine &thread, StreamLine &stream); // anything may write it

    // The thread has seen that this is done.
    void know_stream(ThreadLine &thread, StreamLine &stream);
    void know_event(ThreadLine &thread, uint64_t event, bool foreign);
    void know_device(ThreadLine &thread, uintptr_t device);
    void know(ThreadLine &thread, const VectorClock &clock);
    // A function that other threads run later is put behind the stream's work; such a thread knows all of those.
    void leave_note(ThreadLine &thread, StreamLine &stream);
    void read_notes(ThreadLine &thread) { know(thread, notes_); }

    VectorClock point_of(ThreadLine &thread, StreamLine &stream); // the work so far, for a completion
    // By any thread.
    bool is_seen_done(uint32_t line, uint64_t epoch) const noexcept;
    const VectorClock *record_of(uint64_t event) const noexcept;
    void hand_over(ThreadLine &thread, uint64_t *clock);
    // The thread itself is about to access memory: its line and epoch are valid afterwards.
    void act(ThreadLine &thread);

    Lines &lines() noexcept { return lines_; }

private:
    struct DeviceOrder {
        StreamLine *legacy = nullptr;
        std::vector<StreamLine *> streams;
        VectorClock ended, blocking_ended; // what streams that have ended had
    };
    // The lines of one launch. The first one is the stream's own, so that a graph without branches needs no other.
    struct LaunchLine {
        uint32_t line = 0;
        uint64_t epoch = 0, first = 0;
    };
    using LaunchLines = std::vector<LaunchLine>;
    template <typename Visit>
    static VectorClock walk(const GraphPlan &plan, const VectorClock &begin, LaunchLines &lines, Visit &&visit);
    VectorClock begin_launch(ThreadLine &thread, StreamLine &stream, uint64_t exec);
    LaunchLines lines_of(const ThreadLine &thread, const StreamLine &stream, uint64_t exec, const GraphPlan &plan);
    // After others have learnt what the stream has: what comes next is not part of that.
    static void advance(StreamLine &stream) { stream.clock.set(stream.line, ++stream.epoch); }
    static void give(VectorClock &to, StreamLine &stream) {
        to.merge(stream.clock);
        advance(stream);
    }
    void join_blocking(StreamLine &legacy);
    void drop_handover();
    void learn_ended(ThreadLine &thread);
    void join_default(StreamLine &stream);
    VectorClock everything(); // that has been submitted, or is known
    static OpenWait wait_of(const ThreadLine &thread, const StreamLine &stream, uint64_t value);
    static bool is_own(const OpenWait &wait, const ThreadLine &thread, const StreamLine &stream) noexcept;
    void pass_waits(const ThreadLine &thread, const StreamLine &stream);

    Lines lines_;
    std::map<StreamKey, std::unique_ptr<StreamLine>> streams_;
    std::map<uint64_t, ThreadLine> threads_;
    std::map<uintptr_t, DeviceOrder> devices_;
    std::map<uint64_t, VectorClock> events_;
    std::map<uint64_t, StreamKey> early_;      // of those events: the streams whose last kernel has recorded them early
    std::map<uint64_t, VectorClock> launches_; // the last one of each executable
    std::map<std::pair<uint64_t, uint64_t>, LaunchLines> announced_; // by executable and thread
    std::map<uint64_t, VectorClock> handovers_;
    TimelineOrder timelines_;
    VectorClock notes_, foreign_, ended_threads_;
    uint64_t ends_ = 0;
};

} // namespace gs::check
