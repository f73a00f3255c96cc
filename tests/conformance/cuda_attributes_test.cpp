// SPDX-License-Identifier: Apache-2.0
// What another library sets on a stream by its raw handle ends with the stream's owner.
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
    const CUresult has_domains = set(raw, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &domain); // not every device has them
    ASSERT_OK(gs_stream_destroy(owned));
    Stream next;
    for (int i = 0; i < 1000 && (!next.get() || native_of(next) != native); ++i) next = make_stream(0);
    ASSERT_EQ(native_of(next), native) << "never lent again";
    ASSERT_EQ(get(raw, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy), CUDA_SUCCESS);
    EXPECT_EQ(policy.syncPolicy, CU_SYNC_POLICY_AUTO);
    if (has_domains != CUDA_SUCCESS) return;
    ASSERT_EQ(get(raw, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &domain), CUDA_SUCCESS);
    EXPECT_EQ(domain.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
}

} // namespace gs::test

#endif
