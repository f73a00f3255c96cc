// SPDX-License-Identifier: Apache-2.0
// One pool for allocators of other libraries, which pass streams of their own by the driver's handles.
#include <chrono>
#include <cstdint>
#include <thread>

#include "conformance/pools.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

#if GPUSTREAM_WITH_CUDA
#include "conformance/driver_captures.hpp"
#endif

namespace gs::test {
namespace {

// A pool that all threads' gs_allocator_malloc() share while it lives.
class SharedPool {
public:
    explicit SharedPool(uint64_t limit = 0) : pool_(make_pool(0, limit)) { EXPECT_OK(gs_allocator_set_pool(pool_)); }
    ~SharedPool() {
        gs_pool_t usual = nullptr;
        EXPECT_OK(gs_pool_default(GS_DEVICE_CURRENT, &usual));
        EXPECT_OK(gs_allocator_set_pool(usual));
    }
    SharedPool(const SharedPool &) = delete;
    SharedPool &operator=(const SharedPool &) = delete;
    gs_pool_t get() const { return pool_; }

private:
    Pool pool_;
};

void *take(size_t bytes, uintptr_t native) {
    return reinterpret_cast<void *>(gs_allocator_malloc(bytes, 0, native)); // NOLINT: an address is a number there
}

// Why the last allocation has failed.
gs_status_t last_status() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_last_error(&info));
    EXPECT_STREQ(info.function, "gs_allocator_malloc");
    return info.status;
}

// What a graph has kept is released on the library's thread.
void expect_no_blocks(gs_pool_t pool) {
    for (int i = 0; i < 2000 && stats_of(pool).blocks != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(stats_of(pool).blocks, 0u);
}

} // namespace

