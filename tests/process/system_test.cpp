// SPDX-License-Identifier: Apache-2.0
// Effects on the process: signal masks of the library's threads, and environment variables.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

std::set<std::string> tasks() {
    std::set<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
        result.insert(entry.path().filename());
    return result;
}

std::string field(const std::string &task, const std::string &name) {
    std::ifstream file("/proc/self/task/" + task + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.rfind(name + ":", 0) == 0) return line.substr(line.find_first_not_of(" \t", name.size() + 1));
    return "";
}

// All but SIGKILL, SIGSTOP and those that the C library reserves: two in glibc, three in musl.
bool blocks_all(const std::string &task) {
    const uint64_t mask = std::strtoull(field(task, "SigBlk").c_str(), nullptr, 16);
    for (int number = 1; number <= 64; ++number) {
        if (number == SIGKILL || number == SIGSTOP || (number >= 32 && number < SIGRTMIN)) continue;
        if ((mask >> (number - 1) & 1) == 0) return false;
    }
    return true;
}

// Starts every kind of thread that the library has.
void start_all_threads() {
    gs_stream_t stream = nullptr, other = nullptr;
    gs_event_t event = nullptr;
    static std::atomic<int> notified{0};
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_create(1, 0, 0, &other) == GS_OK);
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    CHILD_REQUIRE(gs_stream_sleep(stream, 1'000'000) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, stream) == GS_OK && gs_stream_wait_event(other, event) == GS_OK);
    CHILD_REQUIRE(gs_stream_launch_host(other, [](void *) {}, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_stream_notify(other, [](void *, gs_status_t) { notified = 1; }, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(other) == GS_OK);
    while (!notified) sched_yield();
}

GS_CHILD(signal_masks) {
    const std::set<std::string> before = tasks();
    start_all_threads();
    int ours = 0;
    for (const std::string &task : tasks()) {
        if (before.count(task)) {
            CHILD_REQUIRE(!blocks_all(task)); // the check can fail
            continue;
        }
        if (field(task, "Name").rfind("gs-", 0) != 0) continue; // a sanitizer's
        std::printf("%s %s\n", field(task, "Name").c_str(), field(task, "SigBlk").c_str());
        CHILD_REQUIRE(blocks_all(task));
        ++ours;
    }
    CHILD_REQUIRE(ours >= 2); // at least a worker and the dispatcher
    sigset_t mask;
    CHILD_REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &mask) == 0);
    for (int number = 1; number < 32; ++number)
        CHILD_REQUIRE(sigismember(&mask, number) == 0); // the caller's is not changed
    return 0;
}

TEST(System, TheLibrarysThreadsBlockAllSignals) {
    const Outcome outcome = run_self_as("signal_masks");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> result;
    size_t at = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at))
        result.push_back(text.substr(at, end - at));
    return result;
}

// gs_init in a process with these variables: name of the status, reason, backend, function, text.
std::vector<std::string> init_with(const Variables &variables) {
    const Outcome outcome = run_self_as("init", {}, variables);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    std::vector<std::string> result = lines(outcome.output);
    EXPECT_GE(result.size(), 5u) << outcome.output;
    result.resize(5);
    return result;
}

TEST(System, AnUnknownBackendIsNamedWithItsVariable) {
    const auto said = init_with({{"GPUSTREAM_BACKEND", "nonsense"}});
    EXPECT_EQ(said[0], "GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(said[3], "gs_init");
    EXPECT_NE(said[4].find("GPUSTREAM_BACKEND"), std::string::npos) << said[4];
    EXPECT_NE(said[4].find("nonsense"), std::string::npos) << said[4];
}

TEST(System, HostByName) { EXPECT_EQ(init_with({{"GPUSTREAM_BACKEND", "host"}})[0], "GS_OK"); }

TEST(System, AutoWithoutADriverIsHost) {
    EXPECT_EQ(init_with({{"GPUSTREAM_BACKEND", "-"}, {"GPUSTREAM_LIBCUDA", "/nowhere/libcuda.so.1"}})[0], "GS_OK");
    EXPECT_EQ(init_with({{"GPUSTREAM_BACKEND", "auto"}, {"GPUSTREAM_LIBCUDA", "/nowhere/libcuda.so.1"}})[0], "GS_OK");
}

TEST(System, CudaWithoutADriverSaysWhy) {
    const auto said = init_with({{"GPUSTREAM_BACKEND", "cuda"}, {"GPUSTREAM_LIBCUDA", "/nowhere/libcuda.so.1"}});
    EXPECT_EQ(said[0], "GS_ERROR_UNAVAILABLE");
    EXPECT_EQ(said[1], std::to_string(GS_REASON_NO_LIBRARY));
    EXPECT_EQ(said[2], std::to_string(GS_BACKEND_CUDA));
#if defined(GPUSTREAM_WITH_CUDA)
    EXPECT_NE(said[4].find("/nowhere/libcuda.so.1"), std::string::npos) << said[4];
#endif
}

} // namespace
} // namespace gs::test
