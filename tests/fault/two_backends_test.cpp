// SPDX-License-Identifier: Apache-2.0
// Two backends at once: each thread has current streams of both. Calls that would order work of one after work of the other
// are rejected, with the same status whatever the library knows about the event.
#include <gtest/gtest.h>

#include "fault/fake_driver.hpp"
#include "support/gate.hpp"
#include "support/nodes.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

constexpr gs_device_t kHost = GS_DEVICE(GS_BACKEND_HOST, 0);

gs_stream_t current_of(gs_device_t device) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_current_stream(device, &stream));
    return stream;
}

void nothing_orders_across() {
    Stream cuda = make_stream(0), host = make_stream(kHost);
    Event of_cuda = make_event(GS_EVENT_TIMING), of_host = make_event(GS_EVENT_TIMING), fresh = make_event();
    ASSERT_OK(gs_event_record(of_cuda, cuda));
    ASSERT_OK(gs_event_record(of_host, host));
    const auto try_all = [&] {
        double ms = -1;
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_record, "host", of_host, cuda);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_record, "host", of_cuda, host);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_wait, "host", of_host, cuda);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_wait, "host", of_cuda, host);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_event, "host", cuda, of_host);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_stream, "host", cuda, host);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_stream, "host", host, cuda);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_elapsed_ms, "host", of_host, of_cuda, &ms);
        EXPECT_EQ(ms, 0.0);
    };
    EXPECT_OK(gs_event_wait(fresh, host)); // belongs to no backend before its first record
    EXPECT_OK(gs_event_wait(fresh, cuda));
    try_all();
    EXPECT_OK(gs_event_synchronize(of_cuda));
    EXPECT_OK(gs_event_synchronize(of_host));
    try_all(); // both are known to be complete
    EXPECT_OK(gs_event_record(of_host, host)) << "usable as before";
    EXPECT_OK(gs_event_record(of_cuda, cuda));
    int32_t same = 1;
    EXPECT_OK(gs_stream_equal(cuda, host, &same));
    EXPECT_EQ(same, 0);
    EXPECT_OK(gs_stream_synchronize(cuda));
    EXPECT_OK(gs_stream_synchronize(host));
}

TEST(TwoBackends, NothingOrdersAcross) {
    OWN_PROCESS();
    nothing_orders_across();
}

TEST(TwoBackends, NothingOrdersAcrossWithoutElision) {
    OWN_PROCESS({{"GPUSTREAM_ELIDE", "0"}});
    nothing_orders_across();
}

// Also where the work would become part of a graph, and with events that are bound to a device and not recorded.
TEST(TwoBackends, NothingOrdersAcrossInCapturesAndGraphs) {
    OWN_PROCESS();
    Stream cuda = make_stream(0), host = make_stream(kHost);
    Event recorded = make_event(), bound = make_event(GS_EVENT_EXTERNAL | GS_EVENT_INTERPROCESS);
    uint64_t scope = 0;
    gs_node_t node = 7;
    gs_graph_t graph = nullptr, made = nullptr;
    gs_ipc_handle_t handle{};
    ASSERT_OK(gs_event_record(recorded, host));
    ASSERT_OK(gs_push_current_stream(host, &scope)); // an export binds to the current device
    ASSERT_OK(gs_event_ipc_export(bound, &handle));
    ASSERT_OK(gs_pop_current_stream(scope));
    const Timeline timeline(0, kHost);
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    for (const bool capturing : {false, true}) {
        if (capturing) ASSERT_OK(gs_stream_begin_capture(cuda, GS_CAPTURE_THREAD_LOCAL));
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_record, "host", recorded, cuda);
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_wait, "host", recorded, cuda);
        if (capturing) {
            EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_wait, "host", bound, cuda);
        } else {
            EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_timeline, "host", cuda, timeline, 1);
            EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_signal_timeline, "host", cuda, timeline, 1);
        }
    }
    ASSERT_OK(gs_stream_end_capture(cuda, &made)) << "none of it has broken the capture";
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_add_node, "host", graph, nullptr, 0, wait_node(recorded), &node);
    EXPECT_EQ(node, 0u);
    for (gs_graph_t each : {made, graph}) {
        gs_graph_summary_t info{};
        info.struct_size = sizeof info;
        EXPECT_OK(gs_graph_info(each, &info));
        EXPECT_EQ(info.node_count, 0u);
        EXPECT_OK(gs_graph_destroy(each));
    }
    EXPECT_EQ(timeline.value(), 0u);
    EXPECT_OK(gs_event_wait(recorded, host)) << "usable as before";
}

TEST(TwoBackends, EachHasItsCurrentStreams) {
    OWN_PROCESS();
    Stream cuda = make_stream(0), host = make_stream(kHost);
    uint64_t outer = 0, inner = 0;
    int32_t device = -1;
    ASSERT_OK(gs_push_current_stream(host, &outer));
    EXPECT_OK(gs_current_device(&device));
    EXPECT_EQ(device, kHost);
    ASSERT_OK(gs_push_current_stream(cuda, &inner));
    EXPECT_OK(gs_current_device(&device));
    EXPECT_EQ(device, 0);
    EXPECT_EQ(current_of(0), cuda.get());
    EXPECT_EQ(current_of(kHost), host.get());
    EXPECT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1));
    ASSERT_OK(gs_pop_current_stream(inner));
    EXPECT_EQ(current_of(0), default_stream(0));
    EXPECT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1));
    EXPECT_OK(gs_stream_synchronize(host));
    ASSERT_OK(gs_pop_current_stream(outer));
    EXPECT_EQ(current_of(kHost), default_stream(kHost));
    EXPECT_EQ(fake().context_depth(), 0);
}

// The scope's stream belongs to the host backend; the context that changes inside belongs to the other backend.
TEST(TwoBackends, AScopeOfTheHostPutsBackTheContext) {
    OWN_PROCESS();
    Stream zero = make_stream(0), one = make_stream(1), host = make_stream(kHost);
    uint64_t scope = 0;
    const auto current = fake().symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
    CUcontext before = nullptr, after = nullptr;
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_EQ(current(&before), CUDA_SUCCESS);
    ASSERT_NE(before, nullptr);
    for (const gs_device_t last : {1, kHost}) {
        ASSERT_OK(gs_push_current_stream(host, &scope));
        ASSERT_OK(gs_set_current_device(1));
        ASSERT_OK(gs_set_current_device(last));
        ASSERT_OK(gs_pop_current_stream(scope));
        EXPECT_EQ(current_device(), 0);
        EXPECT_EQ(current(&after), CUDA_SUCCESS);
        EXPECT_EQ(after, before);
    }
}

TEST(TwoBackends, ADevicesSynchronizeIsItsOwn) {
    OWN_PROCESS();
    Stream cuda = make_stream(0), host = make_stream(kHost);
    Gate gate;
    ASSERT_OK(gate.hold(host));
    ASSERT_OK(gs_stream_sleep(cuda, 1));
    EXPECT_OK(gs_device_synchronize(0)); // would not return if it waited for the held stream
    EXPECT_TRUE(done(cuda.get()));
    EXPECT_FALSE(done(host.get()));
    gate.open();
    EXPECT_OK(gs_device_synchronize(kHost));
    EXPECT_TRUE(done(host.get()));
}

} // namespace
} // namespace gs::test
