// SPDX-License-Identifier: Apache-2.0
// gpustream_bench_core [--peers=NAME,...] [Google Benchmark's options]
// The backend is what GPUSTREAM_BACKEND and GPUSTREAM_LIBCUDA choose; the driver is measured through the same file.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "suite.hpp"

namespace {

std::string environment(const char *name, const char *otherwise) {
    const char *value = std::getenv(name);
    return value && *value ? value : otherwise;
}

// Removes "--peers=driver,runtime" from the arguments; all peers if it is missing.
std::string take_peers(int *argc, char **argv) {
    constexpr const char *kOption = "--peers=";
    std::string peers = "gpustream,driver,runtime,torch";
    for (int i = 1; i < *argc; ++i) {
        if (std::strncmp(argv[i], kOption, std::strlen(kOption)) != 0) continue;
        peers = argv[i] + std::strlen(kOption);
        std::memmove(argv + i, argv + i + 1, static_cast<size_t>(*argc - i) * sizeof *argv);
        --*argc;
        break;
    }
    return "," + peers + ",";
}

void report_missing(const char *peer, const char *reason) {
    if (!reason) return;
    std::fprintf(stderr, "%s is not measured: %s\n", peer, reason);
    benchmark::AddCustomContext(std::string("without ") + peer, reason);
}

} // namespace

int main(int argc, char **argv) {
    const std::string peers = take_peers(&argc, argv);
    const std::string backend = environment("GPUSTREAM_BACKEND", "auto");
    const auto wants = [&](const char *peer) { return peers.find("," + std::string(peer) + ",") != std::string::npos; };
    benchmark::AddCustomContext("backend", backend);
#if defined(GPUSTREAM_BENCH_TORCH)
    if (wants("torch")) report_missing("torch", bench::add_torch());
#else
    if (wants("gpustream")) report_missing("gpustream", bench::add_gpustream(backend));
    if (backend != "host") {
        if (wants("driver")) report_missing("driver", bench::add_driver());
        if (wants("runtime")) report_missing("runtime", bench::add_runtime());
    }
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
