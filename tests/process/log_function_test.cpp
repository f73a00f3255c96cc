// SPDX-License-Identifier: Apache-2.0
// The function that receives messages waits for a lock of the program, as one does that writes them from Python. A thread that has that
// lock may be in a call of the library: no message is delivered while a lock is held that such a call needs.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "gpustream.h"
#include "support/child_process.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::test {
namespace {

std::atomic<bool> g_received{false}, g_other_is_done{false};

void receive(void *, int32_t, const char *) {
    g_received = true;
    for (int i = 0; i < 100'000 && !g_other_is_done; ++i) usleep(100);
    CHILD_REQUIRE(g_other_is_done);
}

// While a message of `first` is being delivered, `other` is called on another thread.
template <typename First, typename Other>
void call_both(First &&first, Other &&other) {
    CHILD_REQUIRE(gs_set_log_callback(receive, nullptr) == GS_OK);
    std::thread thread([&] {
        while (!g_received) usleep(100);
        other();
        g_other_is_done = true;
    });
    first();
    CHILD_REQUIRE(g_received);
    thread.join();
}

// The file may become as large as what precedes the parts of threads.
GS_CHILD(warned_of_a_full_log) {
    const rlimit limit{recorder::kLogRingsAt, recorder::kLogRingsAt};
    CHILD_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_event_create(0, &event) == GS_OK);
    const auto record = [&] { CHILD_REQUIRE(gs_event_record(event, stream) == GS_OK); };
    call_both(record, record);
    return 0;
}

TEST(LogFunction, WarnsOfAFullLogWithoutALock) {
    const std::string path = "/tmp/gs-log-" + std::to_string(getpid());
    const Outcome outcome = run_self_as("warned_of_a_full_log", {}, {{"GPUSTREAM_LOG_FILE", path}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    unlink(path.c_str());
}

} // namespace
} // namespace gs::test
