// SPDX-License-Identifier: Apache-2.0
// Several copies in one call, and when they read their sources.
#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

constexpr int32_t kOrders[] = {GS_ACCESS_ORDER_STREAM, GS_ACCESS_ORDER_DURING_CALL, GS_ACCESS_ORDER_ANY};

// Memory of the stream's device, which is freed at the end.
class OnDevice {
public:
    OnDevice(gs_stream_t stream, size_t bytes) : stream_(stream) {
        EXPECT_OK(gs_malloc_async(bytes, stream, &data_));
        EXPECT_OK(gs_memset_async(data_, 0, bytes, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
    }
    ~OnDevice() { EXPECT_OK(gs_free_async(data_, stream_)); }
    OnDevice(const OnDevice &) = delete;
    OnDevice &operator=(const OnDevice &) = delete;
    unsigned char *at(size_t i) const { return static_cast<unsigned char *>(data_) + i; }

private:
    gs_stream_t stream_;
    void *data_ = nullptr;
};

// Copies of `width` bytes each, with one of no bytes ahead of every third.
std::vector<gs_copy_t> pieces(unsigned char *to, const unsigned char *from, size_t count, size_t width) {
    std::vector<gs_copy_t> made;
    for (size_t i = 0; i < count; ++i) {
        if (i % 3 == 0) made.push_back({i % 2 == 0 ? nullptr : to, nullptr, 0});
        made.push_back({to + i * width, from + i * width, width});
    }
    return made;
}

gs_status_t copy(const std::vector<gs_copy_t> &copies, int32_t order, gs_stream_t stream) {
    return gs_memcpy_batch_async(copies.data(), copies.size(), order, stream);
}

} // namespace

TEST_P(Conformance, RowWork_CopiesInOneCall) {
    constexpr size_t kWidth = 24, kMost = 1030;
    Stream own = make_stream();
    Bytes source(kWidth * kMost), result(kWidth * kMost);
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 7 + i / 256);
    for (gs_stream_t stream : {gs_stream_t{own}, default_stream(), per_thread_stream()})
        for (const int32_t order : kOrders)
            for (const size_t count :
                 {size_t{1}, size_t{2}, size_t{3}, size_t{100}, size_t{511}, size_t{512}, size_t{513}, kMost}) {
                const OnDevice device(stream, kWidth * kMost);
                std::memset(result.at(0), 0, result.size());
                ASSERT_OK(copy(pieces(device.at(0), source.at(0), count, kWidth), order, stream));
                ASSERT_OK(gs_stream_synchronize(stream)); // what DURING_CALL and ANY do not wait for
                ASSERT_OK(copy(pieces(result.at(0), device.at(0), count, kWidth), order, stream));
                ASSERT_OK(gs_stream_synchronize(stream));
                EXPECT_EQ(std::memcmp(result.at(0), source.at(0), count * kWidth), 0) << order << ": " << count;
                const bool less = count < kMost;
                if (less) EXPECT_EQ(result[count * kWidth], 0) << "nothing else is written: " << order << ", " << count;
            }
}

TEST_P(Conformance, RowWork_CopiesAreInTheStreamsOrder) {
    for (const bool large : {false, true}) {
        const size_t width = large ? 100'000 : 8; // the host backend does small ones at the call if the stream is idle
        Stream stream = make_stream();
        Bytes source(2 * width), result(2 * width);
        const OnDevice device(stream, 2 * width);
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(gs_memset_async(source.at(0), 3, 2 * width, stream));
        ASSERT_OK(copy(pieces(device.at(0), source.at(0), 2, width), GS_ACCESS_ORDER_STREAM, stream));
        ASSERT_OK(copy(pieces(result.at(0), device.at(0), 2, width), GS_ACCESS_ORDER_STREAM, stream));
        ASSERT_OK(gs_memset_async(device.at(0), 4, 2 * width, stream));
        EXPECT_EQ(result[0], 0) << "the stream is held";
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
        for (size_t i : {size_t{0}, width, 2 * width - 1}) EXPECT_EQ(result[i], 3) << i;
    }
}

