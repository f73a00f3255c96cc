// SPDX-License-Identifier: Apache-2.0
// The calling thread's current device and streams.
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, RowG3_SetCurrentStreamSwitchesTheDevice) {
    ROWS("G1 G3 G4");
    const gs_device_t last = device_count() - 1;
    Stream stream = make_stream(last);
    EXPECT_EQ(current_device(), 0);
    ASSERT_OK(gs_set_current_stream(stream));
    EXPECT_EQ(current_device(), last);
    EXPECT_EQ(current_stream(), stream.get());
    EXPECT_EQ(current_stream(last), stream.get());
    if (last != 0) EXPECT_EQ(current_stream(0), default_stream(0)) << "other devices' streams stay";
    ASSERT_OK(gs_set_current_device(0));
    EXPECT_EQ(current_stream(last), stream.get()) << "current streams stay when the device changes";
    ASSERT_OK(gs_set_current_stream(default_stream(last)));
    EXPECT_EQ(current_stream(last), default_stream(last));
}

TEST_P(Conformance, Case25_CurrentIsPerThread) {
    ROWS("G1 G9 E6");
    const gs_device_t last = device_count() - 1;
    Stream stream = make_stream(last);
    ASSERT_OK(gs_set_current_stream(stream));
    std::thread other([&] {
        EXPECT_EQ(current_device(), 0);
        EXPECT_EQ(current_stream(last), default_stream(last));
        Stream own = make_stream(0);
        EXPECT_OK(gs_set_current_stream(own));
        EXPECT_EQ(current_stream(0), own.get());
    });
    other.join();
    EXPECT_EQ(current_device(), last);
    EXPECT_EQ(current_stream(), stream.get());
    ASSERT_OK(gs_set_current_stream(default_stream(last)));
}

TEST_P(Conformance, RowG10_OptionalStreamParametersUseTheCurrentStream) {
    ROWS("B7 B9 D7 D8 G10");
    Bytes bytes(2);
    Stream held = make_stream();
    Event event = make_event();
    Gate gate;
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(held, &scope));
    ASSERT_OK(gate.hold(GS_STREAM_CURRENT));
    EXPECT_OK(gs_memset_async(bytes.at(0), 1, 1, GS_STREAM_CURRENT));
    EXPECT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    EXPECT_FALSE(done(held.get()));
    EXPECT_FALSE(done(event.get()));
    ASSERT_OK(gs_pop_current_stream(scope));
    EXPECT_OK(gs_event_wait(event, GS_STREAM_CURRENT)); // now the default stream
    bytes.copy(GS_STREAM_CURRENT, 1, 0);
    EXPECT_FALSE(done(default_stream()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(default_stream()));
    EXPECT_EQ(bytes[1], 1);
    // For other parameters the constant is not a valid handle.
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(GS_STREAM_CURRENT, &number));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize(GS_STREAM_CURRENT));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(GS_STREAM_CURRENT));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_retain(GS_STREAM_CURRENT));
}

TEST_P(Conformance, RowG5_PushAndPopRestoreDeviceAndStreams) {
    ROWS("G5 G6 G7");
    const gs_device_t last = device_count() - 1;
    Stream base = make_stream(0), base_last = make_stream(last), inner = make_stream(last);
    ASSERT_OK(gs_set_current_stream(base_last));
    ASSERT_OK(gs_set_current_stream(base));
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(inner, &scope));
    EXPECT_NE(scope, 0u);
    EXPECT_EQ(current_device(), last);
    EXPECT_EQ(current_stream(), inner.get());
    // Changes made inside are undone as well.
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    ASSERT_OK(gs_set_current_stream(default_stream(last)));
    ASSERT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(current_stream(0), base.get());
    if (last != 0) EXPECT_EQ(current_stream(last), base_last.get());
    ASSERT_OK(gs_set_current_stream(default_stream(last)));
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
}

TEST_P(Conformance, RowG8_FortyScopesDeep) {
    const int32_t devices = device_count();
    std::vector<Stream> streams;
    std::vector<uint64_t> scopes;
    for (int i = 0; i < 40; ++i) {
        streams.push_back(make_stream(i % devices));
        scopes.push_back(0);
        ASSERT_OK(gs_push_current_stream(streams.back(), &scopes.back()));
        for (size_t k = 0; k + 1 < scopes.size(); ++k) ASSERT_NE(scopes[k], scopes.back());
    }
    for (size_t i = 40; i-- > 0;) {
        EXPECT_EQ(current_stream(), streams[i].get());
        EXPECT_EQ(current_device(), static_cast<gs_device_t>(i) % devices);
        ASSERT_OK(gs_pop_current_stream(i % 2 ? scopes[i] : 0));
    }
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(current_stream(0), default_stream(0));
}

