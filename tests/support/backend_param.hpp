// SPDX-License-Identifier: Apache-2.0
// The parameter of the conformance suite: which backend this process runs on.
//
// A process has one default backend, so a case runs with one of its instances only. GPUSTREAM_TEST_BACKEND=host|cuda
// (default host) says which; without a filter on the command line the others are not selected at all.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "gpustream.h"
#include "support/objects.hpp"

namespace gs::test {

gs_backend_t asked_backend(); // from the environment; ends the process for an unknown name
// For main, before InitGoogleTest: chooses the default backend, and selects its instances unless a filter is given.
void prepare_backend_tests();
const char *backend_name(gs_backend_t kind); // "host", "cuda"

// A suite that is instantiated once for each backend, under the backend's name.
class BackendTest : public ::testing::TestWithParam<gs_backend_t> {
protected:
    void SetUp() override;
    void TearDown() override;

    bool on_host() const { return GetParam() == GS_BACKEND_HOST; }
    bool on_cuda() const { return GetParam() == GS_BACKEND_CUDA; }
    bool on_gpu() const { return on_cuda() && !std::getenv("GPUSTREAM_LIBCUDA"); } // not on the fake driver
    int32_t device_count() const;
    // Whether GPUSTREAM_ELIDE lets the library leave out driver calls whose result it knows.
    static bool elides();
};

std::string backend_param_name(const ::testing::TestParamInfo<gs_backend_t> &info);

} // namespace gs::test

#define GS_INSTANTIATE_BACKENDS(Suite)                                                                                 \
    INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values(GS_BACKEND_HOST, GS_BACKEND_CUDA),                             \
                             ::gs::test::backend_param_name)

#define GS_NEEDS_DEVICES(n)                                                                                            \
    if (device_count() < (n)) GTEST_SKIP() << "needs " << (n) << " devices, there are " << device_count()
