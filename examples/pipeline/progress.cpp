// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace pipeline {
namespace {

constexpr uint64_t kLongFile = uint64_t{64} << 20;

} // namespace

Progress::Progress(uint64_t file_bytes, bool forced)
    : terminal_(isatty(STDERR_FILENO) != 0), shown_(forced || (terminal_ && file_bytes >= kLongFile)) {}

Progress::~Progress() {
    if (line_open_) std::fputc('\n', stderr);
}

void Progress::begin(const char *phase, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    phase_ = phase;
    total_ = bytes;
    done_ = 0;
    shown_percent_ = 0;
    if (shown_) show();
}

void Progress::add(uint64_t bytes) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    const auto percent = static_cast<uint64_t>(static_cast<double>(done_) * 100.0 / static_cast<double>(total_));
    if (percent == shown_percent_) return;
    shown_percent_ = percent;
    show();
}

void Progress::show() {
    std::fprintf(stderr, "%s%-16s %3" PRIu64 " %%  %" PRIu64 " of %" PRIu64 " bytes%s", terminal_ ? "\r" : "",
                 phase_.c_str(), shown_percent_, done_, total_, terminal_ ? "\x1b[K" : "\n");
    std::fflush(stderr);
    line_open_ = terminal_;
}

} // namespace pipeline
