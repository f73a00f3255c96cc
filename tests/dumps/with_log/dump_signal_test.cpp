// SPDX-License-Identifier: Apache-2.0
// Dumps from signal handlers, GPUSTREAM_DUMP_SIGNAL, and the ring that they read.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_block.hpp"
#include "dumps/dumped.hpp"
#include "support/own_process.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

int g_null = -1;
std::atomic<int> g_dumps{0};
std::atomic<int> g_failed{0};

void dump_in_handler(int) {
    if (gs_dump(g_null) != GS_OK) g_failed.fetch_add(1);
    g_dumps.fetch_add(1);
}

// All kinds of calls, interrupted anywhere.
void make_calls(gs_stream_t stream, gs_stream_t other) {
    const Event event = named_event("e");
    const Timeline timeline = make_timeline();
    const Stream own = named_stream("s");
    EXPECT_OK(gs_range_push("calls"));
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_stream_wait_event(other, event));
    EXPECT_OK(gs_range_pop());
    EXPECT_OK(gs_stream_wait_stream(stream, other));
    EXPECT_OK(gs_stream_wait_timeline(own, timeline, 1));
    EXPECT_OK(gs_stream_signal_timeline(other, timeline, 1));
    EXPECT_OK(gs_stream_synchronize(own));
    int32_t done = 0;
    EXPECT_OK(gs_event_query(event, &done));
    EXPECT_EQ(gs_stream_query(nullptr, &done), GS_ERROR_INVALID_HANDLE);
}

TEST(DumpSignal, InTheMiddleOfEveryCall) {
    g_null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(g_null, 0);
    struct sigaction action{};
    action.sa_handler = dump_in_handler;
    action.sa_flags = SA_RESTART;
    ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
    const Stream stream = make_stream(0), other = make_stream(0);
    std::atomic<bool> stop{false};
    std::thread caller([&] {
        while (!stop) make_calls(stream, other);
    });
    for (int sent = 0; sent < 500; ++sent) {
        ASSERT_EQ(pthread_kill(caller.native_handle(), SIGUSR1), 0);
        while (g_dumps.load() <= sent) std::this_thread::yield();
    }
    stop = true;
    caller.join();
    EXPECT_EQ(g_failed.load(), 0);
    ASSERT_EQ(signal(SIGUSR1, SIG_DFL), dump_in_handler);
    close(g_null);
}

TEST(DumpSignal, OfTheEnvironmentWritesToStderr) {
    const Stream stream = named_stream("signalled");
    ASSERT_OK(gs_stream_sleep(stream, 1));
    const TextFile file;
    const int kept = dup(STDERR_FILENO);
    ASSERT_GE(dup2(file.fd(), STDERR_FILENO), 0);
    raise(SIGUSR2); // as environment.cpp says
    ASSERT_GE(dup2(kept, STDERR_FILENO), 0);
    close(kept);
    EXPECT_THAT(file.text(), HasSubstr("(\"signalled\")"));
    EXPECT_THAT(file.text(), HasSubstr("end of dump\n"));
}

// In a process of its own: the environment is read once.
void start_with(const char *signal_number, bool own_handler) {
    setenv("GPUSTREAM_DUMP_SIGNAL", signal_number, 1);
    if (own_handler) signal(SIGUSR1, [](int) { _exit(7); });
    const Stream stream = make_stream(0);
    EXPECT_OK(gs_stream_sleep(stream, 1));
    if (own_handler) raise(SIGUSR1);
    _exit(0);
}

TEST(DumpSignalDeathTest, LeavesOtherHandlersAlone) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(start_with("10", true), ::testing::ExitedWithCode(7), "GPUSTREAM_DUMP_SIGNAL=10 is ignored");
    EXPECT_EXIT(start_with("9", false), ::testing::ExitedWithCode(0), "GPUSTREAM_DUMP_SIGNAL=9 is ignored");
    EXPECT_EXIT(start_with("many", false), ::testing::ExitedWithCode(0), "GPUSTREAM_DUMP_SIGNAL");
}

// The thread would raise it again as soon as the handler returns.
#if !defined(__SANITIZE_ADDRESS__) // whose handler has the signal after the dump, and ends the program by an exit
TEST(DumpSignalDeathTest, AFaultIsDumpedOnceAndThenEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto fault = [] {
        setenv("GPUSTREAM_DUMP_SIGNAL", std::to_string(SIGSEGV).c_str(), 1);
        const Stream stream = named_stream("faulted");
        EXPECT_OK(gs_stream_sleep(stream, 1));
        auto *nowhere = static_cast<volatile int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        *nowhere = 1;
    };
    EXPECT_EXIT(fault(), ::testing::KilledBySignal(SIGSEGV), "end of dump");
}
#endif

