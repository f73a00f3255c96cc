// SPDX-License-Identifier: Apache-2.0
// The stream, the event and the device in error records.
#include <thread>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Errors_RecordNamesTheObjects) {
    GS_NEEDS_DEVICES(2);
    const auto objects = [](gs_stream_t stream, gs_event_t event, gs_device_t device) {
        const gs_error_info_t info = last_error();
        EXPECT_EQ(info.stream, stream) << info.message;
        EXPECT_EQ(info.event, event) << info.message;
        EXPECT_EQ(info.device, device) << info.message;
    };
    std::thread([&] { objects(nullptr, nullptr, GS_DEVICE_NONE); }).join(); // a thread that never failed
    ASSERT_OK(gs_set_current_device(1));
    gs_device_t one = 0, zero = 0;
    ASSERT_OK(gs_current_device(&one));
    gs_stream_t made = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_create(4242, 0, 0, &made));
    objects(nullptr, nullptr, 4242);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create(GS_DEVICE_CURRENT, 0, 1u << 30, &made));
    objects(nullptr, nullptr, one);

    Stream first = make_stream(), second = make_stream(); // on device 1
    ASSERT_OK(gs_stream_device(first, &one));
    Event event = make_event(), timed = make_event(GS_EVENT_TIMING);
    const gs_event_t dead_event = make_event().release();
    const gs_stream_t dead = make_stream().release();
    ASSERT_OK(gs_event_destroy(dead_event));
    ASSERT_OK(gs_stream_destroy(dead));
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_current_device(&zero));

    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(dead_event, first));
    objects(first, dead_event, one); // the device is that of the stream
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_event(dead, event));
    objects(dead, event, GS_DEVICE_NONE); // an ended stream and a new event have no device
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_stream(first, dead));
    objects(dead, nullptr,
            one); // the stream that is wrong; the device is that of the one that the call was given first
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(dead_event, GS_STREAM_CURRENT));
    objects(current_stream(), dead_event, zero);
    EXPECT_OK(gs_event_record(event, first));
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_event_record(event, GS_STREAM_CURRENT));
    objects(current_stream(), event, zero);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_export(event, nullptr));
    objects(nullptr, event, one); // the device that the event is bound to

    // Of two events, the one that is at fault.
    double ms = 0;
    EXPECT_STATUS(GS_ERROR_TIMING_DISABLED, gs_event_elapsed_ms(timed, event, &ms));
    EXPECT_EQ(last_error().event, event.get());
    EXPECT_STATUS(GS_ERROR_TIMING_DISABLED, gs_event_elapsed_ms(event, timed, &ms));
    EXPECT_EQ(last_error().event, event.get());
    Event never = make_event(GS_EVENT_TIMING);
    EXPECT_OK(gs_event_record(timed, first));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms(timed, never, &ms));
    EXPECT_EQ(last_error().event, never.get());
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms(never, timed, &ms));
    EXPECT_EQ(last_error().event, never.get());

    gs_event_t unmade = nullptr;
    // The next failure is about none of them.
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_create(1u << 30, &unmade));
    objects(nullptr, nullptr, GS_DEVICE_NONE);
    EXPECT_OK(gs_stream_synchronize(first));
}

} // namespace gs::test