TEST_P(Conformance, RowG7_WrongOrderChangesNothing) {
    Stream a = make_stream(), b = make_stream();
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, "scope", 0);
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_unwind_current_stream, "scope", 0x1234);
    uint64_t outer = 0, inner = 0;
    ASSERT_OK(gs_push_current_stream(a, &outer));
    ASSERT_OK(gs_push_current_stream(b, &inner));
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, "not this thread's innermost", outer);
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(inner + 1000));
    EXPECT_EQ(current_stream(), b.get());
    ASSERT_OK(gs_pop_current_stream(inner));
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(inner)) << "ended already";
    EXPECT_EQ(current_stream(), a.get());
    ASSERT_OK(gs_pop_current_stream(outer));
    EXPECT_EQ(current_stream(), default_stream());
}

TEST_P(Conformance, RowG7_WrongThreadChangesNothing) {
    Stream a = make_stream(), b = make_stream();
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(a, &scope));
    std::thread other([&] {
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(scope));
        uint64_t own = 0;
        EXPECT_OK(gs_push_current_stream(b, &own));
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(scope));
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_unwind_current_stream(scope));
        EXPECT_EQ(current_stream(), b.get());
        EXPECT_OK(gs_pop_current_stream(own));
    });
    other.join();
    EXPECT_EQ(current_stream(), a.get());
    ASSERT_OK(gs_pop_current_stream(scope));
}

TEST_P(Conformance, RowG7_UnwindEndsInnerScopes) {
    const gs_device_t last = device_count() - 1;
    Stream streams[4] = {make_stream(0), make_stream(last), make_stream(0), make_stream(last)};
    for (const int from : {0, 1, 2, 3}) {
        uint64_t scopes[4] = {};
        for (int i = 0; i < 4; ++i) ASSERT_OK(gs_push_current_stream(streams[i], &scopes[i]));
        ASSERT_OK(gs_unwind_current_stream(scopes[from]));
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_unwind_current_stream(scopes[from]));
        EXPECT_EQ(current_stream(), from == 0 ? default_stream(0) : streams[from - 1].get());
        if (from > 0) ASSERT_OK(gs_unwind_current_stream(scopes[0]));
        EXPECT_EQ(current_device(), 0);
    }
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(streams[0], &scope));
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_unwind_current_stream(0)) << "unwinding needs a name";
    EXPECT_EQ(current_stream(), streams[0].get());
    ASSERT_OK(gs_unwind_current_stream(scope));
}

TEST_P(Conformance, RowG3_ExchangeGivesAReference) {
    Stream a = make_stream(), b = make_stream();
    gs_stream_t previous = nullptr;
    ASSERT_OK(gs_exchange_current_stream(a, &previous));
    EXPECT_EQ(previous, default_stream());
    EXPECT_OK(gs_stream_destroy(previous)) << "harmless";
    ASSERT_OK(gs_exchange_current_stream(b, &previous));
    EXPECT_EQ(previous, a.get());
    const gs_stream_t kept = a.release();
    EXPECT_OK(gs_stream_destroy(kept));     // the test's own reference
    EXPECT_TRUE(done(previous));            // the reference of the exchange keeps it alive
    EXPECT_OK(gs_stream_destroy(previous)); // the last one
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(previous));
    ASSERT_OK(gs_set_current_stream(default_stream()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_exchange_current_stream, "the stream is NULL", nullptr, &previous);
    EXPECT_EQ(previous, nullptr);
}

TEST_P(Conformance, RowF1_ExchangeDevice) {
    ROWS("F-1 F-2 F-5 F-6");
    const gs_device_t last = device_count() - 1;
    Stream there = make_stream(last); // its context exists from here on
    gs_device_t previous = GS_DEVICE_NONE;
    ASSERT_OK(gs_exchange_device(last, &previous));
    EXPECT_EQ(previous, 0);
    EXPECT_EQ(current_device(), last);
    ASSERT_OK(gs_exchange_device(GS_DEVICE_CURRENT, &previous));
    EXPECT_EQ(previous, last);
    ASSERT_OK(gs_set_current_device(0));
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_set_current_device, "1000", 1000);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_exchange_device, "-7", -7, &previous);
    EXPECT_EQ(previous, 0) << "zeroed on entry";
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_set_current_device(GS_DEVICE_NONE));
    EXPECT_EQ(current_device(), 0);
}

} // namespace gs::test
