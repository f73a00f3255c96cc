// SPDX-License-Identifier: Apache-2.0
// What pools ask of the driver while something else ends: the pool itself, a stream, the device.
#include <gtest/gtest.h>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

gs_pool_t make_pool() {
    gs_pool_t pool = nullptr;
    EXPECT_OK(gs_pool_create(0, nullptr, &pool));
    return pool;
}

void *allocate(gs_pool_t pool, gs_stream_t stream) {
    void *memory = nullptr;
    EXPECT_OK(gs_pool_malloc(pool, 100, stream, &memory));
    return memory;
}

// A driver crashes if it destroys a pool while frees of its memory are pending (P30 of docs/design/cuda.md).
TEST(EndedPools, ServeTheNextOfTheirKind) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (const uint32_t flags : {0u, uint32_t{GS_POOL_PEERS}, 0u, uint32_t{GS_POOL_PEERS}}) {
        gs_pool_options_t options{};
        options.struct_size = sizeof options;
        options.flags = flags;
        options.keep_bytes = 4096;
        gs_pool_t pool = nullptr;
        ASSERT_OK(gs_pool_create(0, &options, &pool));
        gs_pool_stats_t stats{};
        stats.struct_size = sizeof stats;
        EXPECT_OK(gs_pool_get_stats(pool, &stats));
        EXPECT_EQ(stats.reserved_peak_bytes, 0u) << "the pool before it is forgotten";
        void *memory = nullptr;
        ASSERT_OK(gs_pool_malloc(pool, 1 << 20, stream, &memory));
        ASSERT_OK(gs_free_async(memory, stream));
        ASSERT_OK(gs_pool_destroy(pool));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_EQ(fake().calls("cuMemPoolCreate"), 2u);
    EXPECT_EQ(fake().calls("cuMemPoolDestroy"), 0u);
}

TEST(EndedPools, WaitUntilTheDriverHasTheirMemory) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Gate gate;
    gate.hold(stream);
    gs_pool_t pool = make_pool();
    ASSERT_OK(gs_free_async(allocate(pool, stream), stream));
    ASSERT_OK(gs_pool_destroy(pool));
    for (int i = 0; i < 2; ++i) { // the second one is served by the driver's pool of the first
        pool = make_pool();
        gs_pool_stats_t stats{};
        stats.struct_size = sizeof stats;
        EXPECT_OK(gs_pool_get_stats(pool, &stats));
        EXPECT_EQ(stats.reserved_bytes, 0u);
        ASSERT_OK(gs_pool_destroy(pool));
    }
    EXPECT_EQ(fake().calls("cuMemPoolCreate"), 2u);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    gs_pool_t first = make_pool(), second = make_pool();
    EXPECT_EQ(fake().calls("cuMemPoolCreate"), 2u) << "both are empty";
    ASSERT_OK(gs_pool_destroy(first));
    ASSERT_OK(gs_pool_destroy(second));
}

// The library has a reference of it still, but neither memory in it nor a call.
TEST(EndedPools, AStreamThatItsNewOwnerHasDestroyed) {
    OWN_PROCESS();
    gs_pool_t pool = make_pool();
    Stream captured = make_stream(0), given = make_stream(0, GS_STREAM_DEDICATED);
    ASSERT_OK(gs_stream_retain(given));
    ASSERT_OK(gs_free_async(allocate(pool, given), given));
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_into_native(given.release(), &native));
    const auto destroy = fake().symbol<PFN_cuStreamDestroy_v4000>("cuStreamDestroy_v2");
    ASSERT_EQ(destroy(reinterpret_cast<CUstream>(native)), CUDA_SUCCESS);
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED)); // so that streams are asked about captures
    EXPECT_OK(gs_pool_trim(pool, 0));
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_pool_destroy(pool));
    EXPECT_EQ(fake().violation_text(), "");
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(captured, &graph));
    ASSERT_OK(gs_graph_destroy(graph));
}

// The memory of its pools went with the context, and can never be freed.
TEST(EndedPools, ADeviceThatWasReset) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t ended = make_pool(), live = make_pool();
    (void)allocate(ended, stream);
    (void)allocate(live, stream);
    ASSERT_OK(gs_pool_destroy(ended));
    ASSERT_OK(gs_device_reset(0));
    const uint64_t calls = fake().calls(nullptr);
    EXPECT_OK(gs_pool_destroy(live));
    EXPECT_EQ(fake().calls(nullptr), calls) << "no call with a device that was reset";
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().calls("cuMemPoolTrimTo"), 1u) << "that of the first destroy";
}

} // namespace
} // namespace gs::test
