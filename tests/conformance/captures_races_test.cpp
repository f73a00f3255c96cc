// SPDX-License-Identifier: Apache-2.0
// Threads that end and abort the captures of one stream.
#include <atomic>
#include <barrier>
#include <thread>

#include "conformance/captures.hpp"

namespace gs::test {

// An abort that comes too late ends no later capture behind the back of the thread that began it: either the abort or the end
// has had the capture.
TEST_P(Conformance, CaptureRaces_AnAbortAndAnEnd) {
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        Stream stream = make_stream(0);
        std::atomic<bool> over{false};
        std::thread other([&] {
            while (!over) {
                const gs_status_t status = gs_stream_abort_capture(stream);
                // CAPTURING: the other thread is inside its begin.
                EXPECT_TRUE(status == GS_OK || status == GS_ERROR_NOT_PERMITTED || status == GS_ERROR_CAPTURING)
                    << gs_status_name(status) << ": " << last_error().message;
            }
        });
        for (int i = 0; i < 3000; ++i) {
            const gs_status_t begun = gs_stream_begin_capture(stream, mode);
            if (begun == GS_ERROR_CAPTURING) continue; // the abort is not through
            EXPECT_OK(begun);
            gs_graph_t graph = nullptr;
            const gs_status_t ended = gs_stream_end_capture(stream, &graph);
            EXPECT_EQ(graph != nullptr, ended == GS_OK);
            if (ended == GS_OK)
                EXPECT_OK(gs_graph_destroy(graph));
            else
                EXPECT_EQ(ended, GS_ERROR_NOT_PERMITTED) << gs_status_name(ended) << ": " << last_error().message;
        }
        over = true;
        other.join();
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_abort_capture(stream));
        EXPECT_OK(gs_device_synchronize(0)) << "no capture is left in the library's table";
    }
}

// The begin that comes second is refused, and leaves the first one's capture as it is.
TEST_P(Conformance, CaptureRaces_TwoBegins) {
    constexpr int kRounds = 5000;
    Stream stream = make_stream(0);
    std::atomic<int> begun{0};
    std::barrier both(2);
    const auto capture = [&] {
        for (int i = 0; i < kRounds; ++i) {
            both.arrive_and_wait();
            const gs_status_t status = gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED);
            EXPECT_TRUE(status == GS_OK || status == GS_ERROR_CAPTURING)
                << gs_status_name(status) << ": " << last_error().message;
            both.arrive_and_wait();
            if (status != GS_OK) continue;
            ++begun;
            gs_graph_t graph = nullptr;
            EXPECT_OK(gs_stream_end_capture(stream, &graph));
            if (graph) EXPECT_OK(gs_graph_destroy(graph));
        }
    };
    std::thread other(capture);
    capture();
    other.join();
    EXPECT_EQ(begun, kRounds) << "one of two";
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
}

} // namespace gs::test
