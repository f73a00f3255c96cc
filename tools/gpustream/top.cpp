// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

#include "commands.hpp"
#include "devices.hpp"
#include "table.hpp"

namespace command {
namespace {

std::string picture(const std::vector<std::string> &names) {
    std::vector<Telemetry> telemetry;
    for (size_t i = 0; i < names.size(); ++i) telemetry.push_back(read_telemetry(static_cast<gs_device_t>(i)));
    return telemetry_table(names, telemetry);
}

// The signals that end the program are blocked and received here, so that none can arrive between a test and the wait.
// Returns true if one arrived.
bool interrupted_within(double seconds, const sigset_t &ends) {
    timespec rest{};
    rest.tv_sec = static_cast<time_t>(seconds);
    rest.tv_nsec = static_cast<long>((seconds - static_cast<double>(rest.tv_sec)) * 1e9);
    return sigtimedwait(&ends, nullptr, &rest) > 0;
}

} // namespace

int top(const TopOptions &options) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    // The driver is asked once for the names; the numbers need no driver.
    std::vector<std::string> names;
    for (gs_device_t device = 0; device < device_count(); ++device) {
        gs_device_info_t info{};
        info.struct_size = sizeof info;
        if (gs_device_get_info(device, &info) != GS_OK) {
            std::fprintf(stderr, "gpustream top: %s\n", last_error_text().c_str());
            return 1;
        }
        names.emplace_back(info.name);
    }
    if (names.empty()) {
        std::fprintf(stderr, "gpustream top: there is no device\n");
        return 1;
    }
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    for (long round = 1;; ++round) {
        const std::string text = picture(names);
        // On a terminal each screen replaces the one before.
        std::printf("%s%s%s", terminal ? "\033[H\033[2J" : "", text.c_str(), terminal ? "" : "\n");
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return 1; // the reader is gone
        if (options.rounds > 0 && round >= options.rounds) return 0;
        if (interrupted_within(options.interval_s, ends)) return 0;
    }
}

} // namespace command
