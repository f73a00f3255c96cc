// SPDX-License-Identifier: Apache-2.0
// Forked children, exits with work pending, objects that outlive main, threads.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <gpustream.hpp>
#include <thread>

using namespace gpustream;

namespace {

// The exit status of a forked child that runs the function.
int in_child(const std::function<int()> &work) {
    const pid_t child = fork();
    if (child == 0) {
        int result = 99;
        try {
            result = work();
        } catch (...) {
            result = 98;
        }
        _exit(result);
    }
    int ended = 0;
    EXPECT_EQ(waitpid(child, &ended, 0), child);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

int status_in_child(const std::function<void()> &call) {
    return in_child([&] {
        try {
            call();
        } catch (const error &failure) {
            return static_cast<int>(failure.status());
        }
        return 0;
    });
}

TEST(Process, ForkedChildrenGetBadFork) {
    stream work = stream::create();
    event mark = event::create();
    work.record(mark);
    const int refused = static_cast<int>(status::bad_fork);
    EXPECT_EQ(status_in_child([&] { work.synchronize(); }), refused);
    EXPECT_EQ(status_in_child([&] { work.record(mark); }), refused);
    EXPECT_EQ(status_in_child([&] { static_cast<void>(mark.query()); }), refused);
    EXPECT_EQ(status_in_child([&] { static_cast<void>(stream::create()); }), refused);
    EXPECT_EQ(status_in_child([&] { const stream_guard guard(work); }), refused);
    EXPECT_EQ(status_in_child([&] { static_cast<void>(buffer::create(8, work)); }), refused);
    EXPECT_EQ(status_in_child([&] { work.notify([](status) {}); }), refused);
    const timeline ready = timeline::create();
    EXPECT_EQ(status_in_child([&] { ready.signal(1); }), refused);
    EXPECT_EQ(status_in_child([&] { work.signal(ready, 1); }), refused);
    EXPECT_EQ(in_child([] { return static_cast<int>(static_cast<fork_status>(forked())); }),
              static_cast<int>(fork_status::child_of_initialized));
}

TEST(Process, ForkedChildrenMayEndWhatTheyInherited) {
    auto *work = new stream(stream::create());
    auto *memory = new buffer(buffer::create(64, *work));
    auto *pinned = new host_buffer(host_buffer::create(64));
    auto *guard = new stream_guard(*work);
    EXPECT_EQ(in_child([&] {
                  delete guard;
                  delete memory;
                  delete pinned;
                  delete work;
                  return 0;
              }),
              0);
    delete guard;
    delete memory;
    delete pinned;
    delete work;
}

TEST(Process, ForkedChildrenMayAwaitOnlyToFail) {
    const stream work = stream::create();
    detail::waiter warm_up;
    gs_queue_t queue = nullptr;
    ASSERT_EQ(detail::process_loop::find(&queue), GS_OK);
    static_cast<void>(warm_up);
    EXPECT_EQ(in_child([] {
                  gs_queue_t found = nullptr;
                  return static_cast<int>(detail::process_loop::find(&found));
              }),
              static_cast<int>(status::bad_fork));
}

TEST(Process, ExitWithWorkPendingAndObjectsThatOutliveMain) {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process of its own, not a forked child
    EXPECT_EXIT(
        {
            static const stream work = stream::create();
            static const buffer memory = buffer::create(64, work);
            static const host_buffer pinned = host_buffer::create(64);
            static const event mark = event::create();
            work.sleep(1'000'000);
            fill(memory.data(), 1, 64, work);
            work.record(mark);
            work.notify([](status) {});
            std::exit(7);
        },
        testing::ExitedWithCode(7), "");
}

TEST(Process, ThreadsShareObjects) {
    const stream work = stream::create();
    const event mark = event::create();
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            const stream mine = stream::create();
            const stream_guard guard(mine);
            for (int k = 0; k < 200; ++k) {
                stream_ref::current().record(mark);
                work.wait(mark);
                static_cast<void>(mark.query());
                calls.fetch_add(1);
            }
        });
    for (std::thread &one : threads) one.join();
    work.synchronize();
    EXPECT_EQ(calls.load(), 800);
}

TEST(Process, NothingIsLeftAfterManyLives) {
    const auto once = [] {
        const stream work = stream::create();
        const event mark = event::create();
        const stream_guard guard(work);
        const buffer memory = buffer::create(64, work);
        work.record(mark);
        work.synchronize();
    };
    for (int i = 0; i < 10; ++i) once();
    trim();
    reset_stats();
    for (int i = 0; i < 1000; ++i) once();
    const gs_stats_t counted = stats();
    EXPECT_EQ(counted.streams_created, 1000u);
    EXPECT_LE(counted.stream_pool_misses, 10u) << "ended streams are used again";
    EXPECT_LE(counted.event_pool_misses, 10u);
}

} // namespace
