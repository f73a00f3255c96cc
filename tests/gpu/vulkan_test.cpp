// SPDX-License-Identifier: Apache-2.0
// Timelines of semaphores that Vulkan has exported: each side waits for the other. What the fake driver only plays.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gpu/vulkan_side.hpp"
#include "support/objects.hpp"

namespace gs::test {
namespace {

constexpr int64_t kLimitNs = 5'000'000'000;

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

class Vulkan : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_OK(gs_init());
        ASSERT_TRUE(side.works()) << "no Vulkan 1.2 of an NVIDIA GPU: VK_DRIVER_FILES names the driver's file";
    }
    VulkanSide side;
};

TEST_F(Vulkan, EachSideWaitsForTheOther) {
    const VkSemaphore semaphore = side.make_semaphore(3);
    const int fd = side.export_semaphore(semaphore);
    gs_timeline_t timeline = nullptr;
    ASSERT_OK(gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    EXPECT_FALSE(is_open(fd)) << "it is the driver's now";
    Stream first = make_stream(0), second = make_stream(0);
    gs_stream_t usual = nullptr;
    ASSERT_OK(gs_default_stream(0, &usual));
    ASSERT_OK(gs_stream_wait_timeline(first, timeline, 5));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 6));
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 7)); // behind the other stream's
    side.submit(semaphore, 7, 8);
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 8));
    ASSERT_OK(gs_stream_wait_timeline(usual, timeline, 8));
    ASSERT_OK(gs_stream_signal_timeline(usual, timeline, 9));
    EXPECT_STATUS(GS_ERROR_TIMEOUT, gs_stream_synchronize_for(second, 50'000'000));
    EXPECT_EQ(side.value(semaphore), 3u);
    side.signal(semaphore, 5);
    EXPECT_OK(gs_stream_synchronize_for(second, kLimitNs));
    EXPECT_OK(gs_stream_synchronize_for(usual, kLimitNs));
    EXPECT_TRUE(done(first.get()));
    EXPECT_EQ(side.value(semaphore), 9u);
    EXPECT_OK(gs_timeline_destroy(timeline));
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_device_check(0));
}

// Destroyed while a stream waits: the driver's semaphore must live until the stream has gone on.
TEST_F(Vulkan, AStreamOutlivesTheTimelineItWaitsFor) {
    const VkSemaphore semaphore = side.make_semaphore(0);
    for (uint64_t round = 1; round <= 20; ++round) {
        gs_timeline_t timeline = nullptr;
        ASSERT_OK(gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, side.export_semaphore(semaphore), &timeline));
        Stream stream = make_stream(0);
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 2 * round - 1));
        ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 2 * round));
        EXPECT_OK(gs_timeline_destroy(timeline));
        EXPECT_OK(gs_trim());
        side.signal(semaphore, 2 * round - 1);
        EXPECT_OK(gs_stream_synchronize_for(stream, kLimitNs));
        EXPECT_EQ(side.value(semaphore), 2 * round);
    }
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_device_check(0));
}

TEST_F(Vulkan, WhatIsNoSemaphore) {
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_EQ(close(file), 0) << "it is still the caller's";
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_EQ(timeline, nullptr);
    EXPECT_OK(gs_device_check(0));
}

} // namespace
} // namespace gs::test
