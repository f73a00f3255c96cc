// SPDX-License-Identifier: Apache-2.0
// Host functions, which hold their stream, and notifications, which do not.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

struct Log {
    std::mutex mutex;
    std::vector<int> numbers;
    void add(int number) {
        std::lock_guard<std::mutex> lock(mutex);
        numbers.push_back(number);
    }
    std::vector<int> take() {
        std::lock_guard<std::mutex> lock(mutex);
        return numbers;
    }
};

struct Entry {
    Log *log;
    int number;
    static void run(void *self) { static_cast<Entry *>(self)->log->add(static_cast<Entry *>(self)->number); }
    static void notified(void *self, gs_status_t status) {
        EXPECT_EQ(status, GS_OK);
        run(self);
    }
};

} // namespace

TEST_P(Conformance, Case14_HostFunctionsRunInOrderExactlyOnce) {
    constexpr int kCount = 200;
    Log log;
    std::vector<Entry> entries;
    for (int i = 0; i < kCount; ++i) entries.push_back({&log, i});
    Stream stream = make_stream();
    for (Entry &entry : entries) ASSERT_OK(gs_stream_launch_host(stream, Entry::run, &entry));
    ASSERT_OK(gs_stream_synchronize(stream));
    const std::vector<int> seen = log.take();
    ASSERT_EQ(seen.size(), size_t{kCount});
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST_P(Conformance, Case14_HostFunctionHoldsItsStreamOnly) {
    Bytes bytes(2);
    Stream held = make_stream(), other = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(held));
    gate.wait_until_reached();
    bytes.set(held, 0, 1);
    bytes.set(other, 1, 1);
    ASSERT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(bytes[1], 1);
    EXPECT_EQ(bytes[0], 0) << "work behind a running host function has run";
    gate.open();
    ASSERT_OK(gs_stream_synchronize(held));
    EXPECT_EQ(bytes[0], 1);
}

TEST_P(Conformance, RowW_NotificationsInStreamOrder) {
    constexpr int kCount = 100;
    Log log;
    std::vector<Entry> entries;
    for (int i = 0; i < kCount; ++i) entries.push_back({&log, i});
    Stream stream = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    StatsDelta stats;
    for (Entry &entry : entries) ASSERT_OK(gs_stream_notify(stream, Entry::notified, &entry));
    EXPECT_EQ(stats.since(&gs_stats_t::notifications), uint64_t{kCount});
    EXPECT_TRUE(log.take().empty()) << "a notification ran before the work that it follows";
    gate.open();
    while (log.take().size() < kCount) std::this_thread::yield();
    const std::vector<int> seen = log.take();
    ASSERT_EQ(seen.size(), size_t{kCount});
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST_P(Conformance, RowW_NotificationNeverHoldsTheStream) {
    struct Blocked {
        std::mutex mutex;
        std::atomic<bool> entered{false}, left{false};
    } blocked;
    Stream stream = make_stream();
    Bytes bytes(1);
    {
        std::unique_lock<std::mutex> lock(blocked.mutex);
        const auto fn = [](void *arg, gs_status_t) {
            auto &state = *static_cast<Blocked *>(arg);
            state.entered = true;
            { std::lock_guard<std::mutex> inner(state.mutex); } // as an interpreter would take its lock
            state.left = true;
        };
        ASSERT_OK(gs_stream_notify(stream, fn, &blocked));
        while (!blocked.entered) std::this_thread::yield();
        bytes.set(stream, 0, 1);
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(bytes[0], 1);
        EXPECT_FALSE(blocked.left);
    }
    while (!blocked.left) std::this_thread::yield();
}

TEST_P(Conformance, RowW_NotificationMayCallTheLibraryButNotBlock) {
    struct Calls {
        gs_stream_t stream;
        Stream other;
        Event event;
        std::atomic<bool> left{false};
    } calls{make_stream().release(), make_stream(), make_event(), {}};
    const auto fn = [](void *arg, gs_status_t status) {
        auto &state = *static_cast<Calls *>(arg);
        EXPECT_EQ(status, GS_OK);
        EXPECT_OK(gs_event_record(state.event, state.stream));
        EXPECT_OK(gs_event_wait(state.event, state.stream));
        uint64_t scope = 0;
        EXPECT_OK(gs_push_current_stream(state.other, &scope));
        EXPECT_OK(gs_pop_current_stream(scope));
        gs_stream_t made = nullptr; // the driver may wait for work when it makes a stream
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_create, "notification", 0, 0, 0, &made);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize(state.stream));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_event_synchronize(state.event));
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_device_synchronize, "notification", 0);
        state.left = true;
    };
    ASSERT_OK(gs_stream_notify(calls.stream, fn, &calls));
    while (!calls.left) std::this_thread::yield();
    EXPECT_OK(gs_stream_destroy(calls.stream));
}

TEST_P(Conformance, RowW_NotificationsOfManyStreams) {
    constexpr int kStreams = 20, kEach = 10;
    std::vector<Stream> streams;
    std::vector<Log> logs(kStreams);
    std::vector<Entry> entries;
    entries.reserve(kStreams * kEach);
    for (int s = 0; s < kStreams; ++s) streams.push_back(make_stream());
    for (int n = 0; n < kEach; ++n)
        for (size_t s = 0; s < kStreams; ++s) {
            entries.push_back({&logs[s], n});
            ASSERT_OK(gs_stream_notify(streams[s], Entry::notified, &entries.back()));
        }
    for (Log &log : logs) {
        while (log.take().size() < kEach) std::this_thread::yield();
        const std::vector<int> seen = log.take();
        for (int n = 0; n < kEach; ++n) EXPECT_EQ(seen[static_cast<size_t>(n)], n);
    }
}

} // namespace gs::test
