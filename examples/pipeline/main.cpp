// SPDX-License-Identifier: Apache-2.0
// Runs a file through a device and checks the result; see options.cpp for the usage.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "failure.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"
#include "text.hpp"
#include "timeline.hpp"
#include "verify.hpp"

namespace pipeline {
namespace {

gpustream::device choose_device(gs_backend_t chosen) {
    const auto backend = static_cast<gpustream::backend>(chosen);
    return gpustream::device::of(backend == gpustream::backend::default_ ? gpustream::default_backend() : backend);
}

std::string device_name(gpustream::device device) {
    const gs_device_info_t info = device.info();
    return format("%s (%s)", info.backend == GS_BACKEND_HOST ? "host" : "cuda", info.name);
}

// Checked now rather than after a long run.
void check_timeline_folder(const std::string &timeline) {
    if (timeline.empty()) return;
    const std::filesystem::path parent = std::filesystem::path(timeline).parent_path();
    const std::filesystem::path folder = parent.empty() ? std::filesystem::path(".") : parent;
    if (access(folder.c_str(), W_OK | X_OK) == 0) return;
    throw Failure(Exit::kFile, "cannot write the timeline to '" + folder.string() + "': " + std::strerror(errno));
}

struct Outcome {
    Digest sequential; // of the whole file
    Digest sequential_prefix;
    RunResult one_stream; // on the prefix
    RunResult run;
};

Outcome run_all(const Options &options, const RunPlan &plan, const FileReader &file) {
    Outcome outcome;
    const Kernels kernels(plan.device);
    Progress progress(file.size(), options.progress);
    RunPlan one_stream = plan;
    one_stream.streams = 1;
    one_stream.length = std::min(plan.length, std::max(uint64_t{64} << 20, uint64_t{4} * plan.chunk_bytes));

    // The sequential pass comes first: afterwards both runs find the file in the same cache.
    progress.begin("sequential pass", plan.length);
    outcome.sequential_prefix = sequential_pass(file, 0, one_stream.length, progress);
    outcome.sequential = outcome.sequential_prefix;
    outcome.sequential.append(sequential_pass(file, one_stream.length, plan.length - one_stream.length, progress));
    progress.begin("one stream", one_stream.length);
    outcome.one_stream = run(one_stream, kernels, file, &progress);
    progress.begin("pipeline", plan.length);
    outcome.run = run(plan, kernels, file, &progress);
    return outcome;
}

void write_timeline(const std::string &path, const Report &report) {
    const Timeline timeline{report.headline(), report.speed(), report.result};
    write_file(path + ".svg", timeline_svg(timeline));
    write_file(path + ".json", trace_json(timeline));
}

Exit verdict(const Outcome &outcome, const FileReader &file) {
    file.check_not_shrunk();
    std::string differences = difference(outcome.run.digest, outcome.sequential);
    if (differences.empty()) differences = difference(outcome.one_stream.digest, outcome.sequential_prefix);
    if (differences.empty()) {
        std::printf("CRC-32 %08" PRIx32 " and histogram agree with a sequential pass over %" PRIu64 " bytes\n",
                    outcome.run.digest.crc32(), outcome.run.digest.bytes());
        return Exit::kOk;
    }
    // Both passes may be correct, for different contents.
    file.check_not_written();
    std::fprintf(stderr, "pipeline: the result is wrong\n%s", differences.c_str());
    return Exit::kMismatch;
}

Exit process(const Options &options) {
    const FileReader file(options.file);
    check_timeline_folder(options.timeline);
    const gpustream::device device = choose_device(options.backend);
    const auto chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(options.chunk_bytes, file.size()));
    const Outcome outcome = run_all(options, {device, options.streams, chunk_bytes, file.size(), options.forget_wait}, file);

    const std::string name = std::filesystem::path(options.file).filename();
    const Report report{name, device_name(device), options.streams, chunk_bytes, outcome.run, outcome.one_stream};
    std::printf("%s\n\n%s\n", report.headline().c_str(), report.table().c_str());
    if (!options.timeline.empty()) write_timeline(options.timeline, report);
    return verdict(outcome, file);
}

Exit guarded_main(int count, const char *const *arguments) {
    try {
        const Options options = parse_options(count, arguments);
        if (options.help) {
            std::fputs(kUsageText, stdout);
            return Exit::kOk;
        }
        return process(options);
    } catch (const Failure &failure) {
        std::fprintf(stderr, "pipeline: %s\n", failure.what());
        return failure.exit();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "pipeline: %s\n", error.what());
        return Exit::kDevice;
    }
}

} // namespace
} // namespace pipeline

int main(int count, char **arguments) {
    const pipeline::Exit exit = pipeline::guarded_main(count, arguments);
    // A result that could not be printed is a failure.
    if (std::fflush(stdout) != 0 && exit == pipeline::Exit::kOk) return static_cast<int>(pipeline::Exit::kFile);
    return static_cast<int>(exit);
}
