// SPDX-License-Identifier: Apache-2.0
// Programs over the C interface without captures and graphs, on the backend that GPUSTREAM_BACKEND names: the host, or
// CUDA on the fake driver. A step is a function (two bytes, call_of()), a thread, and one byte for each argument.
#include "fuzz/api/ground.hpp"
#include "fuzz/harness.hpp"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::ForgetReference,
                                                      testing::SeededBug::SkipWaitAcrossStreams};

void start() { start_programs(); }

void one(Bytes input) {
    Program program(input, *g_model);
    run_alone(program);
}

} // namespace gs::fuzz
