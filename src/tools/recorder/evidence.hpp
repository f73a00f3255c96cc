// SPDX-License-Identifier: Apache-2.0
// What is known of streams and of what they wait for: in this process, or in the one whose log file is read.
#pragma once

#include <type_traits>

#include "core/names.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::recorder {

enum class Met { Yes, Unknown, No };

// One that a thread has open.
struct OpenRange {
    uint64_t thread = 0; // the operating system's number
    uint32_t depth = 0;  // 0: the outermost
    uint64_t open = 0;   // how many the thread has; those beyond the first ones have no names here
    NameText name{};
};

// visit(context, item)
using LogVisit = void (*)(void *context, const LogEntry &entry) noexcept;
using StreamVisit = void (*)(void *context, uint64_t stream) noexcept;
using RangeVisit = void (*)(void *context, const OpenRange &range) noexcept;

// No function allocates, locks or asks a driver: dumps are written from signal handlers.
class Evidence {
public:
    virtual uint64_t log_entries() const noexcept = 0; // of each thread; 0: there is no log
    virtual void visit_log(LogVisit visit, void *context) const noexcept = 0;
    virtual void visit_streams(StreamVisit visit, void *context) const noexcept = 0;
    virtual void visit_open_ranges(RangeVisit visit, void *context) const noexcept = 0; // of a thread in one go
    virtual NameText name(uint64_t handle) const noexcept = 0;
    // What the stream waited for last, without the log.
    virtual bool last_wait(uint64_t stream, LogEntry *out) const noexcept = 0;
    // The stream that made the record, without the log; 0: not known.
    virtual uint64_t recorder_of(uint64_t word) const noexcept = 0;
    virtual bool is_complete(const LogEntry &wait) const noexcept = 0;
    // Has the timeline reached the value that the wait is for? *out_value gets the last known value, if any.
    virtual Met has_reached(const LogEntry &wait, uint64_t *out_value) const noexcept = 0;
    // To which the times of entries are compared.
    virtual uint64_t now_ns() const noexcept = 0;

    bool is_logging() const noexcept { return log_entries() != 0; }

protected:
    ~Evidence() = default;
};

template <typename Function>
void for_each_entry(const Evidence &evidence, Function &&function) noexcept {
    evidence.visit_log(
        [](void *context, const LogEntry &entry) noexcept {
            (*static_cast<std::remove_reference_t<Function> *>(context))(entry);
        },
        const_cast<void *>(static_cast<const void *>(&function)));
}
template <typename Function>
void for_each_stream(const Evidence &evidence, Function &&function) noexcept {
    evidence.visit_streams(
        [](void *context, uint64_t stream) noexcept {
            (*static_cast<std::remove_reference_t<Function> *>(context))(stream);
        },
        const_cast<void *>(static_cast<const void *>(&function)));
}
template <typename Function>
void for_each_open_range(const Evidence &evidence, Function &&function) noexcept {
    evidence.visit_open_ranges(
        [](void *context, const OpenRange &range) noexcept {
            (*static_cast<std::remove_reference_t<Function> *>(context))(range);
        },
        const_cast<void *>(static_cast<const void *>(&function)));
}

// What is known in this process: its slots, and the log if it is on.

const Evidence &live_evidence() noexcept;

} // namespace gs::recorder
