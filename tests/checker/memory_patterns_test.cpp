// SPDX-License-Identifier: Apache-2.0
// Races with memory that is allocated, copied, filled and freed by the library, after public bugs.
#include <gmock/gmock.h>

#include "checker/pattern.hpp"

namespace gs::check::test {
namespace {

TEST_F(CheckPattern, FreedWhileAnotherStreamUsesIt) {
    Checking checking;
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(4096, copy, &memory));
    ASSERT_OK(gs_memset_async(memory, 1, 4096, copy));
    ASSERT_OK(gs_stream_wait_stream(compute, copy));
    ASSERT_OK(gs_check_read(compute, static_cast<char *>(memory) + 4095, 1, "late reader"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_free_async(memory, copy));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].text.find("free by stream"), std::string::npos) << reports[0].text;
}

TEST_F(CheckPattern, UsedBeforeItIsAllocated) {
    Checking checking;
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(64, copy, &memory));
    ASSERT_OK(gs_memset_async(memory, 0, 64, compute));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_wait_stream(copy, compute));
    ASSERT_OK(gs_free_async(memory, copy));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPattern, NewMemoryHasNoPast) {
    Checking checking;
    for (int i = 0; i < 20; ++i) {
        const gs_stream_t on = i % 2 == 0 ? copy : compute;
        void *memory = nullptr;
        ASSERT_OK(gs_malloc_async(1024, on, &memory));
        ASSERT_OK(gs_memset_async(memory, i, 1024, on));
        ASSERT_OK(gs_free_async(memory, on));
    }
    EXPECT_EQ(checking.count(), 0u);
}

// The stream gives the block out again at once. A reader of another stream that comes too late reads the new owner's data.
TEST_F(CheckPattern, ReusedWhileAnotherStreamReadsIt) {
    Checking checking;
    void *memory = nullptr, *again = nullptr;
    ASSERT_OK(gs_malloc_async(4096, copy, &memory));
    ASSERT_OK(gs_memset_async(memory, 1, 4096, copy));
    ASSERT_OK(gs_stream_wait_stream(compute, copy));
    ASSERT_OK(gs_free_async(memory, copy));
    ASSERT_OK(gs_malloc_async(4096, copy, &again));
    ASSERT_EQ(again, memory);
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(compute, memory, 64, "late reader"));
    ASSERT_EQ(checking.reports().size(), 1u);
    ASSERT_OK(gs_stream_wait_stream(copy, compute));
    ASSERT_OK(gs_free_async(again, copy));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPattern, FreedAfterAllThatUseIt) {
    for (const bool all : {false, true}) {
        Checking checking;
        gs_pool_t pool = nullptr;
        ASSERT_OK(gs_pool_default(0, &pool));
        void *memory = nullptr;
        ASSERT_OK(gs_pool_malloc(pool, 4096, copy, &memory));
        ASSERT_OK(gs_memset_async(memory, 1, 4096, copy));
        ASSERT_OK(gs_stream_wait_stream(compute, copy));
        ASSERT_OK(gs_check_read(compute, memory, 64, "reader"));
        const gs_stream_t users[] = {copy, compute};
        ASSERT_OK(gs_free_after(memory, users, all ? 2 : 1));
        EXPECT_EQ(checking.count(), all ? 0u : 1u) << "the reader's stream is not named";
        ASSERT_OK(gs_device_synchronize(0));
    }
}

TEST_F(CheckPattern, HostMemoryIsFreedUnderACopy) {
    Checking checking;
    for (const bool wait : {false, true}) {
        void *pinned = nullptr;
        ASSERT_OK(gs_malloc_host(512, &pinned));
        ASSERT_OK(gs_check_read(copy, pinned, 512, "upload"));
        if (wait) ASSERT_OK(gs_stream_synchronize(copy));
        ASSERT_OK(gs_free_host(pinned));
        EXPECT_EQ(checking.count(), wait ? 0u : 1u) << wait;
    }
}

TEST_F(CheckPattern, CopiesAndFillsAreAccesses) {
    constexpr size_t kBytes = 64;
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(2 * kBytes, &memory)); // a driver fills no other memory of the host
    char *source = static_cast<char *>(memory), *target = source + kBytes;
    {
        Checking checking;
        ASSERT_OK(gs_memcpy_async(target, source, kBytes, copy));
        ASSERT_OK(gs_memcpy_async(source, target, kBytes, compute)); // both ranges, in both ways
        EXPECT_EQ(checking.count(), 2u);
        ASSERT_OK(gs_device_synchronize(0));
        ASSERT_OK(gs_memset_async(target, 0, kBytes, side));
        EXPECT_EQ(checking.count(), 0u);
        ASSERT_OK(gs_device_synchronize(0));
    }
    EXPECT_OK(gs_free_host(memory));
}

TEST_F(CheckPattern, CopiesOfOneByteAndOfNone) {
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(2, &memory));
    char *source = static_cast<char *>(memory), *target = source + 1;
    {
        Checking checking;
        ASSERT_OK(gs_check_write(copy, memory, 2, "both"));
        ASSERT_OK(gs_memcpy_async(target, source, 0, compute));
        EXPECT_EQ(checking.count(), 0u);
        ASSERT_OK(gs_memcpy_async(target, source, 1, compute));
        EXPECT_EQ(checking.count(), 2u) << "where it reads, and where it writes";
        ASSERT_OK(gs_device_synchronize(0));
    }
    EXPECT_OK(gs_free_host(memory));
}

TEST_F(CheckPattern, AWriteIsRememberedForThePartThatNothingElseHasWritten) {
    Checking checking;
    ASSERT_OK(gs_check_write(copy, buffer, 100, "first"));
    ASSERT_OK(gs_check_write(copy, buffer, 50, "second"));
    ASSERT_OK(gs_check_write(copy, buffer + 200, 8, "third"));
    ASSERT_OK(gs_check_read(compute, buffer + 60, 8, "reader"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, ::testing::HasSubstr("\"first\""));
    EXPECT_THAT(reports[0].text, ::testing::Not(::testing::HasSubstr("\"third\"")));
}

TEST_F(CheckPattern, ParametersOverlapByOneByte) {
    Checking checking;
    ASSERT_OK(gs_check_write(copy, buffer, 100, "left"));
    ASSERT_OK(gs_check_write(compute, buffer + 100, 100, "right"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(side, buffer + 99, 2, "middle"));
    EXPECT_EQ(checking.count(), 2u);
}

// The memory is still the caller's, as large as it was.
TEST_F(CheckPattern, AFreeThatFailsIsNone) {
    int32_t devices = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    if (devices < 2) GTEST_SKIP() << "one device";
    gs_stream_t elsewhere = nullptr;
    ASSERT_OK(gs_stream_create(1, 0, 0, &elsewhere));
    Checking checking;
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(4096, copy, &memory));
    ASSERT_EQ(gs_free_async(memory, elsewhere), GS_ERROR_DEVICE_MISMATCH);
    (void)checking.count();
    ASSERT_OK(gs_memset_async(memory, 1, 4096, copy));
    ASSERT_OK(gs_free_async(memory, copy));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(compute, static_cast<char *>(memory) + 4095, 1, "late reader"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_destroy(elsewhere));
}

} // namespace
} // namespace gs::check::test
