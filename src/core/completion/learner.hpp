// SPDX-License-Identifier: Apache-2.0
// What is known of how long the work of a stream takes: its last few durations. Pure data; no clock.
//
// Threads that wait for one stream, and streams whose keys collide, share a learner without a lock: what is lost or mixed up
// makes a wait less exact, never wrong.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

class Learner {
public:
    static constexpr uint32_t kKept = 8;

    void add(uint64_t duration_ns) noexcept;

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

    std::atomic<uint64_t> kept_[kKept] = {};
    std::atomic<uint32_t> count_{0};
    std::atomic<uint64_t> low_ns_{0}; // of the window; 0: nothing is known
    std::atomic<uint64_t> high_ns_{0};
};

// The learner of a stream, by its key. Never freed.
Learner &learner_of(uint64_t key) noexcept;

// What is known of the next work of a stream: what its own took before, else what that of the device did.
struct History {
    Learner *own = nullptr;
    Learner *device = nullptr;

    Learner::Window window() const noexcept {
        const Learner::Window window = own->window();
        return window.known ? window : device->window();
    }
    void add(uint64_t duration_ns) const noexcept {
        own->add(duration_ns);
        if (device != own) device->add(duration_ns);
    }
};
// device: its address.
inline History history_of(uint64_t key, const void *device) noexcept {
    return {&learner_of(key), &learner_of(reinterpret_cast<uintptr_t>(device))};
}

} // namespace gs
