// SPDX-License-Identifier: Apache-2.0
// Memory, copies and fills in stream order.
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, RowWork_AsyncMemoryRoundTrip) {
    constexpr size_t kSize = 100'001;
    Bytes source(kSize), result(kSize);
    for (size_t i = 0; i < kSize; ++i) source[i] = static_cast<unsigned char>(i * 7);
    Stream stream = make_stream();
    void *device = nullptr;
    ASSERT_OK(gs_malloc_async(kSize, stream, &device));
    EXPECT_NE(device, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(device) % 256, 0u);
    ASSERT_OK(gs_memcpy_async(device, source.at(0), kSize, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), device, kSize, stream));
    ASSERT_OK(gs_memset_async(device, 0xFF, kSize, stream));
    ASSERT_OK(gs_memcpy_async(source.at(0), device, 1, stream));
    ASSERT_OK(gs_free_async(device, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    for (size_t i = 1; i < kSize; ++i) ASSERT_EQ(result[i], static_cast<unsigned char>(i * 7)) << i;
    EXPECT_EQ(source[0], 0xFF);
}

TEST_P(Conformance, RowWork_FreedMemoryStaysUntilItsWorkIsDone) {
    Bytes result(1);
    Stream stream = make_stream(), other = make_stream();
    void *device = nullptr;
    ASSERT_OK(gs_malloc_async(256, stream, &device));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_memset_async(device, 0x42, 256, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), static_cast<char *>(device) + 255, 1, stream));
    ASSERT_OK(gs_free_async(device, stream)); // in stream order: after the copy
    for (int i = 0; i < 20; ++i) {
        void *mine = nullptr;
        ASSERT_OK(gs_malloc_async(256, other, &mine));
        EXPECT_NE(mine, device) << "memory was reused while work on it was pending";
        ASSERT_OK(gs_memset_async(mine, 0x99, 256, other));
        ASSERT_OK(gs_free_async(mine, other));
    }
    ASSERT_OK(gs_stream_synchronize(other));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 0x42);
}

TEST_P(Conformance, RowWork_CopiesBetweenDevices) {
    GS_NEEDS_DEVICES(2);
    constexpr size_t kSize = 4096;
    Bytes result(2);
    Stream streams[] = {make_stream(0), make_stream(1)};
    char *memory[2] = {};
    for (int i = 0; i < 2; ++i) {
        ASSERT_OK(gs_malloc_async(kSize, streams[i], reinterpret_cast<void **>(&memory[i])));
        ASSERT_OK(gs_stream_synchronize(streams[i]));
    }
    unsigned char value = 0;
    for (const Stream &stream : streams)
        for (int to = 0; to < 2; ++to) {
            ASSERT_OK(gs_memset_async(memory[1 - to], ++value, kSize, streams[1 - to]));
            ASSERT_OK(gs_stream_synchronize(streams[1 - to]));
            ASSERT_OK(gs_memcpy_async(memory[to] + 1, memory[1 - to] + 1, kSize - 1, stream));
            ASSERT_OK(gs_stream_synchronize(stream));
            ASSERT_OK(gs_memcpy_async(result.at(to), memory[to] + kSize - 1, 1, streams[to]));
            ASSERT_OK(gs_stream_synchronize(streams[to]));
            EXPECT_EQ(result[to], value) << "to device " << to;
        }
    if (GetParam() == GS_BACKEND_CUDA) { // a capture survives the refusal
        gs_graph_t graph = nullptr;
        ASSERT_OK(gs_stream_begin_capture(streams[0], GS_CAPTURE_THREAD_LOCAL));
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_async, "GS_POOL_PEERS", memory[1], memory[0], 1, streams[0]);
        EXPECT_OK(gs_stream_end_capture(streams[0], &graph));
        EXPECT_OK(gs_graph_destroy(graph));
    }
    for (int i = 0; i < 2; ++i) EXPECT_OK(gs_free_async(memory[i], streams[i]));
}

TEST_P(Conformance, RowWork_HostMemory) {
    void *pointer = nullptr;
    ASSERT_OK(gs_malloc_host(1000, &pointer));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 64, 0u);
    std::memset(pointer, 1, 1000);
    EXPECT_OK(gs_free_host(pointer));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_host, "freed", pointer);
    int local = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_host(&local));
    EXPECT_OK(gs_free_host(nullptr));
}

TEST_P(Conformance, BadInput_Memory) {
    Bytes bytes(8);
    Stream stream = make_stream();
    void *pointer = &bytes;
    constexpr size_t kNegative = static_cast<size_t>(-16);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_malloc_async, "out_pointer", 16, stream, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_malloc_async, "18446744073709551600", kNegative, stream, &pointer);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_malloc_async, "the stream is NULL", 16, nullptr, &pointer);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_malloc_host, "negative", kNegative, &pointer);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_malloc_host, "out_pointer", 16, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_async, "dst", nullptr, bytes.at(0), 1, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_async, "src", bytes.at(0), nullptr, 1, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_async, "negative", bytes.at(0), bytes.at(1), kNegative, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memset_async, "256", bytes.at(0), 256, 1, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memset_async, "-1", bytes.at(0), -1, 1, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memset_async, "dst", nullptr, 0, 1, stream);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_free_async(nullptr, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_malloc_async(0, nullptr, &pointer));
    if (on_host()) EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_async(bytes.at(1), stream));
}

TEST_P(Conformance, NoBytesAreMemoryToo) {
    Stream stream = make_stream();
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_default(0, &pool));
    for (const bool captured : {false, true}) {
        if (captured) ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        void *memory[3] = {&stream, &stream, &stream};
        EXPECT_OK(gs_malloc_async(0, stream, &memory[0]));
        EXPECT_OK(gs_pool_malloc(pool, 0, stream, &memory[1]));
        EXPECT_OK(gs_malloc_host(0, &memory[2]));
        for (void *address : memory) {
            EXPECT_EQ(address, nullptr);
            EXPECT_OK(gs_memcpy_async(address, address, 0, stream));
            EXPECT_OK(gs_memset_async(address, 0, 0, stream));
            EXPECT_OK(gs_free_async(address, stream));
            EXPECT_OK(gs_free_host(address));
        }
    }
    EXPECT_OK(gs_stream_abort_capture(stream));
}

TEST_P(Conformance, BadInput_MoreMemoryThanThereIs) {
    Stream stream = make_stream();
    void *pointer = &stream;
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_malloc_async(size_t{1} << 60, stream, &pointer));
    EXPECT_EQ(pointer, nullptr);
    EXPECT_NE(last_text().find("1152921504606846976"), std::string::npos) << "the size is not in: " << last_text();
    ASSERT_OK(gs_malloc_async(64, stream, &pointer)) << "and the library goes on";
    EXPECT_OK(gs_free_async(pointer, stream));
}

TEST_P(Conformance, RowF18_Sleep) {
    ROWS("F-18");
    Bytes bytes(1);
    Stream stream = make_stream();
    EXPECT_OK(gs_stream_sleep(stream, 0));
    EXPECT_OK(gs_stream_sleep(stream, 100'000));
    bytes.set(stream, 0, 1);
    EXPECT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1000));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[0], 1);
    ASSERT_OK(gs_stream_synchronize(default_stream()));
}

} // namespace gs::test
