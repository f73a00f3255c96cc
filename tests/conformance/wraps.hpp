// SPDX-License-Identifier: Apache-2.0
// Streams and events that wrap handles of the driver: what holds for both.
#pragma once

#include <array>
#include <atomic>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

// A release function that counts its calls in a std::atomic<int>.
inline void count_release(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

template <typename Wrap>
Wrap wrap(uintptr_t native, gs_device_t device = 0) {
    if constexpr (std::is_same_v<Wrap, Stream>) {
        gs_stream_t stream = nullptr;
        EXPECT_OK(gs_stream_from_native(device, native, &stream));
        return Stream(stream);
    } else {
        gs_event_t event = nullptr;
        EXPECT_OK(gs_event_from_native(device, native, &event));
        return Event(event);
    }
}

inline int64_t id_of(gs_stream_t stream) {
    int64_t id = 0;
    EXPECT_OK(gs_stream_id(stream, &id));
    return id;
}

// The second and the third wrap of a handle are the first one, each with a reference; the third names the device in another
// way. Returns it when the others have ended.
template <typename Wrap>
Wrap wrapped_thrice(uintptr_t native, gs_device_t other_name) {
    Wrap first = wrap<Wrap>(native);
    const StatsDelta stats;
    Wrap second = wrap<Wrap>(native);
    EXPECT_EQ(stats.driver_calls(), 0u) << "a known handle needs no question";
    Wrap third = wrap<Wrap>(native, other_name);
    EXPECT_EQ(second.get(), first.get());
    EXPECT_EQ(third.get(), first.get());
    if constexpr (std::is_same_v<Wrap, Stream>) {
        EXPECT_EQ(stats.driver_calls(), 0u) << "of an event the driver is asked for the device if it has several";
        EXPECT_EQ(id_of(second), id_of(first));
        EXPECT_EQ(hash_of(second), hash_of(first));
    }
    return third;
}

// The last wrap of a handle ends, and the next one is another object, which is returned.
template <typename Wrap>
[[nodiscard]] Wrap wrapped_anew(Wrap last, uintptr_t native) {
    const auto old = last.get();
    last.reset();
    const StatsDelta stats;
    Wrap fresh = wrap<Wrap>(native);
    EXPECT_GT(stats.driver_calls(), 0u) << "without a live wrap it is not known";
    EXPECT_NE(fresh.get(), old);
    return fresh;
}

// What threads get that wrap at the same time.
template <typename Wrap, size_t kThreads, typename Make>
std::array<Wrap, kThreads> wrapped_at_once(Make make) {
    std::array<Wrap, kThreads> wraps;
    std::vector<std::thread> threads;
    std::atomic<size_t> ready{0};
    for (Wrap &own : wraps)
        threads.emplace_back([&] {
            ++ready;
            while (ready < kThreads) std::this_thread::yield();
            own = make();
        });
    for (std::thread &thread : threads) thread.join();
    return wraps;
}

} // namespace gs::test
