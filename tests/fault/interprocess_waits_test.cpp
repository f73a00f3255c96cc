// SPDX-License-Identifier: Apache-2.0
// A stream waits for an interprocess event of another device, and one of the driver calls of that fails. The fault loop breaks the
// device whose context is current, so waits across devices are not among its scenarios.
#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// The nth call of the function in one wait fails.
void expect_failure(const char *function, uint64_t nth, int phase, gs_event_t event) {
    SCOPED_TRACE(std::string(function) + ", call " + std::to_string(nth) + ", phase " + std::to_string(phase));
    Stream waits = make_stream(1);
    inject(function, phase, FAKE_CUDA_TRANSIENT, nth);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_event(waits, event));
    EXPECT_EQ(fake().injected_name(), function);
    EXPECT_NE(std::string(last_error().message).find("gs_stream_wait_event"), std::string::npos)
        << last_error().message;
    ASSERT_OK(gs_stream_wait_event(waits, event)) << "it may be tried again";
    EXPECT_FALSE(done(waits.get()));
}

} // namespace

TEST(InterprocessWaits, EachCallThatFails) {
    OWN_PROCESS();
    Stream records = make_stream(0);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    Gate gate;
    ASSERT_OK(gate.hold(records));
    ASSERT_OK(gs_event_record(event, records));
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        expect_failure("cuStreamWaitEvent", 1, phase, event);
        expect_failure("cuEventRecord", 1, phase, event);
        expect_failure("cuStreamWaitEvent", 2, phase, event);
        ASSERT_OK(gs_trim()); // so that the next wait makes a stream
    }
    gate.open();
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(gs_device_synchronize(1));
    EXPECT_EQ(fake().violation_text(), "");
    records.reset();
    event.reset();
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 0u) << "the streams that waits went through, too";
}

TEST(InterprocessWaits, NoStreamCanBeMade) {
    OWN_PROCESS();
    Stream records = make_stream(0), waits = make_stream(1);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    ASSERT_OK(gs_event_record(event, records));
    inject("cuStreamCreateWithPriority", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_event(waits, event));
    EXPECT_OK(gs_stream_wait_event(waits, event));
    EXPECT_OK(gs_stream_synchronize(waits));
}

// A device that has failed has no streams any more; that of the stream that would wait is not touched.
TEST(InterprocessWaits, TheEventsDeviceIsBroken) {
    OWN_PROCESS();
    Stream records = make_stream(0), waits = make_stream(1);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    ASSERT_OK(gs_event_record(event, records));
    fake().break_device(0, 719);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(records));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_wait_event(waits, event));
    EXPECT_OK(gs_stream_synchronize(waits));
}

} // namespace gs::test