TEST_P(Conformance, Allocators_LibrariesShareOnePool) {
    ForeignStream one(GetParam(), 0), other(GetParam(), 0);
    SharedPool shared(8192);
    void *first = take(1000, one.native());
    void *second = nullptr;
    std::thread([&] { second = take(3000, other.native()); }).join();
    void *third = take(100, 0); // the default stream
    ASSERT_TRUE(first && second && third);
    gs_pool_stats_t stats = stats_of(shared.get());
    EXPECT_EQ(stats.blocks, 3u);
    EXPECT_EQ(stats.requested_bytes, 4100u);
    EXPECT_EQ(take(8192, one.native()), nullptr) << "the limit is for all of them";
    EXPECT_EQ(last_status(), GS_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(stats_of(shared.get()).out_of_memory, 1u);
    EXPECT_EQ(take(0, one.native()), nullptr);
    ASSERT_OK(gs_allocator_free(first, 1000, 0, one.native()));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_allocator_free(first, 1000, 0, one.native()));
    ASSERT_OK(gs_allocator_free(second, 3000, 0, one.native())) << "in another stream than that of the allocation";
    ASSERT_OK(gs_allocator_free(third, 100, 0, 0));
    ASSERT_OK(gs_allocator_free(nullptr, 0, 0, other.native()));
    stats = stats_of(shared.get());
    EXPECT_EQ(stats.allocated_bytes, 0u);
    EXPECT_EQ(stats.frees, 3u);
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_WithoutASharedPoolTheThreadsOwn) {
    ForeignStream foreign(GetParam(), 0);
    Pool pool = make_pool();
    ASSERT_OK(gs_set_current_pool(pool));
    void *memory = take(100, foreign.native());
    EXPECT_EQ(stats_of(pool).blocks, 1u);
    {
        SharedPool shared;
        void *theirs = take(100, foreign.native());
        EXPECT_EQ(stats_of(shared.get()).blocks, 1u);
        ASSERT_OK(gs_allocator_free(theirs, 100, 0, foreign.native()));
    }
    gs_pool_t usual = nullptr;
    ASSERT_OK(gs_pool_default(0, &usual));
    ASSERT_OK(gs_set_current_pool(usual));
    ASSERT_OK(gs_allocator_free(memory, 100, 0, foreign.native()));
    EXPECT_EQ(stats_of(pool).blocks, 0u);
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_TheLibraryOwnsAReference) {
    gs_pool_t handle = nullptr;
    {
        Pool pool = make_pool();
        ASSERT_OK(gs_allocator_set_pool(pool));
        handle = pool.get();
    }
    void *memory = take(100, 0);
    EXPECT_EQ(stats_of(handle).blocks, 1u);
    ASSERT_OK(gs_allocator_free(memory, 100, 0, 0));
    gs_pool_t usual = nullptr;
    ASSERT_OK(gs_pool_default(0, &usual));
    ASSERT_OK(gs_allocator_set_pool(usual));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_allocator_set_pool(handle));
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_OrderHoldsAcrossStreams) {
    ForeignStream theirs(GetParam(), 0);
    Stream ours = make_stream();
    SharedPool shared;
    Bytes result(1);
    Gate gate;
    void *memory = take(4096, native_of(ours));
    ASSERT_OK(gate.hold(ours));
    ASSERT_OK(gs_memset_async(memory, 5, 4096, ours));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, ours));
    ASSERT_OK(gs_allocator_free(memory, 4096, 0, native_of(ours)));
    void *other = take(4096, theirs.native());
    EXPECT_NE(other, memory) << "the work before the free is pending";
    gs_stream_t wrapped = nullptr;
    ASSERT_OK(gs_stream_from_native(0, theirs.native(), &wrapped));
    ASSERT_OK(gs_memset_async(other, 9, 4096, wrapped));
    ASSERT_OK(gs_stream_synchronize(wrapped)) << "nothing made it wait";
    ASSERT_OK(gs_stream_destroy(wrapped));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(ours));
    EXPECT_EQ(result[0], 5);
    ASSERT_OK(gs_allocator_free(other, 4096, 0, theirs.native()));
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_AFreeWaitsForRecordedStreams) {
    Stream ours = make_stream(), user = make_stream();
    SharedPool shared;
    Bytes result(1);
    Gate gate;
    void *memory = take(4096, native_of(ours));
    for (int i = 0; i < 2; ++i) ASSERT_OK(gs_allocator_record_stream(memory, native_of(user)));
    ASSERT_OK(gs_stream_wait_stream(user, ours));
    ASSERT_OK(gate.hold(user));
    ASSERT_OK(gs_memset_async(memory, 7, 4096, user));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, user));
    ASSERT_OK(gs_allocator_free(memory, 4096, 0, native_of(ours)));
    void *other = take(4096, native_of(ours));
    EXPECT_NE(other, memory) << "the other stream still uses it";
    ASSERT_OK(gs_memset_async(other, 9, 4096, ours));
    ASSERT_OK(gs_stream_synchronize(ours)) << "nothing made it wait";
    gate.open();
    ASSERT_OK(gs_stream_synchronize(user));
    EXPECT_EQ(result[0], 7);
    ASSERT_OK(gs_allocator_free(other, 4096, 0, native_of(ours)));
    ASSERT_OK(gs_device_synchronize(0));
    EXPECT_EQ(stats_of(shared.get()).blocks, 0u);
}

