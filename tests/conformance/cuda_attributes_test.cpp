// SPDX-License-Identifier: Apache-2.0
// Stream attributes that other libraries set: they are reset before the stream gets its next owner.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <cudaTypedefs.h>

#include "support/cuda_driver.hpp"
#include "support/own_process.hpp"

namespace gs::test {

TEST_P(CudaConformanceProcess, RowA2_AttributesAreResetBeforeReuse) {
    OWN_PROCESS();
    const auto set = driver_symbol<PFN_cuStreamSetAttribute_v11000>("cuStreamSetAttribute");
    const auto get = driver_symbol<PFN_cuStreamGetAttribute_v11000>("cuStreamGetAttribute");
    const gs_stream_t owned = make_stream(0).release();
    const uintptr_t native = native_of(owned);
    CUstreamAttrValue policy{}, domain{};
    policy.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC;
    domain.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    const auto raw = reinterpret_cast<CUstream>(native);
    ASSERT_EQ(set(raw, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy), CUDA_SUCCESS);
    const CUresult has_domains = set(raw, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &domain); // optional for devices
    ASSERT_OK(gs_stream_destroy(owned));
    Stream next;
    for (int i = 0; i < 1000 && (!next.get() || native_of(next) != native); ++i) next = make_stream(0);
    ASSERT_EQ(native_of(next), native) << "never reused";
    ASSERT_EQ(get(raw, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy), CUDA_SUCCESS);
    EXPECT_EQ(policy.syncPolicy, CU_SYNC_POLICY_AUTO);
    if (has_domains != CUDA_SUCCESS) return;
    ASSERT_EQ(get(raw, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &domain), CUDA_SUCCESS);
    EXPECT_EQ(domain.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
}

TEST_P(CudaConformanceProcess, RowA7_PriorityAndFlagsOfForeignStreams) {
    OWN_PROCESS();
    const auto create = driver_symbol<PFN_cuStreamCreateWithPriority_v5050>("cuStreamCreateWithPriority");
    const auto destroy = driver_symbol<PFN_cuStreamDestroy_v4000>("cuStreamDestroy_v2");
    const auto push = driver_symbol<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent_v2");
    const auto pop = driver_symbol<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent_v2");
    const auto retain = driver_symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
    int32_t least = 0, greatest = 0;
    ASSERT_OK(gs_device_priority_range(0, &least, &greatest));
    CUcontext context = nullptr;
    ASSERT_EQ(retain(&context, 0), CUDA_SUCCESS);
    for (const int32_t priority : {least, greatest}) {
        for (const bool blocking : {false, true}) {
            CUstream raw = nullptr;
            ASSERT_EQ(push(context), CUDA_SUCCESS);
            ASSERT_EQ(create(&raw, blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING, priority), CUDA_SUCCESS);
            ASSERT_EQ(pop(&context), CUDA_SUCCESS);
            {
                gs_stream_t wrapped = nullptr;
                ASSERT_OK(gs_stream_from_native(0, reinterpret_cast<uintptr_t>(raw), &wrapped));
                const Stream owner(wrapped);
                int32_t number = least - greatest + 1;
                uint32_t flags = 0;
                number = facts_of(wrapped).priority;
                EXPECT_EQ(number, priority);
                flags = facts_of(wrapped).flags;
                EXPECT_EQ(flags & GS_STREAM_BLOCKING, blocking ? uint32_t{GS_STREAM_BLOCKING} : 0u);
            }
            EXPECT_EQ(destroy(raw), CUDA_SUCCESS);
        }
    }
}

} // namespace gs::test

#endif
