// SPDX-License-Identifier: Apache-2.0
// Limits as durations, several events, and queues.
#include <gtest/gtest.h>

#include <gpustream.hpp>
#include <thread>

using namespace gpustream;
using namespace std::chrono_literals;

namespace {

// A stream that is busy until the test ends it.
class held {
public:
    held() {
        work.launch_host([this] {
            while (!open.load()) std::this_thread::yield();
        });
    }
    ~held() {
        open.store(true);
        static_cast<void>(gs_stream_synchronize(work.get()));
    }
    stream work = stream::create();
    std::atomic<bool> open{false};
};

TEST(Waits, LimitsOfAllKindsOfDurations) {
    using gpustream::detail::limit_ns;
    EXPECT_EQ(limit_ns(1ms), 1'000'000);
    EXPECT_EQ(limit_ns(0s), 0);
    EXPECT_EQ(limit_ns(-5s), 0) << "over, not without a limit";
    EXPECT_EQ(limit_ns(std::chrono::duration<double>(1e-10)), 1) << "rounded up";
    EXPECT_EQ(limit_ns(std::chrono::hours::max()), INT64_MAX);
    EXPECT_EQ(limit_ns(std::chrono::duration<double>(1e300)), INT64_MAX);
    EXPECT_EQ(limit_ns(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())), 0);
    EXPECT_EQ(limit_ns(std::chrono::nanoseconds::max()), INT64_MAX);
}

TEST(Waits, LimitsThatPassAreFalse) {
    held busy;
    event mark = event::create();
    busy.work.record(mark);
    EXPECT_FALSE(busy.work.synchronize_for(1us));
    EXPECT_FALSE(mark.synchronize_for(0ms));
    EXPECT_FALSE(device(0).synchronize_for(1us));
    EXPECT_FALSE(mark.query());
    busy.open.store(true);
    EXPECT_TRUE(busy.work.synchronize_for(1h));
    EXPECT_TRUE(mark.synchronize_for(1h));
    EXPECT_TRUE(device(0).synchronize_for(std::chrono::duration<double>(3600)));
    EXPECT_THROW(static_cast<void>(stream_ref().synchronize_for(1s)), error);
}

TEST(Waits, AnyAndAll) {
    held busy;
    const event pending = event::create();
    const event done = event::create();
    busy.work.record(pending);
    EXPECT_EQ(wait_any({pending, done}), 1u);
    EXPECT_EQ(wait_any_for({pending}, 1us), 1u) << "the number of events: none";
    EXPECT_FALSE(wait_all_for({done, pending}, 1us));
    busy.open.store(true);
    wait_all({done, pending});
    const std::vector<event_ref> list{pending, done};
    EXPECT_TRUE(wait_all_for(list, 1h));
    std::vector<event> owners;
    owners.push_back(event::create());
    owners.push_back(event::create());
    busy.work.record(owners[0]);
    wait_all(owners);
    EXPECT_EQ(wait_any(owners), 0u);
    static_assert(!std::is_invocable_v<decltype(wait_any), events &>, "a list in braces that has ended");
    static_assert(!std::is_invocable_v<decltype(&graph_ref::add_empty), graph_ref &, nodes &>);
    EXPECT_THROW(static_cast<void>(wait_any({event_ref()})), error);
}

TEST(Waits, OrderAcrossStreams) {
    held busy;
    const stream later = stream::create();
    int order = 0;
    busy.work.launch_host([&] { order = 1; });
    later.wait(busy.work);
    later.launch_host([&] { order = 2; });
    EXPECT_FALSE(later.query());
    busy.open.store(true);
    later.synchronize();
    EXPECT_EQ(order, 2);
}

TEST(Queues, DeliverEachTokenOnce) {
    held busy;
    const queue entries = queue::create(2);
    entries.add(busy.work, 11);
    const event done = event::create();
    entries.add(done, 12);
    try {
        entries.add(done, 13);
        ADD_FAILURE() << "more than it may have";
    } catch (const error &failure) {
        EXPECT_EQ(failure.status(), status::full);
    }
    completion found[4];
    ASSERT_EQ(entries.wait(found, 4), 1u);
    EXPECT_EQ(found[0].token, 12u);
    EXPECT_EQ(entries.poll(found, 4), 0u);
    EXPECT_EQ(entries.wait_for(found, 4, 1us), 0u);
    busy.open.store(true);
    ASSERT_EQ(entries.wait(found, 4), 1u);
    EXPECT_EQ(found[0].token, 11u);
    EXPECT_EQ(found[0].status, GS_OK);
    EXPECT_GE(entries.fd(), 0);
}

TEST(Queues, CancelAndWake) {
    held busy;
    const queue entries = queue::create(4);
    entries.add(busy.work, 5);
    EXPECT_EQ(entries.cancel(5), 1u);
    EXPECT_EQ(entries.cancel(5), 0u);
    completion found[1];
    ASSERT_EQ(entries.wait(found, 1), 1u);
    EXPECT_EQ(static_cast<status>(found[0].status), status::cancelled);
    entries.wake();
    EXPECT_EQ(entries.wait(found, 1), 0u);
    queue first = queue::create(1);
    const queue second = queue::retain(first);
    first.close();
    EXPECT_EQ(second.poll(found, 1), 0u);
    EXPECT_THROW(static_cast<void>(queue::retain(queue_ref())), error);
    EXPECT_THROW(static_cast<void>(queue::create(0)), error);
    EXPECT_THROW(queue_ref().wake(), error);
}

} // namespace
