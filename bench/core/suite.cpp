// SPDX-License-Identifier: Apache-2.0
#include "suite.hpp"

namespace bench {

void add(const char *call, const char *library, State state, Body body, bool queues) {
    const std::string name = std::string(call) + "/" + library + "/" + (state == State::Busy ? "busy" : "idle");
    auto *registered = benchmark::RegisterBenchmark(name.c_str(), body);
    registered->UseRealTime();
    if (state == State::Busy && queues) registered->Iterations(kQueued);
    for (int threads = 1; threads <= 16; threads *= 2) registered->Threads(threads);
}

void check(benchmark::State &state, long failed, const std::string &text) {
    if (failed != 0) state.SkipWithError(text.c_str());
}

} // namespace bench
