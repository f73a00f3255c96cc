// SPDX-License-Identifier: Apache-2.0
// The names of the ranges that a thread has open, for dumps. Only its thread writes; they may be read at any time, without a
// lock: in a signal handler too, and of a thread that is being interrupted in the middle of a write.
#pragma once

#include <atomic>

#include "base/thread_block.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/log_format.hpp"

namespace gs {

class OpenRanges {
public:
    OpenRanges() = default; // none is open
    OpenRanges(const OpenRanges &) = delete;
    OpenRanges &operator=(const OpenRanges &) = delete;

    void push(uint64_t thread, const char *name) noexcept;
    void pop() noexcept;
    void clear() noexcept { store(open_, 0); }

    // Those that have names here, the outermost first.
    void visit(recorder::RangeVisit visit, void *context) const noexcept;

private:
    using Word = std::atomic<uint64_t>;
    static constexpr uint32_t kWords = kNameBytes / sizeof(uint64_t);
    struct Name {
        Word number{0}; // how often this name was set; 0: it is being set
        Word words[kWords] = {};
    };
    bool read(uint32_t depth, NameText *out) const noexcept;
    // As in LogRing, each a message as in model first_record_is_seen_whole: who sees a word sees what was stored before it.
    static void store(Word &word, uint64_t number) noexcept { word.store(number, std::memory_order_release); }
    // As model first_record_is_seen_whole.
    static uint64_t load(const Word &word) noexcept { return word.load(std::memory_order_acquire); }

    Word thread_{0}, open_{0}, set_{0};
    Name names_[recorder::kLogFileRanges];
};
static_assert(sizeof(OpenRanges) == sizeof(recorder::LogFileRanges));

} // namespace gs

namespace gs::recorder {

// Of the calling thread, made at the first call. nullptr: no memory, so that dumps do not show them.
OpenRanges *open_ranges_of(ThreadBlock &thread) noexcept;
// The ranges of that thread are in the log file from now on. By that thread, before its first range.
void keep_ranges_in(ThreadBlock &thread, void *memory) noexcept;

// Of all threads.
void visit_open_ranges(RangeVisit visit, void *context) noexcept;

} // namespace gs::recorder
