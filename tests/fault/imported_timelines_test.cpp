// SPDX-License-Identifier: Apache-2.0
// Timelines that are semaphores of another API: the fake driver's, whose other side is fake_cuda_signal_semaphore().
#include <fcntl.h>
#include <unistd.h>

#include "fault/inject.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// A semaphore that another API has made, which keeps a file descriptor of its own.
class Semaphore {
public:
    explicit Semaphore(uint64_t initial = 0) : fd_(fake().make_semaphore(initial)) { EXPECT_GE(fd_, 0); }
    ~Semaphore() { close(fd_); }
    Semaphore(const Semaphore &) = delete;
    Semaphore &operator=(const Semaphore &) = delete;

    int exported() const { return fcntl(fd_, F_DUPFD_CLOEXEC, 0); }
    void signal(uint64_t value) const { EXPECT_EQ(fake().signal_semaphore(fd_, value), 0); }
    uint64_t value() const {
        uint64_t value = 0;
        EXPECT_EQ(fake().semaphore_value(fd_, &value), 0);
        return value;
    }

private:
    int fd_;
};

class Imported {
public:
    explicit Imported(const Semaphore &semaphore, gs_device_t device = 0) {
        const int fd = semaphore.exported();
        EXPECT_OK(gs_timeline_from_fd(device, GS_FD_VULKAN_TIMELINE, fd, &handle_));
        EXPECT_FALSE(is_open(fd)) << "it is the driver's now";
    }
    ~Imported() {
        if (handle_) EXPECT_OK(gs_timeline_destroy(handle_));
    }
    Imported(const Imported &) = delete;
    Imported &operator=(const Imported &) = delete;

    operator gs_timeline_t() const { return handle_; } // NOLINT: used in place of the handle
    void destroy() { EXPECT_OK(gs_timeline_destroy(std::exchange(handle_, nullptr))); }

private:
    gs_timeline_t handle_ = nullptr;
};

size_t live_semaphores() { return fake().live(FAKE_CUDA_SEMAPHORE); }

} // namespace

TEST(ImportedTimelines, EachSideSignalsAndWaits) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Stream stream = make_stream(0);
    Semaphore semaphore(3);
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 5)); // comes first
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 6));
    EXPECT_FALSE(done(stream.get()));
    semaphore.signal(4);
    EXPECT_FALSE(done(stream.get()));
    semaphore.signal(5);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(semaphore.value(), 6u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, SignalsOfThisProcessKeepTheirOrder) {
    OWN_PROCESS();
    Stream first = make_stream(0), second = make_stream(0), held = make_stream(0);
    Semaphore semaphore, start;
    Imported timeline(semaphore), begin(start);
    ASSERT_OK(gs_stream_wait_timeline(first, begin, 1));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 2)); // waits for the other stream
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(held, timeline, 2));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(held, timeline, 1));
    EXPECT_FALSE(done(second.get()));
    fake().reset_calls();
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 1));
    EXPECT_EQ(fake().calls("cuWaitExternalSemaphoresAsync"), 0u) << "the stream has the order already";
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 3));
    EXPECT_EQ(fake().calls("cuWaitExternalSemaphoresAsync"), 0u);
    start.signal(1);
    EXPECT_OK(gs_stream_synchronize(second));
    EXPECT_EQ(semaphore.value(), 3u);
}

TEST(ImportedTimelines, WhatAThreadCannotDo) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    Semaphore semaphore(7);
    Imported timeline(semaphore);
    uint64_t value = 1;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_value(timeline, &value));
    EXPECT_EQ(value, 0u);
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_signal(timeline, 8));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_synchronize(timeline, 7, 0));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_signal_timeline(other, timeline, 8)) << "of another device";
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_timeline(other, timeline, 8));
    gs_ipc_handle_t name{};
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_ipc_export(timeline, &name));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_signal_timeline(stream, timeline, 8));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_timeline(stream, timeline, 8));
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_EQ(semaphore.value(), 7u);
}

