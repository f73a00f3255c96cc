// SPDX-License-Identifier: Apache-2.0
// graphs FILE [--chunk BYTES] [--backend host|cuda|auto] [--dot OUT]: see README.md. The options are the pipeline's.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "verify.hpp"

namespace graphs {
namespace {

using namespace pipeline;

constexpr const char kUsage[] =
    "usage: graphs FILE [--chunk BYTES] [--backend host|cuda|auto] [--dot OUT]\n"
    "Digests FILE chunk by chunk, first call by call, then by a graph that was captured once, and compares.\n"
    "  --dot OUT   writes the graph in the language of Graphviz\n";

// --dot is this program's own; the rest is the pipeline's.
Options options_of(int count, char **arguments, std::string *dot) {
    std::vector<const char *> rest;
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(arguments[i], "--dot") != 0) {
            rest.push_back(arguments[i]);
        } else if (++i < count) {
            *dot = arguments[i];
        } else {
            throw Failure(Exit::kUsage, "--dot needs a file name");
        }
    }
    Options options = parse_options(static_cast<int>(rest.size()), rest.data());
    if (options.streams != Options{}.streams || !options.timeline.empty() || options.progress || options.forget_wait)
        throw Failure(Exit::kUsage, "of the pipeline's options only --chunk and --backend are for this program");
    return options;
}

Exit verdict(const Comparison &result, const FileReader &file) {
    Progress progress(file.size(), false);
    const Digest expected = sequential_pass(file, 0, file.size(), progress);
    file.check_not_shrunk();
    for (const Pass *pass : {&result.calls, &result.graph}) {
        const std::string differences = difference(pass->digest, expected);
        if (differences.empty()) continue;
        file.check_not_written();
        std::fprintf(stderr, "graphs: the result is wrong\n%s", differences.c_str());
        return Exit::kMismatch;
    }
    std::printf("CRC-32 %08x of all %llu bytes: both agree with a sequential pass\n", expected.crc32(),
                static_cast<unsigned long long>(file.size()));
    return Exit::kOk;
}

Exit process(int count, char **arguments) {
    std::string dot;
    const Options options = options_of(count, arguments, &dot);
    if (options.help) {
        std::fputs(kUsage, stdout);
        return Exit::kOk;
    }
    const FileReader file(options.file);
    auto backend = static_cast<gpustream::backend>(options.backend);
    if (backend == gpustream::backend::default_) backend = gpustream::default_backend();
    const auto chunk = static_cast<uint32_t>(std::min<uint64_t>(options.chunk_bytes, file.size()));
    const Comparison result = compare(gpustream::device::of(backend), file, chunk);
    std::printf("%llu chunks of %u bytes on %s\n\n", static_cast<unsigned long long>(result.chunks), chunk,
                backend == gpustream::backend::host ? "host" : "cuda");
    std::printf("%-14s%22s%16s\n", "", "submit a chunk, us", "whole file, ms");
    std::printf("%-14s%22.2f%16.2f\n", "call by call", result.calls.submit_us, result.calls.wall_ms);
    std::printf("%-14s%22.2f%16.2f\n\n", "as a graph", result.graph.submit_us, result.graph.wall_ms);
    if (!dot.empty()) write_file(dot, result.dot);
    return verdict(result, file);
}

Exit guarded(int count, char **arguments) {
    try {
        return process(count, arguments);
    } catch (const Failure &failure) {
        std::fprintf(stderr, "graphs: %s\n", failure.what());
        return failure.exit();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "graphs: %s\n", error.what());
        return Exit::kDevice;
    }
}

} // namespace
} // namespace graphs

int main(int count, char **arguments) {
    using pipeline::Exit;
    const Exit exit = graphs::guarded(count, arguments);
    if (std::fflush(stdout) != 0 && exit == Exit::kOk) return static_cast<int>(Exit::kFile);
    return static_cast<int>(exit);
}
