// SPDX-License-Identifier: Apache-2.0
// A green context of other code, and streams in it, as a program makes them by the driver's own functions.
#pragma once

#include <cudaTypedefs.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "support/cuda_driver.hpp"

namespace gs::test {

class GreenContext {
public:
    // The device's primary context exists. made() is false where the driver cannot divide the device.
    explicit GreenContext(CUdevice device) {
        CUdevResource all{}, part{}, rest{};
        CUdevResourceDesc description = nullptr;
        unsigned groups = 1;
        const auto get = driver_symbol<PFN_cuDeviceGetDevResource_v12040>("cuDeviceGetDevResource");
        if (get(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return;
        const auto split = driver_symbol<PFN_cuDevSmResourceSplitByCount_v12040>("cuDevSmResourceSplitByCount");
        if (split(&part, &groups, &all, &rest, 0, 1) != CUDA_SUCCESS || groups == 0) return;
        EXPECT_EQ(
            driver_symbol<PFN_cuDevResourceGenerateDesc_v12040>("cuDevResourceGenerateDesc")(&description, &part, 1),
            CUDA_SUCCESS);
        EXPECT_EQ(driver_symbol<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate")(&made_, description, device,
                                                                                 CU_GREEN_CTX_DEFAULT_STREAM),
                  CUDA_SUCCESS);
    }
    ~GreenContext() {
        if (made_) end();
    }
    GreenContext(const GreenContext &) = delete;
    GreenContext &operator=(const GreenContext &) = delete;
    bool made() const { return made_ != nullptr; }
    void end() {
        EXPECT_EQ(driver_symbol<PFN_cuGreenCtxDestroy_v12040>("cuGreenCtxDestroy")(made_), CUDA_SUCCESS);
        made_ = nullptr;
    }
    // The caller destroys it: destroy_raw().
    uintptr_t make_stream() const {
        CUstream stream = nullptr;
        EXPECT_EQ(driver_symbol<PFN_cuGreenCtxStreamCreate_v12050>("cuGreenCtxStreamCreate")(&stream, made_,
                                                                                             CU_STREAM_NON_BLOCKING, 0),
                  CUDA_SUCCESS);
        return reinterpret_cast<uintptr_t>(stream);
    }
    // Driver 580 has destroyed those of a green context that has ended.
    static void destroy_raw(uintptr_t stream) {
        const CUresult result =
            driver_symbol<PFN_cuStreamDestroy_v4000>("cuStreamDestroy_v2")(reinterpret_cast<CUstream>(stream));
        EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_CONTEXT_IS_DESTROYED) << result;
    }

private:
    CUgreenCtx made_ = nullptr;
};

} // namespace gs::test
