// SPDX-License-Identifier: Apache-2.0
#include "base/status.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

#include "base/thread_block.hpp"
#include "support/status_matchers.hpp"

namespace gs {
namespace {

constexpr gs_status_t kAll[] = {GS_OK,
                                GS_NOT_READY,
                                GS_ERROR_INVALID_ARGUMENT,
                                GS_ERROR_INVALID_HANDLE,
                                GS_ERROR_INVALID_DEVICE,
                                GS_ERROR_DEVICE_MISMATCH,
                                GS_ERROR_SCOPE,
                                GS_ERROR_NOT_RECORDED,
                                GS_ERROR_TIMING_DISABLED,
                                GS_ERROR_NOT_PERMITTED,
                                GS_ERROR_CAPTURING,
                                GS_ERROR_TIMEOUT,
                                GS_ERROR_CANCELLED,
                                GS_ERROR_DEADLOCK,
                                GS_ERROR_ABORTED,
                                GS_ERROR_UNAVAILABLE,
                                GS_ERROR_BAD_FORK,
                                GS_ERROR_CONTEXT_LOST,
                                GS_ERROR_NOT_SUPPORTED,
                                GS_ERROR_SHUTDOWN,
                                GS_ERROR_PEER_LOST,
                                GS_ERROR_OUT_OF_MEMORY,
                                GS_ERROR_SYSTEM,
                                GS_ERROR_FULL,
                                GS_ERROR_DRIVER,
                                GS_ERROR_STICKY,
                                GS_ERROR_SYNC_FORBIDDEN,
                                GS_ERROR_INTERNAL};

TEST(Status, NumbersArePinned) {
    EXPECT_EQ(GS_OK, 0);
    EXPECT_EQ(GS_NOT_READY, 1);
    EXPECT_EQ(GS_ERROR_INVALID_ARGUMENT, 10);
    EXPECT_EQ(GS_ERROR_SCOPE, 14);
    EXPECT_EQ(GS_ERROR_NOT_RECORDED, 20);
    EXPECT_EQ(GS_ERROR_TIMEOUT, 24);
    EXPECT_EQ(GS_ERROR_CANCELLED, 25);
    EXPECT_EQ(GS_ERROR_DEADLOCK, 26);
    EXPECT_EQ(GS_ERROR_ABORTED, 27);
    EXPECT_EQ(GS_ERROR_UNAVAILABLE, 30);
    EXPECT_EQ(GS_ERROR_PEER_LOST, 35);
    EXPECT_EQ(GS_ERROR_OUT_OF_MEMORY, 40);
    EXPECT_EQ(GS_ERROR_SYSTEM, 41);
    EXPECT_EQ(GS_ERROR_FULL, 42);
    EXPECT_EQ(GS_ERROR_DRIVER, 50);
    EXPECT_EQ(GS_ERROR_STICKY, 51);
    EXPECT_EQ(GS_ERROR_SYNC_FORBIDDEN, 60);
    EXPECT_EQ(GS_ERROR_INTERNAL, 99);
}

TEST(Status, EveryNumberHasItsOwnTexts) {
    std::set<std::string> names, messages;
    for (const gs_status_t code : kAll) {
        EXPECT_TRUE(names.insert(status_name(code)).second) << code;
        EXPECT_TRUE(messages.insert(status_message(code)).second) << code;
    }
    const std::set<gs_status_t> pinned(std::begin(kAll), std::end(kAll));
    for (gs_status_t code = -200; code < 200; ++code) {
        if (pinned.count(code)) continue;
        EXPECT_STREQ(status_name(code), "GS_ERROR_UNKNOWN") << code;
        EXPECT_EQ(messages.count(status_message(code)), 0u) << code;
    }
}

TEST(Status, DetailWaitsUntilTheBoundaryCommitsIt) {
    ThreadBlock &thread = *this_thread();
    commit_error(thread, "gs_before", GS_ERROR_SCOPE);
    EXPECT_FALSE(fail(GS_ERROR_INVALID_DEVICE, "device %d", 7).ok());
    EXPECT_EQ(test::last_error().status, GS_ERROR_SCOPE) << "not shown before";
    commit_error(thread, "gs_after", GS_ERROR_INVALID_DEVICE);
    const gs_error_info_t info = test::last_error();
    EXPECT_EQ(info.status, GS_ERROR_INVALID_DEVICE);
    EXPECT_STREQ(info.function, "gs_after");
    EXPECT_STREQ(info.message, "gs_after: device 7");
}

TEST(Status, AHandledFailureLeavesNoTrace) {
    ThreadBlock &thread = *this_thread();
    fail(GS_ERROR_DRIVER, "handled on the way").ignore();
    commit_error(thread, "gs_other", GS_ERROR_INVALID_HANDLE); // another failure, without details
    EXPECT_EQ(test::last_text(), std::string("gs_other: ") + status_message(GS_ERROR_INVALID_HANDLE));
}

TEST(Status, NativeSystemAndStickyDetail) {
    ThreadBlock &thread = *this_thread();
    fail_native(GS_ERROR_DRIVER, {GS_BACKEND_CUDA, 719, "cuLaunchKernel"}, "launching").ignore();
    commit_error(thread, "gs_kernel_launch", GS_ERROR_DRIVER);
    gs_error_info_t info = test::last_error();
    EXPECT_EQ(info.native_code, 719);
    EXPECT_EQ(info.backend, GS_BACKEND_CUDA);
    EXPECT_STREQ(info.native_function, "cuLaunchKernel");
    EXPECT_EQ(info.sticky, 0);

    fail_system("shm_open", ENOENT, "opening '%s'", "x").ignore();
    commit_error(thread, "gs_event_ipc_open", GS_ERROR_SYSTEM);
    info = test::last_error();
    EXPECT_EQ(info.native_code, ENOENT);
    EXPECT_STREQ(info.native_function, "shm_open");
    EXPECT_NE(std::string(info.message).find("opening 'x': shm_open: No such file"), std::string::npos) << info.message;

    fail_unavailable(GS_REASON_STUB, GS_BACKEND_CUDA, "a stub").ignore();
    commit_error(thread, "gs_init", GS_ERROR_UNAVAILABLE);
    info = test::last_error();
    EXPECT_EQ(info.reason, GS_REASON_STUB);
    EXPECT_EQ(info.native_code, 0) << "nothing is left of the one before";

    fail_sticky(GS_ERROR_STICKY, {GS_BACKEND_CUDA, 700, "cuEventQuery"}, "gs_event_query on device 3", "broken")
        .ignore();
    commit_error(thread, "gs_event_record", GS_ERROR_STICKY);
    info = test::last_error();
    EXPECT_EQ(info.sticky, 1);
    EXPECT_STREQ(info.origin, "gs_event_query on device 3");
}

TEST(Status, LongTextsAreCutNotOverrun) {
    ThreadBlock &thread = *this_thread();
    const std::string longest(5000, 'x');
    fail_native(GS_ERROR_DRIVER, {GS_BACKEND_CUDA, 1, longest.c_str()}, "%s", longest.c_str()).ignore();
    commit_error(thread, longest.c_str(), GS_ERROR_DRIVER);
    const gs_error_info_t info = test::last_error();
    EXPECT_EQ(std::string(info.function).size(), sizeof info.function - 1);
    EXPECT_EQ(std::string(info.native_function).size(), sizeof info.native_function - 1);
    EXPECT_EQ(std::string(info.message).size(), sizeof info.message - 1);
}

} // namespace
} // namespace gs
