// SPDX-License-Identifier: Apache-2.0
// Copies of one call with drivers that lack cuMemcpyBatchAsync, refuse a copy, or fail in the middle.
#include <gtest/gtest.h>

#include <cstring>

#include "fault/fake_driver.hpp"
#include "support/gate.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

struct Copies {
    Copies() {
        EXPECT_OK(gs_malloc_async(64, stream, &memory));
        EXPECT_OK(gs_stream_synchronize(stream));
        for (size_t i = 0; i < 4; ++i)
            all[i] = {static_cast<char *>(memory) + 8 * i, source.at(8 * i), i == 1 ? 0u : 8u};
    }
    ~Copies() { EXPECT_OK(gs_free_async(memory, stream)); }
    gs_status_t put(int32_t order = GS_ACCESS_ORDER_STREAM) { return gs_memcpy_batch_async(all, 4, order, stream); }
    unsigned char last() {
        Bytes result(1);
        EXPECT_OK(gs_memcpy_async(result.at(0), static_cast<char *>(memory) + 31, 1, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
        return result[0];
    }

    Stream stream = make_stream(0);
    Bytes source{64};
    void *memory = nullptr;
    gs_copy_t all[4] = {};
};

void refuse(const char *function, CUresult code, uint64_t nth) {
    fake_cuda_fault_t fault{};
    fault.function = function;
    fault.nth = nth;
    fault.code = code;
    fault.mode = FAKE_CUDA_TRANSIENT;
    fault.device = -1;
    fake().inject(&fault);
}

TEST(CopiesFaults, OneCallOfTheDriver) {
    OWN_PROCESS({});
    Copies copies;
    const auto before = fake().calls("cuMemcpyAsync");
    std::memset(copies.source.at(0), 3, 64);
    EXPECT_OK(copies.put());
    EXPECT_EQ(fake().calls("cuMemcpyBatchAsync"), 1u);
    EXPECT_EQ(fake().calls("cuMemcpyAsync"), before);
    EXPECT_EQ(copies.last(), 3);
    EXPECT_OK(gs_memcpy_batch_async(copies.all, 1, GS_ACCESS_ORDER_STREAM, copies.stream));
    EXPECT_OK(gs_memcpy_batch_async(copies.all, 4, GS_ACCESS_ORDER_STREAM, default_stream(0)));
    EXPECT_OK(gs_memcpy_batch_async(&copies.all[1], 1, GS_ACCESS_ORDER_ANY, copies.stream)) << "of no bytes";
    EXPECT_EQ(fake().calls("cuMemcpyBatchAsync"), 1u) << "one copy, and the default stream, need no batch";
    EXPECT_OK(gs_memcpy_batch_async(copies.all, 1, GS_ACCESS_ORDER_ANY, copies.stream));
    EXPECT_EQ(fake().calls("cuMemcpyBatchAsync"), 2u) << "the order is the driver's to keep";
}

TEST(CopiesFaults, ADriverWithoutBatches) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuMemcpyBatchAsync"}});
    Copies copies;
    const auto before = fake().calls("cuMemcpyAsync");
    for (const int32_t order : {GS_ACCESS_ORDER_STREAM, GS_ACCESS_ORDER_DURING_CALL, GS_ACCESS_ORDER_ANY}) {
        std::memset(copies.source.at(0), order, 64);
        EXPECT_OK(copies.put(order));
        if (order == GS_ACCESS_ORDER_DURING_CALL)
            EXPECT_TRUE(done(copies.stream)) << "page-locked memory is read later";
        EXPECT_OK(gs_stream_synchronize(copies.stream));
        EXPECT_EQ(copies.last(), order);
    }
    EXPECT_EQ(fake().calls("cuMemcpyAsync"), before + 3 * 3 + 3);
    unsigned char usual[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    const gs_copy_t one{static_cast<char *>(copies.memory) + 24, usual, 8};
    Gate gate;
    ASSERT_OK(gate.hold(copies.stream));
    EXPECT_OK(gs_memcpy_batch_async(&one, 1, GS_ACCESS_ORDER_DURING_CALL, copies.stream));
    std::memset(usual, 0, 8);
    EXPECT_FALSE(done(copies.stream)) << "pageable memory is read at once: nothing waits";
    gate.open();
    EXPECT_EQ(copies.last(), 9);
}

TEST(CopiesFaults, TheTextNamesTheCopy) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuMemcpyBatchAsync"}});
    Copies copies;
    refuse("cuMemcpyAsync", CUDA_ERROR_UNKNOWN, 2);
    EXPECT_EQ(copies.put(), GS_ERROR_DRIVER);
    EXPECT_NE(last_text().find("cuMemcpyAsync"), std::string::npos) << last_text();
    EXPECT_NE(last_text().find("(copies[2])"), std::string::npos) << last_text();
    EXPECT_OK(copies.put());
}

TEST(CopiesFaults, ARefusedBatchIsCopiedOneByOne) {
    OWN_PROCESS({});
    Copies copies;
    std::memset(copies.source.at(0), 4, 64);
    refuse("cuMemcpyBatchAsync", CUDA_ERROR_INVALID_VALUE, 1);
    const auto before = fake().calls("cuMemcpyAsync");
    EXPECT_OK(copies.put(GS_ACCESS_ORDER_DURING_CALL));
    EXPECT_TRUE(done(copies.stream));
    EXPECT_EQ(fake().calls("cuMemcpyAsync"), before + 3);
    EXPECT_EQ(copies.last(), 4);
    refuse("cuMemcpyBatchAsync", CUDA_ERROR_OUT_OF_MEMORY, 1);
    EXPECT_EQ(copies.put(), GS_ERROR_OUT_OF_MEMORY);
    EXPECT_NE(last_text().find("cuMemcpyBatchAsync"), std::string::npos) << last_text();
}

} // namespace
} // namespace gs::test
