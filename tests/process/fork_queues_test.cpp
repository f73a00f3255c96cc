// SPDX-License-Identifier: Apache-2.0
// Queues need no backend. The child of a process that has started none has the queues of its parent, whatever other threads
// were doing with them.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gpustream.h"
#include "support/child_process.hpp"
#include "support/long_form.hpp"

namespace gs::test {
namespace {

GS_CHILD(fork_while_others_use_queues) {
    gs_queue_t shared = nullptr;
    CHILD_REQUIRE(gs_queue_create(1, 0, &shared) == GS_OK);
    std::atomic<bool> stop{false};
    std::thread maker([&] {
        while (!stop) {
            gs_queue_t queues[3];
            for (gs_queue_t &queue : queues) CHILD_REQUIRE(gs_queue_create(1, 0, &queue) == GS_OK);
            for (gs_queue_t queue : queues) CHILD_REQUIRE(gs_queue_destroy(queue) == GS_OK);
        }
    });
    std::thread taker([&] {
        gs_completion_t entry;
        size_t count = 0;
        while (!stop) CHILD_REQUIRE(gs_queue_poll(shared, &entry, 1, &count) == GS_OK);
    });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([shared] {
            gs_queue_t own = nullptr;
            CHILD_REQUIRE(gs_queue_create(1, 0, &own) == GS_OK && gs_queue_destroy(own) == GS_OK);
            return gs_queue_destroy(shared) == GS_OK ? 0 : 1;
        });
        if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    stop = true;
    maker.join();
    taker.join();
    return 0;
}

bool is_readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return poll(&one, 1, 0) == 1;
}

// Parent and child have a queue each, and so have their descriptors.
GS_CHILD(fork_with_a_descriptor) {
    gs_queue_t queue = nullptr;
    int32_t fd = -1;
    size_t count = 0;
    gs_completion_t entry;
    CHILD_REQUIRE(gs_queue_create(1, 0, &queue) == GS_OK && gs_queue_fd(queue, &fd) == GS_OK);
    Outcome outcome = run_forked([=] {
        int32_t own = -1;
        CHILD_REQUIRE(gs_queue_wake(queue) == GS_OK && is_readable(fd));
        return gs_queue_fd(queue, &own) == GS_OK && own == fd ? 0 : 1;
    });
    CHILD_REQUIRE(outcome.clean());
    CHILD_REQUIRE(!is_readable(fd));
    CHILD_REQUIRE(gs_queue_wake(queue) == GS_OK && is_readable(fd));
    outcome = run_forked([=]() mutable {
        CHILD_REQUIRE(gs_queue_poll(queue, &entry, 1, &count) == GS_OK && !is_readable(fd));
        return gs_queue_destroy(queue) == GS_OK ? 0 : 1;
    });
    CHILD_REQUIRE(outcome.clean());
    CHILD_REQUIRE(is_readable(fd));
    CHILD_REQUIRE(gs_queue_poll(queue, &entry, 1, &count) == GS_OK && !is_readable(fd));
    return gs_queue_destroy(queue) == GS_OK ? 0 : 1;
}

// Nothing has started that the child would lack, so what it starts itself works.
GS_CHILD(fork_after_a_failed_start) {
    gs_event_t event = nullptr;
    gs_queue_t queue = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK && gs_queue_create(1, 0, &queue) == GS_OK);
    CHILD_REQUIRE(gs_queue_add_event(queue, event, 1) == GS_ERROR_UNAVAILABLE);
    const Outcome outcome = run_forked([queue] {
        gs_stream_t stream = nullptr;
        gs_completion_t entry;
        size_t count = 0;
        CHILD_REQUIRE(gs_stream_create(GS_BACKEND_HOST << 16, 0, 0, &stream) == GS_OK);
        CHILD_REQUIRE(gs_queue_add_stream(queue, stream, 1) == GS_OK);
        return gs_queue_wait(queue, &entry, 1, -1, &count) == GS_OK && count == 1 ? 0 : 1;
    });
    if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
    return outcome.clean() ? 0 : 1;
}

// A thread of the parent that waits for a queue does not wait in the child.
GS_CHILD(fork_while_another_waits) {
    gs_queue_t queue = nullptr;
    CHILD_REQUIRE(gs_queue_create(1, 0, &queue) == GS_OK);
    std::thread waiter([queue] {
        gs_completion_t entry;
        size_t count = 0;
        CHILD_REQUIRE(gs_queue_wait(queue, &entry, 1, -1, &count) == GS_ERROR_INVALID_HANDLE);
    });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([queue] {
            gs_completion_t entry;
            size_t count = 0;
            CHILD_REQUIRE(gs_queue_wake(queue) == GS_OK);
            return gs_queue_wait(queue, &entry, 1, 0, &count) == GS_OK ? 0 : 1;
        });
        CHILD_REQUIRE(outcome.clean());
    }
    CHILD_REQUIRE(gs_queue_destroy(queue) == GS_OK);
    waiter.join();
    return 0;
}

void expect_clean_queues(const char *child, const Variables &variables = {}) {
    const Outcome outcome = run_self_as(child, {long_form() ? "2000" : "200"}, variables);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

TEST(ForkedQueues, DescriptorsAreOfOneProcess) { expect_clean_queues("fork_with_a_descriptor"); }
TEST(ForkedQueues, WorkAfterAFailedStart) {
    expect_clean_queues("fork_after_a_failed_start",
                        {{"GPUSTREAM_BACKEND", "cuda"}, {"GPUSTREAM_LIBCUDA", "/nowhere/libcuda.so.1"}});
}
TEST(ForkedQueues, AreWokenThoughAThreadOfTheParentWaits) { expect_clean_queues("fork_while_another_waits"); }
// The sanitizers' allocators lock nothing around a fork: a child forked while another thread allocates may hang there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ForkedQueues, WhileOthersUseThem) { expect_clean_queues("fork_while_others_use_queues"); }
#endif

} // namespace
} // namespace gs::test
