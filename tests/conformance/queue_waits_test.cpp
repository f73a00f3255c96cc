// SPDX-License-Identifier: Apache-2.0
// The ways out of a queue: its file descriptor, and how waits for entries end.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/entries.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

bool readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1 && (one.revents & POLLIN) != 0;
}

bool readable_soon(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, -1) == 1;
}

} // namespace

TEST_P(Conformance, Queue_TheDescriptorIsReadableWhileEntriesWait) {
    Stream stream = make_stream(0);
    Queue queue;
    int32_t fd = -1, again = -1;
    ASSERT_OK(gs_queue_fd(queue, &fd));
    ASSERT_OK(gs_queue_fd(queue, &again));
    EXPECT_EQ(fd, again);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_FALSE(readable(fd));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 2));
    EXPECT_TRUE(readable_soon(fd));
    EXPECT_EQ(queue.take(2).size(), 2u);
    EXPECT_FALSE(readable(fd));
    EXPECT_OK(gs_queue_wake(queue));
    EXPECT_TRUE(readable(fd));
    EXPECT_EQ(queue.poll(), 0u);
    EXPECT_FALSE(readable(fd));
    queue.end();
    EXPECT_EQ(fcntl(fd, F_GETFD), -1) << "it is closed with the queue";
}

TEST_P(Conformance, Queue_ADescriptorThatTheCallerClosedIsNobodysBusiness) {
    Stream stream = make_stream(0);
    Queue queue;
    int32_t fd = -1;
    ASSERT_OK(gs_queue_fd(queue, &fd));
    ASSERT_EQ(::close(fd), 0);
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0); // one of them has the number now
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    EXPECT_EQ(queue.take_one().token, 1u);
    EXPECT_FALSE(readable(pipes[0])) << "the library wrote to a file of the program";
    queue.end();
    EXPECT_NE(fcntl(pipes[0], F_GETFD), -1) << "the library closed a file of the program";
    EXPECT_NE(fcntl(pipes[1], F_GETFD), -1) << "the library closed a file of the program";
    ::close(pipes[0]);
    ::close(pipes[1]);
}

// The same in a process that has no descriptor left with which the library could look.
TEST_P(ConformanceProcess, Queue_ADescriptorThatTheCallerClosedWhenThereAreNoOthers) {
    OWN_PROCESS();
    Queue queue;
    int32_t fd = -1;
    ASSERT_OK(gs_queue_fd(queue, &fd));
    ASSERT_EQ(::close(fd), 0);
    ASSERT_EQ(::open("/dev/null", O_RDONLY | O_CLOEXEC), fd);
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    queue.end();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_NE(fcntl(fd, F_GETFD), -1) << "the library closed a file of the program";
    ::close(fd);
}

TEST_P(Conformance, Queue_WaitsEndByWakeByTimeAndByDestroy) {
    Queue queue;
    gs_completion_t entry;
    size_t count = 9;
    EXPECT_EQ(gs_queue_wait(queue, &entry, 1, 0, &count), GS_ERROR_TIMEOUT);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(gs_queue_wait(queue, &entry, 1, 1'000'000, &count), GS_ERROR_TIMEOUT);
    EXPECT_OK(gs_queue_wake(queue));
    EXPECT_OK(gs_queue_wake(queue)); // counts as one
    EXPECT_OK(gs_queue_wait(queue, &entry, 1, -1, &count));
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(gs_queue_wait(queue, &entry, 1, 0, &count), GS_ERROR_TIMEOUT);
    std::atomic<int> returned{0};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i)
        waiters.emplace_back([&returned, handle = static_cast<gs_queue_t>(queue)] {
            gs_completion_t own;
            size_t got = 9;
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_wait(handle, &own, 1, -1, &got));
            EXPECT_EQ(got, 0u);
            ++returned;
        });
    queue.end();
    for (std::thread &waiter : waiters) waiter.join();
    EXPECT_EQ(returned, 3);
}

TEST_P(Conformance, Queue_ALimitThatPassesIsNotAnEarlierFailure) {
    Queue queue;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_wake(nullptr));
    gs_completion_t entry;
    size_t count = 0;
    EXPECT_EQ(gs_queue_wait(queue, &entry, 1, 0, &count), GS_ERROR_TIMEOUT);
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_last_error(&info));
    EXPECT_EQ(info.status, GS_ERROR_TIMEOUT);
    EXPECT_STREQ(info.function, "gs_queue_wait");
}

TEST_P(Conformance, Queue_BadArguments) {
    Stream stream = make_stream(0);
    Event event = make_event();
    Queue queue;
    gs_completion_t entry;
    size_t count = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_poll(queue, nullptr, 1, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_poll(queue, &entry, 0, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_wait(queue, &entry, 0, 0, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_poll(queue, &entry, 1, nullptr));
    const gs_queue_t stale = queue;
    queue.end();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_stream(stale, stream, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_event(stale, event, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_destroy(stale));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_poll(stale, &entry, 1, &count));
}

} // namespace gs::test
