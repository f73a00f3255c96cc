// SPDX-License-Identifier: Apache-2.0
// The names of the ranges that a thread has open, for dumps. Only its thread writes; they may be read at any time, without a
// lock: in a signal handler too, and of a thread that is being interrupted in the middle of a write.
#pragma once

#include <atomic>

#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "core/names.hpp"

namespace gs {

class OpenRanges {
public:
    static constexpr uint32_t kNamed = 32; // the outermost ones

    OpenRanges() = default; // none is open
    OpenRanges(const OpenRanges &) = delete;
    OpenRanges &operator=(const OpenRanges &) = delete;

    void push(uint64_t thread, const char *name) noexcept;
    void pop() noexcept;
    void clear() noexcept { store(open_, 0); }

    uint64_t open() const noexcept { return load(open_); }
    uint64_t thread() const noexcept {
        return thread_.load(std::memory_order_relaxed);
    } // that opened the outermost one
    // The bytes of a name that push() was given. False: it is being set right now.
    bool read(uint32_t depth, char (&out)[kNameBytes]) const noexcept {
        const Name &from = names_[depth];
        const uint64_t number = load(from.number);
        if (number == 0) return false;
        uint64_t words[kWords];
        for (uint32_t i = 0; i < kWords; ++i) words[i] = load(from.words[i]);
        if (from.number.load(std::memory_order_relaxed) != number) return false;
        __builtin_memcpy(out, words, sizeof out);
        return true;
    }

private:
    using Word = std::atomic<uint64_t>;
    static constexpr uint32_t kWords = kNameBytes / sizeof(uint64_t);
    struct Name {
        Word number{0}; // how often this name was set; 0: it is being set
        Word words[kWords] = {};
    };
    // As in LogRing, each a message as in model first_record_is_seen_whole: who sees a word sees what was stored before it.
    static void store(Word &word, uint64_t number) noexcept { word.store(number, std::memory_order_release); }
    // As model first_record_is_seen_whole.
    static uint64_t load(const Word &word) noexcept { return word.load(std::memory_order_acquire); }

    Word thread_{0}, open_{0}, set_{0};
    Name names_[kNamed];
};

// Of the calling thread, made at the first call. nullptr: memory is out, and dumps leave them out.
OpenRanges *open_ranges_of(ThreadBlock &thread) noexcept;
// The ranges of that thread are in the log file from now on. By that thread, before its first range.
void keep_ranges_in(ThreadBlock &thread, void *memory) noexcept;

// Ranges and marks of threads: they are counted here, and told to the tools.
inline constexpr uint32_t kMostOpenRanges = 256;     // of a thread
inline constexpr uint32_t kMostStartedRanges = 1024; // of the process

Status push_range(ThreadBlock &thread, const char *name) noexcept;  // FULL
Status pop_range(ThreadBlock &thread) noexcept;                     // SCOPE
Status start_range(const char *name, uint64_t *out_range) noexcept; // FULL
Status end_range(uint64_t range) noexcept;                          // SCOPE

} // namespace gs
