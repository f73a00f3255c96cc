// SPDX-License-Identifier: Apache-2.0
// A copy of the log that is ordered for questions about it: each takes O(log n) steps. Dumps are written in signal handlers, so the
// memory comes from the system and not from an allocator.
#pragma once

#include "tools/recorder/evidence.hpp"

namespace gs::recorder {

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

} // namespace gs::recorder
