// SPDX-License-Identifier: Apache-2.0
// Memory that several streams use (gs_free_after), and what becomes of memory with its process.
#include <cstdint>

#include "conformance/pools.hpp"
#include "support/own_process.hpp"

namespace gs::test {

TEST_P(Conformance, FreeAfter_WaitsForAllAndHoldsUpNone) {
    Stream first = make_stream(), second = make_stream();
    Pool pool = make_pool();
    Bytes result(2);
    Gate gate;
    void *memory = allocate(pool, 8192, first);
    ASSERT_OK(gs_memset_async(memory, 5, 8192, first));
    ASSERT_OK(gs_stream_wait_stream(second, first));
    ASSERT_OK(gate.hold(second));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, second)); // late
    const gs_stream_t users[] = {first, second};
    ASSERT_OK(gs_free_after(memory, users, 2));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_async(memory, first));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_after, "freed", memory, users, 2);
    for (int i = 0; i < 20; ++i) {
        void *mine = allocate(pool, 8192, first);
        EXPECT_NE(mine, memory) << "reused while the second stream may read it";
        ASSERT_OK(gs_memset_async(mine, 9, 8192, first));
        ASSERT_OK(gs_free_async(mine, first));
    }
    ASSERT_OK(gs_stream_synchronize(first)) << "the first stream does not wait for the second one";
    gate.open();
    ASSERT_OK(gs_stream_synchronize(second));
    EXPECT_EQ(result[0], 5);
    EXPECT_EQ(stats_of(pool).blocks, 0u);
    ASSERT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
}

TEST_P(Conformance, FreeAfter_OneStreamOrTheCurrentOne) {
    Stream stream = make_stream();
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    const gs_stream_t users[] = {GS_STREAM_CURRENT, stream, stream, per_thread_stream()};
    ASSERT_OK(gs_free_after(memory, users + 1, 1));
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    ASSERT_OK(gs_free_after(memory, users, 4));
    ASSERT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
}

TEST_P(Conformance, FreeAfter_StreamsOfOtherDevices) {
    GS_NEEDS_DEVICES(2);
    Stream here = make_stream(0), there = make_stream(1);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(100, here, &memory));
    const gs_stream_t users[] = {here, there};
    ASSERT_OK(gs_free_after(memory, users, 2));
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(gs_device_synchronize(1));
}

TEST_P(Conformance, BadInput_FreeAfter) {
    Stream stream = make_stream();
    void *memory = nullptr;
    const gs_stream_t users[] = {stream, nullptr};
    int local = 0;
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_after, "streams", memory, nullptr, 1);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_after, "count is 0", memory, users, 0);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_after(memory, users, SIZE_MAX));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_free_after(memory, users, 2));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_after, "not allocated by the library", &local, users, 1);
    EXPECT_OK(gs_free_after(nullptr, users, 1));
    EXPECT_OK(gs_free_async(memory, stream)) << "still allocated";
    if (!on_cuda()) return;
    gs_stream_t of_host = nullptr;
    ASSERT_OK(gs_default_stream(GS_DEVICE(GS_BACKEND_HOST, 0), &of_host));
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_free_after(memory, &of_host, 1));
    EXPECT_OK(gs_free_async(memory, stream));
}

// What is left at exit is not freed, and leaves the exit undisturbed.
TEST_P(ConformanceProcess, Pools_LiveAtExit) {
    OWN_PROCESS();
    Stream stream = make_stream();
    Pool pool = make_pool();
    ASSERT_OK(gs_set_current_pool(pool));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(4096, stream, &memory));
    ASSERT_OK(gs_free_async(allocate(pool, 64, stream), stream));
    ASSERT_OK(gs_memset_async(memory, 1, 4096, stream));
    (void)stream.release();
    (void)pool.release();
}

} // namespace gs::test
