// SPDX-License-Identifier: Apache-2.0
// The switch of an attached profiler: the driver's functions on CUDA, nothing on host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"
#include "support/own_process.hpp"
#include "support/status_matchers.hpp"

namespace gs::check::test {
namespace {

using gs::test::driver_symbol;
using gs::test::last_error;

bool on_cuda() {
    const char *backend = getenv("GPUSTREAM_BACKEND");
    return backend && std::string(backend) == "cuda";
}
uint64_t calls_of(const char *function) {
    return driver_symbol<decltype(&fake_cuda_calls)>("fake_cuda_calls")(function);
}

TEST(Profiler, IsSwitchedByTheDriver) {
    ASSERT_OK(gs_profiler_start()); // with no context yet: the call makes one
    ASSERT_OK(gs_profiler_stop());
    ASSERT_OK(gs_profiler_stop());
    if (!on_cuda()) return;
    EXPECT_EQ(calls_of("cuProfilerStart"), 1u);
    EXPECT_EQ(calls_of("cuProfilerStop"), 2u);
}

TEST(Profiler, RefusalsHaveTheDriversNumber) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    if (!on_cuda()) { // which refuses nothing
        EXPECT_OK(gs_profiler_start());
        return;
    }
    fake_cuda_fault_t fault{};
    fault.function = "cuProfilerStart";
    fault.nth = 1;
    fault.code = 5; // CUDA_ERROR_PROFILER_DISABLED
    driver_symbol<decltype(&fake_cuda_inject)>("fake_cuda_inject")(&fault);
    EXPECT_EQ(gs_profiler_start(), GS_ERROR_DRIVER);
    EXPECT_EQ(last_error().native_code, 5);
    EXPECT_STREQ(last_error().native_function, "cuProfilerStart");
    ASSERT_OK(gs_profiler_start());
}

TEST(Profiler, MayBeMissingInTheDriver) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuProfilerStart,cuProfilerStop"}});
    const gs_status_t expected = on_cuda() ? GS_ERROR_NOT_SUPPORTED : GS_OK;
    EXPECT_EQ(gs_profiler_start(), expected);
    EXPECT_EQ(gs_profiler_stop(), expected);
}

} // namespace
} // namespace gs::check::test
