// SPDX-License-Identifier: Apache-2.0
// Captures that a test begins and ends by the driver's own functions, as other code would.
#pragma once

#include <cudaTypedefs.h>
#include <gtest/gtest.h>

#include "support/cuda_driver.hpp"
#include "support/objects.hpp"

namespace gs::test {

struct CapturingDriver {
    PFN_cuStreamBeginCapture_v10010 begin = driver_symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
    PFN_cuStreamEndCapture_v10000 end = driver_symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
    PFN_cuStreamQuery_v2000 query = driver_symbol<PFN_cuStreamQuery_v2000>("cuStreamQuery");
    PFN_cuEventQuery_v2000 event_query = driver_symbol<PFN_cuEventQuery_v2000>("cuEventQuery");
    PFN_cuThreadExchangeStreamCaptureMode_v10010 exchange =
        driver_symbol<PFN_cuThreadExchangeStreamCaptureMode_v10010>("cuThreadExchangeStreamCaptureMode");

    CUresult finish(gs_stream_t stream) const {
        CUgraph graph = nullptr;
        return end(reinterpret_cast<CUstream>(native_of(stream)), &graph);
    }
    void start(gs_stream_t stream, CUstreamCaptureMode mode) const {
        ASSERT_EQ(begin(reinterpret_cast<CUstream>(native_of(stream)), mode), CUDA_SUCCESS);
    }
    // The calling thread's mode, which is not changed.
    CUstreamCaptureMode mode() const {
        CUstreamCaptureMode present = CU_STREAM_CAPTURE_MODE_RELAXED, again = present;
        EXPECT_EQ(exchange(&present), CUDA_SUCCESS);
        again = present;
        EXPECT_EQ(exchange(&again), CUDA_SUCCESS);
        return present;
    }
};

} // namespace gs::test