// What was recorded is of an allocation, not of an address.
TEST_P(Conformance, Allocators_RecordedStreamsEndWithTheMemory) {
    Stream ours = make_stream(), user = make_stream();
    SharedPool shared;
    Gate gate;
    void *memory = take(4096, native_of(ours));
    ASSERT_OK(gs_allocator_record_stream(memory, native_of(user)));
    ASSERT_OK(gs_free_async(memory, ours)); // does not know of it
    ASSERT_EQ(take(4096, native_of(ours)), memory);
    ASSERT_OK(gate.hold(user));
    ASSERT_OK(gs_allocator_free(memory, 4096, 0, native_of(ours)));
    EXPECT_EQ(take(4096, native_of(ours)), memory) << "free for the stream at once";
    gate.open();
    ASSERT_OK(gs_allocator_free(memory, 4096, 0, native_of(ours)));
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_LeaveNoWrap) {
    ForeignStream foreign(GetParam(), 0);
    const StatsDelta stats;
    void *memory = take(100, foreign.native());
    EXPECT_EQ(stats.since(&gs_stats_t::streams_created), 1u);
    ASSERT_OK(gs_allocator_free(memory, 100, 0, foreign.native()));
    EXPECT_EQ(stats.since(&gs_stats_t::streams_created), 2u) << "the first wrap has ended with its call";
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, BadInput_Allocators) {
    EXPECT_EQ(gs_allocator_malloc(100, 999, 0), 0u);
    EXPECT_EQ(last_status(), GS_ERROR_INVALID_DEVICE);
    EXPECT_EQ(take(SIZE_MAX, 0), nullptr);
    EXPECT_EQ(last_status(), GS_ERROR_INVALID_ARGUMENT);
    int on_the_stack = 0;
    EXPECT_NE(gs_allocator_free(&on_the_stack, 4, 0, 0), GS_OK);
    void *memory = take(100, 0);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_allocator_free(memory, 100, 999, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_allocator_record_stream(memory, 3));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_allocator_record_stream(&on_the_stack, 0));
    ASSERT_OK(gs_allocator_record_stream(nullptr, 0));
    ASSERT_OK(gs_allocator_free(memory, 100, 0, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_allocator_record_stream(memory, 0));
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_P(Conformance, Allocators_InACaptureTheMemoryIsTheGraphs) {
    Stream stream = make_stream();
    const uintptr_t native = native_of(stream);
    SharedPool shared;
    void *before = take(100, native);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    void *inside = take(100, native);
    ASSERT_TRUE(inside);
    EXPECT_EQ(stats_of(shared.get()).blocks, 1u) << "the graph's is not counted";
    ASSERT_OK(gs_memset_async(inside, 1, 100, stream));
    ASSERT_OK(gs_allocator_free(inside, 100, 0, native));
    ASSERT_OK(gs_memset_async(before, 1, 100, stream));
    ASSERT_OK(gs_allocator_free(before, 100, 0, native)); // kept for the graph
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    ASSERT_OK(gs_graph_destroy(graph));
    ASSERT_OK(gs_trim());
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_no_blocks(shared.get());
}

#if GPUSTREAM_WITH_CUDA

// The captured stream is known by its raw handle only, and its wraps end with the calls.
TEST_P(CudaConformanceProcess, Allocators_InAForeignCaptureTheMemoryIsTheGraphs) {
    OWN_PROCESS();
    const CapturingDriver driver;
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    auto *const raw = reinterpret_cast<CUstream>(foreign.native()); // NOLINT: a handle is a number there
    SharedPool shared;
    for (const CUstreamCaptureMode mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
        void *before = take(100, foreign.native());
        ASSERT_EQ(driver.begin(raw, mode), CUDA_SUCCESS);
        void *inside = take(100, foreign.native());
        ASSERT_TRUE(inside);
        EXPECT_EQ(stats_of(shared.get()).blocks, 1u) << "the graph's is not counted";
        ASSERT_OK(gs_allocator_free(inside, 100, 0, foreign.native()));
        ASSERT_OK(gs_allocator_free(before, 100, 0, foreign.native()));
        EXPECT_EQ(stats_of(shared.get()).blocks, 1u) << "the graph may use it";
        CUgraph graph = nullptr;
        ASSERT_EQ(driver.end(raw, &graph), CUDA_SUCCESS);
        size_t nodes = 0;
        ASSERT_EQ(driver_symbol<PFN_cuGraphGetNodes_v10000>("cuGraphGetNodes")(graph, nullptr, &nodes), CUDA_SUCCESS);
        EXPECT_EQ(nodes, 2u) << "an allocation and its free";
        ASSERT_EQ(driver_symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph), CUDA_SUCCESS);
        ASSERT_OK(gs_device_synchronize(0)); // the wraps have ended in the capture, without a mark
        expect_no_blocks(shared.get());
    }
}

#endif

} // namespace gs::test
