// SPDX-License-Identifier: Apache-2.0
// Drives a file through a device and checks what comes out; see options.cpp for the usage.
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

gs_device_t choose_device(gs_backend_t backend) {
    if (backend == GS_BACKEND_DEFAULT) check(gs_default_backend(&backend));
    return GS_DEVICE(backend, 0);
}

std::string device_name(gs_device_t device) {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    check(gs_device_get_info(device, &info));
    return std::string(info.backend == GS_BACKEND_HOST ? "host" : "cuda") + " (" + info.name + ")";
}

// Better now than after a long run.
void check_timeline_folder(const std::string &timeline) {
    if (timeline.empty()) return;
    std::string folder = std::filesystem::path(timeline).parent_path();
    if (folder.empty()) folder = ".";
    if (access(folder.c_str(), W_OK | X_OK) == 0) return;
    throw Failure(Exit::kFile, "cannot write the timeline to '" + folder + "': " + std::strerror(errno));
}

// What one stream achieves on the beginning of the file. With one stream asked for, the run itself.
uint64_t one_stream_length(const Options &options, uint64_t size) {
    return std::min(size, std::max(uint64_t{64} << 20, uint64_t{4} * options.chunk_bytes));
}

Exit verdict(const std::string &differences, const FileReader &file, const Digest &digest) {
    file.check_not_shrunk();
    if (differences.empty()) {
        std::printf("CRC-32 %08" PRIx32 " and histogram agree with a sequential pass over %" PRIu64 " bytes\n",
                    digest.crc32(), digest.bytes());
        return Exit::kOk;
    }
    // Both passes may be right about different contents.
    file.check_not_written();
    std::fprintf(stderr, "pipeline: the result is wrong\n%s", differences.c_str());
    return Exit::kMismatch;
}

Exit process(const Options &options) {
    const FileReader file(options.file);
    check_timeline_folder(options.timeline);
    const gs_device_t device = choose_device(options.backend);
    const Kernels kernels(device);
    Progress progress(file.size(), options.progress);

    // The sequential pass comes first: afterwards both runs find the file in the same cache.
    const uint64_t prefix = one_stream_length(options, file.size());
    progress.begin("sequential pass", file.size());
    Digest sequential_prefix = sequential_pass(file, 0, prefix, progress);
    Digest sequential = sequential_prefix;
    sequential.append(sequential_pass(file, prefix, file.size() - prefix, progress));

    RunPlan plan{device, options.streams, options.chunk_bytes, file.size()};
    plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(plan.chunk_bytes, file.size()));
    RunPlan one_stream_plan = plan;
    one_stream_plan.streams = 1;
    one_stream_plan.length = prefix;
    progress.begin("one stream", prefix);
    const RunResult one_stream = run(one_stream_plan, kernels, file, &progress);
    progress.begin("pipeline", file.size());
    const RunResult result = run(plan, kernels, file, &progress);

    const Report report{options.file, device_name(device), options.streams, plan.chunk_bytes, result, one_stream};
    std::printf("%s\n\n%s\n", report.headline().c_str(), report.table().c_str());
    if (!options.timeline.empty()) {
        const std::string name = std::filesystem::path(options.file).filename();
        const Report named{name, report.device, report.streams, report.chunk_bytes, result, one_stream};
        const Timeline timeline{named.headline(), named.speed(), result};
        write_file(options.timeline + ".svg", timeline_svg(timeline));
        write_file(options.timeline + ".json", trace_json(timeline));
    }
    std::string differences = difference(result.digest, sequential);
    if (differences.empty()) differences = difference(one_stream.digest, sequential_prefix);
    return verdict(differences, file, result.digest);
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
    // A result that could not be printed is no result.
    if (std::fflush(stdout) != 0 && exit == pipeline::Exit::kOk) return static_cast<int>(pipeline::Exit::kFile);
    return static_cast<int>(exit);
}
