// SPDX-License-Identifier: Apache-2.0
// Streams of green contexts that other code has made, wrapped: each call does there what it does in any other stream.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <atomic>
#include <thread>

#include "support/green_context.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

Stream wrap_green(uintptr_t native, gs_device_t device = GS_DEVICE_CURRENT) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_stream_from_native(device, native, &stream));
    return Stream(stream);
}

// A green context with a stream of it that is wrapped.
struct Green {
    Stream ours = make_stream(0); // the primary context exists
    GreenContext context{0};
    uintptr_t native = context.made() ? context.make_stream() : 0;
    Stream stream = native ? wrap_green(native) : Stream(nullptr);
    ~Green() {
        stream.reset();
        if (native) GreenContext::destroy_raw(native);
    }
};

#define GS_NEEDS_GREEN_CONTEXTS(green)                                                                                 \
    if (!(green).native) GTEST_SKIP() << "this driver has no green contexts of this device"

} // namespace

TEST_P(CudaConformanceProcess, Green_AStreamIsFoundToBeOfItsDevice) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    gs_device_t device = GS_DEVICE_NONE;
    ASSERT_OK(gs_stream_device(green.stream, &device));
    EXPECT_EQ(device, 0);
    EXPECT_EQ(facts_of(green.stream).flags & GS_STREAM_BLOCKING, 0u);
    uintptr_t context = 0, of_ours = 0;
    uint64_t id = 0;
    ASSERT_OK(gs_stream_context(green.stream, &context));
    ASSERT_OK(gs_stream_context(green.ours, &of_ours));
    EXPECT_EQ(context, of_ours) << "modules of the primary context run there";
    EXPECT_OK(gs_stream_driver_id(green.stream, &id));
    Stream again = wrap_green(green.native);
    EXPECT_EQ(again.get(), green.stream.get());
    if (device_count() > 1) {
        gs_stream_t wrong = nullptr;
        const uintptr_t other = green.context.make_stream();
        EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native(1, other, &wrong));
        GreenContext::destroy_raw(other);
    }
}

TEST_P(CudaConformanceProcess, Green_EventsOrderItWithOtherStreams) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    Bytes bytes(2);
    Event event = make_event(), timed = make_event(GS_EVENT_TIMING), later = make_event(GS_EVENT_TIMING);
    Gate gate;
    ASSERT_OK(gate.hold(green.stream));
    ASSERT_OK(gs_event_record(timed, green.stream));
    bytes.set(green.stream, 0, 1);
    ASSERT_OK(gs_event_record(event, green.stream));
    ASSERT_OK(gs_stream_wait_event(green.ours, event));
    bytes.set(green.ours, 1, 2);
    EXPECT_FALSE(done(green.ours));
    EXPECT_FALSE(done(event.get()));
    gate.open();
    ASSERT_OK(gs_stream_wait_stream(green.stream, green.ours));
    ASSERT_OK(gs_event_record(later, green.stream));
    ASSERT_OK(gs_stream_synchronize(green.stream));
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[1], 2);
    double passed = -1;
    ASSERT_OK(gs_event_elapsed_ms(timed, later, &passed));
    EXPECT_GE(passed, 0);
}

TEST_P(CudaConformanceProcess, Green_AsTheCurrentStream) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    Event event = make_event();
    uint64_t scope = 0;
    uintptr_t native = 0;
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_push_current_stream(green.stream, &scope));
    ASSERT_OK(gs_current_native(0, &native));
    EXPECT_EQ(native, green.native);
    CUcontext current = nullptr;
    ASSERT_EQ(driver_symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&current), CUDA_SUCCESS);
    uintptr_t primary = 0;
    ASSERT_OK(gs_stream_context(green.ours, &primary));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(current), primary);
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    ASSERT_OK(gs_pop_current_stream(scope));
    ASSERT_OK(gs_event_synchronize(event));
}

TEST_P(CudaConformanceProcess, Green_MemoryFunctionsAndWhatIsDeferred) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    static std::atomic<int> g_called{0}, g_deferred{0}, g_told{0};
    Bytes bytes(8);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(8, green.stream, &memory));
    ASSERT_OK(gs_memset_async(memory, 7, 8, green.stream));
    ASSERT_OK(gs_memcpy_async(bytes.at(0), memory, 8, green.stream));
    ASSERT_OK(gs_stream_launch_host(green.stream, [](void *) { ++g_called; }, nullptr));
    ASSERT_OK(gs_stream_defer(green.stream, [](void *) { ++g_deferred; }, nullptr));
    ASSERT_OK(
        gs_stream_notify(green.stream, [](void *, gs_status_t status) { g_told = status == GS_OK ? 1 : -1; }, nullptr));
    const gs_stream_t both[] = {green.stream, green.ours};
    ASSERT_OK(gs_free_after(memory, both, 2));
    ASSERT_OK(gs_stream_synchronize(green.stream));
    EXPECT_EQ(bytes[7], 7);
    EXPECT_EQ(g_called, 1);
    while (g_deferred == 0 || g_told == 0) std::this_thread::yield();
    EXPECT_EQ(g_told, 1);
    ASSERT_OK(gs_trim());
}

TEST_P(CudaConformanceProcess, Green_ACaptureOfIt) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    Bytes bytes(1);
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr;
    ASSERT_OK(gs_stream_begin_capture(green.stream, GS_CAPTURE_THREAD_LOCAL));
    bytes.set(green.stream, 0, 9);
    ASSERT_OK(gs_stream_end_capture(green.stream, &graph));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
    for (gs_stream_t where : {green.stream.get(), green.ours.get()}) {
        bytes.set(where, 0, 0);
        ASSERT_OK(gs_graph_exec_launch(exec, where));
        ASSERT_OK(gs_stream_synchronize(where));
        EXPECT_EQ(bytes[0], 9);
    }
    ASSERT_OK(gs_graph_exec_destroy(exec));
    ASSERT_OK(gs_graph_destroy(graph));
}

// The driver detaches what is left, and says so (917, or 709 from driver 580); the device and its other streams are as before.
TEST_P(CudaConformanceProcess, Green_AStreamWhoseContextHasEnded) {
    OWN_PROCESS();
    Green green;
    GS_NEEDS_GREEN_CONTEXTS(green);
    const uintptr_t unknown = green.context.make_stream();
    ASSERT_OK(gs_stream_synchronize(green.stream));
    green.context.end();
    int32_t finished = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_query, "CUDA_ERROR_", green.stream, &finished);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_launch_host, "CUDA_ERROR_", green.stream, [](void *) {}, nullptr);
    gs_stream_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_from_native, "CUDA_ERROR_", GS_DEVICE_CURRENT, unknown, &none);
    GreenContext::destroy_raw(unknown);
    EXPECT_OK(gs_device_check(0));
    EXPECT_OK(gs_stream_synchronize(green.ours));
}

} // namespace gs::test

#endif
