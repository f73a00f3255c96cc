// SPDX-License-Identifier: Apache-2.0
// What is known of how long the work of a stream takes: its last few durations. Pure data; no clock.
//
// Threads that wait for one stream share a learner without a lock: what is lost or mixed up makes a wait less exact, never wrong. Of
// streams with the same place the one whose work ended last has it.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

class Learner {
public:
    static constexpr uint32_t kKept = 8;

    void add(uint64_t duration_ns) noexcept;
    // Of the work of one stream only: what another one has left is forgotten.
    void add_of(uint64_t key, uint64_t duration_ns) noexcept;
    bool is_of(uint64_t key) const noexcept { return key_.load(std::memory_order_relaxed) == key; }

    struct Window {
        uint64_t low_ns = 0;  // nearly all recent durations were at least this long
        uint64_t high_ns = 0; // and at most this
        bool known = false;
    };
    Window window() const noexcept {
        const uint64_t low = low_ns_.load(std::memory_order_relaxed);
        if (low == 0) return {};
        const uint64_t high = high_ns_.load(std::memory_order_relaxed);
        return {low, high > low ? high : low, true}; // the two may be of different moments
    }

private:
    void note_window(uint32_t count) noexcept;

    std::atomic<uint64_t> key_{0};
    std::atomic<uint64_t> kept_[kKept] = {};
    std::atomic<uint32_t> count_{0};
    std::atomic<uint64_t> low_ns_{0}; // of the window; 0: nothing is known
    std::atomic<uint64_t> high_ns_{0};
};

// The place of a stream's learner, by its key, and the learner of a device, by its address. Never freed.
Learner &learner_of(uint64_t key) noexcept;
Learner &learner_of_device(const void *device) noexcept;

// What is known of the next work of a stream: what its own took before, else what that of the device did.
struct History {
    Learner *own = nullptr;
    Learner *device = nullptr;
    uint64_t key = 0;

    Learner::Window window() const noexcept {
        const Learner::Window window = own->is_of(key) ? own->window() : Learner::Window{};
        return window.known ? window : device->window();
    }
    void add(uint64_t duration_ns) const noexcept {
        own->add_of(key, duration_ns);
        if (device != own) device->add(duration_ns);
    }
};
// device: its address.
inline History history_of(uint64_t key, const void *device) noexcept {
    return {&learner_of(key), &learner_of_device(device), key};
}

} // namespace gs