// Neither releases a stream that waits; the semaphore stays until it has gone on.
TEST(ImportedTimelines, AbortAndDestroy) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_CANCELLED));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_wait_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_signal_timeline(stream, timeline, 1));
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(live_semaphores(), 1u);
    semaphore.signal(1);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(live_semaphores(), 1u);
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(fake().violation_text(), "");
    // The slot serves a timeline of the usual kind.
    Timeline usual(3);
    EXPECT_EQ(usual.value(), 3u);
    EXPECT_OK(gs_stream_signal_timeline(stream, usual, 4));
    EXPECT_OK(gs_timeline_synchronize(usual, 4, -1));
}

// Without a trim: the next timelines of the device give it back.
TEST(ImportedTimelines, ManyOneAfterTheOther) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    for (uint64_t i = 1; i <= 100; ++i) {
        Imported timeline(semaphore);
        ASSERT_OK(gs_stream_signal_timeline(stream, timeline, i));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_LE(live_semaphores(), 2u);
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(semaphore.value(), 100u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, WhatIsNoSemaphore) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Semaphore semaphore;
    const int fd = semaphore.exported(), file = open("/dev/null", O_RDWR | O_CLOEXEC);
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_D3D12_FENCE, fd, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, 0, fd, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_timeline_from_fd(9, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    EXPECT_EQ(timeline, nullptr);
    EXPECT_TRUE(is_open(fd) && is_open(file)) << "they are still the caller's";
    EXPECT_EQ(live_semaphores(), 0u);
    close(fd);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    close(file);
}

TEST(ImportedTimelines, CallsThatFail) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Semaphore semaphore;
    const int fd = semaphore.exported();
    gs_timeline_t refused = nullptr;
    inject("cuImportExternalSemaphore", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &refused));
    EXPECT_EQ(refused, nullptr);
    EXPECT_TRUE(is_open(fd));
    close(fd);
    Imported timeline(semaphore);
    inject("cuSignalExternalSemaphoresAsync", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 1)) << "the value was not used up";
    inject("cuWaitExternalSemaphoresAsync", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(other, timeline, 1));
    inject("cuWaitExternalSemaphoresAsync", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(other, timeline, 2)) << "it has to wait for the other";
    EXPECT_OK(gs_stream_signal_timeline(other, timeline, 2));
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(semaphore.value(), 2u);
    timeline.destroy();
    inject("cuDestroyExternalSemaphore", FAKE_CUDA_BEFORE);
    EXPECT_OK(gs_trim()) << "a failure is logged";
    EXPECT_EQ(fake().violation_text(), "");
}

// The record behind an operation says when its stream no longer needs the semaphore. One failure is reported and made good.
TEST(ImportedTimelines, ARecordThatFails) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        Semaphore semaphore;
        Imported timeline(semaphore);
        inject("cuEventRecord", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(stream, timeline, 1));
        inject("cuEventRecord", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 2));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(stream, timeline, 2)) << "it is submitted";
        timeline.destroy();
        EXPECT_OK(gs_trim());
        EXPECT_EQ(live_semaphores(), 1u) << "the stream waits still";
        semaphore.signal(1);
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(semaphore.value(), 2u);
        EXPECT_OK(gs_trim());
        EXPECT_EQ(live_semaphores(), 0u);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// If it fails again, it is never known that the stream has passed: the semaphore is kept, and never destroyed too early.
TEST(ImportedTimelines, RecordsThatKeepFailing) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    inject("cuEventRecord", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(stream, timeline, 1));
    fake().clear_fault();
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(live_semaphores(), 1u);
    semaphore.signal(1);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 1u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, ADeviceWithoutThem) {
    OWN_PROCESS({{"FAKE_CUDA_NO_SEMAPHORES", "1"}});
    ASSERT_OK(gs_init());
    Semaphore semaphore;
    const int fd = semaphore.exported();
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    EXPECT_TRUE(is_open(fd));
    close(fd);
}

TEST(ImportedTimelines, ADriverWithoutThem) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuImportExternalSemaphore"}});
    ASSERT_OK(gs_init());
    Semaphore semaphore;
    const int fd = semaphore.exported();
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    EXPECT_TRUE(is_open(fd));
    close(fd);
}

TEST(ImportedTimelines, AContextThatIsReset) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_timeline(stream, timeline, 2));
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
}

} // namespace gs::test
