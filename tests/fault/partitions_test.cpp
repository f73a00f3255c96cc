// SPDX-License-Identifier: Apache-2.0
// What partitions ask of the driver.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

gs_partition_summary_t summary_of(gs_partition_t partition) {
    gs_partition_summary_t summary{};
    summary.struct_size = sizeof summary;
    EXPECT_OK(gs_partition_info(partition, &summary));
    return summary;
}

void expect_refused(const char *function) {
    const uint32_t one = 1;
    gs_partition_t partition = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_partition_create(0, &one, 1, 0, &partition));
    EXPECT_NE(last_text().find(function), std::string::npos) << last_text();
    EXPECT_NE(last_text().find("12.5"), std::string::npos) << last_text();
    Stream stream = make_stream(0);
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST(DriverPartitions, HaveNoMultiprocessorInCommon) {
    OWN_PROCESS();
    const std::vector<uint32_t> counts = {1, 20, 8, 60};
    const uint32_t wanted[] = {8, 24, 8, 64};
    std::vector<gs_partition_t> made(4);
    ASSERT_OK(gs_partition_create(0, counts.data(), 4, 0, made.data()));
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(summary_of(made[i]).sm_count, wanted[i]);
        EXPECT_EQ(summary_of(made[i]).requested_sm_count, counts[i]);
        EXPECT_EQ(summary_of(made[i]).device_sm_count, 132u);
        EXPECT_EQ(summary_of(made[i]).unit_sm_count, 8u);
        for (size_t k = 0; k < i; ++k)
            EXPECT_EQ(fake().share_multiprocessors(summary_of(made[i]).native, summary_of(made[k]).native), 0);
    }
    gs_partition_t apart = nullptr;
    ASSERT_OK(gs_partition_create(0, counts.data(), 1, 0, &apart));
    EXPECT_EQ(fake().share_multiprocessors(summary_of(made[0]).native, summary_of(apart).native), 1)
        << "partitions of separate calls may share some, as the header says";
    made.push_back(apart);
    for (gs_partition_t partition : made) ASSERT_OK(gs_partition_destroy(partition));
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPartitions, SmallUnitsAndTheWholeDevice) {
    OWN_PROCESS({{"FAKE_CUDA_MULTIPROCESSORS", "21"}});
    gs_partition_t made[3] = {};
    const uint32_t three[] = {3, 1, 14};
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, three, 3, 0, made));
    EXPECT_NE(last_text().find("need 4 units, and CUDA device 0 with its 21 multiprocessors has 2"), std::string::npos)
        << last_text();
    ASSERT_OK(gs_partition_create(0, three, 3, GS_PARTITION_FINE, made));
    EXPECT_EQ(summary_of(made[0]).sm_count, 4u);
    EXPECT_EQ(summary_of(made[1]).sm_count, 2u);
    EXPECT_EQ(summary_of(made[2]).sm_count, 14u);
    for (gs_partition_t partition : made) EXPECT_OK(gs_partition_destroy(partition));
}

TEST(DriverPartitions, OnePartitionMayHaveTheRest) {
    OWN_PROCESS({{"FAKE_CUDA_MULTIPROCESSORS", "21"}});
    gs_partition_t made = nullptr;
    for (uint32_t count : {17u, 21u}) {
        ASSERT_OK(gs_partition_create(0, &count, 1, 0, &made));
        EXPECT_EQ(summary_of(made).sm_count, 21u);
        ASSERT_OK(gs_partition_destroy(made));
    }
    const uint32_t more = 22, exact = 21, odd = 17;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, &more, 1, 0, &made));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, &odd, 1, GS_PARTITION_EXACT, &made));
    ASSERT_OK(gs_partition_create(0, &exact, 1, GS_PARTITION_EXACT, &made));
    ASSERT_OK(gs_partition_destroy(made));
}

TEST(DriverPartitions, ADeviceWithoutUnits) {
    OWN_PROCESS({{"FAKE_CUDA_MULTIPROCESSORS", "6"}});
    const uint32_t one = 1;
    gs_partition_t made = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_partition_create(0, &one, 1, 0, &made));
    ASSERT_OK(gs_partition_create(0, &one, 1, GS_PARTITION_FINE, &made));
    EXPECT_EQ(summary_of(made).sm_count, 2u);
    ASSERT_OK(gs_partition_destroy(made));
}

TEST(DriverPartitions, AnOldDriver) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "12040"}});
    expect_refused("cuGreenCtxStreamCreate");
}

TEST(DriverPartitions, AnOlderDriver) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "12000"}});
    expect_refused("cuGreenCtxStreamCreate");
}

TEST(DriverPartitions, ADriverWithoutTheSplit) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuDevSmResourceSplitByCount"}});
    expect_refused("cuDevSmResourceSplitByCount");
}

// The second of three fails: the first is destroyed, whatever is in the way of that.
TEST(DriverPartitions, AllOrNone) {
    OWN_PROCESS();
    const uint32_t counts[] = {8, 8, 8};
    for (const char *function : {"cuDevResourceGenerateDesc", "cuGreenCtxCreate", "cuGreenCtxGetDevResource"}) {
        gs_partition_t made[3] = {};
        fake_cuda_fault_t fault{};
        fault.function = function;
        fault.nth = 2;
        fault.code = CUDA_ERROR_OUT_OF_MEMORY;
        fake().inject(&fault);
        EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_partition_create(0, counts, 3, 0, made)) << function;
        fake().clear_fault();
        for (gs_partition_t partition : made) EXPECT_EQ(partition, nullptr);
        EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 0u) << function;
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// As the driver tells them of a green context. The enum of older headers has no such type.
struct Queues {
    CUdevice device;
    unsigned concurrency, scope;
};
Queues queues_of(gs_partition_t partition) {
    using Get = CUresult (*)(CUgreenCtx, CUdevResource *, unsigned type);
    CUdevResource found{};
    Queues queues{};
    EXPECT_EQ(fake().symbol<Get>("cuGreenCtxGetDevResource")(reinterpret_cast<CUgreenCtx>(summary_of(partition).native),
                                                             &found, 1000),
              CUDA_SUCCESS);
    std::memcpy(&queues, found._oversize, sizeof queues);
    return queues;
}

