// SPDX-License-Identifier: Apache-2.0
// Forks before a backend was started are healthy, whatever other threads are doing; forks of a busy process never hang.
// Every body runs in a fresh process, because a process can be uninitialised only once.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "calls/calls.hpp"
#include "gpustream.h"
#include "process/fork.hpp"
#include "process/fork_rendezvous.hpp"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

// What a healthy child must be able to do, from nothing to finished work.
int use_library() {
    int32_t value = -1;
    CHILD_REQUIRE(gs_fork_status(&value) == GS_OK && value == GS_FORK_CLEAN);
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    CHILD_REQUIRE(gs_call_on_init([](void *) -> gs_status_t { return GS_OK; }, nullptr) == GS_OK);
    gs_stream_t stream = nullptr;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream) == GS_OK);
    int touched = 0;
    CHILD_REQUIRE(gs_stream_launch_host(stream, [](void *arg) { *static_cast<int *>(arg) = 1; }, &touched) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, stream) == GS_OK);
    CHILD_REQUIRE(gs_event_synchronize(event) == GS_OK && touched == 1);
    CHILD_REQUIRE(gs_stream_destroy(stream) == GS_OK && gs_event_destroy(event) == GS_OK);
    return 0;
}

int forked_use() {
    const Outcome outcome = run_forked(use_library);
    if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
    return outcome.clean() ? 0 : 1;
}

GS_CHILD(fork_before_first_use) {
    int32_t value = -1;
    // These query devices without starting a backend.
    CHILD_REQUIRE(gs_device_count(GS_BACKEND_DEFAULT, &value) == GS_OK);
    CHILD_REQUIRE(gs_is_available(&value) == GS_OK);
    CHILD_REQUIRE(gs_default_backend(&value) == GS_OK);
    CHILD_REQUIRE(gs_is_initialized(&value) == GS_OK && value == 0);
    CHILD_REQUIRE(forked_use() == 0);
    return use_library(); // and so does the parent
}

GS_CHILD(fork_while_others_prepare) {
    Busy busy;
    busy.threads.emplace_back([&] {
        while (!busy.stop) {
            gs_event_t events[40]; // more than a thread's own lists hold: the shared lists are used as well
            for (gs_event_t &event : events) CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
            for (gs_event_t event : events) CHILD_REQUIRE(gs_event_destroy(event) == GS_OK);
        }
    });
    busy.threads.emplace_back([&] {
        for (int i = 0; !busy.stop; ++i) {
            if (i < 20'000)
                CHILD_REQUIRE(gs_call_on_init([](void *) -> gs_status_t { return GS_OK; }, nullptr) == GS_OK);
            std::thread([] { // threads that come and go attach and detach
                gs_event_t event = nullptr;
                CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK && gs_event_destroy(event) == GS_OK);
            })
                .join();
        }
    });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) CHILD_REQUIRE(forked_use() == 0);
    return 0;
}

// The library's very first call races with a fork: the library is not prepared for forks yet.
int fork_beside_first_call() {
    std::atomic<bool> go{false};
    std::thread first([&] {
        while (!go) {}
        CHILD_REQUIRE(gs_call_on_init([](void *) -> gs_status_t { return GS_OK; }, nullptr) == GS_OK);
        gs_event_t event = nullptr;
        CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    });
    go = true;
    const int result = forked_use();
    first.join();
    return result;
}

GS_CHILD(fork_beside_first_call) {
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked(fork_beside_first_call);
        if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    return 0;
}

// A start in progress on another thread: the child is healthy or gets a status that says otherwise, and always ends.
int fork_beside_init() {
    std::atomic<bool> going{false};
    // What a program may do as soon as the library is there, and has more locks join those that a fork takes.
    const auto prepare = [](void *) -> gs_status_t {
        gs_queue_t queue = nullptr;
        int32_t bridge = 0;
        CHILD_REQUIRE(gs_queue_create(1, 0, &queue) == GS_OK && gs_queue_destroy(queue) == GS_OK);
        CHILD_REQUIRE(gs_bridge_find("none", &bridge) == GS_ERROR_INVALID_ARGUMENT);
        return GS_OK;
    };
    CHILD_REQUIRE(gs_call_on_init(prepare, nullptr) == GS_OK);
    std::thread starter([&] {
        going = true;
        CHILD_REQUIRE(gs_init() == GS_OK);
    });
    while (!going) {}
    const Outcome outcome = run_forked([] {
        int32_t status = -1;
        CHILD_REQUIRE(gs_fork_status(&status) == GS_OK);
        if (status == GS_FORK_CLEAN) return use_library();
        CHILD_REQUIRE(gs_init() == GS_ERROR_BAD_FORK);
        return 0;
    });
    if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
    starter.join();
    return outcome.clean() ? 0 : 1;
}

