// SPDX-License-Identifier: Apache-2.0
// Functions on the library's threads: called as promised, freed once, and their exceptions go no further.
#include <gtest/gtest.h>

#include <atomic>
#include <gpustream.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "forms.hpp"

using namespace gpustream;

namespace {

std::atomic<int> failures{0};
std::string last_place;
std::string last_text;

void remember(const char *place, std::exception_ptr thrown) {
    last_place = place;
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception &failure) {
        last_text = failure.what();
    } catch (...) {
        last_text = "something";
    }
    failures.fetch_add(1);
}

void wait_until(const std::atomic<int> &number, int wanted) {
    while (number.load() < wanted) std::this_thread::yield();
}

TEST(Callbacks, HoldTheirStreamAndAreFreedOnce) {
    const stream work = stream::create();
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> watched = token;
    work.launch_host([token] { ++*token; });
    work.launch_host([token = std::move(token)] { ++*token; });
    work.synchronize();
    // The last copy goes with the function, which may end after the stream's work does.
    while (!watched.expired()) std::this_thread::yield();
}

TEST(Callbacks, NotificationsGetTheStatus) {
    const stream work = stream::create();
    std::atomic<int> called{0};
    status ended = status::internal;
    work.sleep(1'000'000);
    work.notify([&](status how) {
        ended = how;
        called.store(1);
    });
    wait_until(called, 1);
    EXPECT_EQ(ended, status::ok);
}

TEST(Callbacks, DeferredOnesReleaseWhatTheWorkUses) {
    const stream work = stream::create();
    std::atomic<int> called{0};
    auto held = std::make_unique<int>(7);
    work.defer([held = std::move(held), &called] { called.store(*held); });
    work.synchronize();
    trim();
    wait_until(called, 7);
}

TEST(Callbacks, ExceptionsAreContained) {
    const callback_failure_handler before = set_callback_failure_handler(remember);
    failures.store(0);
    const stream work = stream::create();
    work.launch_host([] { throw std::runtime_error("in the stream"); });
    wait_until(failures, 1);
    EXPECT_EQ(last_place, "host function");
    EXPECT_EQ(last_text, "in the stream");
    work.notify([](status) { throw 7; });
    wait_until(failures, 2);
    EXPECT_EQ(last_place, "notification");
    EXPECT_EQ(last_text, "something");
    work.defer([] { throw std::runtime_error("behind the work"); });
    work.synchronize();
    trim();
    wait_until(failures, 3);
    EXPECT_EQ(last_place, "deferred function");
    graph::create().keep([] { throw std::runtime_error("at the end"); });
    wait_until(failures, 4);
    EXPECT_EQ(last_place, "release function");
    EXPECT_TRUE(work.query()) << "the stream goes on";
    EXPECT_EQ(set_callback_failure_handler(before), remember);
}

// Whichever set_callback_failure_handler() the linker has kept.
TEST(Callbacks, TheHandlerIsThatOfAllForms) {
    callback_failure_handler (*volatile set)(callback_failure_handler) noexcept = set_callback_failure_handler;
    const callback_failure_handler before = set(remember);
    failures.store(0);
    const stream work = stream::create();
    ASSERT_EQ(throw_without_exceptions(work.get()), GS_OK);
    work.synchronize();
    EXPECT_EQ(failures.load(), 1);
    EXPECT_EQ(last_text, "in the other form");
    work.launch_host([] { throw std::runtime_error("in this form"); });
    work.synchronize();
    EXPECT_EQ(failures.load(), 2);
    EXPECT_EQ(last_text, "in this form");
    set(before);
}

TEST(Callbacks, RefusedOnesAreFreedUncalled) {
    auto token = std::make_shared<int>(0);
    const stream_ref dead;
    EXPECT_THROW(dead.launch_host([token] { ++*token; }), error);
    EXPECT_THROW(dead.notify([token](status) { ++*token; }), error);
    EXPECT_THROW(dead.defer([token] { ++*token; }), error);
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(*token, 0);
}

TEST(Callbacks, MayCallTheLibraryOnlyAsItAllows) {
    const stream work = stream::create();
    std::atomic<int> seen{0};
    work.launch_host([&] {
        try {
            static_cast<void>(stream::create());
        } catch (const error &failure) {
            seen.store(static_cast<int>(failure.status()));
        }
    });
    work.synchronize();
    EXPECT_EQ(seen.load(), static_cast<int>(status::not_permitted));
}

