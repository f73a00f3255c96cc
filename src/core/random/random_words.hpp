// SPDX-License-Identifier: Apache-2.0
// The two words, seed and offset, that kernels of a captured graph read their random numbers' beginning from.
//
// A launch writes them in its stream, ahead of the graph. Launches in other streams wait until the last one has read them, so
// launches are enqueued one at a time for each device: its lock is held during them. Words are used again, behind the last
// launch of the graph that had them.
#pragma once

#include "base/lock.hpp"
#include "base/ref_count.hpp"
#include "core/slots.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {

class RandomWords {
public:
    // With one holder. May create the context.
    static Status take(Device &device, RandomWords **out) noexcept;

    void hold() noexcept { holders_.retain(); }
    // Does not wait for the device.
    void let_go_later() noexcept;

    uint64_t seed_address() const noexcept { return reinterpret_cast<uint64_t>(word_.address); }
    uint64_t offset_address() const noexcept { return seed_address() + sizeof(uint64_t); }
    // Adds to what each launch takes from the device, and returns what earlier reservations take.
    uint64_t add(uint64_t numbers) noexcept { return total_.fetch_add(numbers, std::memory_order_relaxed); }

    // Under the device's lock, which is held from the first write_for() to the last written_for().
    // Takes a launch's numbers, and writes where they begin.
    Status write_for(ThreadBlock &thread, StreamSlot &stream) noexcept;
    // The launch is enqueued, or has failed, perhaps after it was enqueued.
    Status read_by(ThreadBlock &thread, StreamSlot &stream) noexcept;

    static Mutex &lock_of(const Device &device) noexcept;
    // Returns the events of words that no graph has to the spare ones.
    static void trim(ThreadBlock &thread) noexcept;

private:
    explicit RandomWords(Device &device) noexcept : device_(device) {}
    ~RandomWords() = default;
    static RandomWords *take_spare(const Device &device) noexcept;

    Device &device_;
    Word word_; // the seed; the offset is behind it, in the same cache line
    RefCount holders_;
    std::atomic<uint64_t> total_{0};
    uintptr_t event_ = 0;                // of the device, once made
    bool recorded_ = false;              // behind the last launch
    bool unordered_ = false;             // the record behind the last launch failed: only its own stream is behind it
    int32_t failed_record_ = 0;          // the driver's code for that
    uint32_t last_uid_ = kUnknownStream; // of the stream that it was in
    RandomWords *next_ = nullptr;        // of the spare ones
};

} // namespace gs
