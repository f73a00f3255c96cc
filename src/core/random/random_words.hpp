// SPDX-License-Identifier: Apache-2.0
// The two words, seed and offset, that kernels of a captured graph read their random numbers' beginning from.
//
// A launch writes them in its stream, ahead of the graph. Launches in other streams wait until the last one has read them, so
// launches are enqueued one at a time for each device: its lock is held during them. Words are used again, behind the last
// launch of the graph that had them.
#pragma once

#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "core/device/device.hpp"
#include "core/slots.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {

// The random state of each device: a key and an offset, of which kernels' reservations take their part.
//
// Reservations take no lock: they add to the offset, and look whether a new state was set in between. One that was overtaken
// begins again, and what it had added to the new offset is skipped.
struct RandomState {
    uint64_t seed;
    uint64_t offset;
};

inline constexpr uint64_t kDefaultRandomSeed = 67280421310721; // PyTorch's
inline constexpr uint64_t kRandomBlock = 4;                    // Philox makes four numbers at a time

// Kept as its difference from the default: the table then begins as zeros, which need no room in the library's file.
class RandomSeed {
public:
    uint64_t load(std::memory_order order) const noexcept { return difference_.load(order) ^ kDefaultRandomSeed; }
    void store(uint64_t seed, std::memory_order order) noexcept { difference_.store(seed ^ kDefaultRandomSeed, order); }

private:
    std::atomic<uint64_t> difference_{0};
};

struct alignas(64) RandomGenerator {
    std::atomic<uint32_t> version{0}; // odd while a new state is written
    RandomSeed seed;
    std::atomic<uint64_t> offset{0};
};
extern RandomGenerator g_random_generators[kMaxDevices] __attribute__((visibility("hidden"))); // by Device::index

constexpr uint64_t whole_blocks(uint64_t count) noexcept { return (count + kRandomBlock - 1) & ~(kRandomBlock - 1); }

void set_random_state(const Device &device, RandomState state) noexcept;
// Seed and offset of one moment.
RandomState random_state(const Device &device) noexcept;

// Where the next `numbers` begin, which are whole blocks.
inline RandomState reserve_random(const Device &device, uint64_t numbers) noexcept {
    RandomGenerator &generator = g_random_generators[device.index];
    for (;;) {
        const uint32_t version = generator.version.load(std::memory_order_acquire);
        const uint64_t seed = generator.seed.load(std::memory_order_acquire);
        const uint64_t offset = generator.offset.fetch_add(numbers, std::memory_order_acq_rel);
        const bool same = generator.version.load(std::memory_order_relaxed) == version;
        if (same && version % 2 == 0) return {seed, offset};
    }
}

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
