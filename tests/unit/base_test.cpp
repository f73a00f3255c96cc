// SPDX-License-Identifier: Apache-2.0
// Small parts of src/base: environment, libraries, latched results, sized structs, log, threads, counters.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "base/once_result.hpp"
#include "base/os_thread.hpp"
#include "base/sized_struct.hpp"
#include "base/status.hpp"
#include "base/testing.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

struct Line {
    int32_t level;
    std::string text;
};

// Collects the log messages while it exists.
class LogCollector {
public:
    LogCollector() { set_log_function(collect, this); }
    ~LogCollector() { set_log_function(nullptr, nullptr); }
    std::vector<Line> lines;

private:
    static void collect(void *self, int32_t level, const char *text) {
        static_cast<LogCollector *>(self)->lines.push_back({level, text});
    }
};

// The loader would open the FIFO to see whether it is a library that it has, and wait for a writer.
TEST(Dynlib, LoadedLibraryOfAFifo) {
    const std::string path = ::testing::TempDir() + "gpustream-loaded-" + std::to_string(getpid());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(loaded_library(path.c_str()), nullptr);
    ASSERT_EQ(unlink(path.c_str()), 0);
    EXPECT_NE(loaded_library("libc.so.6"), nullptr);
    EXPECT_EQ(loaded_library("/nowhere/libc.so.6"), nullptr);
}

TEST(Env, Numbers) {
    constexpr Variable kVariable = Variable::HostWorkers;
    const char *kName = name_of(kVariable);
    unsetenv(kName);
    EXPECT_EQ(env_number(kVariable, 7, 1, 10), 7);
    for (const char *good : {"1", "10", " 5", "+3"}) {
        setenv(kName, good, 1);
        LogCollector log;
        EXPECT_EQ(env_number(kVariable, 7, 1, 10), std::atoi(good)) << good;
        EXPECT_TRUE(log.lines.empty());
    }
    for (const char *bad : {"0", "11", "-4", "5x", "x", "99999999999999999999999"}) {
        setenv(kName, bad, 1);
        LogCollector log;
        EXPECT_EQ(env_number(kVariable, 7, 1, 10), 7) << bad;
        ASSERT_EQ(log.lines.size(), 1u) << bad;
        EXPECT_EQ(log.lines[0].level, GS_LOG_WARNING);
        EXPECT_NE(log.lines[0].text.find(bad), std::string::npos) << log.lines[0].text;
        EXPECT_NE(log.lines[0].text.find(kName), std::string::npos) << log.lines[0].text;
    }
    setenv(kName, "", 1);
    EXPECT_EQ(env_number(kVariable, 7, 1, 10), 7) << "empty is unset";
    EXPECT_STREQ(env_text(kVariable), "");
    unsetenv(kName);
    EXPECT_EQ(env_text(kVariable), nullptr);
}

