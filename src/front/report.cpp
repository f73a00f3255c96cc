// SPDX-License-Identifier: Apache-2.0
#include "front/report.hpp"

#include <errno.h>
#include <unistd.h>

#include "base/dynlib.hpp"
#include "tools/call_stack.hpp"
#include "tools/python_frames.hpp"

namespace gs::front {

std::string report_head(const char *what) {
    return "gpustream: process " + std::to_string(getpid()) + " (" + program_invocation_short_name + "): " + what +
           "\n";
}

void write_report(std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
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