TEST(Callbacks, WhatWaitsIsRefusedWhereOthersWait) {
    const stream work = stream::create();
    const event mark = event::create();
    mark.record(work);
    queue entries = queue::create(8);
    const timeline line = timeline::create();
    std::atomic<int> refused{0};
    const auto waits = [&] {
        gs_completion_t entry{};
        const auto refuses = [&](auto &&call) {
            try {
                call();
            } catch (const error &failure) {
                if (failure.status() == status::not_permitted) ++refused;
            }
        };
        refuses([&] { work.synchronize(); });
        refuses([&] { mark.synchronize(); });
        refuses([&] { static_cast<void>(stream::create()); });
        refuses([&] { detail::done(gs_queue_wait(entries.get(), &entry, 1, -1, nullptr)); });
        refuses([&] { detail::done(gs_timeline_synchronize(line.get(), 1, -1)); });
    };
    work.launch_host(waits);
    work.notify([&](status) { waits(); });
    work.defer(waits);
    work.synchronize();
    trim();
    while (refused != 15) std::this_thread::yield();
}

TEST(Callbacks, AHostFunctionHoldsItsStream) {
    const stream work = stream::create();
    const event mark = event::create();
    std::atomic<bool> open{false};
    std::vector<int> order;
    work.launch_host([&] {
        while (!open) std::this_thread::yield();
        order.push_back(1);
    });
    work.launch_host([&] { order.push_back(2); });
    mark.record(work);
    EXPECT_FALSE(mark.query());
    open = true;
    work.synchronize();
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

// What may not end in a host function ends later.
TEST(Callbacks, ARefusedCloseChangesNothing) {
    const stream work = stream::create();
    event mark = event::create();
    host_buffer memory = host_buffer::create(8);
    buffer block = buffer::create(8, work);
    int refused = 0;
    work.launch_host([&] {
        const auto refuses = [&](auto &owner) {
            try {
                owner.close();
            } catch (const error &failure) {
                if (failure.status() == status::not_permitted) ++refused;
            }
        };
        refuses(mark);
        refuses(memory);
        refuses(block);
    });
    work.synchronize();
    EXPECT_EQ(refused, 3);
    EXPECT_NE(mark.get(), nullptr);
    EXPECT_EQ(memory.size(), 8U);
    EXPECT_EQ(block.size(), 8U);
    mark.close();
    memory.close();
    block.close();
    EXPECT_EQ(mark.get(), nullptr);
    EXPECT_EQ(memory.data(), nullptr);
    EXPECT_EQ(block.data(), nullptr);
}

TEST(Callbacks, InACaptureTheyRunAtEveryLaunchAndEndWithTheGraph) {
    const stream work = stream::create();
    auto token = std::make_shared<std::atomic<int>>(0);
    const std::weak_ptr<std::atomic<int>> watched = token;
    {
        capture recording(work);
        work.launch_host([token] { token->fetch_add(1); });
        const graph recorded = recording.end();
        const graph_exec exec = recorded.instantiate();
        EXPECT_EQ(token->load(), 0);
        exec.launch(work);
        exec.launch(work);
        work.synchronize();
        EXPECT_EQ(token->load(), 2);
    }
    token.reset();
    while (!watched.expired()) trim();
}

TEST(Callbacks, GoIntoTheCurrentStream) {
    const stream work = stream::create();
    int called = 0;
    {
        const stream_guard guard(work);
        stream_ref::current().launch_host([&] { ++called; });
    }
    work.synchronize();
    EXPECT_EQ(called, 1);
}

TEST(Callbacks, RefusedStartFunctionsAreFreedUncalled) {
    auto token = std::make_shared<int>(0);
    const stream work = stream::create();
    status seen = status::ok;
    work.launch_host([&] {
        try {
            call_on_init([token] { ++*token; });
        } catch (const error &failure) {
            seen = failure.status();
        }
    });
    work.synchronize();
    EXPECT_EQ(seen, status::not_permitted);
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(*token, 0);
}

TEST(Callbacks, StartFunctionsThatThrowFailTheCall) {
    auto token = std::make_shared<int>(0);
    const callback_failure_handler before = set_callback_failure_handler(remember);
    init();
    EXPECT_THROW(call_on_init([token] { throw std::runtime_error("at the start"); }), error);
    set_callback_failure_handler(before);
    EXPECT_EQ(last_place, "start function");
    EXPECT_EQ(token.use_count(), 1);
}

TEST(Callbacks, StartFunctionsRunAtTheStart) {
    int called = 0;
    init();
    call_on_init([&] { ++called; });
    EXPECT_EQ(called, 1);
}

} // namespace
