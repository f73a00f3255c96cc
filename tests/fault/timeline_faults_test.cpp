// SPDX-License-Identifier: Apache-2.0
// Timelines of devices that break, of drivers that fail in the middle of a signal, and of devices without stream memory operations.
#include <thread>

#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

TEST(TimelineFaults, ADeviceThatBreaksBetweenWaitAndSignal) {
    OWN_PROCESS();
    Stream waits = make_stream(0), signals = make_stream(0), other = make_stream(1);
    Timeline timeline;
    Gate gate;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    ASSERT_OK(gate.hold(signals));
    gate.wait_until_reached(); // else a broken device drops its function
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 1));
    std::thread waiter([&] { EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_synchronize(timeline, 1, -1)); });
    fake().break_device(0, 719);
    waiter.join();
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_signal(timeline, 2));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_signal_timeline(signals, timeline, 2));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_wait_timeline(waits, timeline, 2));
    EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    Timeline next(0, 1);
    ASSERT_OK(gs_stream_signal_timeline(other, next, 1));
    EXPECT_OK(gs_timeline_synchronize(next, 1, -1)) << "the other device works";
    EXPECT_EQ(fake().violation_text(), "");
}

// The memory of a timeline is the process's: after a reset the host may still look at it.
TEST(TimelineFaults, AContextThatIsReset) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Timeline timeline(3);
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_EQ(timeline.value(), 3u);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_timeline_signal(timeline, 4));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_signal_timeline(stream, timeline, 4));
    gs_timeline_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_timeline_create(0, 0, 0, &none));
}

// A signal's memory is used again with its driver event, which belongs to a device.
TEST(TimelineFaults, SignalsOfTwoDevices) {
    OWN_PROCESS();
    const Stream streams[] = {make_stream(0), make_stream(1)};
    Timeline timeline;
    for (uint64_t value = 1; value <= 8; ++value) {
        ASSERT_OK(gs_stream_signal_timeline(streams[value / 2 % 2], timeline, value));
        ASSERT_OK(gs_timeline_synchronize(timeline, value, -1));
    }
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(TimelineFaults, AWriteThatFails) {
    OWN_PROCESS();
    Stream stream = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 1));
    inject("cuStreamWriteValue64_v2", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_EQ(timeline.value(), 0u);
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 1)) << "it may be tried again";
    EXPECT_OK(gs_stream_synchronize(waits));
    inject("cuStreamWriteValue64_v2", FAKE_CUDA_AFTER);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 2));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(timeline.value(), 2u) << "the driver did it nevertheless";
    EXPECT_OK(gs_timeline_signal(timeline, 3));
}

// A write that the driver reports as failed lands later: the timelines that are made before must not have its word.
TEST(TimelineFaults, AFailedWriteThatHappensAfterItsTimeline) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    {
        Timeline timeline;
        inject("cuStreamWriteValue64_v2", FAKE_CUDA_AFTER);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 5));
    }
    Timeline next[4];
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    for (const Timeline &timeline : next) EXPECT_EQ(timeline.value(), 0u);
}

TEST(TimelineFaults, ARecordThatFailsBehindAWrite) {
    OWN_PROCESS();
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        Stream stream = make_stream(0), waits = make_stream(0);
        Timeline timeline;
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        inject("cuEventRecord", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 1));
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 1)) << "without the event, by the word";
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 1)) << "it is submitted";
        gate.open();
        EXPECT_OK(gs_stream_synchronize(waits));
        EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// The record is the signal.
TEST(TimelineFaults, ARecordThatFailsWithoutAWrite) {
    OWN_PROCESS();
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        Stream stream = make_stream(0), waits = make_stream(0);
        Timeline timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST);
        inject("cuEventRecord", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 1));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(timeline.value(), 0u);
        EXPECT_EQ(gs_timeline_synchronize(timeline, 1, 0), GS_ERROR_TIMEOUT);
        ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 1)) << "it may be tried again";
        EXPECT_OK(gs_stream_wait_timeline(waits, timeline, 1));
        EXPECT_OK(gs_stream_synchronize(waits));
        EXPECT_EQ(timeline.value(), 1u);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(TimelineFaults, AWaitForTheEventOfTheSignalBeforeThatFails) {
    OWN_PROCESS();
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline;
    Gate gate;
    ASSERT_OK(gate.hold(first));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    inject("cuStreamWaitEvent", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(second, timeline, 2));
    EXPECT_OK(gs_stream_signal_timeline(second, timeline, 2)) << "it may be tried again";
    gate.open();
    EXPECT_OK(gs_timeline_synchronize(timeline, 2, -1));
}

