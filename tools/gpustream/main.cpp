// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gpustream.h>

#include "commands.hpp"

namespace {

constexpr char kUsage[] =
    "usage: gpustream info [--json]\n"
    "       gpustream top [--interval SECONDS] [--rounds N]\n"
    "       gpustream --version\n"
    "\n"
    "info   devices of this process and GPUs of this machine\n"
    "top    load, memory, temperature, power and clock of each device, until interrupted or for N rounds\n"
    "\n"
    "GPUSTREAM_BACKEND=host shows the host backend. Exit code: 1 when there is no device, 2 for a wrong command "
    "line.\n";

int wrong(const char *what) {
    std::fprintf(stderr, "gpustream: %s\n%s", what, kUsage);
    return 2;
}

bool positive(const char *text, double *out) {
    char *end = nullptr;
    *out = text ? std::strtod(text, &end) : 0;
    return text && end != text && *end == '\0' && *out > 0 && *out < 1e6;
}

int run_info(int count, char **arguments) {
    bool json = false;
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(arguments[i], "--json") != 0) return wrong("info takes --json only");
        json = true;
    }
    return command::info(json);
}

int run_top(int count, char **arguments) {
    command::TopOptions options;
    for (int i = 0; i < count; i += 2) {
        double value = 0;
        if (!positive(i + 1 < count ? arguments[i + 1] : nullptr, &value))
            return wrong("top: a number above 0 is wanted");
        if (std::strcmp(arguments[i], "--interval") == 0)
            options.interval_s = value;
        else if (std::strcmp(arguments[i], "--rounds") == 0)
            options.rounds = static_cast<long>(value);
        else
            return wrong("top takes --interval and --rounds only");
    }
    return command::top(options);
}

} // namespace

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    if (std::strcmp(name, "info") == 0) return run_info(count - 2, arguments + 2);
    if (std::strcmp(name, "top") == 0) return run_top(count - 2, arguments + 2);
    if (std::strcmp(name, "--version") == 0) {
        std::printf("gpustream %s\n", gs_version_string());
        return 0;
    }
    if (std::strcmp(name, "--help") == 0 || std::strcmp(name, "-h") == 0) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    return wrong(*name ? "there is no such command" : "a command is wanted");
}
