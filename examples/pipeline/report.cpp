// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>

#include "text.hpp"

namespace pipeline {

double gigabytes_per_second(uint64_t bytes, double ms) { return ms > 0 ? static_cast<double>(bytes) / ms / 1e6 : 0; }

double overlap_factor(const RunResult &result, const RunResult &one_stream) {
    const double one = gigabytes_per_second(one_stream.digest.bytes(), one_stream.wall_ms());
    return one > 0 ? gigabytes_per_second(result.digest.bytes(), result.wall_ms()) / one : 0;
}

std::string human_bytes(uint64_t bytes) {
    static const char *const kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
    const bool whole = value == static_cast<double>(static_cast<uint64_t>(value));
    return format(whole ? "%.0f %s" : "%.1f %s", value, bytes == 1 ? "byte" : kUnits[unit]);
}

std::string Report::headline() const {
    return format("%s, %s in %" PRIu64 " chunks of %s, %d stream%s on %s", file.c_str(),
                  human_bytes(result.digest.bytes()).c_str(), result.chunks, human_bytes(chunk_bytes).c_str(), streams,
                  streams == 1 ? "" : "s", device.c_str());
}

std::string Report::speed() const {
    return format("%.2f ms, %.2f GB/s, overlap factor %.2f against one stream", result.wall_ms(),
                  gigabytes_per_second(result.digest.bytes(), result.wall_ms()), overlap_factor(result, one_stream));
}

std::string Report::table() const {
    const double wall = result.wall_ms();
    std::string text = format("%-10s %16s %12s %9s %10s\n", "stage", "bytes", "ms", "GB/s", "in flight");
    double sum = 0;
    for (size_t i = 0; i < kStages; ++i) {
        const StageTotal &stage = result.stages[i];
        text += format("%-10s %16" PRIu64 " %12.3f %9.2f %10.2f\n", kStageNames[i], stage.bytes, stage.ms,
                       gigabytes_per_second(stage.bytes, stage.ms), wall > 0 ? stage.ms / wall : 0);
        sum += stage.ms;
    }
    const uint64_t bytes = result.digest.bytes();
    text += format("%-10s %16" PRIu64 " %12.3f %9.2f %10.2f\n", "wall time", bytes, wall,
                   gigabytes_per_second(bytes, wall), wall > 0 ? sum / wall : 0);
    text += format("%-10s %16" PRIu64 " %12.3f %9.2f\n", "one stream", one_stream.digest.bytes(), one_stream.wall_ms(),
                   gigabytes_per_second(one_stream.digest.bytes(), one_stream.wall_ms()));
    return text + format("overlap factor against one stream: %.2f\n", overlap_factor(result, one_stream));
}

} // namespace pipeline
