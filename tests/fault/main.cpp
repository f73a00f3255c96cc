// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdlib>

#include "fault/fake_driver.hpp"
#include "support/child_process.hpp"

// Everything here runs on the CUDA backend over the fake; a test that needs another library sets it in its children.
int main(int argc, char **argv) {
    setenv("GPUSTREAM_BACKEND", "cuda", 0);
    setenv("GPUSTREAM_LIBCUDA", gs::test::kFakeDriver, 0);
    int code = 0;
    if (gs::test::run_registered_child(argc, argv, &code)) return code;
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