// The source is a variable of the caller, or memory that devices read without the host.
TEST_P(Conformance, RowWork_CopiesReadDuringTheCall) {
    for (const bool pinned : {false, true})
        for (const size_t width : {size_t{8}, size_t{50'000}}) {
            Stream stream = make_stream();
            Bytes page_locked(2 * width), result(2 * width);
            std::vector<unsigned char> usual(2 * width);
            unsigned char *source = pinned ? page_locked.at(0) : usual.data();
            const OnDevice device(stream, 2 * width);
            std::memset(source, 5, 2 * width);
            Gate gate;
            ASSERT_OK(gate.hold(stream));
            ASSERT_OK(gs_memset_async(device.at(0), 1, 2 * width, stream));
            std::thread opens;
            if (on_gpu())
                opens = std::thread([&] { gate.open(); }); // a driver waits where it does not stage the source
            ASSERT_OK(copy(pieces(device.at(0), source, 2, width), GS_ACCESS_ORDER_DURING_CALL, stream));
            std::memset(source, 6, 2 * width);
            gate.open();
            if (opens.joinable()) opens.join();
            ASSERT_OK(gs_memcpy_async(result.at(0), device.at(0), 2 * width, stream));
            ASSERT_OK(gs_stream_synchronize(stream));
            for (size_t i : {size_t{0}, width, 2 * width - 1}) EXPECT_EQ(result[i], 5) << pinned << ": " << i;
        }
}

// Where the copies are made one by one, a call waits if the stream would read the source later.
TEST_P(Conformance, RowWork_CopiesOfTheDefaultStreamReadDuringTheCall) {
    gs_stream_t stream = default_stream();
    Bytes result(16), page_locked(16);
    unsigned char usual[16] = {};
    const OnDevice device(stream, 16);
    for (unsigned char *source : {&usual[0], page_locked.at(0)}) {
        std::memset(source, 5, 16);
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        std::thread opens([&] { gate.open(); });
        ASSERT_OK(copy(pieces(device.at(0), source, 2, 8), GS_ACCESS_ORDER_DURING_CALL, stream));
        std::memset(source, 6, 16);
        opens.join();
        ASSERT_OK(gs_memcpy_async(result.at(0), device.at(0), 16, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(result[0], 5) << (source == usual);
        EXPECT_EQ(result[15], 5) << (source == usual);
    }
}

TEST_P(Conformance, RowWork_CopiesOfOneCallBetweenDevices) {
    GS_NEEDS_DEVICES(2);
    Bytes result(64);
    Stream here = make_stream(0), there = make_stream(1);
    const OnDevice from(here, 64), to(there, 64);
    ASSERT_OK(gs_memset_async(from.at(0), 9, 64, here));
    ASSERT_OK(gs_stream_synchronize(here));
    ASSERT_OK(copy(pieces(to.at(0), from.at(0), 2, 32), GS_ACCESS_ORDER_STREAM, here));
    ASSERT_OK(gs_stream_synchronize(here));
    ASSERT_OK(gs_memcpy_async(result.at(0), to.at(0), 64, there));
    ASSERT_OK(gs_stream_synchronize(there));
    EXPECT_EQ(result[0], 9);
    EXPECT_EQ(result[63], 9);
}

TEST_P(Conformance, RowWork_CapturesTakeEachCopyAsANode) {
    Stream stream = make_stream();
    Bytes source(32), result(32);
    const OnDevice device(stream, 32);
    for (const int32_t order : {GS_ACCESS_ORDER_STREAM, GS_ACCESS_ORDER_ANY}) {
        gs_graph_t graph = nullptr;
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
        const auto one = pieces(device.at(0), source.at(0), 1, 1);
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_memcpy_batch_async, "DURING_CALL", one.data(), one.size(),
                     GS_ACCESS_ORDER_DURING_CALL, stream);
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        ASSERT_OK(copy(pieces(device.at(0), source.at(0), 4, 8), order, stream));
        ASSERT_OK(gs_memcpy_async(result.at(0), device.at(0), 32, stream));
        ASSERT_OK(gs_stream_end_capture(stream, &graph));
        gs_graph_summary_t summary{};
        summary.struct_size = sizeof summary;
        ASSERT_OK(gs_graph_info(graph, &summary));
        EXPECT_EQ(summary.node_count, 5u);
        gs_graph_exec_t exec = nullptr;
        ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
        for (const int value : {21, 22}) { // the launches read the sources
            std::memset(source.at(0), value, 32);
            ASSERT_OK(gs_graph_exec_launch(exec, stream));
            ASSERT_OK(gs_stream_synchronize(stream));
            EXPECT_EQ(result[0], value);
            EXPECT_EQ(result[31], value);
        }
        EXPECT_OK(gs_graph_exec_destroy(exec));
        EXPECT_OK(gs_graph_destroy(graph));
    }
}

TEST_P(Conformance, BadInput_FillsOfPageableMemory) {
    Stream stream = make_stream();
    std::vector<unsigned char> pageable(4096, 7);
    if (GetParam() == GS_BACKEND_HOST) {
        EXPECT_OK(gs_memset_async(pageable.data(), 1, pageable.size(), stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(pageable, std::vector<unsigned char>(4096, 1));
        return;
    }
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memset_async, "the driver does not know the memory", pageable.data(), 1,
                 pageable.size(), stream);
    EXPECT_OK(gs_stream_synchronize(stream)) << "the stream goes on";
    EXPECT_EQ(pageable, std::vector<unsigned char>(4096, 7));
}

TEST_P(Conformance, BadInput_Copies) {
    Stream stream = make_stream();
    Bytes bytes(8);
    const gs_copy_t good{bytes.at(0), bytes.at(4), 1};
    const auto refused = [&](const char *text, const gs_copy_t &second, int32_t order = GS_ACCESS_ORDER_ANY) {
        const gs_copy_t copies[] = {good, second};
        bytes[0] = 0;
        bytes[4] = 1;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_batch_async, text, copies, 2, order, stream);
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(bytes[0], 0) << "nothing was copied";
    };
    refused("dst is NULL (copies[1])", {nullptr, bytes.at(1), 1});
    refused("src is NULL (copies[1])", {bytes.at(1), nullptr, 1});
    refused("copies[1]", {bytes.at(1), bytes.at(2), uint64_t{1} << 63});
    for (const int32_t order : {0, 4, -1}) refused("is no order", good, order);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_batch_async, "copies", nullptr, 1, GS_ACCESS_ORDER_ANY, stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_batch_async, "is no order", nullptr, 0, 0, stream);
    EXPECT_OK(gs_memcpy_batch_async(nullptr, 0, GS_ACCESS_ORDER_STREAM, stream));
    EXPECT_OK(gs_memcpy_batch_async(&good, 1, GS_ACCESS_ORDER_STREAM, GS_STREAM_CURRENT));
    EXPECT_OK(gs_stream_synchronize(current_stream()));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_memcpy_batch_async(nullptr, 0, GS_ACCESS_ORDER_STREAM, nullptr));
    gs_stream_t stale = make_stream().release();
    EXPECT_OK(gs_stream_destroy(stale));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_memcpy_batch_async(&good, 1, GS_ACCESS_ORDER_STREAM, stale));
}

} // namespace gs::test