// The driver's own fork handlers: a start that registers them waits for the fork, so the fork does not wait for the start.
GS_CHILD(fork_beside_a_driver_that_registers) {
    static ForkRendezvous meeting;
    char address[32];
    std::snprintf(address, sizeof address, "%llx",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(&meeting)));
    CHILD_REQUIRE(setenv(kForkRendezvous, address, 1) == 0);
    CHILD_REQUIRE(gs_call_on_init([](void *) -> gs_status_t { return GS_OK; }, nullptr) == GS_OK);
    // Later than the library's handlers, so before them in a fork.
    const auto lock = [] {
        pthread_mutex_lock(&meeting.handlers);
        meeting.forking = true;
    };
    const auto unlock = [] { pthread_mutex_unlock(&meeting.handlers); };
    CHILD_REQUIRE(pthread_atfork(lock, unlock, unlock) == 0);
    std::thread starter([] { CHILD_REQUIRE(gs_init() == GS_OK); });
    while (!meeting.loading) usleep(50);
    const Outcome outcome = run_forked([] {
        int32_t status = -1;
        CHILD_REQUIRE(gs_fork_status(&status) == GS_OK && status == GS_FORK_CHILD_OF_INITIALIZED);
        CHILD_REQUIRE(gs_init() == GS_ERROR_BAD_FORK);
        return 0;
    });
    starter.join();
    CHILD_REQUIRE(outcome.clean());
    return 0;
}

GS_CHILD(fork_beside_init) {
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) CHILD_REQUIRE(run_forked(fork_beside_init).clean());
    return 0;
}

int child_of_a_busy_process(const Objects &objects) {
    for (const Call &call : every_call()) {
        const gs_status_t got = call.call(objects);
        CHILD_REQUIRE(got == (call.in_bad_fork == InBadFork::Refused ? GS_ERROR_BAD_FORK : GS_OK));
    }
    return 0;
}

std::atomic<int> g_notifications{0}; // created and not yet delivered

void fork_while_busy(const Objects &objects, int count) {
    Busy busy;
    for (int i = 0; i < 4; ++i)
        busy.threads.emplace_back([&, i] {
            gs_stream_t stream = nullptr;
            gs_event_t own = nullptr;
            CHILD_REQUIRE(gs_stream_create(i % 2, 0, 0, &stream) == GS_OK && gs_event_create(0, &own) == GS_OK);
            while (!busy.stop) {
                int32_t done = 0;
                gs_event_t passing = nullptr;
                CHILD_REQUIRE(gs_event_create(0, &passing) == GS_OK);
                CHILD_REQUIRE(gs_event_record(own, stream) == GS_OK && gs_event_record(passing, stream) == GS_OK);
                CHILD_REQUIRE(gs_event_wait(own, objects.recorder) == GS_OK &&
                              gs_event_wait(objects.event, stream) == GS_OK);
                CHILD_REQUIRE(gs_event_query(own, &done) == GS_OK && gs_event_destroy(passing) == GS_OK);
                // Only so many: four threads are faster than the one that delivers, and each fork would have to copy the
                // memory of what waits for it.
                if (g_notifications.load() < 100) {
                    ++g_notifications;
                    CHILD_REQUIRE(
                        gs_stream_notify(stream, [](void *, gs_status_t) { --g_notifications; }, nullptr) == GS_OK);
                }
                CHILD_REQUIRE(gs_stream_synchronize(stream) == GS_OK);
            }
            CHILD_REQUIRE(gs_event_destroy(own) == GS_OK && gs_stream_destroy(stream) == GS_OK);
        });
    std::mt19937 random(12345);
    for (int i = count; i > 0; --i) {
        for (auto spin = random() % 20'000; spin > 0; --spin) asm volatile(""); // a random moment
        const Outcome outcome = run_forked([&] { return child_of_a_busy_process(objects); });
        if (!outcome.clean()) std::fprintf(stderr, "fork %d: %s\n", i, describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
}

GS_CHILD(fork_while_busy) {
    Objects objects = make_objects();
    (void)every_call(); // makes its table: the sanitizers' allocators may hang in a forked child
    fork_while_busy(objects, std::atoi(arguments[0].c_str()));
    destroy_objects(objects); // also the shared memory of the exported event
    return 0;
}

void expect_clean(const char *child, int repetitions = 0) {
    const Outcome outcome = run_self_as(child, {std::to_string(repetitions)});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

TEST(Fork, BeforeFirstUseIsHealthy) { expect_clean("fork_before_first_use"); }
// The sanitizers' allocators lock nothing around a fork: a child forked while another thread allocates may hang there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Fork, WhileOthersCreateEventsAndQueueCalls) {
    expect_clean("fork_while_others_prepare", forks("GS_FORKS", 200, 2000));
}
TEST(Fork, BesideTheFirstCall) { expect_clean("fork_beside_first_call", forks("GS_FORKS", 200, 2000)); }
TEST(Fork, BesideInit) {
    expect_clean("fork_beside_init", forks("GS_FORKS", 200, 2000));
#if defined(GS_TEST_FAKE_CUDA)
    // It takes long to look for devices, which comes before the start.
    const Outcome outcome = run_self_as("fork_beside_init", {std::to_string(forks("GS_FORKS", 200, 2000))},
                                        {{"GPUSTREAM_BACKEND", "auto"}, {"GPUSTREAM_LIBCUDA", GS_TEST_FAKE_CUDA}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
#endif
}
#endif
#if defined(GPUSTREAM_WITH_CUDA)
TEST(Fork, BesideADriverThatRegisters) {
    const Outcome outcome =
        run_self_as("fork_beside_a_driver_that_registers", {},
                    {{"GPUSTREAM_BACKEND", "auto"}, {"GPUSTREAM_LIBCUDA", GS_TEST_REGISTERING_DRIVER}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
#endif
TEST(Fork, OfABusyProcess) { expect_clean("fork_while_busy", forks("GS_FORKS", 100, 500)); }

} // namespace
} // namespace gs::test
