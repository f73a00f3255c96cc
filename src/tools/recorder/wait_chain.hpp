// SPDX-License-Identifier: Apache-2.0
// What holds a stream up: from its wait to the stream that was recorded, to that one's wait before the record, and so on.
//
// It is known whether a timeline has reached a value. Whether an event is complete is known only if a caller has asked, and
// no driver is asked here; so a way that ends at a timeline is preferred to the others. With the log, each step goes to what
// was submitted before. Without it there is only the last wait of each stream, which may be later.
#pragma once

#include "tools/recorder/evidence.hpp"
#include "tools/recorder/text_sink.hpp"

namespace gs::recorder {

// A copy of the log that is ordered for questions about it: each takes O(log n) steps. Dumps are written in signal handlers, so the
// memory comes from the system and not from an allocator.

class LogIndex {
public:
    explicit LogIndex(const Evidence &evidence) noexcept;
    ~LogIndex();
    LogIndex(const LogIndex &) = delete;
    LogIndex &operator=(const LogIndex &) = delete;

    // There is no log, or no memory for its index: the answers are those of an empty log.
    bool empty() const noexcept { return count_ == 0; }
    // Operations of the stream, the newest first. Returns how many.
    size_t newest(uint64_t stream, const LogEntry **out, size_t capacity) const noexcept;
    // The first wait of the stream between the two times; nullptr: there is none.
    const LogEntry *first_wait(uint64_t stream, uint64_t after, uint64_t before) const noexcept;
    // The last time at which a thread has seen the stream idle; 0: none.
    uint64_t seen_idle(uint64_t stream) const noexcept;
    // The record with that word; nullptr: it is not in the log. *out_seen: a thread has seen it complete.
    const LogEntry *record_of(uint64_t event, uint64_t word, bool *out_seen) const noexcept;
    // The signal of the smallest value that reaches the given one; nullptr: it is not in the log.
    const LogEntry *signal_of(uint64_t timeline, uint64_t value) const noexcept;

private:
    using Place = uint32_t; // in entries_ or, of what is linked, in by_stream_
    struct Range {
        size_t first, end;
    };
    static constexpr Place kNone = UINT32_MAX;

    void order() noexcept;
    void link() noexcept;
    Range of_stream(uint64_t stream) const noexcept;
    const LogEntry &in_stream(size_t at) const noexcept { return entries_[by_stream_[at]]; }
    const LogEntry &of_object(size_t at) const noexcept { return entries_[by_object_[at]]; }

    char *memory_ = nullptr;
    size_t bytes_ = 0;
    size_t count_ = 0;
    size_t objects_ = 0;           // entries about objects
    LogEntry *entries_ = nullptr;  // as they were read
    Place *by_stream_ = nullptr;   // by stream and time
    Place *by_object_ = nullptr;   // records, signals and what threads have seen: by object, value, kind and time
    Place *next_wait_ = nullptr;   // the same operation of the stream, or a later one
    Place *seen_before_ = nullptr; // the same, or an earlier one
};

class WaitChain {
public:
    struct Work;
    // log: of the evidence. While a chain lives, what is in work is its own.
    WaitChain(const Evidence &evidence, const LogIndex &log, uint64_t stream, Work &work) noexcept;

    enum class Found { Nothing, MayWait, Waits, Circle };
    Found found() const noexcept { return found_; }
    void write(TextSink &out) const noexcept; // one line, without the stream that it begins with

private:
    static constexpr size_t kMostSteps = 24;
    static constexpr size_t kMostSearched = 64; // streams; those beyond are searched again and again

    struct Step {
        LogEntry wait;
        uint64_t next = 0;   // the stream that it leads to; 0: none is known
        uint64_t before = 0; // what that stream submitted before this time counts
    };
    // What is submitted to the stream up to that time is known not to be held up for certain.
    struct Searched {
        uint64_t stream = 0;
        uint64_t until = 0;
    };
    // The waits of a stream that are being looked at.
    struct Level {
        uint64_t stream = 0, before = 0;
        uint64_t *until = nullptr; // of Searched, or own
        uint64_t own = 0;
        Met met = Met::Unknown; // the wait that is a step now
    };

public:
    // Signal handlers may have a stack of 8 KiB, of which the processor's registers take 3: this is not on it.
    struct Work {
        Step steps[kMostSteps];
        Step kept[kMostSteps]; // of the ways that may be it, the longest one from the last wait
        Searched searched[kMostSearched];
        Level levels[kMostSteps + 1];
    };

private:
    bool search(uint64_t stream) noexcept;
    void open_level(uint64_t stream, uint64_t before) noexcept;
    bool finish_step() noexcept;
    void pass(const LogEntry &wait) noexcept;
    bool next_wait(uint64_t stream, uint64_t after, uint64_t before, LogEntry *out) noexcept;
    Met look(Step &step) noexcept;
    void find_recorder(Step &step) noexcept;
    void find_signal(Step &step) noexcept;
    bool closes_circle(const LogEntry &wait) noexcept;
    void keep() noexcept;
    uint64_t *searched_until(uint64_t stream) noexcept; // nullptr: the table is full

    const Evidence &evidence_;
    const LogIndex &log_;
    Step *const steps_;
    size_t count_ = 0;
    size_t circle_ = 0; // where it begins
    Step *const kept_;
    size_t kept_count_ = 0;
    Searched *const searched_;
    size_t searched_count_ = 0;
    Level *const levels_; // count_ of them have a step
    Found found_ = Found::Nothing;
};

} // namespace gs::recorder
