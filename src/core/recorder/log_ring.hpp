// SPDX-License-Identifier: Apache-2.0
// One thread's part of the log.
#pragma once

#include <atomic>
#include <new>

#include "core/recorder/log_entry.hpp"

namespace gs {

class LogRing {
public:
    using Entry = recorder::LogEntry;

    // entries: a power of two. nullptr: no memory. Those of threads live as long as the process.
    static LogRing *create(uint64_t entries) noexcept {
        auto *places = new (std::nothrow) Place[entries];
        auto *ring = places ? new (std::nothrow) LogRing(places, entries) : nullptr;
        if (!ring) delete[] places;
        return ring;
    }
    ~LogRing() { delete[] places_; }
    LogRing(const LogRing &) = delete;
    LogRing &operator=(const LogRing &) = delete;

    // Only its thread. Each place is taken by its number: it is 0 while the entry is being written, so that a reader, which
    // compares it before and after, takes whole entries only (as names.cpp does with its words).
    void add(const Entry &entry) noexcept {
        Place &place = places_[last_ & mask_];
        place.number.store(0, std::memory_order_relaxed);
        last_time_ = entry.time_ns > last_time_ ? entry.time_ns : last_time_ + 1; // times tell the order
        store(place.time, last_time_);
        store(place.stream, entry.stream);
        store(place.object, entry.object);
        store(place.value, entry.value);
        store(place.rest, uint64_t{static_cast<uint32_t>(entry.call)} << 32 | entry.thread);
        store(place.number, ++last_);
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
        out->call = static_cast<recorder::LogCall>(rest >> 32);
        return place.number.load(std::memory_order_relaxed) == number;
    }
    uint64_t size() const noexcept { return mask_ + 1; }

private:
    using Word = std::atomic<uint64_t>;
    struct Place {
        Word number{0}, time{0}, stream{0}, object{0}, value{0}, rest{0};
    };
    LogRing(Place *places, uint64_t entries) noexcept : places_(places), mask_(entries - 1) {}
    // Stores with release and loads with acquire keep their order among each other, which is all that is needed.
    static void store(Word &word, uint64_t number) noexcept { word.store(number, std::memory_order_release); }
    static uint64_t load(const Word &word) noexcept { return word.load(std::memory_order_acquire); }

    Place *const places_;
    const uint64_t mask_;
    uint64_t last_ = 0; // only its thread's, as the next one
    uint64_t last_time_ = 0;
};

} // namespace gs