TEST(DriverPartitions, HaveTheQueuesThatTheCallerAsksFor) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "13010"}});
    const uint32_t counts[] = {8, 9, 16};
    gs_partition_t made[3] = {};
    ASSERT_OK(gs_partition_create(0, counts, 3, GS_PARTITION_QUEUES | 5 * GS_PARTITION_CONCURRENCY, made));
    const uint32_t wanted[] = {8, 16, 16};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(queues_of(made[i]).concurrency, 5u);
        EXPECT_EQ(queues_of(made[i]).scope, 1u) << "CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED";
        EXPECT_EQ(summary_of(made[i]).sm_count, wanted[i]) << "the queues displace no multiprocessor of another";
        for (int k = 0; k < i; ++k)
            EXPECT_EQ(fake().share_multiprocessors(summary_of(made[i]).native, summary_of(made[k]).native), 0);
        ASSERT_OK(gs_partition_destroy(made[i]));
    }
    ASSERT_OK(gs_partition_create(0, counts, 1, GS_PARTITION_QUEUES, made));
    EXPECT_EQ(queues_of(made[0]).concurrency, 8u) << "the driver's own number";
    ASSERT_OK(gs_partition_destroy(made[0]));
    ASSERT_OK(gs_partition_create(0, counts, 1, 3 * GS_PARTITION_CONCURRENCY, made));
    EXPECT_EQ(queues_of(made[0]).scope, 0u);
    ASSERT_OK(gs_partition_destroy(made[0]));
    ASSERT_OK(gs_partition_create(0, counts, 1, 0, made));
    EXPECT_EQ(queues_of(made[0]).concurrency, 0u) << "nobody asked for any";
    ASSERT_OK(gs_partition_destroy(made[0]));
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPartitions, AreMadeOfGroupsThatRunTogether) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "13010"}});
    const uint32_t counts[] = {4, 17, 40};
    const uint32_t wanted[] = {16, 32, 48};
    gs_partition_t made[3] = {};
    for (const uint32_t plan : {uint32_t{GS_PARTITION_PLAN}, 0u}) {
        ASSERT_OK(gs_partition_create(0, counts, 3, plan | 16 * GS_PARTITION_COSCHEDULED, made));
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(summary_of(made[i]).sm_count, wanted[i]);
            EXPECT_EQ(summary_of(made[i]).unit_sm_count, 16u);
            for (int k = 0; k < i && plan == 0; ++k)
                EXPECT_EQ(fake().share_multiprocessors(summary_of(made[i]).native, summary_of(made[k]).native), 0);
        }
        EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), plan ? 0u : 3u);
        for (gs_partition_t partition : made) ASSERT_OK(gs_partition_destroy(partition));
    }
    const uint32_t many[] = {64, 80}, all = 132, three = 3;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, many, 2, 16 * GS_PARTITION_COSCHEDULED, made));
    EXPECT_NE(last_text().find("need 9 units"), std::string::npos) << last_text();
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, &all, 1, 16 * GS_PARTITION_COSCHEDULED, made));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create(0, &three, 1, 3 * GS_PARTITION_COSCHEDULED, made));
    EXPECT_NE(last_text().find("in groups of 3"), std::string::npos) << last_text();
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPartitions, APlanMakesNothing) {
    OWN_PROCESS();
    const uint32_t counts[] = {9, 132};
    gs_partition_t made = nullptr;
    for (const uint32_t count : counts) {
        ASSERT_OK(gs_partition_create(0, &count, 1, GS_PARTITION_PLAN, &made));
        EXPECT_EQ(summary_of(made).sm_count, count == 9 ? 16u : 132u);
        ASSERT_OK(gs_partition_destroy(made));
    }
    EXPECT_EQ(fake().live(FAKE_CUDA_CONTEXT), 0u) << "not even the device's context";
    EXPECT_EQ(fake().calls("cuGreenCtxCreate") + fake().calls("cuGreenCtxDestroy"), 0u);
}

TEST(DriverPartitions, LastUntilTheirStreamsEnd) {
    OWN_PROCESS();
    const uint32_t one = 1;
    gs_partition_t partition = nullptr;
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_partition_create(0, &one, 1, 0, &partition));
    ASSERT_OK(gs_stream_create_in(partition, 0, 0, &stream));
    ASSERT_OK(gs_partition_destroy(partition));
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 1u);
    EXPECT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_stream_destroy(stream));
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 0u);
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 0u) << "not kept for a partition that has ended";
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPartitions, EndWithTheDevice) {
    OWN_PROCESS();
    const uint32_t one = 1;
    gs_partition_t partition = nullptr, none = nullptr;
    gs_stream_t stream = nullptr, late = nullptr;
    ASSERT_OK(gs_partition_create(0, &one, 1, 0, &partition));
    ASSERT_OK(gs_stream_create_in(partition, 0, 0, &stream));
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create_in(partition, 0, 0, &late));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_partition_create(0, &one, 1, 0, &none));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_OK(gs_partition_destroy(partition));
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace
} // namespace gs::test