TEST(Dynlib, OpensFindsAndSaysWhatIsMissing) {
    void *library = nullptr;
    ASSERT_TRUE(open_library("libm.so.6", &library).ok());
    EXPECT_NE(find_symbol(library, "cos"), nullptr);
    EXPECT_EQ(find_symbol(library, "no_such_function_here"), nullptr);
    close_library(library);
    EXPECT_EQ(open_library("/no/such/library.so", &library).code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(library, nullptr);
    const gs_error_info_t &pending = this_thread()->pending;
    EXPECT_EQ(pending.reason, GS_REASON_NO_LIBRARY);
    EXPECT_NE(std::string(pending.message).find("/no/such/library.so"), std::string::npos) << pending.message;
}

TEST(OnceResult, SuccessRunsOnce) {
    OnceResult once;
    EXPECT_FALSE(once.done_ok());
    std::atomic<int> runs{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            EXPECT_TRUE(once.run([&]() noexcept {
                                ++runs;
                                return kOk;
                            })
                            .ok());
            EXPECT_EQ(runs, 1);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(runs, 1);
    EXPECT_TRUE(once.done_ok());
}

TEST(OnceResult, FailureIsLatchedWithItsDetail) {
    OnceResult once;
    int runs = 0;
    const auto body = [&]() noexcept {
        ++runs;
        return fail_unavailable(GS_REASON_TOO_OLD, GS_BACKEND_CUDA, "driver %d", 11040);
    };
    EXPECT_EQ(once.run(body).code, GS_ERROR_UNAVAILABLE);
    std::thread other([&] { // also on a thread that never saw the first failure
        EXPECT_EQ(once.run(body).code, GS_ERROR_UNAVAILABLE);
        EXPECT_STREQ(this_thread()->pending.message, "driver 11040");
        EXPECT_EQ(this_thread()->pending.reason, GS_REASON_TOO_OLD);
    });
    other.join();
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(once.done_ok());
}

struct Sized {
    uint32_t struct_size;
    uint32_t a;
    uint64_t b;
};

TEST(SizedStruct, OutputsForOlderAndNewerCallers) {
    const Sized value{0, 11, 22};
    struct {
        Sized known;
        uint64_t later;
    } caller;
    std::memset(&caller, 0xEE, sizeof caller);
    caller.known.struct_size = 8;
    EXPECT_TRUE(write_sized(&caller.known, value).ok());
    EXPECT_EQ(caller.known.struct_size, 8u);
    EXPECT_EQ(caller.known.a, 11u);
    EXPECT_EQ(caller.known.b, 0xEEEEEEEEEEEEEEEEu);
    caller.known.struct_size = sizeof caller;
    EXPECT_TRUE(write_sized(&caller.known, value).ok());
    EXPECT_EQ(caller.known.struct_size, sizeof caller);
    EXPECT_EQ(caller.known.b, 22u);
    EXPECT_EQ(caller.later, 0u);
    for (const uint32_t size : {0u, 7u, kLargestStruct + 1}) {
        caller.known = {size, 1, 2};
        EXPECT_EQ(write_sized(&caller.known, value).code, GS_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(caller.known.a, 1u) << "untouched";
    }
}

TEST(SizedStruct, InputsFromOlderAndNewerCallers) {
    struct {
        Sized known;
        uint64_t later;
    } caller{{8, 5, 6}, 0};
    Sized mine{9, 9, 9};
    EXPECT_TRUE(read_sized(&caller.known, &mine).ok());
    EXPECT_EQ(mine.struct_size, sizeof mine);
    EXPECT_EQ(mine.a, 5u);
    EXPECT_EQ(mine.b, 0u) << "what the caller does not know";
    caller.known.struct_size = sizeof caller;
    EXPECT_TRUE(read_sized(&caller.known, &mine).ok());
    EXPECT_EQ(mine.b, 6u);
    caller.later = uint64_t{1} << 63;
    EXPECT_EQ(read_sized(&caller.known, &mine).code, GS_ERROR_INVALID_ARGUMENT);
    caller.later = 0;
    // Too small, or one that cuts a field: the rest of it would be zero, and half a pointer would be used.
    for (const uint32_t size : {4u, 9u, 12u, 15u, 20u}) {
        caller.known.struct_size = size;
        mine = {9, 9, 9};
        EXPECT_EQ(read_sized(&caller.known, &mine).code, GS_ERROR_INVALID_ARGUMENT) << size;
        EXPECT_EQ(mine.b, 9u) << size;
    }
}

TEST(Log, LongLinesAreCutAndLevelsPassed) {
    LogCollector log;
    log_message(GS_LOG_ERROR, "%s", std::string(5000, 'y').c_str());
    log_message(GS_LOG_INFO, "number %d", 4);
    ASSERT_EQ(log.lines.size(), 2u);
    EXPECT_EQ(log.lines[0].level, GS_LOG_ERROR);
    EXPECT_EQ(log.lines[0].text.find_first_not_of('y'), std::string::npos);
    EXPECT_LT(log.lines[0].text.size(), 1000u);
    EXPECT_EQ(log.lines[1].text, "number 4");
}

TEST(Log, DefaultGoesToStderrAboveInfo) {
    set_log_function(nullptr, nullptr);
    ::testing::internal::CaptureStderr();
    log_message(GS_LOG_WARNING, "a warning");
    log_message(GS_LOG_ERROR, "an error");
    log_message(GS_LOG_INFO, "for the curious");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "gpustream: warning: a warning\ngpustream: error: an error\n");
}

TEST(OsThread, BlocksSignalsHasItsNameAndLeavesTheCallersMask) {
    struct Seen {
        std::atomic<bool> done{false};
        int open_signals = -1;
        char name[32] = {};
    } seen;
    const auto entry = [](void *arg) {
        auto &result = *static_cast<Seen *>(arg);
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        result.open_signals = 0;
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPIPE})
            result.open_signals += !sigismember(&mask, number);
        pthread_getname_np(pthread_self(), result.name, sizeof result.name);
        result.done = true;
    };
    ASSERT_TRUE(start_thread("gs-unit", entry, &seen).ok());
    while (!seen.done) std::this_thread::yield();
    EXPECT_EQ(seen.open_signals, 0);
    EXPECT_STREQ(seen.name, "gs-unit");
    sigset_t mine;
    pthread_sigmask(SIG_SETMASK, nullptr, &mine);
    EXPECT_EQ(sigismember(&mine, SIGTERM), 0);
}

// The program's functions run there: musl would give a thread 128 KiB.
TEST(OsThread, HasRoomForAFunctionOfTheProgram) {
    static std::atomic<int> sum{0};
    const auto entry = [](void *) {
        volatile char room[1 << 20];
        room[0] = 1;
        for (size_t at = 4096; at < sizeof room; at += 4096) room[at] = 1; // downwards or not, page by page
        sum = room[0] + room[sizeof room - 4096];
    };
    ASSERT_TRUE(start_thread("gs-roomy", entry, nullptr).ok());
    while (sum == 0) std::this_thread::yield();
    EXPECT_EQ(sum, 2);
}

TEST(OsThread, AFailedStartIsAStatus) {
    testing::fail_thread_starts = 1;
    EXPECT_EQ(start_thread("gs-never", [](void *) { ADD_FAILURE() << "ran"; }, nullptr).code, GS_ERROR_SYSTEM);
    const gs_error_info_t &pending = this_thread()->pending;
    EXPECT_EQ(pending.native_code, EAGAIN);
    EXPECT_STREQ(pending.native_function, "pthread_create");
    EXPECT_NE(std::string(pending.message).find("gs-never"), std::string::npos);
}

TEST(Counters, AllOfThePublicStructAreCounted) {
    gs_stats_t stats{};
    size_t named = 0;
#define GS_X(name) named += sizeof stats.name;
    GS_COUNTERS(GS_X)
#undef GS_X
    EXPECT_EQ(named + 8, sizeof stats) << "a public counter is not in GS_COUNTERS, so it would always read 0";
}

} // namespace
} // namespace gs
