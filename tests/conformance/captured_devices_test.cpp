// SPDX-License-Identifier: Apache-2.0
// What a device is asked before it is synchronized or trimmed: streams that are captured, wherever the library keeps them.
#include <set>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kCapturedStreams = 20; // more than the library looks at per lease

// Ends the capture of a stream whose handle may be gone by then.
class CapturedNative {
public:
    CapturedNative(int32_t ordinal, uintptr_t native) : ordinal_(ordinal), native_(native) {
        EXPECT_TRUE(host::testing::begin_capture(ordinal, native));
    }
    ~CapturedNative() { end(); }
    CapturedNative(const CapturedNative &) = delete;
    CapturedNative &operator=(const CapturedNative &) = delete;
    void end() {
        if (active_) EXPECT_TRUE(host::testing::end_capture(ordinal_, native_));
        active_ = false;
    }

private:
    int32_t ordinal_;
    uintptr_t native_;
    bool active_ = true;
};

std::set<uintptr_t> natives_of_new_streams(std::vector<Stream> *streams) {
    std::set<uintptr_t> natives;
    for (int i = 0; i < kCapturedStreams; ++i) {
        streams->push_back(make_stream(0));
        natives.insert(native_of(streams->back()));
    }
    return natives;
}

} // namespace

TEST_P(HostConformance, Case18_ACaptureOnAnotherDeviceIsNoObstacle) {
    GS_NEEDS_DEVICES(2);
    Stream stream = make_stream(1), shared = make_stream(1, GS_STREAM_SHARED);
    CapturedNative capture(1, native_of(stream)), other(1, native_of(shared));
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_device_synchronize, "captur", 1);
    capture.end();
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_device_synchronize, "captur", 1);
    other.end();
    EXPECT_OK(gs_device_synchronize(1));
}

TEST_P(HostConformance, Case18_ASharedStreamIsAskedAfterItsHandleIsGone) {
    gs_stream_t shared = make_stream(0, GS_STREAM_SHARED).release();
    CapturedNative capture(0, native_of(shared));
    EXPECT_OK(gs_stream_destroy(shared));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_device_synchronize, "captur", 0);
    capture.end();
    EXPECT_OK(gs_device_synchronize(0));
}

TEST_P(HostConformance, Case18_TrimLeavesACapturedStreamWithItsCapture) {
    gs_stream_t stream = make_stream(0).release();
    const uintptr_t native = native_of(stream);
    CapturedNative capture(0, native);
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_trim());
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_device_synchronize, "captur", 0);
    capture.end(); // the driver stream still exists
    EXPECT_OK(gs_device_synchronize(0));
    std::vector<Stream> streams;
    EXPECT_EQ(natives_of_new_streams(&streams).count(native), 0u) << "the capturing code may continue";
}

// A used stream waits in its pool until it is found idle. One whose device is broken when it is asked is given up.
static void expect_given_up(void (*break_device)()) {
    std::set<uintptr_t> used;
    {
        std::vector<Stream> streams;
        used = natives_of_new_streams(&streams);
        for (Stream &stream : streams) ASSERT_OK(gs_stream_synchronize(stream));
    }
    break_device();
    EXPECT_OK(gs_trim());
    while (!host::testing::device_idle(0)) std::this_thread::yield();
    host::testing::heal(0);
    std::vector<Stream> streams;
    for (const uintptr_t native : natives_of_new_streams(&streams)) EXPECT_EQ(used.count(native), 0u);
    for (Stream &stream : streams) EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(HostConformanceProcess, TrimGivesUpStreamsOfABrokenDevice) {
    OWN_PROCESS();
    expect_given_up([] { host::testing::inject_fault(0, 700, "the test"); });
}

TEST_P(HostConformanceProcess, TrimGivesUpStreamsOfALostContext) {
    OWN_PROCESS();
    expect_given_up([] { host::testing::lose_context(0, "the test's reset"); });
}

} // namespace gs::test
