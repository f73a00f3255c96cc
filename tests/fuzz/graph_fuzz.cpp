// SPDX-License-Identifier: Apache-2.0
// Programs of captures and graphs, on the backend that GPUSTREAM_BACKEND names: the host, or CUDA on the fake driver. A step
// is read as in api_fuzz.cpp.
#include "fuzz/api/ground.hpp"
#include "fuzz/graph/graph_program.hpp"
#include "fuzz/harness.hpp"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::WaitOutsideTheCapture};

void start() { start_programs(make_area); }

void one(Bytes input) {
    GraphProgram program(input, *g_model);
    run_alone(program);
}

} // namespace gs::fuzz
