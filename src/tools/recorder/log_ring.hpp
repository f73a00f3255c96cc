// SPDX-License-Identifier: Apache-2.0
// One thread's part of the log.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

#include "tools/recorder/log_file.hpp"

// One operation in the log.

namespace gs::recorder {

enum class LogCall : uint32_t {
    Record,       // object: event; value: the word of the record
    Wait,         // the same, of the record that is waited for
    WaitStream,   // object: the other stream
    Submit,       // work of no kind below
    Launch,       // object: executable graph
    HostFunction, // a function was put behind the stream's work
    Signal,       // object: timeline; value
    WaitTimeline, // the same
    WaitWord,     // of memory
    Copy,         // value: bytes
    Fill,         // the same
    Allocate,     // the same
    Free,         //
    SeenEvent,    // is complete: object; value: the word of the record
    SeenStream,   // is idle
    SeenTimeline, // object: timeline; value
    HostSignal,   // the same
    RangePush,    // of the thread; value: its name, see log_notes.hpp
    RangePop,     //
    RangeStart,   // object: its number; value: its name
    RangeEnd,     // object: its number
    Mark,         // value: its text
    RanFrom,      // work on the device, of another entry; see front/watch.hpp
    RanUntil,     //
};
inline constexpr LogCall kLastLogCall = LogCall::RanUntil;
const char *text_of(LogCall call) noexcept;

struct LogEntry {
    uint64_t time_ns = 0; // CLOCK_MONOTONIC
    uint64_t stream = 0;
    uint64_t object = 0;
    uint64_t value = 0;
    uint32_t thread = 0; // the operating system's number
    LogCall call = LogCall::Submit;
    // The index of the stream's device, and of the object's if it is a stream, plus 1; 0: not known. Only while a trace runs.
    uint32_t device = 0, other_device = 0;
};

} // namespace gs::recorder

namespace gs {

class LogRing {
public:
    using Entry = recorder::LogEntry;

    // entries: a power of two. nullptr: no memory. Those of threads live as long as the process.
    static LogRing *create(uint64_t entries) noexcept { return over(nullptr, entries); }
    // In zeroed memory for so many places, which stays the caller's.
    static LogRing *over(void *memory, uint64_t entries) noexcept {
        const bool own = memory == nullptr;
        auto *places = own ? new (std::nothrow) Place[entries] : start_places(memory, entries);
        auto *ring = places ? new (std::nothrow) LogRing(places, entries, own) : nullptr;
        if (!ring && own) delete[] places;
        return ring;
    }
    // In that part of the log file. nullptr: there is no part or no memory.
    static LogRing *in_file(const recorder::LogFilePart &part) noexcept {
        return part.ring ? over(part.ring, part.entries) : nullptr;
    }
    ~LogRing() {
        if (own_) delete[] places_;
    }
    LogRing(const LogRing &) = delete;
    LogRing &operator=(const LogRing &) = delete;

