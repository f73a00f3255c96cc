// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <algorithm>
#include <chrono>

#include "chunk_graph.hpp"

namespace graphs {
namespace {

using namespace pipeline;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// submit(bytes) puts the work on a chunk of that size into work's stream.
template <typename Submit>
Pass run(ChunkWork &work, const FileReader &file, uint32_t chunk_bytes, Submit submit) {
    Pass pass;
    uint64_t chunks = 0;
    const Clock::time_point start = Clock::now();
    for (uint64_t offset = 0; offset < file.size(); offset += chunk_bytes, ++chunks) {
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(chunk_bytes, file.size() - offset));
        file.read(offset, work.input(), bytes);
        const Clock::time_point before = Clock::now();
        submit(bytes);
        pass.submit_us += since(before);
        work.stream().synchronize();
        pass.digest.place(offset, bytes, work.result(), file.size());
    }
    pass.wall_ms = since(start) / 1000;
    pass.submit_us /= static_cast<double>(chunks);
    return pass;
}

} // namespace

Comparison compare(gpustream::device device, const FileReader &file, uint32_t chunk_bytes) {
    const Kernels kernels(device);
    ChunkWork work(device, kernels, chunk_bytes);
    ChunkGraph graph(work, chunk_bytes);
    Comparison result;
    result.dot = graph.dot();
    result.chunks = (file.size() + chunk_bytes - 1) / chunk_bytes;

    // One pass each that is not measured: kernels are loaded and pools filled by then.
    const auto calls = [&](uint32_t bytes) { work.submit(bytes); };
    uint32_t size = chunk_bytes;
    const auto launch = [&](uint32_t bytes) {
        if (bytes != size) graph.resize(bytes); // the last chunk, and the first one after it
        size = bytes;
        graph.launch();
    };
    run(work, file, chunk_bytes, calls);
    run(work, file, chunk_bytes, launch);
    result.calls = run(work, file, chunk_bytes, calls);
    result.graph = run(work, file, chunk_bytes, launch);
    return result;
}

} // namespace graphs
