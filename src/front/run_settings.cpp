// SPDX-License-Identifier: Apache-2.0
#include "front/run_settings.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "base/own_file.hpp"
#include "tools/call_stack.hpp"

namespace gs::front {

Settings g_settings;

namespace {

struct TextPart {
    const char *name; // with its '='
    char (&value)[PATH_MAX];
};
struct FlagPart {
    const char *name;
    uint32_t flag;
};
constexpr FlagPart kFlags[] = {{"stats", kStats},
                               {"syncs", kSyncs},
                               {"leaks", kLeaks},
                               {"log", kLog},
                               {"captures", kCaptures},
                               {"trace", kTrace},
                               {"check", kCheck},
                               {"check-kernels", kCheckKernels},
                               {"device-times", kDeviceTimes}};

bool read_part(const char *part, size_t bytes) noexcept {
    for (const TextPart &text : {TextPart{"driver=", g_settings.driver}, TextPart{"folder=", g_settings.folder},
                                 TextPart{"file=", g_settings.log}, TextPart{"delays=", g_settings.delays},
                                 TextPart{"learn=", g_settings.learn}, TextPart{"learnt=", g_settings.learnt}}) {
        const size_t name = std::strlen(text.name);
        if (std::strncmp(part, text.name, name) != 0) continue;
        if (bytes - name >= sizeof text.value) return false;
        std::memcpy(text.value, part + name, bytes - name);
        if (&text.value == &g_settings.delays) g_settings.watch |= kDelays;
        if (&text.value == &g_settings.learn) g_settings.watch |= kLearn;
        return true;
    }
    if (std::strncmp(part, "entries=", 8) == 0) {
        g_settings.entries = std::strtoull(part + 8, nullptr, 10);
        return true;
    }
    // Of the simulated driver, which reads them itself.
    if (std::strncmp(part, "kernel", 6) == 0 || std::strncmp(part, "simulated", 9) == 0) return true;
    for (const FlagPart &flag : kFlags)
        if (std::strlen(flag.name) == bytes && std::strncmp(part, flag.name, bytes) == 0) {
            g_settings.watch |= flag.flag;
            return true;
        }
    return false;
}

} // namespace

bool read_settings() noexcept {
    const char *text = env_text(Variable::Run);
    if (!text) return false;
    while (*text != '\0') {
        const size_t bytes = std::strcspn(text, ";");
        if (bytes != 0 && !read_part(text, bytes)) {
            log_message(GS_LOG_ERROR, "%s is not of this version of gpustream: '%s'", name_of(Variable::Run), text);
            return false;
        }
        text += bytes + (text[bytes] == ';' ? 1 : 0);
    }
    return g_settings.driver[0] != '\0';
}

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