// A reader beside the writer sees whole entries only.
TEST(DumpRing, IsReadWhole) {
    const std::unique_ptr<LogRing> ring(LogRing::create(16));
    ASSERT_NE(ring, nullptr);
    constexpr uint64_t kWritten = 200'000;
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (uint64_t i = 1; i <= kWritten; ++i)
            ring->add({i, i, i, i, static_cast<uint32_t>(i), recorder::LogCall::Record});
        done = true;
    });
    recorder::LogEntry entry;
    for (uint64_t at = 0; !done; at = (at + 1) % ring->size()) {
        if (!ring->read(at, &entry)) continue;
        ASSERT_TRUE(entry.stream == entry.time_ns && entry.object == entry.time_ns && entry.value == entry.time_ns &&
                    entry.thread == static_cast<uint32_t>(entry.time_ns) && entry.call == recorder::LogCall::Record);
    }
    writer.join();
    for (uint64_t at = 0; at < ring->size(); ++at) {
        ASSERT_TRUE(ring->read(at, &entry));
        EXPECT_GT(entry.time_ns, kWritten - ring->size());
    }
}

// A clock may stand still for a moment.
TEST(DumpRing, KeepsTheOrderOfCalls) {
    const std::unique_ptr<LogRing> ring(LogRing::create(16));
    ASSERT_NE(ring, nullptr);
    for (int i = 0; i < 3; ++i) ring->add({100, 0, 0, 0, 1, recorder::LogCall::Submit});
    for (uint64_t at = 0; at < 3; ++at) {
        recorder::LogEntry entry;
        ASSERT_TRUE(ring->read(at, &entry));
        EXPECT_EQ(entry.time_ns, 100 + at);
    }
    recorder::LogEntry none;
    EXPECT_FALSE(ring->read(3, &none));
}

// What is in memory behind the last place is not the ring's.
TEST(DumpRing, EndsWithItsLastPlace) {
    constexpr size_t kEntries = 16;
    constexpr uint64_t kStream = 0x5EED;
    recorder::LogFilePlace places[kEntries + 1] = {};
    places[kEntries] = {1, 1, kStream, 0, 0, 0};
    const std::unique_ptr<LogRing> ring(LogRing::over(places, kEntries));
    ASSERT_NE(ring, nullptr);
    for (uint64_t i = 0; i < 2 * kEntries; ++i) ring->add({i, kStream, 0, 0, 1, recorder::LogCall::Submit});
    gs::ThreadBlock *thread = gs::this_thread();
    ASSERT_NE(thread, nullptr);
    LogRing *const before = thread->log.exchange(ring.get());
    size_t seen = 0;
    recorder::for_each_entry(recorder::live_evidence(), [&](const recorder::LogEntry &entry) noexcept {
        seen += entry.stream == kStream ? 1 : 0;
    });
    thread->log.store(before);
    EXPECT_EQ(seen, kEntries);
}

// What runtimes give to signal handlers: 8 KiB, or what the kernel needs for the processor's registers and 4 KiB.
size_t signal_stack_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return size_t{1} << 18; // their frames are many times as large
#else
    return std::max(size_t{8192}, (getauxval(AT_MINSIGSTKSZ) + 4096 + 4095) / 4096 * 4096);
#endif
}

// With nothing below it.
void raise_on_small_stack() {
    const size_t bytes = signal_stack_bytes();
    auto *memory = static_cast<char *>(mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(mprotect(memory + bytes, bytes, PROT_READ | PROT_WRITE), 0);
    stack_t stack{};
    stack.ss_sp = memory + bytes;
    stack.ss_size = bytes;
    ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
    raise(SIGUSR2);
    stack.ss_flags = SS_DISABLE;
    ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
    munmap(memory, 2 * bytes);
}

TEST(DumpSignal, FitsOnASmallStack) {
    OWN_PROCESS();
    const Timeline timeline = make_timeline();
    std::vector<Stream> streams;
    std::vector<Event> events;
    for (int i = 0; i < 30; ++i) {
        streams.push_back(make_stream(0));
        events.push_back(make_event());
        if (i == 0)
            ASSERT_OK(gs_stream_wait_timeline(streams[0], timeline, 1));
        else
            ASSERT_OK(gs_stream_wait_event(streams.back(), events[events.size() - 2]));
        ASSERT_OK(gs_event_record(events.back(), streams.back()));
    }
    raise_on_small_stack();
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_device_synchronize(0));
}

// Node.js makes pipes of stderr non-blocking.
TEST(Dump, IsWholeInAPipeThatIsSlow) {
    std::vector<Stream> streams;
    for (int i = 0; i < 100; ++i) {
        streams.push_back(named_stream("one of many"));
        ASSERT_OK(gs_stream_sleep(streams.back(), 1));
    }
    int ends[2] = {};
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ASSERT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    std::string text;
    std::thread reader([&] {
        char piece[64];
        for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
            text.append(piece, static_cast<size_t>(got));
    });
    EXPECT_OK(gs_dump(ends[1]));
    close(ends[1]);
    reader.join();
    close(ends[0]);
    EXPECT_GT(text.size(), 4096u);
    EXPECT_THAT(text, ::testing::EndsWith("gpustream: end of dump\n"));
}

} // namespace
} // namespace gs::check::test
