// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <gpustream.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#ifndef GPUSTREAM_HAS_COROUTINES
#error "this file is compiled as C++20"
#endif

using namespace gpustream;

namespace {

// Runs until its first wait, and goes on by itself.
struct detached {
    struct promise_type {
        detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

detached after(stream_ref work, std::atomic<int> &step) {
    step.store(1);
    co_await work;
    step.store(2);
}

void wait_for_number(const std::atomic<int> &number, int wanted) {
    while (number.load() != wanted) std::this_thread::yield();
}

TEST(Coroutines, ContinueWhenTheStreamIsDone) {
    const stream work = stream::create();
    std::atomic<bool> open{false};
    std::atomic<int> step{0};
    work.launch_host([&] {
        while (!open.load()) std::this_thread::yield();
    });
    after(work, step);
    EXPECT_EQ(step.load(), 1);
    open.store(true);
    wait_for_number(step, 2);
    EXPECT_TRUE(work.query());
}

detached on_event(event_ref mark, std::atomic<int> &step) {
    co_await mark;
    step.store(1);
}

TEST(Coroutines, ContinueWhenTheEventIs) {
    const event mark = event::create();
    const stream work = stream::create();
    work.record(mark);
    std::atomic<int> step{0};
    on_event(mark, step);
    wait_for_number(step, 1);
}

detached failing(stream_ref work, std::atomic<int> &seen) {
    try {
        co_await work;
        seen.store(-1);
    } catch (const error &failure) {
        seen.store(static_cast<int>(failure.status()));
    }
}

TEST(Coroutines, ADeadStreamIsAnErrorInTheCoroutine) {
    std::atomic<int> seen{0};
    failing(stream_ref(), seen);
    EXPECT_EQ(seen.load(), static_cast<int>(status::invalid_handle));
}

detached on_loop(const completion_loop &loop, stream_ref work, std::thread::id &where) {
    co_await loop.done(work);
    where = std::this_thread::get_id();
}

TEST(Coroutines, ALoopContinuesThemOnItsThread) {
    completion_loop loop = completion_loop::create(8);
    const stream work = stream::create();
    std::thread::id where;
    on_loop(loop, work, where);
    EXPECT_EQ(loop.run_one(), 1u);
    EXPECT_EQ(where, std::this_thread::get_id());
    EXPECT_EQ(loop.poll(), 0u);
    EXPECT_EQ(loop.run_one_for(std::chrono::microseconds(1)), 0u);
    loop.wake();
    EXPECT_EQ(loop.run_one(), 0u);
    EXPECT_GE(loop.fd(), 0);
}

detached failing_on(const completion_loop &loop, stream_ref work, int &seen) {
    try {
        co_await loop.done(work);
        seen = -1;
    } catch (const error &failure) {
        seen = static_cast<int>(failure.status());
    }
}

// It is not the process's loop, whose thread would continue the coroutine beside this one.
TEST(Coroutines, ALoopThatWasMovedFromContinuesNone) {
    completion_loop loop = completion_loop::create(8);
    const completion_loop moved = std::move(loop), none;
    const stream work = stream::create();
    int seen = 0;
    failing_on(loop, work, seen); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(seen, static_cast<int>(status::invalid_handle));
    seen = 0;
    failing_on(none, work, seen);
    EXPECT_EQ(seen, static_cast<int>(status::invalid_handle));
}

// What its promise does not catch leaves resume().
struct throwing {
    struct promise_type {
        throwing get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() { throw; }
    };
    ~throwing() { frame.destroy(); }
    std::coroutine_handle<promise_type> frame;
};

throwing throws_after(stream_ref work, const char *text) {
    co_await work;
    throw std::runtime_error(text);
}

throwing throws_on(const completion_loop &loop, stream_ref work, const char *text) {
    co_await loop.done(work);
    throw std::runtime_error(text);
}

std::atomic<int> reported{0};
std::string last_reported;

void note_failure(const char *place, std::exception_ptr thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception &failure) {
        last_reported = std::string(place) + ": " + failure.what();
    }
    reported.fetch_add(1);
}

TEST(Coroutines, OneThatThrowsLeavesTheOthersOfItsBatch) {
    const callback_failure_handler before = set_callback_failure_handler(note_failure);
    reported.store(0);
    completion_loop loop = completion_loop::create(8);
    const stream work = stream::create();
    std::thread::id where;
    const throwing one = throws_on(loop, work, "first"), other = throws_on(loop, work, "second");
    on_loop(loop, work, where);
    std::this_thread::sleep_for(std::chrono::milliseconds(50)); // all three are one batch
    std::string left;
    while (where == std::thread::id()) {
        try {
            ASSERT_GT(loop.run_one_for(std::chrono::seconds(5)), 0u) << "a coroutine is lost";
        } catch (const std::runtime_error &failure) {
            left += failure.what();
        }
    }
    set_callback_failure_handler(before);
    if (reported.load() == 0) { // they were several
        EXPECT_EQ(left, "firstsecond");
    } else {
        EXPECT_EQ(left, "first");
        EXPECT_EQ(last_reported, "coroutine: second");
    }
}

TEST(Coroutines, OneThatThrowsLeavesTheOthersOfTheProcess) {
    const callback_failure_handler before = set_callback_failure_handler(note_failure);
    reported.store(0);
    const stream work = stream::create();
    std::atomic<int> step{0};
    const throwing one = throws_after(work, "in the process's loop");
    wait_for_number(reported, 1);
    EXPECT_EQ(last_reported, "coroutine: in the process's loop");
    after(work, step);
    wait_for_number(step, 2);
    set_callback_failure_handler(before);
}

detached one_of_many(stream_ref work, std::atomic<int> &ended) {
    for (int round = 0; round < 10; ++round) co_await work;
    ended.fetch_add(1);
}

TEST(Coroutines, ManyFromManyThreads) {
    const stream work = stream::create();
    std::atomic<int> ended{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 25; ++k) one_of_many(work, ended);
        });
    for (std::thread &one : threads) one.join();
    wait_for_number(ended, 100);
}

} // namespace