    // Only its thread. Each place is taken by its number: it is 0 while the entry is being written, so that a reader, which
    // compares it before and after, takes whole entries only (as names.cpp does with its words).
    void add(const Entry &entry) noexcept {
        const auto call = static_cast<uint32_t>(entry.call);
        add(entry.time_ns, entry.stream, entry.object, entry.value,
            uint64_t{entry.other_device} << 52 | uint64_t{entry.device} << 40 | uint64_t{call} << 32 | entry.thread);
    }
    [[gnu::always_inline]] void add(uint64_t time, uint64_t stream, uint64_t object, uint64_t value,
                                    uint64_t rest) noexcept {
        const uint64_t last = last_.load(std::memory_order_relaxed);
        Place &place = places_[last & mask_];
        place.number.store(0, std::memory_order_relaxed);
        last_time_ = std::max(time, last_time_ + 1); // times tell the order; no branch
        store(place.time, last_time_);
        store(place.stream, stream);
        store(place.object, object);
        store(place.value, value);
        store(place.rest, rest);
        last_.store(last + 1, std::memory_order_relaxed);
        store(place.number, last + 1);
        if (in_file_ != nullptr) in_file_->add_too(time, stream, object, value, rest);
    }
    void add_too(uint64_t time, uint64_t stream, uint64_t object, uint64_t value, uint64_t rest) noexcept
        __attribute__((cold, noinline)) {
        add(time, stream, object, value, rest);
    }
    // The entry at a place below size(); false: none, or it changes right now.
    bool read(uint64_t at, Entry *out) const noexcept {
        const Place &place = places_[at];
        const uint64_t number = load(place.number);
        if (number == 0) return false;
        out->time_ns = load(place.time);
        out->stream = load(place.stream);
        out->object = load(place.object);
        out->value = load(place.value);
        const uint64_t rest = load(place.rest);
        out->thread = static_cast<uint32_t>(rest);
        out->call = static_cast<recorder::LogCall>(rest >> 32 & recorder::kLogCallMask);
        out->device = static_cast<uint32_t>(rest >> 40 & recorder::kLogDeviceMask);
        out->other_device = static_cast<uint32_t>(rest >> 52);
        return place.number.load(std::memory_order_relaxed) == number;
    }
    // Only its thread: visit(entry) from the newest on, until it returns false.
    template <typename Visit>
    void newest_first(Visit &&visit) const noexcept {
        const uint64_t last = last_.load(std::memory_order_relaxed);
        Entry entry;
        for (uint64_t i = 1; i <= std::min(last, size()); ++i)
            if (!read((last - i) & mask_, &entry) || !visit(entry)) return;
    }
    uint64_t size() const noexcept { return mask_ + 1; }

    // From now on, entries that are overwritten count as dropped.
    void start_counting() noexcept {
        counted_from_.store(last_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    uint64_t dropped() const noexcept {
        const uint64_t added = last_.load(std::memory_order_relaxed) - counted_from_.load(std::memory_order_relaxed);
        return added > size() ? added - size() : 0;
    }
    // What this ring, which no other thread knows yet, is in place of: it goes on with the same entries. Another thread may be
    // reading that one, so it lives on.
    void replace(LogRing *smaller) noexcept {
        replaced_ = smaller;
        if (!smaller) return;
        last_time_ = smaller->last_time_;
        in_file_ = smaller->own_ ? smaller->in_file_ : smaller;
        const uint64_t last = smaller->last_.load(std::memory_order_relaxed);
        for (uint64_t at = last - std::min(last, smaller->size()); at < last; ++at)
            places_[at & mask_].copy(smaller->places_[at & smaller->mask_]);
        last_.store(last, std::memory_order_relaxed);
        counted_from_.store(smaller->counted_from_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }

private:
    using Word = std::atomic<uint64_t>;
    struct Place {
        Word number{0}, time{0}, stream{0}, object{0}, value{0}, rest{0};

        void copy(const Place &from) noexcept {
            const auto take = [](Word &to, const Word &word) {
                to.store(word.load(std::memory_order_relaxed), std::memory_order_relaxed);
            };
            take(time, from.time);
            take(stream, from.stream);
            take(object, from.object);
            take(value, from.value);
            take(rest, from.rest);
            take(number, from.number);
        }
    };
    static_assert(sizeof(Place) == sizeof(recorder::LogFilePlace) && Word::is_always_lock_free);
    static Place *start_places(void *memory, uint64_t entries) noexcept {
        auto *places = static_cast<Place *>(memory);
        for (uint64_t i = 0; i < entries; ++i) ::new (static_cast<void *>(places + i)) Place;
        return places;
    }
    LogRing(Place *places, uint64_t entries, bool own) noexcept : places_(places), mask_(entries - 1), own_(own) {}
    // Stores with release and loads with acquire keep their order among each other, which is all that is needed.
    static void store(Word &word, uint64_t number) noexcept { word.store(number, std::memory_order_release); }
    static uint64_t load(const Word &word) noexcept { return word.load(std::memory_order_acquire); }

    Place *const places_;
    const uint64_t mask_;
    const bool own_;
    std::atomic<uint64_t> last_{0}; // written by its thread only, as what follows
    std::atomic<uint64_t> counted_from_{0};
    uint64_t last_time_ = 0;
    LogRing *replaced_ = nullptr;
    LogRing *in_file_ = nullptr; // gets the same entries
};

} // namespace gs
