// SPDX-License-Identifier: Apache-2.0
// Timelines that are semaphores of another API, where calls of the driver fail or the device does.
#include <string>

#include "fault/imported_timelines.hpp"

namespace gs::test {

TEST(ImportedTimelines, CallsThatFail) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Semaphore semaphore;
    const int fd = semaphore.exported();
    gs_timeline_t refused = nullptr;
    inject("cuImportExternalSemaphore", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &refused));
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_last_error(&info));
    EXPECT_EQ(info.native_code, 999) << "the driver's word for it";
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

// If it fails again, a record of all work of the device takes its place: the semaphore is never destroyed too early.
TEST(ImportedTimelines, RecordsThatKeepFailing) {
    OWN_PROCESS();
    Stream stream = make_stream(0), captured = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    inject("cuEventRecord", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(stream, timeline, 1));
    fake().clear_fault();
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1)) << "this one is marked, and speaks for itself only";
    timeline.destroy();
    {
        Timeline usual; // asks about the ended one
        EXPECT_EQ(live_semaphores(), 1u);
    }
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().calls("cuCtxRecordEvent"), 0u) << "it would break the capture";
    EXPECT_OK(gs_stream_abort_capture(captured));
    inject("cuCtxRecordEvent", FAKE_CUDA_BEFORE);
    EXPECT_OK(gs_trim()) << "refused: the next one tries again";
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(live_semaphores(), 1u);
    semaphore.signal(1);
    EXPECT_OK(gs_device_synchronize(0)) << "a record of all work may be done only after the last stream is";
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

// An older driver cannot record that: it stays.
TEST(ImportedTimelines, RecordsThatKeepFailingOfAnOlderDriver) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuCtxRecordEvent"}});
    Stream stream = make_stream(0);
    Semaphore semaphore(1);
    Imported timeline(semaphore);
    inject("cuEventRecord", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(stream, timeline, 1));
    fake().clear_fault();
    EXPECT_OK(gs_stream_synchronize(stream));
    timeline.destroy();
    for (int i = 0; i < 2; ++i) EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 1u);
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

// It went with its context: its number must not be passed to the driver again.
TEST(ImportedTimelines, AContextThatIsResetBeforeAnyUse) {
    OWN_PROCESS();
    Stream stream = make_stream(0); // so that the library has noticed its context
    for (const bool noticed : {true, false}) {
        Semaphore semaphore;
        Imported timeline(semaphore, noticed ? 0 : 1);
        fake().reset_device(noticed ? 0 : 1);
        if (noticed) EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
        timeline.destroy();
        fake().reset_calls();
        EXPECT_OK(gs_trim());
        EXPECT_EQ(fake().calls("cuDestroyExternalSemaphore"), 0u);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, ADeviceThatFails) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore), unused(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    fake().break_device(0, 719);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_device_check(0));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_wait_timeline(stream, timeline, 2));
    timeline.destroy();
    unused.destroy();
    fake().reset_calls();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().calls("cuDestroyExternalSemaphore"), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

// The library cannot know what the other side has signalled, so a dump leaves the value out.
TEST(ImportedTimelines, ADumpSaysWhatAStreamMayWaitFor) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 3));
    int ends[2] = {-1, -1};
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ASSERT_OK(gs_dump(ends[1]));
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(got));
    close(ends[0]);
    EXPECT_NE(text.find(" may wait for timeline "), std::string::npos) << text;
    EXPECT_NE(text.find(" to reach 3"), std::string::npos) << text;
    EXPECT_EQ(text.find("it is at"), std::string::npos) << text;
    semaphore.signal(3);
    EXPECT_OK(gs_stream_synchronize(stream));
}

} // namespace gs::test