TEST(TimelineFaults, AQuestionThatFails) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Timeline timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST);
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    ASSERT_OK(gs_stream_synchronize(stream));
    uint64_t value = 5;
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_timeline_value(timeline, &value));
    EXPECT_EQ(value, 0u);
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_timeline_signal(timeline, 4));
    EXPECT_OK(gs_timeline_signal(timeline, 4));
    EXPECT_EQ(timeline.value(), 4u);
    // A signal asks about an old one when many are kept.
    for (uint64_t i = 5; i < 5 + 64; ++i) ASSERT_OK(gs_stream_signal_timeline(stream, timeline, i));
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(stream, timeline, 70));
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 70)) << "nothing was submitted";
    EXPECT_OK(gs_timeline_synchronize(timeline, 70, -1));
    EXPECT_EQ(timeline.value(), 70u);
}

// The driver refuses calls in a callback that the program gave to the driver itself, of which the library cannot know.
TEST(TimelineFaults, AQuestionThatIsNotPermitted) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Timeline timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST);
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    ASSERT_OK(gs_stream_synchronize(stream));
    fake_cuda_fault_t fault{};
    fault.function = "cuEventQuery";
    fault.nth = 1;
    fault.code = 800;
    fault.phase = FAKE_CUDA_BEFORE;
    fault.mode = FAKE_CUDA_TRANSIENT;
    fault.device = -1;
    fake().inject(&fault);
    uint64_t value = 0;
    EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_timeline_value(timeline, &value));
    EXPECT_EQ(timeline.value(), 3u);
}

// Signals that are not written die with their device.
TEST(TimelineFaults, ADeviceThatBreaksBeforeSignalsThatAreNotWritten) {
    OWN_PROCESS();
    Stream signals = make_stream(0);
    Timeline timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    gate.wait_until_reached(); // else a broken device drops its function
    for (const uint64_t value : {1, 3}) ASSERT_OK(gs_stream_signal_timeline(signals, timeline, value));
    fake().break_device(0, 719);
    uint64_t value = 0;
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_value(timeline, &value));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_synchronize(timeline, 3, -1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_signal(timeline, 4));
    EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    gate.open();
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(TimelineFaults, AWaitThatFails) {
    OWN_PROCESS();
    Stream stream = make_stream(0), waits = make_stream(0);
    Timeline timeline, other;
    inject("cuStreamWaitValue64_v2", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(waits, timeline, 1));
    EXPECT_OK(gs_stream_synchronize(waits));
    // It is not part of a circle.
    ASSERT_OK(gs_stream_wait_timeline(stream, other, 1));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_OK(gs_stream_signal_timeline(waits, other, 1));
    EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
}

// Neither is one that a signal behind another stream's makes necessary.
TEST(TimelineFaults, AWaitForTheSignalBeforeThatFails) {
    OWN_PROCESS();
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline, other;
    ASSERT_OK(gs_stream_wait_timeline(first, other, 1));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    inject("cuStreamWaitValue64_v2", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(second, timeline, 2));
    ASSERT_OK(gs_stream_signal_timeline(second, other, 1)) << "it waits for nothing";
    EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
    EXPECT_OK(gs_stream_signal_timeline(second, timeline, 2)) << "it may be tried again";
    EXPECT_OK(gs_timeline_synchronize(timeline, 2, -1));
}

void expect_signal_first_alone() {
    Stream stream = make_stream(0), waits = make_stream(0);
    gs_timeline_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_create(0, 0, 0, &none));
    Timeline timeline(uint64_t{1} << 40, 0, GS_TIMELINE_SIGNAL_FIRST);
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, (uint64_t{1} << 40) + 1));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, (uint64_t{1} << 40) + 1));
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), (uint64_t{1} << 40) + 1);
    EXPECT_OK(gs_timeline_signal(timeline, uint64_t{1} << 41));
    EXPECT_OK(gs_stream_wait_timeline(stream, timeline, uint64_t{1} << 41));
    alignas(8) static uint64_t word = 0;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_write_value(stream, &word, 1, 0));
}

TEST(TimelineFaults, ADriverWithoutTheOperations) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuStreamWriteValue32_v2,cuStreamWriteValue64_v2,cuStreamWaitValue32_v2,"
                                       "cuStreamWaitValue64_v2"}});
    expect_signal_first_alone();
}

TEST(TimelineFaults, WordsOf32Bits) {
    OWN_PROCESS({{"FAKE_CUDA_NARROW_VALUES", "1"}});
    expect_signal_first_alone();
}

TEST(TimelineFaults, ADriverWithoutBatches) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuStreamBatchMemOp_v2"}});
    Stream stream = make_stream(0);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(8, &memory));
    const gs_value_op_t op{memory, 1, GS_VALUE_WRITE, 0};
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_batch_values(stream, &op, 1));
    EXPECT_OK(gs_stream_write_value(stream, memory, 1, 0));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_free_host(memory));
}

// 64-bit addresses that the driver does not know are refused by it.
TEST(TimelineFaults, MemoryThatTheDriverDoesNotKnow) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    alignas(8) static uint64_t word = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, &word, 1, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(stream, &word, 1, 0));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(8, &memory));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_value(stream, memory, 0, GS_VALUE_FLUSH));
    EXPECT_OK(gs_free_host(memory));
}

} // namespace gs::test
