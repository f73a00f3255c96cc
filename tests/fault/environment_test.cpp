// SPDX-License-Identifier: Apache-2.0
// The environment is read until the first backend starts and never after: another thread may change it, and then getenv()
// may crash.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "calls/calls.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace {

std::atomic<int> g_questions{0}; // for variables that the library knows

} // namespace

// Takes the C library's place in this process.
extern "C" char *getenv(const char *name) noexcept(noexcept(::getenv(name))) {
    const size_t length = std::strlen(name);
    if (std::strncmp(name, "GPUSTREAM_", 10) == 0 || std::strncmp(name, "CUDA_", 5) == 0) ++g_questions;
    for (char **entry = environ; entry && *entry; ++entry)
        if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
    return nullptr;
}

namespace gs::test {
namespace {

int32_t count_of(gs_backend_t backend) {
    int32_t count = -1;
    EXPECT_OK(gs_device_count(backend, &count));
    return count;
}

TEST(Environment, CountsFollowItUntilABackendStarts) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    for (const char *count : {"3", "7", "2"}) {
        setenv("GPUSTREAM_HOST_DEVICES", count, 1);
        EXPECT_EQ(count_of(GS_BACKEND_DEFAULT), std::atoi(count));
    }
    EXPECT_GT(g_questions, 0); // the replacement is in use
    const int32_t gpus = count_of(GS_BACKEND_CUDA);
    ASSERT_OK(gs_init());
    setenv("GPUSTREAM_HOST_DEVICES", "5", 1);
    setenv("GPUSTREAM_BACKEND", "cuda", 1);
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    EXPECT_EQ(count_of(GS_BACKEND_DEFAULT), 2);
    EXPECT_EQ(count_of(GS_BACKEND_HOST), 2);
    EXPECT_EQ(count_of(GS_BACKEND_CUDA), gpus);
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    EXPECT_OK(gs_default_backend(&backend));
    EXPECT_EQ(backend, GS_BACKEND_HOST);
}

void expect_no_questions() {
    Objects o = make_objects();
    (void)count_of(GS_BACKEND_CUDA);
    const int before = g_questions;
    for (const Call &call : repeatable_calls()) {
        if (call.call(o) == GS_OK && call.undo) (void)call.undo(o);
        EXPECT_EQ(g_questions, before) << call.name;
    }
    for (const gs_backend_t backend : {GS_BACKEND_DEFAULT, GS_BACKEND_HOST, GS_BACKEND_CUDA}) (void)count_of(backend);
    for (const gs_device_t device : {77, GS_DEVICE(GS_BACKEND_HOST, 77), GS_DEVICE(GS_BACKEND_HIP, 0)}) {
        gs_stream_t stream = nullptr;
        EXPECT_NE(gs_stream_create(device, 0, 0, &stream), GS_OK);
    }
    int32_t available = 0;
    EXPECT_OK(gs_is_available(&available));
    EXPECT_EQ(g_questions, before);
    destroy_objects(o);
}

TEST(Environment, NoCallReadsItOnceHostRuns) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    expect_no_questions();
}

TEST(Environment, NoCallReadsItOnceCudaRuns) {
    OWN_PROCESS();
    expect_no_questions();
}

} // namespace
} // namespace gs::test
