// SPDX-License-Identifier: Apache-2.0
#include "front/report.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

#include "base/dynlib.hpp"
#include "base/own_file.hpp"
#include "front/run_settings.hpp"
#include "tools/call_stack.hpp"
#include "tools/python_frames.hpp"

namespace gs::front {

std::string report_head(const char *what) {
    return "gpustream: process " + std::to_string(getpid()) + " (" + program_invocation_short_name + "): " + what +
           "\n";
}

ReportFile::ReportFile() noexcept {
    char path[PATH_MAX + 32];
    std::snprintf(path, sizeof path, "%s/%d.report", g_settings.folder, static_cast<int>(getpid()));
    const char *problem = nullptr;
    const int fd = open_own_file(path, O_WRONLY | O_CREAT | O_APPEND, &problem);
    if (fd >= 0) fd_ = fd;
}

ReportFile::~ReportFile() {
    if (fd_ != STDERR_FILENO) close(fd_);
}

void write_report(std::string_view text) noexcept {
    const ReportFile file;
    while (!text.empty()) {
        const ssize_t done = ::write(file.fd(), text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return; // no caller is left that could get an error
        text.remove_prefix(static_cast<size_t>(done));
    }
}

bool is_front(uintptr_t address) noexcept {
    static const uintptr_t own = code_address(reinterpret_cast<uintptr_t>(&write_report)).base;
    return code_address(address).base == own;
}

std::string callers_text() {
    constexpr size_t kShown = 3;
    std::string text = python_line();
    size_t shown = 0;
    for (const std::string &frame : describe_call_stack(capture_call_stack())) {
        if (shown == kShown) break;
        text += (text.empty() ? "" : ", from ") + frame;
        ++shown;
    }
    return text;
}

} // namespace gs::front
